//! The queries of a format (`where { .. }`), evaluated on the elements of a source.
//!
//! Sums, schedules and reorderings give each group of elements a number, which is stored in [`Tables`]; enumerations and
//! slots number the elements themselves. Elements stay in their source and are visited: only the group of each element, or its
//! number for queries that number elements, is stored. A sum takes one visit, and so does an enumeration of groups whose
//! elements come in its order; otherwise the elements are listed and radix-sorted. Visits of many elements are parallel.

mod column;
pub mod compare;
mod elements;
mod enumerate;
mod fields;
mod groups;
mod order;
mod reorder;
mod rows;
mod runs;
mod schedule;
mod sizes;
mod slot;
mod state;
mod sum;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads;

use core::ops::Range;
use std::sync::Mutex;

use crate::element::Stored;
use crate::limit::Limit;
use crate::machine::{pages, parallel};
use column::Column;
pub(crate) use elements::{BATCH, ReadBuffer, SourceElements, Visited};
pub(crate) use fields::Extremes;
use rows::{ClauseRows, ReadRows};
pub(crate) use runs::Numbered;
use state::State;

/// Returns the number of a value map, unless its computation saturated.
pub(crate) fn fits(number: i64) -> Option<i64> {
    (number < i64::MAX).then_some(number)
}

pub use groups::Tables;
pub use sum::Absent;

/// Minimum number of pieces for a visit of many elements, whatever the number of threads, so that single pieces can be visited.
const PIECES: usize = 4;

/// The elements of a tensor, each coordinate once, and the results of `Q` queries on them.
pub struct Queries<'s, T, const N: usize, const Q: usize> {
    shape: [usize; N],
    elements: Box<dyn SourceElements<T, N> + 's>,
    state: State,
    /// Buffers of visits that have ended, which later visits use again.
    spare: Mutex<Vec<Buffers<T, N, Q>>>,
}

/// Writes the rows of a batch of elements, given their coordinates, values and query results.
type WriteRows<'a, T, const N: usize, const Q: usize> =
    dyn Fn(&[[usize; N]], &[T], &[[i64; Q]], &mut [i64]) + Sync + 'a;

/// Widens least and greatest numbers by those of a batch of elements, given their coordinates and query results.
type Widen<'a, const N: usize, const Q: usize> = dyn Fn(&[[usize; N]], &[[i64; Q]], &mut [i64], &mut [i64]) + Sync + 'a;

/// What a visit fills for each batch.
struct Buffers<T, const N: usize, const Q: usize> {
    buffer: ReadBuffer<T, N>,
    results: Vec<[i64; Q]>,
    rows: Vec<i64>,
}

/// The elements of a piece, batch by batch. Calls for a batch do not depend on what visits it, so that they are compiled once
/// and the visitor stays in registers.
struct Batches<'a, T, const N: usize, const Q: usize> {
    elements: &'a dyn SourceElements<T, N>,
    state: &'a State,
    spare: &'a Mutex<Vec<Buffers<T, N, Q>>>,
    piece: usize,
    /// The batches that are left.
    left: Range<usize>,
    wanted: &'a [bool; Q],
    /// The number of elements before the next batch.
    start: usize,
    buffers: Buffers<T, N, Q>,
}

/// The coordinates, values and query results of the elements of a batch.
type Batch<'b, T, const N: usize, const Q: usize> = (&'b [[usize; N]], &'b [T], &'b [[i64; Q]]);

impl<T: Stored, const N: usize, const Q: usize> Batches<'_, T, N, Q> {
    #[inline(never)]
    fn next(&mut self) -> Option<Batch<'_, T, N, Q>> {
        let (state, batch) = (self.state, self.left.next()?);
        let borders = state.borders[batch]..state.borders[batch + 1];
        let Buffers { buffer, results, .. } = &mut self.buffers;
        let (coordinates, values) = self.elements.read(borders, buffer);
        results.resize(values.len(), [0; Q]);
        state.look_up(self.piece, self.start, self.wanted, results);
        self.start += values.len();
        Some((coordinates, values, results))
    }

    /// Leaves the buffers to later visits.
    #[inline(never)]
    fn end(self) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(self.buffers);
        }
    }
}

