//! The results of the queries evaluated so far, which do not depend on the element type.

use core::ops::Range;

use super::column::Column;
use super::elements::BATCH;
use super::groups::{Budget, Tables};

/// The results of queries, and how a visit of the elements is cut.
pub(super) struct State {
    /// An upper bound of the number of elements.
    elements: usize,
    /// The borders of the batches of a visit, and the range of batches that forms each piece.
    pub(super) borders: Vec<usize>,
    pub(super) pieces: Vec<Range<usize>>,
    /// For each query that numbers elements, its results as one column per piece.
    pub(super) numbers: Vec<Option<Vec<Column>>>,
    pub(super) tables: Tables,
    pub(super) allowed: u128,
}

impl State {
    /// Creates the state before any of these queries is evaluated.
    pub(super) fn new(
        queries: usize,
        elements: usize,
        borders: Vec<usize>,
        pieces: Vec<Range<usize>>,
        allowed: u128,
    ) -> Self {
        State {
            elements,
            borders,
            pieces,
            numbers: (0..queries).map(|_| None).collect(),
            tables: Tables::new(queries),
            allowed,
        }
    }

    /// Returns the number of elements, or an upper bound if no query has been evaluated.
    pub(super) fn count(&self) -> usize {
        let of_groups = (0..self.numbers.len()).find_map(|query| Some(&self.tables.get(query)?.0.of_elements));
        match self.numbers.iter().flatten().next().or(of_groups) {
            Some(columns) => columns.iter().map(Column::len).sum(),
            None => self.elements,
        }
    }

    /// Creates an empty column with capacity for the elements of a piece, of `count` elements in all.
    pub(super) fn empty_column(&self, count: usize) -> Column {
        let share = count / self.pieces.len().max(1);
        Column::with_capacity(share + share / 8 + BATCH.min(count))
    }

    pub(super) fn budget(&self, query: &'static str) -> Budget {
        let allowed = self.allowed;
        Budget { query, allowed }
    }

    /// Writes the results of the `wanted` queries for consecutive elements of a piece, starting at element `start`.
    pub(super) fn look_up<const Q: usize>(
        &self,
        piece: usize,
        start: usize,
        wanted: &[bool; Q],
        results: &mut [[i64; Q]],
    ) {
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

    /// Returns the least and greatest result of a query that numbers elements; `None` for other queries and without elements.
    pub(super) fn extremes_of(&self, query: usize) -> Option<(i64, i64)> {
        let of_pieces = self.numbers[query].iter().flatten().filter_map(Column::extremes);
        of_pieces.reduce(|(least, greatest), (low, high)| (least.min(low), greatest.max(high)))
    }
}
