//! Sorting of elements that come in another order: they are counted, then scattered to their places.
//!
//! If the elements of each bin come in order, one counting sort by bin suffices, in two visits of the source. Otherwise,
//! and where the elements hit many bins in no order, they are partitioned by their highest bits, and each part is sorted
//! in cache: by bin and then, in each bin, by comparison if the bins have few elements each, otherwise by radix.

use core::ops::Range;

use super::counting_sort;
use super::histogram::{PieceOffsets, Recent, ScatterOffsets, accumulate};
use super::keys::{Local, bucket, is_countable};
use super::layout::Layout;
use super::part::{PART, Scratch, first};
use super::sequence::Sequence;
use super::words::ElementWords;
use super::write_combining::{WriteCombiner, part_bits};
use super::writer::Writer;
use crate::element::Stored;
use crate::format::balance::balanced;
use crate::machine::radix::{self, WideKey};
use crate::machine::scatter::ScatterSlice;
use crate::machine::{pages, parallel};
use crate::report::advance;

/// Number of elements from which it can pay to partition those that hit distant bins: below, the bins' counters and the
/// arrays stay in the caches near the core.
const SCATTERED: usize = 1 << 20;

/// Number of bins up to which partitioning does not pay, whatever the order: half of L2 has their counters, and what is written is
/// prefetched.
const FEW_BINS: usize = 1 << 16;

/// Number of elements from which it can pay that threads scatter them into bins of less than [`LINE`] elements each, where all
/// threads write to the same cache lines.
const FEW: usize = 1 << 18;

/// Maximum number of counters of all pieces, for each element, if there is more than one piece: 16 bytes.
const COUNTERS: usize = 4;

/// Number of keys in a cache line.
const LINE: usize = 16;

/// Sorts the elements by bin, stably. `O(elements + bins)`.
pub(super) fn scatter<T: Stored, K: ScatterKey>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, K> {
    let shift = part_shift::<T>(elements.count(), layout);
    let is_large = elements.count() >= SCATTERED && layout.bins > FEW_BINS;
    if shift > layout.bits && is_large && are_scattered(elements, layout) {
        return scatter_parts(elements, layout, shift);
    }
    let pieces = scatter_pieces(elements, layout);
    let counts = count(elements, &pieces, layout, layout.bits);
    advance(1, 2);
    let Parted { bounds, locals, values } = Parted::new(elements, &pieces, layout, layout.bits, counts);
    Sequence {
        starts: bounds,
        keys: locals,
        values,
    }
}

/// Sorts the elements by bin, stably: first into parts of several bins, then each part. No pass writes, or counts, further apart
/// than the caches reach.
pub(super) fn scatter_parts<T: Stored, K: ScatterKey>(
    elements: &dyn ElementWords<T>,
    layout: &Layout,
    shift: u32,
) -> Sequence<T, K> {
    let (pieces, bits) = (elements.pieces(), layout.bits..shift);
    let counts = count(elements, &pieces, layout, shift);
    advance(1, 3);
    if shift <= K::BITS {
        let parted = Parted::new(elements, &pieces, layout, shift, counts);
        advance(2, 3);
        return parted.sorted(bits, layout);
    }
    let parted = Parted::<T, u64>::new(elements, &pieces, layout, shift, counts);
    advance(2, 3);
    let Sequence { starts, keys, values } = parted.sorted(bits, layout);
    let keys = parallel::map(keys.len(), |at| K::of_word(keys[at]));
    Sequence { starts, keys, values }
}

/// Returns the pieces that are scattered into bins, for the available threads. Each has a counter for each bin.
fn scatter_pieces<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Vec<Range<usize>> {
    let count = elements.count();
    if count < FEW && count < LINE * layout.bins {
        return vec![elements.whole()];
    }
    joined(&elements.pieces(), COUNTERS * count / layout.bins.max(1))
}

/// Joins neighbouring pieces, so that there are at most `most`, or one.
fn joined(pieces: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let runs = pieces.chunks(pieces.len().div_ceil(most.max(1)).max(1));
    runs.map(|run| run[0].start..run[run.len() - 1].end).collect()
}

/// Sorts the elements by bin and key. `O(elements * bits / 12)`.
pub(super) fn sort<T: Stored, K: ScatterKey>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, K> {
    let shift = part_shift::<T>(elements.count(), layout);
    let pieces = elements.pieces();
    let counts = count(elements, &pieces, layout, shift);
    advance(1, 3);
    let parted = Parted::new(elements, &pieces, layout, shift, counts);
    advance(2, 3);
    parted.sorted(layout.aligned_bits..shift, layout)
}

