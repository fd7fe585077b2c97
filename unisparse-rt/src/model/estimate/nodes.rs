//! Counts the tree nodes above elements in storage order, for all elements or for many subsets of them at once.

use core::ops::Range;

use super::case::{Case, counted};
use super::chunk::Visit;
use super::keys::Keys;
use super::passes::Uneven;
use super::ranked::Ranked;
use crate::array::Domain;
use crate::format::Level;

/// The elements whose nodes are counted.
#[derive(Debug, Clone, Copy)]
pub enum Counting<'a> {
    /// All elements, as one case.
    All,
    /// Elements with a rank above 0, above 1, and so on: one case for each of this many bounds. The ranks are given in the order
    /// in which the elements are visited, and are at most the number of bounds.
    Above(&'a [u32], usize),
    /// Elements with a rank of at most 0, at most 1, and so on, otherwise as `Above`.
    UpTo(&'a [u32], usize),
}

/// The numbers of nodes.
pub(super) struct Nodes {
    /// In storage order.
    keys: Keys,
    /// The place in the visit of each element; empty if that is the storage order, or nobody needs it.
    order: Vec<usize>,
    duplicates: bool,
    /// The least and the greatest coordinate of each level; the least exceeds the greatest without elements.
    reached: Vec<[i64; 2]>,
    /// In the order of the bounds.
    cases: Vec<Case>,
}

impl Nodes {
    /// Counts the nodes of the `count` elements of a visit. `keeps_order` says that [`find`](Nodes::find) will be called.
    pub(super) fn count(
        levels: &[Level],
        domains: &[Domain],
        (count, keeps_order): (usize, bool),
        counting: &Counting,
        visit: &Visit<'_>,
    ) -> Self {
        let mut reached = vec![[i64::MAX, i64::MIN]; levels.len()];
        let mut keys = Keys::with_capacity(levels, domains, count);
        visit(&mut |coordinates| {
            for (reached, of_level) in reached.iter_mut().zip(coordinates) {
                let wider = |[least, greatest]: [i64; 2], &at: &i64| [least.min(at), greatest.max(at)];
                *reached = of_level.iter().fold(*reached, wider);
            }
            keys.append(coordinates);
        });
        let (uneven, mut order) = (Uneven::of(levels, domains), Vec::new());
        let (duplicates, mut cases) = match *counting {
            Counting::All => {
                if !keys.are_sorted() {
                    match keeps_order {
                        true => {
                            order.extend(0..keys.len());
                            keys.sort(&mut order);
                        }
                        false => keys.sort(&mut vec![(); keys.len()]),
                    }
                }
                let (duplicates, case) = Case::of_all(&keys, &uneven);
                (duplicates, vec![case])
            }
            Counting::Above(ranks, cases) => Ranked::count(&mut keys, &uneven, true, (ranks, cases)),
            Counting::UpTo(ranks, cases) => Ranked::count(&mut keys, &uneven, false, (ranks, cases)),
        };
        let counted = counted(&keys, levels);
        cases.iter_mut().for_each(|case| case.counted.clone_from(&counted));
        Nodes {
            keys,
            order,
            duplicates,
            reached,
            cases,
        }
    }

    /// Returns whether a coordinate occurred twice.
    pub(super) fn duplicates(&self) -> bool {
        self.duplicates
    }

    /// Returns the least and the greatest coordinate of each level over all elements; the least exceeds the greatest without
    /// elements.
    pub(super) fn reached(&self) -> &[[i64; 2]] {
        &self.reached
    }

    /// Returns the counts of each case, in the order of the bounds.
    pub(super) fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Returns the coordinates of some runs of consecutive elements, those of all levels for each element. Those of determined levels are
    /// the starts of their domains.
    pub(super) fn runs(&self) -> Vec<Vec<i64>> {
        runs(self.keys.len()).map(|run| self.keys.coordinates(run)).collect()
    }

    /// Returns the coordinates of the elements of each run, including those of determined levels, in order. The visit is that of
    /// [`count`](Nodes::count).
    pub(super) fn find(&self, visit: &Visit<'_>) -> Vec<Vec<i64>> {
        let (depth, runs) = (self.keys.depth(), Vec::from_iter(runs(self.keys.len())));
        let mut found = Vec::from_iter(runs.iter().map(|run| vec![0; run.len() * depth]));
        let mut places = vec![usize::MAX; self.order.len()];
        if !self.order.is_empty() {
            runs.iter()
                .cloned()
                .flatten()
                .for_each(|at| places[self.order[at]] = at);
        }
        let mut visited = 0;
        visit(&mut |coordinates| {
            for element in 0..coordinates.first().map_or(0, |of_level| of_level.len()) {
                let place = places.get(visited).copied().unwrap_or(visited);
                visited += 1;
                let Some(run) = runs.iter().position(|run| run.contains(&place)) else {
                    continue;
                };
                let held = &mut found[run][(place - runs[run].start) * depth..][..depth];
                held.iter_mut()
                    .zip(coordinates)
                    .for_each(|(held, of_level)| *held = of_level[element]);
            }
        });
        found
    }
}

/// Returns a few runs of elements, evenly spaced, or one run of all if they are few.
fn runs(count: usize) -> impl Iterator<Item = Range<usize>> {
    /// Number of runs.
    const RUNS: usize = 4;
    /// Number of elements of a run.
    const LENGTH: usize = 1 << 12;
    let [runs, length] = match count <= RUNS * LENGTH {
        true => [1, count],
        false => [RUNS, LENGTH],
    };
    let starts = (0..runs).map(move |run| (2 * run + 1) * (count / (2 * runs)) - length / 2);
    starts.map(move |start| start..start + length)
}

#[cfg(test)]
mod tests {
    use super::{Counting, Nodes, runs};
    use crate::array::Domain;
    use crate::format::{Kind, Level};
    use crate::model::estimate::chunk::Take;
    use crate::tests::level;

    const POINTED: Kind = Kind::Indexed {
        pointed: true,
        copied: false,
        full: false,
    };

    fn count(levels: &[Level; 3], counting: &Counting, elements: &[[i64; 3]]) -> Nodes {
        let domains = [Domain { lo: 0, size: 8 }; 3];
        Nodes::count(levels, &domains, (elements.len(), true), counting, &visit(elements))
    }

    /// Visits elements one by one.
    fn visit(elements: &[[i64; 3]]) -> impl Fn(&mut Take<'_>) + '_ {
        move |take| {
            for at in elements {
                take(&at.each_ref().map(core::slice::from_ref));
            }
        }
    }

    #[test]
    fn each_case_counts_what_it_has_alone() {
        const CASES: usize = 5;
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        let mut elements: Vec<[i64; 3]> = (0..150).map(|_| core::array::from_fn(|_| below(6) as i64)).collect();
        for ordered in [false, true] {
            if ordered {
                elements.sort_unstable();
            }
            elements.dedup();
            let ranks: Vec<u32> = elements
                .iter()
                .map(|at| ((at[0] + 2 * at[1] + at[2]) % 6) as u32)
                .collect();
            for kinds in [
                [Kind::Dense, Kind::Dense, POINTED],
                [Kind::Dense, POINTED, POINTED],
                [Kind::Dense, POINTED, Kind::Dense],
                [Kind::Dense; 3],
            ] {
                let levels = kinds.map(|kind| level("", "", kind, false));
                let counting = [Counting::Above(&ranks, CASES), Counting::UpTo(&ranks, CASES)];
                for (above, counting) in [true, false].into_iter().zip(counting) {
                    let counted = count(&levels, &counting, &elements);
                    let cases = counted.cases();
                    assert_eq!(cases.len(), CASES);
                    for (bound, case) in cases.iter().enumerate() {
                        let kept = |rank: u32| (rank as usize > bound) == above;
                        let alone = elements.iter().zip(&ranks).filter(|&(_, &rank)| kept(rank));
                        let alone: Vec<[i64; 3]> = alone.map(|(&at, _)| at).collect();
                        let alone = count(&levels, &Counting::All, &alone).cases()[0].clone();
                        assert_eq!(case.elements, alone.elements);
                        assert_eq!(case.distinct, alone.distinct);
                        // Parents that are trimmed away are no passes.
                        if kinds != [Kind::Dense, POINTED, POINTED] {
                            assert_eq!(case.changes, alone.changes, "{above} {bound} {kinds:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn changes_are_those_of_the_lengths() {
        let levels = [Kind::Dense, Kind::Dense, POINTED].map(|kind| level("", "", kind, false));
        // Passes of two, one, one, no and two nodes.
        let rows = [[0, 6, 2], [0, 6, 5], [0, 7, 1], [1, 0, 6], [1, 2, 1], [1, 2, 3]];
        let case = count(&levels, &Counting::All, &rows).cases()[0].clone();
        assert_eq!((case.changes, case.distinct), (5, vec![2, 4, 6]));
    }

    #[test]
    fn runs_are_consecutive_elements() {
        let levels = [Kind::Dense, POINTED, POINTED].map(|kind| level("", "", kind, false));
        let all: Vec<[i64; 3]> = (0..300).map(|at| [at / 64 % 8, at / 8 % 8, at % 8]).collect();
        let found = count(&levels, &Counting::All, &all);
        assert_eq!(found.runs(), [all.concat()]);
        let few = Vec::from_iter(runs(1 << 20));
        assert!(few.iter().all(|run| run.len() == 1 << 12 && run.end < 1 << 20));
        assert!(few.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
}