/// The rows of a piece, batch by batch.
struct Written<'a, T, const N: usize, const Q: usize> {
    batches: Batches<'a, T, N, Q>,
    width: usize,
    write: &'a WriteRows<'a, T, N, Q>,
    rows: Vec<i64>,
}

impl<T: Stored, const N: usize, const Q: usize> ReadRows for Written<'_, T, N, Q> {
    fn next(&mut self) -> Option<&[i64]> {
        let (coordinates, values, results) = self.batches.next()?;
        self.rows.resize(values.len() * self.width, 0);
        (self.write)(coordinates, values, results, &mut self.rows);
        Some(&self.rows)
    }
}

/// Returns a function that writes the rows of a batch, of `width` numbers each, by a function that writes one row.
#[expect(
    clippy::type_complexity,
    reason = "a closure, which `WriteRows` describes as an object"
)]
#[inline(always)]
fn each_row<T: Copy, const N: usize, const Q: usize>(
    width: usize,
    write: impl Fn(T, [i64; N], [i64; Q], &mut [i64]) + Sync,
) -> impl Fn(&[[usize; N]], &[T], &[[i64; Q]], &mut [i64]) + Sync {
    move |coordinates, values, results, rows| {
        for (element, row) in rows.chunks_exact_mut(width).enumerate() {
            write(values[element], signed(coordinates[element]), results[element], row);
        }
    }
}

impl<'s, T: Stored, const N: usize, const Q: usize> Queries<'s, T, N, Q> {
    /// Creates queries on elements with each coordinate once; no query is evaluated yet.
    pub(crate) fn new(shape: [usize; N], elements: Box<dyn SourceElements<T, N> + 's>) -> Self {
        let count = elements.count();
        let borders = elements.borders(count.div_ceil(BATCH));
        let batches = borders.len() - 1;
        let pieces = parallel::pieces(count)
            .max(PIECES.min(count / parallel::PIECE))
            .min(batches);
        let pieces = parallel::ranges(batches, pieces);
        let allowed = Limit::default().allowed(count, size_of::<T>(), &shape);
        Queries {
            shape,
            state: State::new(Q, count, borders, pieces, allowed),
            elements,
            spare: Mutex::default(),
        }
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// Returns the number of elements, or an upper bound if no query has been evaluated.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state.count()
    }

    /// Returns the number of pieces of a visit.
    pub(crate) fn pieces(&self) -> usize {
        self.state.pieces.len()
    }

    /// Sets the bytes that any single table may take; by default the bytes that [`Limit`] allows the tensor.
    pub fn limit(&mut self, allowed: u128) {
        self.state.allowed = allowed;
    }

    /// Begins to read a piece in batches, with the results of the `wanted` queries for each element. Other queries, and queries
    /// that are not yet evaluated, give 0.
    fn batches<'a>(&'a self, piece: usize, wanted: &'a [bool; Q]) -> Batches<'a, T, N, Q> {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut buffers = spare.unwrap_or_else(|| Buffers {
            buffer: ReadBuffer::new(self.elements.count()),
            results: Vec::new(),
            rows: Vec::new(),
        });
        // Queries that are not wanted give 0.
        buffers.results.clear();
        Batches {
            elements: &*self.elements,
            state: &self.state,
            spare: &self.spare,
            piece,
            left: self.state.pieces[piece].clone(),
            wanted,
            start: 0,
            buffers,
        }
    }

    /// Runs `run` on the rows of all elements, which `write` writes; a row has `width` numbers.
    fn with_rows<R>(&self, width: usize, write: &WriteRows<'_, T, N, Q>, run: impl FnOnce(&ClauseRows) -> R) -> R {
        run(&ClauseRows {
            state: &self.state,
            width,
            count: self.count(),
            read: &|piece, visit| {
                let mut batches = self.batches(piece, &[true; Q]);
                let rows = core::mem::take(&mut batches.buffers.rows);
                let mut written = Written {
                    batches,
                    width,
                    write,
                    rows,
                };
                visit(&mut written);
                let Written { mut batches, rows, .. } = written;
                batches.buffers.rows = rows;
                batches.end();
            },
        })
    }

