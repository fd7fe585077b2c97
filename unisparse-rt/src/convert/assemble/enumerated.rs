//! Elements with their numbers in one enumeration, which every visit of the source computes anew.
//!
//! This is for elements whose groups come one after the other, each in the order of the enumeration: the number of an element then
//! follows from the element before it, and no number is stored.

use core::ops::Range;

use super::depths::target;
use super::measured::measure;
use super::sorted::Sorted;
use super::words::Coded;
use crate::array::Domain;
use crate::convert::query::{Numbered, fits, signed};
use crate::error::Error;
use crate::format::balance::balanced;
use crate::format::order::is_order_of;
use crate::format::{Order, Tree};
use crate::machine::parallel;
use crate::source::{Source, checked_count};

/// Whether elements are numbered by loops over the source itself, which take time to compile for each source: without
/// optimisation, only the tests of this crate have them.
pub(super) const IS_FUSED: bool = cfg!(any(optimised, test));

/// Number of elements from which the first of [`PROBES`] pieces is looked at first, to leave soon where elements are in no order.
const MANY: usize = 1 << 12;
const PROBES: usize = 64;

/// Elements of a source with their numbers in an enumeration.
pub struct Enumerated<'s, S, E, R, const Q: usize, const G: usize, const K: usize> {
    source: &'s S,
    pub(super) count: usize,
    clauses: E,
    /// Returns the results of all `Q` queries, given the number of an element within its group.
    results: R,
    /// The borders of the pieces of a visit, and the last element before each piece.
    borders: Vec<usize>,
    before: Vec<Numbered<G, K>>,
    /// The least and the greatest result, if there are elements.
    extremes: Option<(i64, i64)>,
}

impl<'s, S, E, R, const Q: usize, const G: usize, const K: usize> Enumerated<'s, S, E, R, Q, G, K> {
    /// Visits the elements once; returns `None` if they do not come in the order of the enumeration, or if a result overflows.
    ///
    /// # Errors
    /// `OutOfBounds` if an element is outside the shape.
    pub(super) fn new<F, const N: usize, const M: usize>(
        source: &'s S,
        clauses: E,
        results: R,
    ) -> Result<Option<Self>, Error>
    where
        F: Tree<N, M>,
        S: Source<N>,
        E: Fn([i64; N]) -> ([i64; G], [i64; K]) + Sync,
        R: Fn(i64) -> [i64; Q] + Sync,
    {
        let count = checked_count(source)?;
        let known = const { is_known::<F, S, N, M>() };
        let scan = |(piece, before)| match const { is_known::<F, S, N, M>() } {
            true => Scan::of::<S, N, true>(source, &clauses, piece, before),
            false => Scan::of::<S, N, false>(source, &clauses, piece, before),
        };
        if count >= MANY && !known {
            let first = source.borders(PROBES);
            if first.len() > 2 && !scan((first[0]..first[1], None)).in_order {
                return Ok(None);
            }
        }
        let borders = source.borders(parallel::pieces(count));
        let pieces = || borders.windows(2).map(|pair| pair[0]..pair[1]);
        let scans = parallel::each(pieces().map(|piece| (piece, None)).collect(), scan);
        let Some(Joined {
            before,
            mut greatest,
            is_exact,
        }) = (match known {
            true => join::<G, K, true>(scans),
            false => join::<G, K, false>(scans),
        })
        else {
            return Ok(None);
        };
        if !is_exact {
            let again = pieces().zip(before.iter().copied().map(Some)).collect();
            greatest = parallel::each(again, scan).iter().map(|scan| scan.greatest).max();
        }
        // A result is the number plus a constant, and 0 for other queries.
        let sum = |number| results(number).into_iter().fold(0, i64::saturating_add);
        let extremes = greatest.map(|greatest| (sum(0), sum(greatest)));
        if extremes.is_some_and(|(_, greatest)| fits(greatest).is_none()) {
            return Ok(None);
        }
        Ok(Some(Enumerated {
            source,
            count,
            clauses,
            results,
            borders,
            before,
            extremes,
        }))
    }

