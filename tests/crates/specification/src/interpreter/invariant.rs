//! Aligned levels whose coordinates are the same whatever some levels above are: their arrays leave those out.

use std::collections::BTreeMap;

use super::status::{Sampled, Status};
use super::{Expr, Format, Function, Name, Plan, Tensor};

impl Format {
    /// Whether a `pack` requires an array of the level.
    pub(super) fn is_packed(&self, level: usize) -> bool {
        self.packs.iter().any(|(first, last)| (*first..=*last).contains(&level))
    }

    /// Whether the level is a rank or the quotient of one, which a `pack` turns into an array.
    pub(super) fn is_rank(&self, level: usize) -> bool {
        let mut rank = &self.levels[level].expr;
        while let Expr::Op('/', inner, _) = rank {
            rank = inner;
        }
        matches!(rank, Expr::Name(Name::Query(query)) if matches!(self.queries[*query].function, Function::Reorder { .. }))
    }

    /// Returns the levels that the array of a level leaves out.
    pub(super) fn left_out(&self, plan: &Plan, sampled: &Sampled<'_>, level: usize) -> Vec<usize> {
        if plan.statuses[level] != Status::Aligned || self.is_packed(level) {
            return Vec::new();
        }
        let above: Vec<usize> = plan.stored.iter().copied().take_while(|&above| above < level).collect();
        // Each part has arrays of its own, so the levels down to the cut are kept.
        let is_upper = |above: &usize| self.partition.is_some_and(|cut| *above <= cut);
        let (upper, lower): (Vec<usize>, Vec<usize>) = above.iter().partition(|above| is_upper(above));
        let mut out = sampled.not_needed(&upper, &lower, level);
        while !out.is_empty() && !self.has_places(plan, &above, &out) {
            out.remove(0);
        }
        out
    }

    /// Whether the levels that are left give a place in an array: below the first level that is left out, they have as many
    /// coordinates below each parent, or the first of them counts below the root.
    fn has_places(&self, plan: &Plan, above: &[usize], out: &[usize]) -> bool {
        let (before, after): (Vec<usize>, Vec<usize>) = above.iter().partition(|&&level| level < out[0]);
        let left: Vec<usize> = after.into_iter().filter(|level| !out.contains(level)).collect();
        let is_dense = |level: usize| !plan.indexed[level] && !plan.counted[level];
        let nothing = BTreeMap::new();
        let is_measured = |level: usize| Tensor::new(self, &vec![2; self.dims], &nothing).is_measured(level);
        let counts = |level: usize| before.is_empty() && plan.counted[level] && is_measured(level);
        before.last().is_none_or(|&level| !plan.copied[level])
            && left
                .iter()
                .enumerate()
                .all(|(at, &level)| is_dense(level) || at == 0 && counts(level))
    }
}