/// Returns whether the keys of this many elements, and the bits they are sorted by within a part, fit 32 bits.
pub(super) fn is_narrow<T: Stored>(elements: usize, layout: &Layout) -> bool {
    is_countable(elements) && part_shift::<T>(elements, layout).max(layout.bits) <= u32::BITS
}

/// Sorts elements whose keys exceed a word, or whose number exceeds 32 bits.
///
/// `O(elements * bits / 11)`: each digit takes one pass over all elements.
pub(super) fn sort_wide<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, WideKey> {
    let (mut keys, mut values) = (
        Vec::with_capacity(elements.count()),
        Vec::with_capacity(elements.count()),
    );
    elements.coordinates(&mut |levels, value| {
        keys.push(layout.wide_key(levels));
        values.push(value);
    });
    if !keys.is_sorted() {
        radix::sort(&mut keys, &mut values, 0..layout.bits);
    }
    Sequence {
        starts: Vec::new(),
        keys,
        values,
    }
}

/// Returns the number of bits of a word (the bin above the key) that are below the number of its part.
fn part_shift<T: Stored>(elements: usize, layout: &Layout) -> u32 {
    let bits = layout.bits + layout.bin_bits();
    let (usual, most) = part_bits::<T>();
    // More parts than usual where what is left of a word then fits 32 bits.
    let parts = usual.max(bits.saturating_sub(u32::BITS).min(most));
    let wanted = (elements / PART).checked_ilog2().unwrap_or(0).min(parts);
    bits.saturating_sub(wanted).max(layout.aligned_bits).min(u64::BITS - 1)
}

/// Counts the elements of each piece by their bits from `shift` up.
fn count<T: Stored>(
    elements: &dyn ElementWords<T>,
    pieces: &[Range<usize>],
    layout: &Layout,
    shift: u32,
) -> Vec<Vec<u32>> {
    let greatest = (layout.bins.saturating_sub(1) as u64)
        .checked_shl(layout.bits)
        .unwrap_or(0)
        | layout.key_mask();
    let buckets = bucket(greatest, shift) + 1;
    let tally = |piece| {
        let mut counts = pages::filled(0u32, buckets);
        elements.tally(piece, layout, shift, &mut counts);
        counts
    };
    match pieces {
        [piece] => vec![tally(piece.clone())],
        pieces => parallel::each(pieces.to_vec(), tally),
    }
}

/// Returns whether consecutive elements tend to hit distant bins, whose counters are not cached.
fn are_scattered<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> bool {
    let mut recent = Recent::new();
    let borders = elements.borders(256);
    for piece in borders.windows(2).step_by(64) {
        elements.valued_words(piece[0]..piece[1], layout, &mut |words, _| {
            words.iter().for_each(|&word| recent.look_at(layout.bin(word)));
        });
    }
    recent.are_far()
}

/// Elements partitioned by their highest bits.
struct Parted<T, L> {
    /// Start of each part, and the end of the last.
    bounds: Vec<u32>,
    locals: Vec<L>,
    values: Vec<T>,
}

