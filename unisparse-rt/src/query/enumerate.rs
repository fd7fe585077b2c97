//! `enumerate`: the elements of each group and class, numbered.

use core::ops::Range;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::groups::{Budget, domains, is_small, position, volume};
use super::order::Keys;
use super::{Column, Queries, fits};
use crate::level::Domain;
use crate::{Error, Scalar, pages, parallel};

/// How far the numbers of one class of the group have come.
struct Class<const K: usize> {
    arm: usize,
    count: i64,
    traverse: [i64; K],
}

/// The number of the next element of a group, of the class `arm` whose numbers follow each other from `first` on, in the
/// order of `traverse`; `None` if it does not fit.
fn next<const K: usize>(classes: &mut Vec<Class<K>>, traverse: [i64; K], (arm, first): (usize, i64)) -> Option<i64> {
    let count = match classes.iter_mut().find(|class| class.arm == arm) {
        Some(class) => {
            class.count += i64::from(class.traverse != traverse);
            class.traverse = traverse;
            class.count
        }
        None => {
            classes.push(Class {
                arm,
                count: 0,
                traverse,
            });
            0
        }
    };
    fits(first)?.checked_add(count)
}

impl<T: Scalar, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
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
        let domains = domains(budget, groups, || self.extremes(&group)).ok();
        let mut columns = None;
        if let Some(domains) = domains.filter(|domains| is_small(domains, self.count())) {
            columns = self.number_in_order(budget, domains, &group, &traverse, &class)?;
        }
        let columns = match columns {
            Some(columns) => columns,
            None => self.number_sorted(budget, groups, group, traverse, class)?,
        };
        self.numbers[query] = Some(columns);
        Ok(())
    }

    /// The numbers by one visit, if it gives the elements of each group in the order of `traverse`.
    fn number_in_order<const G: usize, const K: usize>(
        &self,
        budget: Budget,
        domains: [Domain; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
        class: impl Fn(T, [i64; N], [i64; Q]) -> (usize, i64) + Sync,
    ) -> Result<Option<Vec<Column>>, Error> {
        // How many numbers of the group are taken, and what the last one was for.
        let none = || pages::filled((0i64, [0i64; K]), volume(&domains) as usize);
        // For each class a table of all groups.
        let mut reached = vec![none()];
        let (mut in_order, mut fit) = (true, true);
        let mut columns = Vec::new();
        for piece in 0..self.pieces.len() {
            columns.push(self.column(piece, |value, coordinate, results| {
                let (arm, first) = class(value, coordinate, results);
                if arm >= reached.len() {
                    reached.resize_with(arm + 1, none);
                }
                let group = position(&domains, &group(coordinate, results));
                let ((count, last), next) = (&mut reached[arm][group], traverse(coordinate, results));
                in_order &= (*count == 0) | (*last <= next);
                *count += i64::from((*count == 0) | (*last != next));
                *last = next;
                let number = fits(first).and_then(|first| first.checked_add(*count - 1));
                fit &= number.is_some();
                number.unwrap_or(0)
            }));
            if !in_order {
                return Ok(None);
            }
            if !fit {
                return Err(budget.overflow());
            }
        }
        Ok(Some(columns))
    }

    /// The numbers by sorting the elements.
    fn number_sorted<const G: usize, const K: usize>(
        &self,
        budget: Budget,
        groups: [Option<Domain>; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
        class: impl Fn(T, [i64; N], [i64; Q]) -> (usize, i64) + Sync,
    ) -> Result<Vec<Column>, Error> {
        let list = self.list();
        let order = Keys::new(list.len())
            .append(groups, list.each(&group))
            .group()
            .append_last([None; K], list.each(&traverse))
            .order();
        let numbers = parallel::map(list.len(), |_| AtomicI64::new(0));
        let number = |groups: Range<usize>| {
            let mut classes = Vec::new();
            for group in groups {
                classes.clear();
                for &element in order.group(group) {
                    let (coordinate, results) = (list.coordinate(element), list.results[element]);
                    let class = class(list.values[element], coordinate, results);
                    let number = next(&mut classes, traverse(coordinate, results), class);
                    numbers[element].store(number.ok_or_else(|| budget.overflow())?, Relaxed);
                }
            }
            Ok(())
        };
        let done = parallel::each(order.pieces(), number);
        done.into_iter().collect::<Result<(), Error>>()?;
        Ok(list.columns(|element| numbers[element].load(Relaxed)))
    }
}
