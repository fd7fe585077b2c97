//! The level coordinates of elements as keys that sort in storage order.

use crate::machine::{parallel, radix};

/// The offsets of elements from the starts of the levels' domains: one word for each element if it holds them, or one for each level.
pub(super) struct Keys {
    /// The number of bits of an offset of each level.
    widths: Vec<u32>,
    is_packed: bool,
    words: Vec<u64>,
}

impl Keys {
    pub(super) fn with_capacity(widths: Vec<u32>, count: usize) -> Self {
        let is_packed = widths.iter().sum::<u32>() <= u64::BITS;
        let words = Vec::with_capacity(if is_packed { count } else { 0 });
        Keys {
            widths,
            is_packed,
            words,
        }
    }

    /// Appends an element.
    pub(super) fn push(&mut self, offsets: &[u64]) {
        if self.is_packed {
            self.words.push(pack(&self.widths, offsets));
        } else {
            self.words.extend_from_slice(offsets);
        }
    }

    /// Returns the number of words of an element.
    fn stride(&self) -> usize {
        if self.is_packed { 1 } else { self.widths.len() }
    }

    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.words.len() / self.stride().max(1)
    }

    fn key(&self, at: usize) -> &[u64] {
        &self.words[at * self.stride()..][..self.stride()]
    }

    /// Reads the offsets of an element.
    pub(super) fn read(&self, at: usize, offsets: &mut [u64]) {
        if self.is_packed {
            unpack(&self.widths, self.words[at], offsets);
        } else {
            offsets.copy_from_slice(self.key(at));
        }
    }

    /// Returns whether no element comes before the one before it.
    pub(super) fn are_sorted(&self) -> bool {
        let pairs = self.len().saturating_sub(1);
        if self.is_packed {
            return parallel::all(pairs, |at| self.words[at] <= self.words[at + 1]);
        }
        parallel::all(pairs, |at| self.key(at) <= self.key(at + 1))
    }

    /// Sorts the elements stably, and their ranks, unless there are none, with them.
    pub(super) fn sort(&mut self, ranks: &mut Vec<u32>) {
        if self.is_packed {
            let (bits, count) = (0..self.widths.iter().sum(), self.words.len());
            return match ranks.is_empty() {
                true => radix::sort(&mut self.words, &mut vec![(); count], bits),
                false => radix::sort(&mut self.words, ranks, bits),
            };
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        for (level, &width) in self.widths.iter().enumerate().rev() {
            let mut of_level = order.iter().map(|&at| self.key(at)[level]).collect();
            radix::sort(&mut of_level, &mut order, 0..width);
        }
        self.words = order.iter().flat_map(|&at| self.key(at).iter().copied()).collect();
        if !ranks.is_empty() {
            *ranks = order.iter().map(|&at| ranks[at]).collect();
        }
    }
}

/// Packs offsets into one word, the first level in the highest bits.
fn pack(widths: &[u32], offsets: &[u64]) -> u64 {
    let fields = widths.iter().zip(offsets);
    fields.fold(0, |key: u64, (&width, &offset)| {
        key.checked_shl(width).unwrap_or(0) | offset
    })
}

fn unpack(widths: &[u32], mut key: u64, offsets: &mut [u64]) {
    for (offset, &width) in offsets.iter_mut().zip(widths).rev() {
        *offset = key & 1u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1);
        key = key.checked_shr(width).unwrap_or(0);
    }
}
