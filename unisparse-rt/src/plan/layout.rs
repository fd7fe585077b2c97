//! Rules 16 and 17: which arrays are interleaved, and which are partitioned.

use super::builder::PlanBuilder;
use super::operator::Operator;

/// Unpacks all arrays and joins all parts.
pub(super) fn undo(builder: &mut PlanBuilder<'_>) -> Option<()> {
    if let Some(level) = builder.state.partition {
        builder.run(Operator::Unpartition(level))?;
    }
    for (first, last) in builder.state.packs.clone() {
        builder.run(Operator::Unpack(first, last))?;
    }
    Some(())
}

/// Creates the layout of the target.
pub(super) fn generate(builder: &mut PlanBuilder<'_>) -> Option<()> {
    for (first, last) in builder.target.packs.clone() {
        builder.run(Operator::Pack(first, last))?;
    }
    match builder.target.partition {
        Some(level) => builder.run(Operator::Partition(level)),
        None => Some(()),
    }
}
