//! `enumerate`: numbers the elements of each group and class.

use core::ops::Range;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::groups::{Budget, domains, is_small, position, volume};
use super::order::TupleKeys;
use super::runs::{self, Run, Runs};
use super::{Batch, ClauseRows, Column, Queries, each_row, fits, signed};
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::{pages, parallel};

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
        let clauses = |value, coordinate, results| {
            let (group, traverse) = (group(coordinate, results), traverse(coordinate, results));
            (group, traverse, class(value, coordinate, results))
        };
        let write = each_row(G + K + 2, |value, coordinate, results, row: &mut [i64]| {
            let (group, traverse, (arm, first)) = clauses(value, coordinate, results);
            row[..G].copy_from_slice(&group);
            row[G..G + K].copy_from_slice(&traverse);
            (row[G + K], row[G + K + 1]) = (arm as i64, first);
        });
        let run = |piece| {
            let mut runs = Runs::new();
            let numbers = self.column(piece, &mut |(coordinates, values, results), numbers| {
                let elements = coordinates.iter().zip(values).zip(results);
                let evaluated = elements.map(|((&at, &value), &results)| clauses(value, signed(at), results));
                runs.take(evaluated, numbers)
            });
            runs.end(numbers)
        };
        let budget = self.state.budget(name);
        let columns = match number_runs(self.pieces(), &run, budget)? {
            Some(columns) => columns,
            None => self.with_rows(G + K + 2, &write, |rows| numbers(rows, budget, &groups, K))?,
        };
        self.state.numbers[query] = Some(columns);
        Ok(())
    }

    /// Returns the numbers that `number` writes for each batch of a piece, until it returns that they are of no use.
    fn column(&self, piece: usize, number: &mut dyn FnMut(Batch<'_, T, N, Q>, &mut [i64]) -> bool) -> Column {
        let mut batches = self.batches(piece, &[true; Q]);
        let (mut column, mut numbers) = (self.state.empty_column(self.count()), Vec::new());
        while let Some(batch) = batches.next() {
            numbers.resize(batch.1.len(), 0);
            let is_useful = number(batch, &mut numbers);
            column.extend(&numbers);
            if !is_useful {
                break;
            }
        }
        batches.end();
        column
    }
}

/// Numbers the elements of each piece in one visit, if groups are contiguous and ascending, each in the order of `traverse`, and
/// all elements belong to the first class. Only `run` depends on the format: all else is compiled once.
fn number_runs(
    pieces: usize,
    run: &(dyn Fn(usize) -> Run + Sync),
    budget: Budget,
) -> Result<Option<Vec<Column>>, Error> {
    runs::join(parallel::each((0..pieces).collect(), run), budget)
}

/// Where a row has its place in the order of its group, its class and the first number of the class.
trait Clauses: Copy + Sync {
    /// Fields that are compared.
    type Fields<'r>: Copy + Eq;

    fn traverse(self, row: &[i64]) -> Self::Fields<'_>;
    fn class(self, row: &[i64]) -> (usize, i64);
    /// Compares a row's `traverse` with that of another, which `kept` holds, and keeps this one.
    fn follow(self, kept: &mut [i64], row: &[i64]) -> Followed;
}

/// How the place of a row in the order of its group relates to that of the row before it in the group.
struct Followed {
    in_order: bool,
    equal: bool,
}

/// One number for the group, and one for the order within it, which are compared as numbers.
#[derive(Clone, Copy)]
struct Single;

impl Clauses for Single {
    type Fields<'r> = i64;

    #[inline(always)]
    fn traverse(self, row: &[i64]) -> i64 {
        row[1]
    }
    #[inline(always)]
    fn class(self, row: &[i64]) -> (usize, i64) {
        (row[2] as usize, row[3])
    }
    #[inline(always)]
    fn follow(self, kept: &mut [i64], row: &[i64]) -> Followed {
        let last = core::mem::replace(&mut kept[0], row[1]);
        Followed {
            in_order: last <= row[1],
            equal: last == row[1],
        }
    }
}

/// Any number of fields.
#[derive(Clone, Copy)]
struct Several {
    group: usize,
    traverse: usize,
}

impl Clauses for Several {
    type Fields<'r> = &'r [i64];

    fn traverse(self, row: &[i64]) -> &[i64] {
        &row[self.group..][..self.traverse]
    }
    fn class(self, row: &[i64]) -> (usize, i64) {
        let class = &row[self.group + self.traverse..];
        (class[0] as usize, class[1])
    }
    fn follow(self, kept: &mut [i64], row: &[i64]) -> Followed {
        let order = (*kept).cmp(self.traverse(row));
        kept.copy_from_slice(self.traverse(row));
        Followed {
            in_order: order.is_le(),
            equal: order.is_eq(),
        }
    }
}

