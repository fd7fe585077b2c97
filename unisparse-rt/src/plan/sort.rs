//! The operators `Drop` and `Sort`: they remove levels that the target lacks, and sort by the others.

use super::course::Course;
use super::operator::Operator;

/// Drops levels that the target does not have, and sorts by the others in the target's order.
pub(super) fn arrange(course: &mut Course<'_>) -> Option<()> {
    let mut left: Vec<Option<usize>> = (0..course.state.levels.len()).map(Some).collect();
    let mut from = Vec::with_capacity(course.target.levels.len());
    for wanted in &course.target.levels {
        let holds = |at: &&mut Option<usize>| at.is_some_and(|at| course.state.levels[at].holds == wanted.holds);
        from.push(left.iter_mut().find(holds)?.take()?);
    }
    for surplus in left.into_iter().flatten().rev() {
        course.run(Operator::Drop(surplus))?;
        from.iter_mut()
            .filter(|from| **from > surplus)
            .for_each(|from| *from -= 1);
    }
    course.run(Operator::Sort(from))
}
