//! The operators `Drop` and `Sort`: they remove levels that the target lacks, and sort by the others.

use super::builder::PlanBuilder;
use super::operator::Operator;

/// Drops levels that the target does not have, and sorts by the others in the target's order.
pub(super) fn arrange(builder: &mut PlanBuilder<'_>) -> Option<()> {
    let mut left: Vec<Option<usize>> = (0..builder.state.levels.len()).map(Some).collect();
    let mut from = Vec::with_capacity(builder.target.levels.len());
    for wanted in &builder.target.levels {
        let is_wanted =
            |at: &&mut Option<usize>| at.is_some_and(|at| builder.state.levels[at].expression == wanted.expression);
        from.push(left.iter_mut().find(is_wanted)?.take()?);
    }
    for surplus in left.into_iter().flatten().rev() {
        builder.run(Operator::Drop(surplus))?;
        from.iter_mut()
            .filter(|from| **from > surplus)
            .for_each(|from| *from -= 1);
    }
    builder.run(Operator::Sort(from))
}