    /// Visits the elements of a piece with the results of the `wanted` queries.
    #[inline(always)]
    pub(crate) fn visit(&self, piece: usize, wanted: &[bool; Q], mut visit: impl FnMut([usize; N], T, [i64; Q])) {
        let mut batches = self.batches(piece, wanted);
        while let Some((coordinates, values, results)) = batches.next() {
            for ((&coordinate, &value), &results) in coordinates.iter().zip(values).zip(results) {
                visit(coordinate, value, results);
            }
        }
        batches.end();
    }

    /// Returns the componentwise least and greatest numbers of `M` fields of each element; without elements, the least exceed the
    /// greatest.
    pub(crate) fn extremes<const M: usize>(
        &self,
        wanted: &[bool; Q],
        fields: impl Fn([usize; N], &[i64; Q]) -> [i64; M] + Sync,
    ) -> Extremes {
        let widen = |coordinates: &[[usize; N]], results: &[[i64; Q]], least: &mut [i64], greatest: &mut [i64]| {
            let (mut low, mut high) = ([i64::MAX; M], [i64::MIN; M]);
            for (&coordinate, results) in coordinates.iter().zip(results) {
                let fields = fields(coordinate, results);
                for field in 0..M {
                    low[field] = low[field].min(fields[field]);
                    high[field] = high[field].max(fields[field]);
                }
            }
            for field in 0..M {
                least[field] = least[field].min(low[field]);
                greatest[field] = greatest[field].max(high[field]);
            }
        };
        self.widened(M, wanted, &widen)
    }

    /// Returns the extremes of this many fields, which `widen` widens by those of each batch.
    fn widened(&self, fields: usize, wanted: &[bool; Q], widen: &Widen<'_, N, Q>) -> Extremes {
        let none = || (vec![i64::MAX; fields], vec![i64::MIN; fields]);
        let of_piece = |piece| {
            let (mut batches, (mut least, mut greatest)) = (self.batches(piece, wanted), none());
            while let Some((coordinates, _, results)) = batches.next() {
                widen(coordinates, results, &mut least, &mut greatest);
            }
            batches.end();
            (least, greatest)
        };
        let (mut least, mut greatest) = none();
        for (low, high) in parallel::each((0..self.pieces()).collect(), of_piece) {
            for field in 0..fields {
                least[field] = least[field].min(low[field]);
                greatest[field] = greatest[field].max(high[field]);
            }
        }
        (least, greatest)
    }

    /// Returns the coordinates of the elements, their values and their query results, in visiting order.
    #[must_use]
    pub fn into_parts(self) -> (Vec<[usize; N]>, Vec<T>, Vec<[i64; Q]>) {
        self.list()
    }

    /// As [`into_parts`](Queries::into_parts).
    fn list(&self) -> (Vec<[usize; N]>, Vec<T>, Vec<[i64; Q]>) {
        let count = self.count();
        let (mut coordinates, mut values) = (pages::with_capacity(count), pages::with_capacity(count));
        let mut results = pages::with_capacity(count);
        for piece in 0..self.pieces() {
            let mut batches = self.batches(piece, &[true; Q]);
            while let Some((some, of_these, found)) = batches.next() {
                coordinates.extend_from_slice(some);
                values.extend_from_slice(of_these);
                results.extend_from_slice(found);
            }
        }
        (coordinates, values, results)
    }

    /// Returns the least and greatest result of a query that numbers elements; `None` for other queries and without elements.
    pub(crate) fn extremes_of(&self, query: usize) -> Option<(i64, i64)> {
        self.state.extremes_of(query)
    }
}

pub(crate) fn signed<const N: usize>(coordinate: [usize; N]) -> [i64; N] {
    coordinate.map(|at| at as i64)
}
