//! Assembly without a sort of the elements: a visit of the source writes each value to its position in its block.

use core::ops::Range;
use std::sync::Mutex;

use super::array_integer::ArrayInteger;
use super::layout::Layout;
use super::levels::Levels;
use super::marks::{Found, Marker};
use super::ordered::empty;
use super::placement::Placement;
use super::sequence::ElementKeys;
use super::strategy::Way;
use super::words::{Coded, ElementWords, WordsOf};
use crate::array::{Indices, Misfit, Pointers, fit};
use crate::element::Stored;
use crate::error::Error;
use crate::format::{Kind, Tree};
use crate::machine::prefetch::{AFTER, SHORTLY_AFTER};
use crate::machine::scatter::ScatterSlice;
use crate::machine::{pages, parallel};
use crate::report::step;

/// Name of the step that writes values to their places.
const PLACE: &str = "put values in their places";

const UNPOISONED: &str = "no task panics while it holds the lock";

/// Blocks in storage order: their keys are in `levels`.
pub(super) struct Placed<T> {
    pub(super) levels: Levels,
    /// Number of levels that determine the block.
    depth: usize,
    /// Level that was counted by a visit, and the first position below each of its parents.
    counted: Option<(usize, Vec<usize>)>,
    /// Values, if they are in their places already.
    values: Option<Vec<T>>,
}

impl<T: Stored> Placed<T> {
    /// Finds and orders the blocks, which the first `depth` levels determine.
    pub(super) fn new(elements: &dyn ElementWords<T>, mut levels: Levels, depth: usize) -> Self {
        if depth > 0 {
            let _step = step(Way::Place.step());
            let (starts, keys) = blocks(elements, &levels.layout, depth);
            (levels.starts, levels.keys) = (starts, ElementKeys::Narrow(keys));
        }
        Placed {
            levels,
            depth,
            counted: None,
            values: None,
        }
    }

    /// Builds a level that holds, below each parent, every coordinate from 0 to the greatest below it.
    pub(super) fn counted<F, C, P: ArrayInteger, const N: usize, const M: usize>(
        &mut self,
        elements: &C,
        level: usize,
    ) -> Result<Pointers<P>, Error>
    where
        F: Tree<N, M, Scalar = T>,
        C: Coded<F, N, M>,
    {
        self.levels.reserve(self.levels.count as u128 + 1, size_of::<P>())?;
        let mut counts = pages::filled(0usize, self.levels.count);
        let (lowest, table) = (self.levels.layout.levels[level].domain.lo, &mut counts[..]);
        self.placement()
            .visit::<F, C, N, false>(elements, elements.whole(), |parent, levels: [i64; M], _| {
                let count = at(levels, level).wrapping_sub(lowest) as usize + 1;
                table[parent] = table[parent].max(count);
            });
        let pointers: Pointers<P> = P::pointers_of_counts(&mut self.levels, level, counts)?;
        let mut starts = pages::with_capacity(pointers.len());
        starts.extend(pointers.iter().map(|start| start.to_usize()));
        self.counted = Some((level, starts));
        self.levels.built = level + 1;
        Ok(pointers)
    }

    /// Returns the `idx` array of an aligned level.
    pub(super) fn aligned<F, C, I: ArrayInteger, const N: usize, const M: usize>(
        &mut self,
        elements: &C,
        level: usize,
    ) -> Result<Indices<I>, Error>
    where
        F: Tree<N, M, Scalar = T>,
        C: Coded<F, N, M>,
    {
        let entries = self.levels.count as u128;
        let mut array = I::filled(&mut self.levels, level, entries)?;
        let mut last = self.levels.table[self.levels.built..].iter();
        // If no level below has positions of its own, the same visit writes the values.
        let mut values = match self.values.is_none() && last.all(|level| level.kind.is_determined()) {
            true => Some(empty(&mut self.levels)?),
            false => None,
        };
        let (indices, same) = (array.cells(), |position, _: &[i64; M]| position);
        let misfit = match values.as_mut().map(|values| ScatterSlice::new(values)) {
            Some(values) => {
                let set = move |position, index, value| {
                    // SAFETY: the items are written atomically, or there is one piece.
                    unsafe { indices.set_both::<AFTER, _>(&values, position, (index, value)) };
                };
                let atomic = ScatterSlice::<I>::is_atomic() && ScatterSlice::<T>::is_atomic();
                let _step = step(PLACE);
                self.write(elements, level, atomic, same, set)
            }
            None => {
                let set = move |position, index, _| {
                    // SAFETY: the integers are written atomically, or there is one piece.
                    unsafe { indices.set::<AFTER>(position, index) };
                };
                self.write(elements, level, ScatterSlice::<I>::is_atomic(), same, set)
            }
        };
        if values.is_some() {
            self.values = values;
        }
        I::finish(array, misfit, self.levels.checked)
    }

