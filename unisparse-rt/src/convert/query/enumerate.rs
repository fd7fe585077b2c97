//! `enumerate`: numbers the elements of each group and class.

use core::ops::Range;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::groups::{Budget, domains, is_small, position, volume};
use super::order::Keys;
use super::{Column, Queries, fits, signed};
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::{pages, parallel};

/// The state of numbering one class within a group.
struct Class<const K: usize> {
    arm: usize,
    count: i64,
    traverse: [i64; K],
}

/// Returns the number of the next element of a group, which belongs to class `arm`, whose numbers count from `first` in the
/// order of `traverse`; `None` on overflow.
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

/// The last position reached in a run of elements of one group.
#[derive(Clone, Copy)]
struct Place<const G: usize, const K: usize> {
    group: [i64; G],
    traverse: [i64; K],
    number: i64,
}

/// The state of numbering elements whose groups are contiguous.
#[derive(Clone, Copy)]
struct Runs<const G: usize, const K: usize> {
    first: Place<G, K>,
    last: Place<G, K>,
    /// Number of elements, number of elements in the first group, and whether there are other groups.
    count: usize,
    of_first: usize,
    others: bool,
    in_order: bool,
    fit: bool,
}

impl<const G: usize, const K: usize> Runs<G, K> {
    fn new() -> Self {
        let place = Place {
            group: [0; G],
            traverse: [0; K],
            number: 0,
        };
        Runs {
            first: place,
            last: place,
            count: 0,
            of_first: 0,
            others: false,
            in_order: true,
            fit: true,
        }
    }

    /// Begins with the group of the first element.
    fn start(&mut self, group: [i64; G], traverse: [i64; K]) {
        (self.first.group, self.first.traverse) = (group, traverse);
        self.last = self.first;
    }

    /// Numbers the next element. Branch-free, as groups may be short.
    #[inline(always)]
    fn take(&mut self, group: [i64; G], traverse: [i64; K]) {
        let last = self.last;
        let same = last.group == group;
        self.in_order &= (last.group < group) | (same & (last.traverse <= traverse));
        let number = last.number + i64::from(last.traverse != traverse);
        self.last = Place {
            group,
            traverse,
            number: if same { number } else { 0 },
        };
        self.others |= !same;
        self.of_first += usize::from(!self.others);
        self.count += 1;
    }
}

impl<T: Stored, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
    /// Numbers the elements of each group in the order of `traverse`. Elements of one class with equal traverse numbers share
    /// a number; the numbers of a class are consecutive, starting from the number that its arm gives.
    ///
    /// `class` returns the arm of the value map that an element matches, and the number given by that arm.
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
        let mut columns = self.number_runs(budget, &group, &traverse, &class)?;
        if columns.is_none() {
            let domains = domains(budget, groups, || self.extremes(&group)).ok();
            if let Some(domains) = domains.filter(|domains| is_small(domains, self.count())) {
                columns = self.number_in_order(budget, domains, &group, &traverse, &class)?;
            }
        }
        let columns = match columns {
            Some(columns) => columns,
            None => self.number_sorted(budget, groups, group, traverse, class)?,
        };
        self.numbers[query] = Some(columns);
        Ok(())
    }

    /// Numbers the elements in one visit, if groups are contiguous and ascending, each in the order of `traverse`, and all
    /// elements belong to the first class.
    fn number_runs<const G: usize, const K: usize>(
        &self,
        budget: Budget,
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
        class: impl Fn(T, [i64; N], [i64; Q]) -> (usize, i64) + Sync,
    ) -> Result<Option<Vec<Column>>, Error> {
        let of_piece = |piece| {
            let mut column = self.room();
            let (mut runs, mut numbers) = (Runs::<G, K>::new(), Vec::new());
            self.read_while(piece, [true; Q], |coordinates, values, results| {
                numbers.resize(values.len(), 0);
                if let (0, Some(&coordinate), Some(&results)) = (runs.count, coordinates.first(), results.first()) {
                    let coordinate = signed(coordinate);
                    runs.start(group(coordinate, results), traverse(coordinate, results));
                }
                let (mut next, elements) = (runs, coordinates.iter().zip(values).zip(results));
                for (place, ((&coordinate, &value), &results)) in numbers.iter_mut().zip(elements) {
                    let coordinate = signed(coordinate);
                    let (arm, first) = class(value, coordinate, results);
                    next.take(group(coordinate, results), traverse(coordinate, results));
                    next.in_order &= arm == 0;
                    let number = fits(first).and_then(|first| first.checked_add(next.last.number));
                    next.fit &= number.is_some();
                    *place = number.unwrap_or(0);
                }
                runs = next;
                column.extend(&numbers);
                runs.in_order
            });
            (column, runs)
        };
        let pieces = parallel::each((0..self.pieces.len()).collect(), of_piece);
        let (mut columns, mut before): (_, Option<Place<G, K>>) = (Vec::with_capacity(pieces.len()), None);
        for (mut column, runs) in pieces {
            if !runs.in_order {
                return Ok(None);
            }
            if !runs.fit {
                return Err(budget.overflow());
            }
            if runs.count == 0 {
                columns.push(column);
                continue;
            }
            let mut last = runs.last;
            if let Some(before) = before {
                let same = before.group == runs.first.group;
                if before.group > runs.first.group || same && before.traverse > runs.first.traverse {
                    return Ok(None);
                }
                if same {
                    // The first group of this piece continues the last group of the previous piece.
                    let more = before.number + i64::from(before.traverse != runs.first.traverse);
                    column.add(runs.of_first, more).ok_or_else(|| budget.overflow())?;
                    last.number += if runs.of_first == runs.count { more } else { 0 };
                }
            }
            before = Some(last);
            columns.push(column);
        }
        Ok(Some(columns))
    }

    /// Numbers the elements in one visit, if the elements of each group come in the order of `traverse`.
    fn number_in_order<const G: usize, const K: usize>(
        &self,
        budget: Budget,
        domains: [Domain; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
        class: impl Fn(T, [i64; N], [i64; Q]) -> (usize, i64) + Sync,
    ) -> Result<Option<Vec<Column>>, Error> {
        // For each group, the count of numbers taken and the traverse numbers of the last element.
        let none = || pages::filled((0i64, [0i64; K]), volume(&domains) as usize);
        // One table of all groups per class.
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

    /// Numbers the elements by sorting them.
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