    /// Returns the domains, with those of measured levels, all of which are results of the enumeration.
    pub(super) fn measure<F: Tree<N, M>, const N: usize, const M: usize>(
        &self,
        domains: [Domain; M],
    ) -> Result<[Domain; M], Error> {
        let none = || (vec![i64::MAX; M], vec![i64::MIN; M]);
        measure::<F, N, M>(domains, |_| self.extremes, none)
    }
}

impl<F, S, E, R, const N: usize, const M: usize, const Q: usize, const G: usize, const K: usize> Coded<F, N, M>
    for Enumerated<'_, S, E, R, Q, G, K>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
    E: Fn([i64; N]) -> ([i64; G], [i64; K]) + Sync,
    R: Fn(i64) -> [i64; Q] + Sync,
{
    const SORTED: Option<Sorted> = None;
    const MAY_MOVE: bool = false;
    const MAY_ORDER: bool = false;

    fn are_checked(&self) -> bool {
        S::IS_CHECKED
    }

    fn count(&self) -> usize {
        self.count
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.before.len(), pieces, |piece| piece)
    }

    fn whole(&self) -> Range<usize> {
        0..self.before.len()
    }

    #[inline]
    fn for_each_between(&self, pieces: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        let Some(&before) = self.before.get(pieces.start) else {
            return;
        };
        let mut last = before;
        self.source.for_each_between(
            self.borders[pieces.start]..self.borders[pieces.end],
            #[inline(always)]
            |coordinate, value| {
                let (group, place) = (self.clauses)(signed(coordinate));
                match const { is_known::<F, S, N, M>() } {
                    true => last.step::<true>(group, place),
                    false => last.step::<false>(group, place),
                };
                visit(F::encode(coordinate, &(self.results)(last.number)), value);
            },
        );
    }
}

/// Returns whether the type of the source guarantees the order of the format's enumeration, and that no two elements of a group have the
/// same place in it.
pub(crate) const fn is_known<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>() -> bool {
    let (Order::By(source), target) = (S::ORDER, target::<F, N, M>().0) else {
        return false;
    };
    let (mut is_known, mut query) = (true, 0);
    while query < target.queries.len() {
        is_known &= !target.mentions(query) || is_order_of(source, target, &target.queries[query]);
        query += 1;
    }
    is_known
}

/// What a visit of a piece finds.
struct Scan<const G: usize, const K: usize> {
    /// The first and the last element, if there are any.
    first: Option<Numbered<G, K>>,
    last: Numbered<G, K>,
    in_order: bool,
    /// The greatest number.
    greatest: i64,
}

impl<const G: usize, const K: usize> Scan<G, K> {
    /// Visits a piece, which is numbered as if no element came before, or on from the element `before`.
    ///
    /// Not inlined into its callers: then the loop is inlined here, and keeps its state in registers.
    #[inline(never)]
    fn of<S, const N: usize, const KNOWN: bool>(
        source: &S,
        clauses: &impl Fn([i64; N]) -> ([i64; G], [i64; K]),
        piece: Range<usize>,
        before: Option<Numbered<G, K>>,
    ) -> Self
    where
        S: Source<N>,
    {
        let mut found = Scan {
            first: before,
            last: before.unwrap_or(Numbered::start::<KNOWN>([0; G], [0; K])),
            in_order: true,
            greatest: 0,
        };
        source.for_each_between(
            piece,
            #[inline(always)]
            |coordinate, _| {
                let (group, place) = clauses(signed(coordinate));
                if found.first.is_none() {
                    found.last = Numbered::start::<KNOWN>(group, place);
                    found.first = Some(found.last);
                }
                found.in_order &= found.last.step::<KNOWN>(group, place);
                found.greatest = found.greatest.max(found.last.number);
            },
        );
        found
    }
}

/// What the visits of all pieces find.
struct Joined<const G: usize, const K: usize> {
    before: Vec<Numbered<G, K>>,
    /// The greatest number, if there are elements; not exact, that of an element may be greater.
    greatest: Option<i64>,
    is_exact: bool,
}

