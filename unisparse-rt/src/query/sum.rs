//! `sum`: a number for each group, from those of its elements.

use core::ops::Range;

use super::groups::{Budget, Groups, Tables};
use super::sizes::Sizes;
use super::{Queries, fits};
use crate::level::Domain;
use crate::{Error, Scalar, parallel};

/// What coordinates without an element add to a sum whose groups depend on the coordinate alone.
#[derive(Clone, Copy)]
pub struct Absent<'a, const G: usize> {
    /// The number of each of a group.
    pub number: &'a dyn Fn([i64; G], &Tables) -> i64,
    /// The dimensions that each number of the group depends on.
    pub involves: [&'a [usize]; G],
}

impl<T: Scalar, const N: usize, const Q: usize> Queries<T, N, Q> {
    /// Sums the numbers of each group's elements, and of its absent ones if they have any.
    ///
    /// `groups` are the domains of the group's numbers, `None` for those to be measured.
    ///
    /// # Errors
    /// `Overflow` if a sum does not fit. With absent elements also `Limit`, if a table of all groups would take
    /// more bytes than allowed or their sizes are too much to count.
    pub fn sum<const G: usize>(
        &mut self,
        query: usize,
        name: &'static str,
        groups: [Option<Domain>; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        number: impl Fn(T, [i64; N], [i64; Q]) -> i64 + Sync,
        absent: Option<Absent<'_, G>>,
    ) -> Result<(), Error> {
        let budget = self.budget(name);
        let mut of = Groups::new(budget, groups, self.values.len(), self.each(&group))?;
        if absent.is_some() && !of.is_full() {
            // Groups without elements have numbers as well.
            of = of.full::<G>(budget)?;
        }
        let number = |element: usize| number(self.values[element], self.coordinate(element), self.results[element]);
        let mut sums = sums(budget, &of, number)?;
        // Without groups there is nothing to count, and no bound of what the parts of their box would take.
        if let Some(absent) = absent.filter(|_| of.count > 0) {
            let sizes = Sizes::count(budget, self.shape, &of.domains, absent.involves, |at| group(at, [0; Q]))?;
            let mut stored = vec![0u64; of.count];
            for &at in &of.of_elements {
                stored[at] += 1;
            }
            for at in 0..of.count {
                let tuple = of.tuple(at);
                let number = (absent.number)(tuple, &self.tables);
                if number != 0 {
                    sums[at] = sizes
                        .of(&tuple)
                        .and_then(|size| i64::try_from(size - u128::from(stored[at])).ok())
                        .and_then(|missing| number.checked_mul(missing)?.checked_add(sums[at]))
                        .ok_or_else(|| budget.overflow())?;
                }
            }
        }
        self.tables.insert(query, of, sums);
        self.spread(query);
        Ok(())
    }
}

/// The sums of the numbers of each group's elements. As numbers are never negative, a sum overflows in any order.
fn sums(budget: Budget, groups: &Groups, number: impl Fn(usize) -> i64 + Sync) -> Result<Vec<i64>, Error> {
    let elements = groups.of_elements.len();
    let sums_of = |range: Range<usize>| {
        let mut sums = vec![0i64; groups.count];
        for element in range {
            let sum = &mut sums[groups.of_elements[element]];
            *sum = sum.checked_add(fits(number(element))?)?;
        }
        Some(sums)
    };
    // Each piece has a table of its own: together they stay smaller than the work.
    let worth = elements / (4 * groups.count.max(1));
    let pieces = parallel::pieces(elements).min(worth).max(1);
    let parts = parallel::each(parallel::ranges(elements, pieces), sums_of);
    let add = |mut sums: Vec<i64>, part: Vec<i64>| {
        for (sum, more) in sums.iter_mut().zip(part) {
            *sum = sum.checked_add(more)?;
        }
        Some(sums)
    };
    parts
        .into_iter()
        .reduce(|sums, part| add(sums?, part?))
        .flatten()
        .ok_or_else(|| budget.overflow())
}