    /// Returns the `idx` array of a level that is invariant over the level built next.
    pub(super) fn invariant<F, C, I: ArrayInteger, const N: usize, const M: usize>(
        &mut self,
        elements: &C,
        level: usize,
    ) -> Result<Indices<I>, Error>
    where
        F: Tree<N, M, Scalar = T>,
        C: Coded<F, N, M>,
    {
        let entries = self.levels.invariant_entries(level);
        let mut array = I::filled(&mut self.levels, level, entries)?;
        let (form, size) = Placement::<M>::invariant(&self.levels, level);
        let indices = array.cells();
        let entry = move |position: usize, levels: &[i64; M]| position * size + form.word::<F, N>(levels) as usize;
        let set = move |entry, index, _| {
            // SAFETY: the integers are written atomically, or there is one piece.
            unsafe { indices.set::<AFTER>(entry, index) };
        };
        let misfit = self.write(elements, level, ScatterSlice::<I>::is_atomic(), entry, set);
        I::finish(array, misfit, self.levels.checked)
    }

    /// Calls `set` for each element with its `entry` in the array, its coordinate at `level` as an index and its value, from several
    /// threads if the writes are atomic. `entry` gets its position at the level built last, and its coordinates. Returns the first
    /// misfit.
    fn write<F, C, I: ArrayInteger, const N: usize, const M: usize>(
        &self,
        elements: &C,
        level: usize,
        atomic: bool,
        entry: impl Fn(usize, &[i64; M]) -> usize + Copy + Sync,
        set: impl Fn(usize, I, T) + Copy + Sync,
    ) -> Misfit
    where
        F: Tree<N, M, Scalar = T>,
        C: Coded<F, N, M>,
    {
        let placement = self.placement();
        // The misfit of the first piece that has one, with the start of the piece.
        let found: Mutex<Option<(usize, (usize, i64))>> = Mutex::new(None);
        parallel::run(&pieces(elements, atomic), &|piece| {
            // Local copies, so that the loop keeps them in registers.
            let (mut misfit, entry, set, start) = (None, entry, set, piece.start);
            let level = const { only_aligned::<F, N, M>() }.unwrap_or(level);
            placement.visit::<F, C, N, false>(elements, piece, |position, levels: [i64; M], value| {
                let entry = entry(position, &levels);
                fit(&mut misfit, entry, at(levels, level), |index| set(entry, index, value));
            });
            if let Some(misfit) = misfit {
                let found = &mut *found.lock().expect(UNPOISONED);
                if found.is_none_or(|(other, _)| start < other) {
                    *found = Some((start, misfit));
                }
            }
        });
        found.into_inner().expect(UNPOISONED).map(|(_, misfit)| misfit)
    }

    /// Returns the values at the positions of the last level; holes are zero.
    pub(super) fn values<F, C, const N: usize, const M: usize>(mut self, elements: &C) -> Result<Vec<T>, Error>
    where
        F: Tree<N, M, Scalar = T>,
        C: Coded<F, N, M>,
    {
        if let Some(values) = self.values {
            return Ok(values);
        }
        let mut values = empty(&mut self.levels)?;
        let (cells, placement) = (ScatterSlice::new(&mut values), self.placement());
        let _step = step(PLACE);
        parallel::run(&pieces(elements, ScatterSlice::<T>::is_atomic()), &|piece| {
            // SAFETY: the values are written atomically, or there is one piece.
            let set = move |position, _: [i64; M], value| unsafe { cells.set::<SHORTLY_AFTER>(position, value) };
            placement.visit::<F, C, N, true>(elements, piece, set);
        });
        Ok(values)
    }

    /// Returns the positions of the elements at the level built last.
    fn placement<const M: usize>(&self) -> Placement<'_, M> {
        let counted = self.counted.as_ref();
        Placement::new(
            &self.levels,
            self.depth,
            counted.map(|(level, starts)| (*level, &starts[..])),
        )
    }
}

/// Returns the pieces of a visit that writes to places: one piece if the writes are not atomic.
fn pieces<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize>(
    elements: &C,
    atomic: bool,
) -> Vec<Range<usize>> {
    if atomic {
        let words: &dyn ElementWords<F::Scalar> = &WordsOf::new(elements);
        words.pieces_of_blocks()
    } else {
        vec![elements.whole()]
    }
}

/// Returns the aligned level of a format that has one: then loops are compiled for that level.
const fn only_aligned<F: Tree<N, M>, const N: usize, const M: usize>() -> Option<usize> {
    let (mut found, mut level) = (None, 0);
    while level < M {
        if matches!(F::LEVELS[level].kind, Kind::Aligned) {
            if found.is_some() {
                return None;
            }
            found = Some(level);
        }
        level += 1;
    }
    found
}

/// Returns the coordinate of one level; selects instead of indexing, so that all coordinates stay in registers.
#[inline(always)]
fn at<const M: usize>(levels: [i64; M], level: usize) -> i64 {
    let choose = |chosen, number: usize| if number == level { levels[number] } else { chosen };
    (0..M).fold(0, choose)
}

/// Finds the blocks of a source whose elements come in the order of their bins.
///
/// A block is a coordinate of the first level below the levels that make the bin, the last of the first `depth` levels.
/// Returns the start of each bin's blocks, and the coordinate of each block minus the lowest.
fn blocks<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout, depth: usize) -> (Vec<u32>, Vec<u32>) {
    let pieces = elements.pieces_of_blocks();
    let share = elements.count() / pieces.len().max(1);
    let pieces = parallel::each(pieces, |piece| {
        let mut marker = Marker::new(layout, depth, share);
        elements.mark(piece, layout, &mut marker);
        marker.finish()
    });
    let found = pieces.into_iter().reduce(Found::join).unwrap_or_default();
    found.starts_and_keys(layout.bins)
}