/// Joins the pieces of a visit, in the order of these; `None` if the elements are not in order.
fn join<const G: usize, const K: usize, const KNOWN: bool>(scans: Vec<Scan<G, K>>) -> Option<Joined<G, K>> {
    let (mut before, mut last) = (Vec::with_capacity(scans.len()), None);
    // The greatest number that an element has, and a bound of those in groups that a border cuts.
    let (mut greatest, mut of_cut) = (None, None);
    for scan in scans {
        if !scan.in_order {
            return None;
        }
        before.push(last.or(scan.first).unwrap_or(scan.last));
        let Some(first) = scan.first else {
            continue;
        };
        // The number of the first element.
        let mut number = 0;
        match last {
            // All pieces before are empty.
            None => before.fill(first),
            Some(mut last) => {
                if !last.step::<KNOWN>(first.group, first.place) {
                    return None;
                }
                number = last.number;
            }
        }
        if number > 0 {
            of_cut = of_cut.max(Some(number + scan.greatest));
        }
        let is_one_group = scan.last.group == first.group;
        let end = scan.last.number + if is_one_group { number } else { 0 };
        greatest = greatest.max(Some(scan.greatest.max(end)));
        last = Some(Numbered {
            number: end,
            ..scan.last
        });
    }
    Some(Joined {
        before,
        greatest,
        is_exact: of_cut <= greatest,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Cells(Vec<[usize; 2]>);

    impl Source<2> for Cells {
        type Scalar = f64;
        fn shape(&self) -> [usize; 2] {
            [4, 9]
        }
        fn count(&self) -> usize {
            self.0.len()
        }
        fn for_each(&self, visit: impl FnMut([usize; 2], f64)) {
            self.for_each_between(0..self.0.len(), visit);
        }
        fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([usize; 2], f64)) {
            self.0[piece].iter().for_each(|&at| visit(at, 1.0));
        }
    }

    proptest! {
        #[test]
        fn pieces_are_numbered_as_the_whole(
            // Two neighbours may share a place.
            cells in proptest::collection::btree_set((0usize..4, 0usize..9), 0..40),
            cuts in proptest::collection::vec(0usize..40, 0..6),
        ) {
            let cells = Cells(cells.into_iter().map(|(i, j)| [i, j]).collect());
            let clauses = |[i, j]: [i64; 2]| ([i], [j / 2]);
            let number = |at: usize| {
                let [i, j] = cells.0[at];
                let before = cells.0[..at].iter().filter(|cell| cell[0] == i && cell[1] / 2 < j / 2);
                before.map(|cell| cell[1] / 2).collect::<std::collections::BTreeSet<_>>().len() as i64
            };
            let mut borders: Vec<usize> = cuts.into_iter().map(|cut| cut.min(cells.0.len())).collect();
            borders.extend([0, cells.0.len()]);
            borders.sort_unstable();
            let pieces = borders.windows(2).map(|pair| pair[0]..pair[1]);
            let scan = |piece, before| Scan::of::<_, 2, false>(&cells, &clauses, piece, before);
            let joined = join::<1, 1, false>(pieces.clone().map(|piece| scan(piece, None)).collect()).unwrap();
            let greatest = (0..cells.0.len()).map(number).max();
            let again = pieces.clone().zip(&joined.before).map(|(piece, &before)| scan(piece, Some(before)));
            let again = again.map(|scan| scan.greatest).max().filter(|_| greatest.is_some());
            prop_assert_eq!(again, greatest);
            prop_assert!(joined.greatest == greatest || !joined.is_exact && joined.greatest < greatest);
            for (piece, mut last) in pieces.zip(joined.before) {
                // A visit may go on into the pieces after.
                for at in piece.start..cells.0.len() {
                    let (group, place) = clauses(signed(cells.0[at]));
                    last.advance(group, place);
                    prop_assert_eq!(last.number, number(at));
                }
            }
        }
    }
}
