//! Ranges of columns of a table of integers, which is stored row by row, and their least and greatest numbers.

use core::ops::Range;

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
        let mut extremes = None;
        widen(
            &mut extremes,
            &self.rows[items.start * self.width..items.end * self.width],
            self.width,
            self.first..self.first + self.count,
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
        debug_assert!(field < self.count);
        self.rows[item * self.width + self.first + field].number()
    }
}

/// Componentwise least and greatest numbers.
pub(crate) type Extremes = (Vec<i64>, Vec<i64>);

/// Widens `extremes` to contain these fields of some rows.
pub(super) fn widen<I: Number>(extremes: &mut Option<Extremes>, rows: &[I], width: usize, fields: Range<usize>) {
    if rows.is_empty() {
        return;
    }
    let (least, greatest) =
        extremes.get_or_insert_with(|| (vec![i64::MAX; fields.len()], vec![i64::MIN; fields.len()]));
    for (at, field) in fields.enumerate() {
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
        widen(&mut all, &least, least.len(), 0..least.len());
        widen(&mut all, &greatest, greatest.len(), 0..greatest.len());
    }
    all
}
