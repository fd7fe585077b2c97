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
mod groups;
mod list;
mod order;
mod reorder;
mod schedule;
mod sizes;
mod slot;
mod sum;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads;

use core::ops::Range;

use crate::array::{Domain, check_shape};
use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::machine::{pages, parallel};
use crate::source::{Duplicates, Source, checked_count};
use column::Column;
use elements::{BATCH, Elements, Gathered, Read, Visited};
use groups::Budget;
use order::Keys;

/// Returns the number of a value map, unless its computation saturated.
fn fits(number: i64) -> Option<i64> {
    (number < i64::MAX).then_some(number)
}

pub use groups::Tables;
pub use sum::Absent;

/// Minimum number of pieces for a visit of many elements, whatever the number of threads, so that single pieces can be visited.
const PIECES: usize = 4;

/// The elements of a tensor, each coordinate once, and the results of `Q` queries on them.
pub struct Queries<'s, T, const N: usize, const Q: usize> {
    shape: [usize; N],
    elements: Box<dyn Elements<T, N> + 's>,
    /// The borders of the batches of a visit, and the range of batches that forms each piece.
    borders: Vec<usize>,
    pieces: Vec<Range<usize>>,
    /// For each query that numbers elements, its results as one column per piece.
    numbers: [Option<Vec<Column>>; Q],
    tables: Tables,
    allowed: u128,
}

impl<'s, T: Stored, const N: usize, const Q: usize> Queries<'s, T, N, Q> {
    /// Visits the elements of a source in place; the source has each coordinate once.
    ///
    /// # Errors
    /// `Overflow` for an extent above 2^62.
    pub(crate) fn of<S: Source<N, Scalar = T>>(format: &'static str, source: &'s S) -> Result<Self, Error> {
        check_shape(format, source.shape())?;
        Ok(Self::new(source.shape(), Visited::new(source)?))
    }

    /// Copies the elements of a source, sorts them unless they are in logical order, and resolves duplicates.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the source refuses them, `Overflow` for an extent above 2^62.
    pub fn gather<S: Source<N, Scalar = T>>(format: &'static str, source: &S) -> Result<Self, Error> {
        let shape = source.shape();
        check_shape(format, shape)?;
        let count = checked_count(source)?;
        let mut coordinates: Vec<[usize; N]> = pages::with_capacity(count);
        let mut values = pages::with_capacity(count);
        source.for_each(|coordinate, value| {
            coordinates.push(coordinate);
            values.push(value);
        });
        if !coordinates.is_sorted() {
            let extents = shape.map(|size| Some(Domain { lo: 0, size }));
            let fields = |element: usize| signed(coordinates[element]);
            let order = Keys::new(values.len()).append_last(extents, fields).order().items;
            coordinates = parallel::map(order.len(), |at| coordinates[order[at]]);
            values = parallel::map(order.len(), |at| values[order[at]]);
        }
        resolve_duplicates(format, source.duplicates(), &mut coordinates, &mut values)?;
        Ok(Self::new(shape, Gathered { coordinates, values }))
    }

    fn new(shape: [usize; N], elements: impl Elements<T, N> + 's) -> Self {
        let count = elements.count();
        let borders = elements.borders(count.div_ceil(BATCH));
        let batches = borders.len() - 1;
        let pieces = parallel::pieces(count)
            .max(PIECES.min(count / parallel::PIECE))
            .min(batches);
        Queries {
            shape,
            pieces: parallel::ranges(batches, pieces),
            borders,
            numbers: [const { None }; Q],
            tables: Tables::new(Q),
            allowed: Limit::default().allowed(count, size_of::<T>(), &shape),
            elements: Box::new(elements),
        }
    }

    /// Returns the extent of each dimension.
    #[must_use]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// Returns the number of elements, or an upper bound if no query has been evaluated.
    #[must_use]
    pub fn count(&self) -> usize {
        let of_groups = (0..Q).find_map(|query| Some(&self.tables.get(query)?.0.of_elements));
        match self.numbers.iter().flatten().next().or(of_groups) {
            Some(columns) => columns.iter().map(Column::len).sum(),
            None => self.elements.count(),
        }
    }

    /// Returns the number of pieces of a visit.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Sets the bytes that any single table may take; by default the bytes that [`Limit`] allows the tensor.
    pub fn limit(&mut self, allowed: u128) {
        self.allowed = allowed;
    }

    fn budget(&self, query: &'static str) -> Budget {
        let allowed = self.allowed;
        Budget { query, allowed }
    }

    /// Reads a piece in batches, with the results of the `wanted` queries for each element; other queries, and queries that are
    /// not yet evaluated, give 0.
    #[inline(always)]
    fn read(&self, piece: usize, wanted: [bool; Q], mut each: impl FnMut(&[[usize; N]], &[T], &[[i64; Q]])) {
        self.read_while(piece, wanted, |coordinates, values, results| {
            each(coordinates, values, results);
            true
        });
    }

