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
        let order = Keys::new(self.values.len())
            .append(groups, self.each(&group))
            .append([None; K], self.each(&traverse))
            .order();
        let numbers = parallel::map(order.len(), |_| AtomicI64::new(0));
        let number = |order: &[usize]| {
            let mut last = None;
            let mut classes: Vec<Class<K>> = Vec::new();
            for &element in order {
                let (coordinate, results) = (self.coordinate(element), self.results[element]);
                let group = group(coordinate, results);
                if last.replace(group) != Some(group) {
                    classes.clear();
                }
                let traverse = traverse(coordinate, results);
                let (arm, first) = class(self.values[element], coordinate, results);
                let count = match classes.iter_mut().find(|class| class.arm == arm) {
                    Some(class) => {
                        class.count += i64::from(class.traverse != traverse);
                        class.traverse = traverse;
                        class.count
                    }
                    None => {
                        let count = 0;
                        classes.push(Class { arm, count, traverse });
                        count
                    }
                };
                let number = fits(first)
                    .and_then(|first| first.checked_add(count))
                    .ok_or_else(|| budget.overflow())?;
                numbers[element].store(number, Relaxed);
            }
            Ok(())
        };
        let done = parallel::each(cut(&order, self.each(&group)), number);
        done.into_iter().collect::<Result<(), Error>>()?;
        self.fill(query, numbers);
        Ok(())
    }
}
