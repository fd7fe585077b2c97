//! `enumerate`: numbers the elements of each group and class.

use core::ops::Range;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::groups::{Budget, domains, is_small, position, volume};
use super::order::TupleKeys;
use super::{ClauseRows, Column, Queries, each_row, fits};
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
        let write = each_row(G + K + 2, |value, coordinate, results, row: &mut [i64]| {
            row[..G].copy_from_slice(&group(coordinate, results));
            row[G..G + K].copy_from_slice(&traverse(coordinate, results));
            let (arm, first) = class(value, coordinate, results);
            (row[G + K], row[G + K + 1]) = (arm as i64, first);
        });
        let budget = self.state.budget(name);
        let columns = self.with_rows(G + K + 2, &write, |rows| numbers(rows, budget, &groups, K))?;
        self.state.numbers[query] = Some(columns);
        Ok(())
    }
}

/// Where a row has its group, its place in the order of the group, its class and the first number of the class.
trait Clauses: Copy + Sync {
    /// Fields that are compared.
    type Fields<'r>: Copy + Ord;

    /// The number of numbers in a row.
    fn width(self) -> usize;
    fn group(self, row: &[i64]) -> Self::Fields<'_>;
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
    fn width(self) -> usize {
        4
    }
    #[inline(always)]
    fn group(self, row: &[i64]) -> i64 {
        row[0]
    }
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

    fn width(self) -> usize {
        self.group + self.traverse + 2
    }
    fn group(self, row: &[i64]) -> &[i64] {
        &row[..self.group]
    }
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
    let columns = match single {
        true => number_runs(rows, budget, Single),
        false => number_runs(rows, budget, clauses),
    };
    if let Some(columns) = columns? {
        return Ok(columns);
    }
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

/// The state of numbering elements whose groups are contiguous.
struct Runs {
    /// The first and the last row.
    first: Vec<i64>,
    last: Vec<i64>,
    /// The number of the last element in its group.
    number: i64,
    /// Number of elements, and of those in the first group.
    count: usize,
    of_first: usize,
    in_order: bool,
    fit: bool,
}

impl Runs {
    fn new() -> Self {
        Runs {
            first: Vec::new(),
            last: Vec::new(),
            number: 0,
            count: 0,
            of_first: 0,
            in_order: true,
            fit: true,
        }
    }

    /// Numbers the elements of a batch. Branch-free, as groups may be short.
    #[inline(always)]
    fn take(&mut self, rows: &[i64], clauses: impl Clauses, numbers: &mut [i64]) {
        let Some(row) = rows.chunks_exact(clauses.width()).next() else {
            return;
        };
        if self.count == 0 {
            self.first = row.to_vec();
            self.last = row.to_vec();
        }
        if self.of_first == self.count {
            let first = clauses.group(&self.first);
            let groups = rows.chunks_exact(clauses.width()).map(|row| clauses.group(row));
            self.of_first += groups.take_while(|&group| group == first).count();
        }
        let mut last = (clauses.group(&self.last), clauses.traverse(&self.last));
        let (mut number, mut in_order, mut fit) = (self.number, self.in_order, self.fit);
        for (place, row) in numbers.iter_mut().zip(rows.chunks_exact(clauses.width())) {
            let (group, traverse) = (clauses.group(row), clauses.traverse(row));
            let same = last.0 == group;
            in_order &= (last.0 < group) | (same & (last.1 <= traverse));
            let next = number + i64::from(last.1 != traverse);
            number = if same { next } else { 0 };
            *place = number;
            // Most enumerations have one class, which counts from 0.
            let (arm, first) = clauses.class(row);
            if (arm as i64 | first) != 0 {
                let (sum, overflows) = first.overflowing_add(number);
                in_order &= arm == 0;
                fit &= !overflows & fits(first).is_some();
                *place = sum;
            }
            last = (group, traverse);
        }
        self.last.clear();
        self.last.extend_from_slice(&rows[rows.len() - clauses.width()..]);
        self.count += numbers.len();
        (self.number, self.in_order, self.fit) = (number, in_order, fit);
    }
}

/// Numbers the elements in one visit, if groups are contiguous and ascending, each in the order of `traverse`, and all
/// elements belong to the first class.
fn number_runs(rows: &ClauseRows, budget: Budget, clauses: impl Clauses) -> Result<Option<Vec<Column>>, Error> {
    let of_piece = |piece| {
        let (mut column, mut runs, mut numbers) = (rows.empty_column(), Runs::new(), Vec::new());
        (rows.read)(piece, &mut |batches| {
            while let Some(batch) = batches.next() {
                numbers.resize(batch.len() / rows.width, 0);
                runs.take(batch, clauses, &mut numbers);
                column.extend(&numbers);
                if !runs.in_order {
                    return;
                }
            }
        });
        (column, runs)
    };
    let pieces = parallel::each((0..rows.state.pieces.len()).collect(), of_piece);
    // The last row of the previous piece, and the number of its element.
    let (mut columns, mut before): (_, Option<(Vec<i64>, i64)>) = (Vec::with_capacity(pieces.len()), None);
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
        let mut number = runs.number;
        if let Some((before, reached)) = before {
            let [before, first] = [&before, &runs.first].map(|row| (clauses.group(row), clauses.traverse(row)));
            if before > first {
                return Ok(None);
            }
            if before.0 == first.0 {
                // The first group of this piece continues the last group of the previous piece.
                let more = reached + i64::from(before.1 != first.1);
                column.add(runs.of_first, more).ok_or_else(|| budget.overflow())?;
                number += if runs.of_first == runs.count { more } else { 0 };
            }
        }
        before = Some((runs.last, number));
        columns.push(column);
    }
    Ok(Some(columns))
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