    /// As [`read`](Queries::read), until `each` returns `false`.
    #[inline(always)]
    fn read_while(
        &self,
        piece: usize,
        wanted: [bool; Q],
        mut each: impl FnMut(&[[usize; N]], &[T], &[[i64; Q]]) -> bool,
    ) {
        let (mut start, mut room, mut results) = (0, Read::new(self.elements.count()), Vec::new());
        for batch in self.pieces[piece].clone() {
            let borders = self.borders[batch]..self.borders[batch + 1];
            let (coordinates, values) = self.elements.read(borders, &mut room);
            results.resize(values.len(), [0; Q]);
            self.look_up(piece, start, wanted, &mut results);
            start += values.len();
            if !each(coordinates, values, &results) {
                return;
            }
        }
    }

    /// Visits the elements of a piece with the results of the `wanted` queries.
    #[inline(always)]
    pub(crate) fn visit(&self, piece: usize, wanted: [bool; Q], mut visit: impl FnMut([usize; N], T, [i64; Q])) {
        self.read(piece, wanted, |coordinates, values, results| {
            for ((&coordinate, &value), &results) in coordinates.iter().zip(values).zip(results) {
                visit(coordinate, value, results);
            }
        });
    }

    /// Writes the results of the `wanted` queries for consecutive elements of a piece, starting at element `start`.
    fn look_up(&self, piece: usize, start: usize, wanted: [bool; Q], results: &mut [[i64; Q]]) {
        for query in (0..Q).filter(|&query| wanted[query]) {
            if let Some(columns) = &self.numbers[query] {
                columns[piece].look_up(start, results.len(), |at, number| results[at][query] = number);
            } else if let Some((groups, numbers)) = self.tables.get(query) {
                let groups = &groups.of_elements[piece];
                groups.look_up(start, results.len(), |at, group| {
                    results[at][query] = numbers[group as usize];
                });
            }
        }
    }

    /// Creates an empty column with capacity for the elements of a piece.
    fn room(&self) -> Column {
        let room = self.count() / self.pieces.len().max(1);
        Column::with_capacity(room + room / 8 + BATCH)
    }

    /// Computes a column with one `number` for each element of a piece.
    #[inline(always)]
    fn column(&self, piece: usize, mut number: impl FnMut(T, [i64; N], [i64; Q]) -> i64) -> Column {
        let (mut column, mut numbers) = (self.room(), Vec::new());
        self.read(piece, [true; Q], |coordinates, values, results| {
            numbers.resize(values.len(), 0);
            let elements = coordinates.iter().zip(values).zip(results);
            for (place, ((&coordinate, &value), &results)) in numbers.iter_mut().zip(elements) {
                *place = number(value, signed(coordinate), results);
            }
            column.extend(&numbers);
        });
        column
    }

    /// Returns the componentwise minimum and maximum of `fields` over all elements; `None` without elements.
    fn extremes<const K: usize>(
        &self,
        fields: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
    ) -> Option<([i64; K], [i64; K])> {
        let of_piece = |piece| {
            let mut extremes: Option<([i64; K], [i64; K])> = None;
            self.visit(piece, [true; Q], |coordinate, _, results| {
                let fields = fields(signed(coordinate), results);
                extremes = Some(extremes.map_or((fields, fields), |extremes| order::wider(extremes, (fields, fields))));
            });
            extremes
        };
        let pieces = parallel::each((0..self.pieces.len()).collect(), of_piece);
        pieces.into_iter().flatten().reduce(order::wider)
    }

    /// Returns the least and greatest result of a query that numbers elements; `None` for other queries and without elements.
    pub(crate) fn extremes_of(&self, query: usize) -> Option<(i64, i64)> {
        let of_pieces = self.numbers[query].iter().flatten().filter_map(Column::extremes);
        of_pieces.reduce(|(least, greatest), (low, high)| (least.min(low), greatest.max(high)))
    }
}

fn signed<const N: usize>(coordinate: [usize; N]) -> [i64; N] {
    coordinate.map(|at| at as i64)
}

/// Keeps one element per coordinate, according to the policy.
fn resolve_duplicates<T: Stored, const N: usize>(
    format: &str,
    policy: Duplicates,
    coordinates: &mut Vec<[usize; N]>,
    values: &mut Vec<T>,
) -> Result<(), Error> {
    let Some(first) = coordinates.windows(2).position(|pair| pair[0] == pair[1]) else {
        return Ok(());
    };
    if policy.of::<T>() == Duplicates::Reject {
        return Err(Error::new(
            ErrorKind::Duplicate,
            format!("format `{format}`"),
            None,
            format!("coordinate {:?} twice", coordinates[first]),
            "each coordinate once (choose another `Duplicates` policy)",
        ));
    }
    let mut kept = first;
    for element in first + 1..values.len() {
        if coordinates[element] == coordinates[kept] {
            match (policy, T::PLUS) {
                (Duplicates::Sum, Some(plus)) => values[kept] = plus(values[kept], values[element]),
                (Duplicates::Last, _) => values[kept] = values[element],
                _ => {}
            }
        } else {
            kept += 1;
            coordinates[kept] = coordinates[element];
            values[kept] = values[element];
        }
    }
    coordinates.truncate(kept + 1);
    values.truncate(kept + 1);
    Ok(())
}
