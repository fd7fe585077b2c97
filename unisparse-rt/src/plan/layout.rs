//! Rules 16 and 17: which arrays are interleaved, and which are partitioned.

use super::course::Course;
use super::operator::Operator;

/// Unpacks all arrays and joins all parts.
pub(super) fn undo(course: &mut Course<'_>) -> Option<()> {
    if let Some(level) = course.state.partition {
        course.run(Operator::Unpartition(level))?;
    }
    for (first, last) in course.state.packs.clone() {
        course.run(Operator::Unpack(first, last))?;
    }
    Some(())
}

/// Creates the layout of the target.
pub(super) fn generate(course: &mut Course<'_>) -> Option<()> {
    for (first, last) in course.target.packs.clone() {
        course.run(Operator::Pack(first, last))?;
    }
    match course.target.partition {
        Some(level) => course.run(Operator::Partition(level)),
        None => Some(()),
    }
}
