//! `enumerate`: the elements of each group and class, numbered.

use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::order::{Keys, cut};
use super::{Queries, fits};
use crate::level::Domain;
use crate::{Error, Scalar, parallel};

/// How far the numbers of one class of the group have come.
struct Class<const K: usize> {
    arm: usize,
    count: i64,
    traverse: [i64; K],
}

/// Numbers elements that come group by group, and in each in the order of `traverse`.
struct Numbering<const G: usize, const K: usize> {
    group: Option<[i64; G]>,
    classes: Vec<Class<K>>,
}

impl<const G: usize, const K: usize> Numbering<G, K> {
    fn new() -> Self {
        Numbering {
            group: None,
            classes: Vec::new(),
        }
    }

    /// The number of the next element, of the class `arm` whose numbers follow each other from `first` on; `None` if
    /// it does not fit.
    fn next(&mut self, group: [i64; G], traverse: [i64; K], (arm, first): (usize, i64)) -> Option<i64> {
        if self.group.replace(group) != Some(group) {
            self.classes.clear();
        }
        let count = match self.classes.iter_mut().find(|class| class.arm == arm) {
            Some(class) => {
                class.count += i64::from(class.traverse != traverse);
                class.traverse = traverse;
                class.count
            }
            None => {
                self.classes.push(Class {
                    arm,
                    count: 0,
                    traverse,
                });
                0
            }
        };
        fits(first)?.checked_add(count)
    }
}

impl<T: Scalar, const N: usize, const Q: usize> Queries<T, N, Q> {
    /// Numbers the elements of each group in the order of `traverse`. Those of one class and equal traverse
    /// numbers share theirs; the numbers of a class follow each other from what its arm says.
    ///
    /// `class` gives the arm of the value map that an element matches, and that arm's number.
    ///
    /// # Errors
    /// `Overflow` if a number does not fit.
    pub fn enumerate<const G: usize, const K: usize>(
        &mut self,
        query: usize,
        name: &'static str,
        groups: [Option<Domain>; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
        class: impl Fn(T, [i64; N], [i64; Q]) -> (usize, i64) + Sync,
    ) -> Result<(), Error> {
        let budget = self.budget(name);
        let count = self.values.len();
        let key = |element: usize| {
            let (coordinate, results) = (self.coordinate(element), self.results[element]);
            (group(coordinate, results), traverse(coordinate, results))
        };
        if parallel::all(count.saturating_sub(1), |element| key(element) <= key(element + 1)) {
            let mut numbering = Numbering::new();
            for element in 0..count {
                let (coordinate, results) = (self.coordinate(element), self.results[element]);
                let class = class(self.values[element], coordinate, results);
                let number = numbering.next(group(coordinate, results), traverse(coordinate, results), class);
                self.results[element][query] = number.ok_or_else(|| budget.overflow())?;
            }
            return Ok(());
        }
        let order = Keys::new(count)
            .append(groups, self.each(&group))
            .append([None; K], self.each(&traverse))
            .order();
        let numbers = parallel::map(order.len(), |_| AtomicI64::new(0));
        let number = |order: &[usize]| {
            let mut numbering = Numbering::new();
            for &element in order {
                let (coordinate, results) = (self.coordinate(element), self.results[element]);
                let class = class(self.values[element], coordinate, results);
                let number = numbering.next(group(coordinate, results), traverse(coordinate, results), class);
                numbers[element].store(number.ok_or_else(|| budget.overflow())?, Relaxed);
            }
            Ok(())
        };
        let done = parallel::each(cut(&order, self.each(&group)), number);
        done.into_iter().collect::<Result<(), Error>>()?;
        self.fill(query, numbers);
        Ok(())
    }
}
