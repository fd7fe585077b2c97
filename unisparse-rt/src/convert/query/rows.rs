//! The clauses of a query as rows of numbers, one row for each element or group.
//!
//! Clauses are closures, which depend on the format and on the type of the elements. They write the rows of a batch at a time;
//! what reads the rows is compiled once, in this crate.

use core::ops::Range;

use super::column::Column;
use super::elements::BATCH;
use super::state::State;
use crate::machine::{pages, parallel};

/// Numbers of rows: results of clauses, or coordinates.
pub(super) trait Number: Copy + Ord + Sync {
    fn number(self) -> i64;
}

impl Number for i64 {
    fn number(self) -> i64 {
        self
    }
}

impl Number for usize {
    fn number(self) -> i64 {
        self as i64
    }
}

/// Some consecutive fields of each row.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a, I = i64> {
    rows: &'a [I],
    width: usize,
    first: usize,
    /// Number of fields.
    pub(super) count: usize,
}

impl<'a, I: Number> Fields<'a, I> {
    /// Takes these `fields` of `rows`, each of which has `width` numbers.
    pub(super) fn new(rows: &'a [I], width: usize, fields: Range<usize>) -> Self {
        Fields {
            rows,
            width,
            first: fields.start,
            count: fields.len(),
        }
    }

    /// Returns the extremes of the fields over these items; `None` without any.
    pub(super) fn extremes(self, items: Range<usize>) -> Option<Extremes> {
        let fields: Vec<usize> = (self.first..self.first + self.count).collect();
        let mut extremes = None;
        widen(
            &mut extremes,
            &self.rows[items.start * self.width..items.end * self.width],
            self.width,
            &fields,
        );
        extremes
    }

    /// Returns the fields of an item.
    #[inline(always)]
    pub(super) fn of(self, item: usize) -> &'a [I] {
        &self.rows[item * self.width + self.first..][..self.count]
    }

    /// Returns one field of an item.
    #[inline(always)]
    pub(super) fn at(self, item: usize, field: usize) -> i64 {
        self.of(item)[field].number()
    }
}

/// Componentwise least and greatest numbers.
pub(super) type Extremes = (Vec<i64>, Vec<i64>);

/// Widens `extremes` to contain these fields of some rows.
pub(super) fn widen<I: Number>(extremes: &mut Option<Extremes>, rows: &[I], width: usize, fields: &[usize]) {
    if rows.is_empty() {
        return;
    }
    let (least, greatest) =
        extremes.get_or_insert_with(|| (vec![i64::MAX; fields.len()], vec![i64::MIN; fields.len()]));
    for (at, &field) in fields.iter().enumerate() {
        let (mut low, mut high) = (least[at], greatest[at]);
        for row in rows.chunks_exact(width) {
            let number = row[field].number();
            (low, high) = (low.min(number), high.max(number));
        }
        (least[at], greatest[at]) = (low, high);
    }
}

/// Joins the extremes of several pieces.
pub(super) fn widest(mut pieces: Vec<Option<Extremes>>) -> Option<Extremes> {
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    let mut all = None;
    for (least, greatest) in pieces.into_iter().flatten() {
        let fields: Vec<usize> = (0..least.len()).collect();
        widen(&mut all, &least, fields.len(), &fields);
        widen(&mut all, &greatest, fields.len(), &fields);
    }
    all
}

/// The rows of the elements of a piece, batch by batch.
pub(super) trait ReadRows {
    /// Returns the rows of the next batch; `None` after the last.
    fn next(&mut self) -> Option<&[i64]>;

    /// Ends the visit, so that others can use its buffers.
    fn end(self: Box<Self>);
}

/// The rows of all elements, read on demand.
pub(super) struct Rows<'a> {
    pub(super) state: &'a State,
    /// The number of numbers in a row, at least one.
    pub(super) width: usize,
    /// Begins to read a piece.
    pub(super) read: &'a (dyn Fn(usize) -> Box<dyn ReadRows + 'a> + Sync + 'a),
}

impl Rows<'_> {
    /// Computes a column with one `number` for each row of a piece.
    #[inline(always)]
    pub(super) fn column(&self, piece: usize, mut number: impl FnMut(&[i64]) -> i64) -> Column {
        let (mut column, mut numbers) = (self.state.room(), Vec::new());
        let mut batches = (self.read)(piece);
        while let Some(rows) = batches.next() {
            numbers.resize(rows.len() / self.width, 0);
            for (place, row) in numbers.iter_mut().zip(rows.chunks_exact(self.width)) {
                *place = number(row);
            }
            column.extend(&numbers);
        }
        batches.end();
        column
    }

    /// Returns the extremes of some fields; `None` without elements.
    pub(super) fn extremes(&self, fields: &[usize]) -> Option<Extremes> {
        let of_piece = |piece| {
            let (mut extremes, mut batches) = (None, (self.read)(piece));
            while let Some(rows) = batches.next() {
                widen(&mut extremes, rows, self.width, fields);
            }
            batches.end();
            extremes
        };
        widest(parallel::each((0..self.state.pieces.len()).collect(), of_piece))
    }

    /// Returns the extremes of the first `count` fields; `None` without elements.
    pub(super) fn extremes_of_first(&self, count: usize) -> Option<Extremes> {
        self.extremes(&(0..count).collect::<Vec<_>>())
    }

    /// Collects the rows of all elements.
    pub(super) fn list(&self) -> List {
        let mut list = List {
            rows: pages::with_capacity(self.state.count() * self.width),
            width: self.width,
            ends: Vec::new(),
        };
        for piece in 0..self.state.pieces.len() {
            let mut batches = (self.read)(piece);
            while let Some(rows) = batches.next() {
                list.rows.extend_from_slice(rows);
            }
            batches.end();
            list.ends.push(list.len());
        }
        list
    }
}

/// The rows of all elements, for queries whose order differs from the source's.
pub(super) struct List {
    rows: Vec<i64>,
    width: usize,
    /// The end of each piece.
    ends: Vec<usize>,
}

impl List {
    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    pub(super) fn fields(&self, fields: Range<usize>) -> Fields<'_> {
        Fields::new(&self.rows, self.width, fields)
    }

    /// Computes a number for each element, as one column per piece.
    pub(super) fn columns(&self, number: impl Fn(usize) -> i64) -> Vec<Column> {
        let mut start = 0;
        let of_piece = |&end: &usize| {
            let mut column = Column::with_capacity(end - start);
            for start in (start..end).step_by(BATCH) {
                let count = BATCH.min(end - start);
                let numbers: [i64; BATCH] = core::array::from_fn(|at| if at < count { number(start + at) } else { 0 });
                column.extend(&numbers[..count]);
            }
            start = end;
            column
        };
        self.ends.iter().map(of_piece).collect()
    }
}