/// Numbers the elements of each group, as one column per piece.
fn numbers(
    rows: &ClauseRows,
    budget: Budget,
    groups: &[Option<Domain>],
    traverse: usize,
) -> Result<Vec<Column>, Error> {
    let group = groups.len();
    let single = (group, traverse) == (1, 1);
    let clauses = Several { group, traverse };
    let domains = domains(budget, groups, || rows.extremes(group)).ok();
    if let Some(domains) = domains.filter(|domains| is_small(domains, rows.count)) {
        let columns = match single {
            true => number_in_order(rows, budget, &domains, Single),
            false => number_in_order(rows, budget, &domains, clauses),
        };
        if let Some(columns) = columns? {
            return Ok(columns);
        }
    }
    match single {
        true => number_sorted(rows, budget, groups, Single),
        false => number_sorted(rows, budget, groups, clauses),
    }
}

/// Numbers the elements in one visit, if the elements of each group come in the order of `traverse`.
fn number_in_order(
    rows: &ClauseRows,
    budget: Budget,
    domains: &[Domain],
    clauses: impl Clauses,
) -> Result<Option<Vec<Column>>, Error> {
    // For each group, the count of numbers taken and the traverse numbers of the last element.
    let (group, width) = (domains.len(), rows.width - domains.len() - 1);
    let none = || pages::filled(0i64, width * volume(domains) as usize);
    // One table of all groups per class.
    let mut reached = vec![none()];
    let (mut in_order, mut fit) = (true, true);
    let mut columns = Vec::new();
    let (mut numbers, first) = (Vec::new(), domains.first().map_or(0, |domain| domain.lo));
    for piece in 0..rows.state.pieces.len() {
        let mut column = rows.empty_column();
        (rows.read)(piece, &mut |batches| {
            while let Some(batch) = batches.next() {
                numbers.resize(batch.len() / rows.width, 0);
                for (place, row) in numbers.iter_mut().zip(batch.chunks_exact(rows.width)) {
                    let (arm, from) = clauses.class(row);
                    if arm >= reached.len() {
                        reached.resize_with(arm + 1, none);
                    }
                    let group = match group {
                        1 => row[0].wrapping_sub(first) as usize,
                        _ => position(domains, &row[..group]),
                    };
                    let (count, kept) = reached[arm][group * width..][..width].split_at_mut(1);
                    let (count, followed) = (&mut count[0], clauses.follow(kept, row));
                    let is_first = *count == 0;
                    in_order &= is_first | followed.in_order;
                    *count += i64::from(is_first | !followed.equal);
                    let number = fits(from).and_then(|from| from.checked_add(*count - 1));
                    fit &= number.is_some();
                    *place = number.unwrap_or(0);
                }
                column.extend(&numbers);
                if !in_order {
                    return;
                }
            }
        });
        if !in_order {
            return Ok(None);
        }
        if !fit {
            return Err(budget.overflow());
        }
        columns.push(column);
    }
    Ok(Some(columns))
}

/// The state of numbering one class within a group.
struct Class<F> {
    arm: usize,
    count: i64,
    traverse: F,
}

/// Returns the number of the next element of a group, which belongs to class `arm`, whose numbers count from `first` in the
/// order of `traverse`; `None` on overflow.
fn next<F: PartialEq>(classes: &mut Vec<Class<F>>, traverse: F, (arm, first): (usize, i64)) -> Option<i64> {
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

/// Numbers the elements by sorting them.
fn number_sorted(
    rows: &ClauseRows,
    budget: Budget,
    groups: &[Option<Domain>],
    clauses: impl Clauses,
) -> Result<Vec<Column>, Error> {
    let (list, group) = (rows.list(), groups.len());
    let order = TupleKeys::new(list.len())
        .append(groups, list.fields(0..group))
        .group()
        .append_last(&[], list.fields(group..rows.width - 2))
        .order();
    let elements = list.fields(0..rows.width);
    let numbers = parallel::map(list.len(), |_| AtomicI64::new(0));
    let number = |groups: Range<usize>| {
        let mut classes = Vec::new();
        for group in groups {
            classes.clear();
            for &element in order.group(group) {
                let row = elements.of(element);
                let number = next(&mut classes, clauses.traverse(row), clauses.class(row));
                numbers[element].store(number.ok_or_else(|| budget.overflow())?, Relaxed);
            }
        }
        Ok(())
    };
    let done = parallel::each(order.pieces(), number);
    done.into_iter().collect::<Result<(), Error>>()?;
    Ok(list.columns(|element| numbers[element].load(Relaxed)))
}
