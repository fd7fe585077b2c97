//! The clauses of a query as rows of numbers, one row for each element or group.
//!
//! Clauses are closures, which depend on the format and on the type of the elements. They write the rows of a batch at a time;
//! what reads the rows is compiled once, in this crate.

use core::ops::Range;

use super::column::Column;
use super::elements::BATCH;
use super::fields::{Extremes, Fields, widen, widest};
use super::state::State;
use crate::machine::{pages, parallel};

/// The rows of the elements of a piece, batch by batch.
pub(super) trait ReadRows {
    /// Returns the rows of the next batch; `None` after the last.
    fn next(&mut self) -> Option<&[i64]>;
}

/// Calls its second argument with the batches of a piece.
type ReadPiece<'a> = dyn Fn(usize, &mut dyn FnMut(&mut dyn ReadRows)) + Sync + 'a;

/// The rows of all elements, read on demand.
pub(super) struct ClauseRows<'a> {
    pub(super) state: &'a State,
    /// The number of numbers in a row, at least one.
    pub(super) width: usize,
    /// Number of elements, or an upper bound.
    pub(super) count: usize,
    pub(super) read: &'a ReadPiece<'a>,
}

impl ClauseRows<'_> {
    /// Creates an empty column with capacity for the elements of a piece.
    pub(super) fn empty_column(&self) -> Column {
        self.state.empty_column(self.count)
    }

    /// Computes a column with one `number` for each row of a piece.
    #[inline(always)]
    pub(super) fn column(&self, piece: usize, mut number: impl FnMut(&[i64]) -> i64) -> Column {
        let (mut column, mut numbers) = (self.empty_column(), Vec::new());
        (self.read)(piece, &mut |batches| {
            while let Some(rows) = batches.next() {
                numbers.resize(rows.len() / self.width, 0);
                for (place, row) in numbers.iter_mut().zip(rows.chunks_exact(self.width)) {
                    *place = number(row);
                }
                column.extend(&numbers);
            }
        });
        column
    }

    /// Returns the extremes of the first `count` fields; `None` without elements.
    pub(super) fn extremes(&self, count: usize) -> Option<Extremes> {
        let of_piece = |piece| {
            let mut extremes = None;
            (self.read)(piece, &mut |batches| {
                while let Some(rows) = batches.next() {
                    widen(&mut extremes, rows, self.width, 0..count);
                }
            });
            extremes
        };
        widest(parallel::each((0..self.state.pieces.len()).collect(), of_piece))
    }

    /// Collects the rows of all elements.
    pub(super) fn list(&self) -> List {
        let mut list = List {
            rows: pages::with_capacity(self.count * self.width),
            width: self.width,
            ends: Vec::new(),
        };
        for piece in 0..self.state.pieces.len() {
            (self.read)(piece, &mut |batches| {
                while let Some(rows) = batches.next() {
                    list.rows.extend_from_slice(rows);
                }
            });
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