impl<T: Stored, L: ScatterKey> Parted<T, L> {
    /// Partitions the elements by their bits from `shift` up, stably; `counts` has a histogram for each piece.
    fn new(
        elements: &dyn ElementWords<T>,
        pieces: &[Range<usize>],
        layout: &Layout,
        shift: u32,
        counts: Vec<Vec<u32>>,
    ) -> Self {
        let places = ScatterOffsets::new(counts);
        let total = places.starts.last().map_or(0, |&total| total as usize);
        let combines = WriteCombiner::<L, T>::is_worthwhile(total, places.starts.len() - 1, shift == layout.bits);
        let scatter =
            |number: usize, piece: PieceOffsets<'_>, locals: ScatterSlice<'_, L>, values: ScatterSlice<'_, T>| {
                let range = pieces[number].clone();
                if combines {
                    let mut combined = WriteCombiner::new(piece, (locals, values));
                    elements.valued_words(range, layout, &mut |words, values| {
                        combined.append(words, values, shift);
                    });
                    combined.finish();
                } else {
                    let mut writer = Writer {
                        piece,
                        shift,
                        locals,
                        values,
                    };
                    L::scatter(elements, range, layout, &mut writer);
                }
            };
        let (mut locals, mut values) = (pages::with_capacity(total), pages::with_capacity(total));
        let (all_locals, all_values) = (
            ScatterSlice::spare(&mut locals, total),
            ScatterSlice::spare(&mut values, total),
        );
        let bounds = places.fill(!combines && Writer::<T, L>::may_meet(), |number, piece| {
            scatter(number, piece, all_locals, all_values);
        });
        // SAFETY: each of the `total` places was taken once, and what takes a place writes to it in both arrays.
        unsafe {
            locals.set_len(total);
            values.set_len(total);
        }
        Parted { bounds, locals, values }
    }

    /// Sorts the elements of each part in place by `bits`, which end at the part number, and strips their words to keys.
    fn sorted(mut self, bits: Range<u32>, layout: &Layout) -> Sequence<T, L> {
        let shift = bits.end;
        let mut starts = Vec::new();
        if layout.leading > 0 {
            starts = pages::filled(0u32, layout.bins + 1);
        }
        let counts = starts.get_mut(1..).unwrap_or_default();
        // The number of bins in a part, if no bin spans two parts.
        let bins_of_part = shift.checked_sub(layout.bits).map(|bits| 1usize << bits);
        if bins_of_part.is_none() && layout.leading > 0 {
            for (part, bound) in self.bounds.windows(2).enumerate() {
                counts[(part << shift) >> layout.bits] += bound[1] - bound[0];
            }
        }
        let bins_of_part = bins_of_part.filter(|_| layout.leading > 0);
        let bound = |part: usize| self.bounds[part] as usize;
        let groups = balanced(self.bounds.len() - 1, parallel::pieces(self.locals.len()), bound);
        let (mut locals, mut values, mut counts) = (&mut self.locals[..], &mut self.values[..], counts);
        let mut pieces = Vec::new();
        for group in groups.windows(2) {
            let len = bound(group[1]) - bound(group[0]);
            let bins = bins_of_part.map_or(0, |bins| bins.saturating_mul(group[1] - group[0]));
            pieces.push((
                group[0]..group[1],
                first(&mut locals, len),
                first(&mut values, len),
                first(&mut counts, bins),
            ));
        }
        parallel::each(pieces, |(parts, mut locals, mut values, mut counts)| {
            let mut scratch = Scratch::default();
            for part in parts {
                let len = bound(part + 1) - bound(part);
                let (locals, values) = (first(&mut locals, len), first(&mut values, len));
                if let Some(bins) = bins_of_part {
                    scratch.sort_by_bin(locals, values, first(&mut counts, bins), bits.clone(), layout.bits);
                } else {
                    scratch.sort(locals, values, bits.start, shift);
                    // The low bits of the part number are the high bits of the key; its other bits belong to the bin.
                    let high = (part as u64).checked_shl(shift).unwrap_or(0);
                    for local in locals {
                        *local = L::of_word((high | local.word()) & layout.key_mask());
                    }
                }
            }
        });
        accumulate(&mut starts);
        Sequence {
            starts,
            keys: self.locals,
            values: self.values,
        }
    }
}

/// Types of keys, with the sort and the scatter of elements with such keys.
pub(super) trait ScatterKey: Local {
    /// Sorts the elements by bin and key.
    fn sort<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, Self>;

    /// Writes the elements of a piece to their places.
    fn scatter<T: Stored>(
        elements: &dyn ElementWords<T>,
        piece: Range<usize>,
        layout: &Layout,
        writer: &mut Writer<T, Self>,
    );
}

impl ScatterKey for u32 {
    fn sort<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, Self> {
        if counting_sort::pays(elements.count(), layout) {
            counting_sort::sort(elements, layout)
        } else {
            sort(elements, layout)
        }
    }

    fn scatter<T: Stored>(
        elements: &dyn ElementWords<T>,
        piece: Range<usize>,
        layout: &Layout,
        writer: &mut Writer<T, Self>,
    ) {
        elements.scatter(piece, layout, writer);
    }
}

impl ScatterKey for u64 {
    fn sort<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, Self> {
        sort(elements, layout)
    }

    /// Visits chunks of words. A loop over the source of its own is not worth its code: keys of 64 bits are rare.
    fn scatter<T: Stored>(
        elements: &dyn ElementWords<T>,
        piece: Range<usize>,
        layout: &Layout,
        writer: &mut Writer<T, Self>,
    ) {
        elements.valued_words(piece, layout, &mut |words, values| {
            // A local copy, which the loop keeps in registers.
            let mut writer = writer.reborrow();
            for (&word, &value) in words.iter().zip(values) {
                writer.write(word, value);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_until_their_counters_are_few() {
        let pieces: Vec<Range<usize>> = (0..7).map(|at| 10 * at..10 * at + 10).collect();
        assert_eq!(joined(&pieces, 7), pieces);
        assert_eq!(joined(&pieces, 6), [0..20, 20..40, 40..60, 60..70]);
        assert_eq!(joined(&pieces, 2), [0..40, 40..70]);
        assert_eq!([0, 1].map(|most| joined(&pieces, most)), [[0..70], [0..70]]);
        assert_eq!(joined(&[], 3), []);
    }
}
