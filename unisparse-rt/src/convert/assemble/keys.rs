//! Types of keys: of elements in storage order, and of elements while they are sorted.

use crate::machine::radix::{self, WORDS, WideKey};

/// Returns a mask of the lowest `count` bits.
pub(crate) fn low_bits(count: u32) -> u64 {
    1u64.checked_shl(count).unwrap_or(0).wrapping_sub(1)
}

/// Level coordinates that the bin does not determine, packed so that keys compare as the coordinates do.
pub(super) trait Key: Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    const BITS: u32;
    const ZERO: Self;
    /// Returns the bits `shift..shift + width`.
    fn field(self, shift: u32, width: u32) -> u64;
    /// Returns whether two keys differ in a bit at or above `shift`.
    fn differs(self, other: Self, shift: u32) -> bool;
    fn of_word(word: u64) -> Self;
}

macro_rules! key {
    ($($word:ident),*) => {$(
        impl Key for $word {
            const BITS: u32 = $word::BITS;
            const ZERO: Self = 0;
            #[inline(always)]
            fn field(self, shift: u32, width: u32) -> u64 {
                let above = u64::from(self).checked_shr(shift).unwrap_or(0);
                above & u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0)
            }
            #[inline(always)]
            fn differs(self, other: Self, shift: u32) -> bool {
                (self ^ other).checked_shr(shift).unwrap_or(0) != 0
            }
            #[inline(always)]
            fn of_word(word: u64) -> Self {
                word as Self
            }
        }
    )*};
}

key!(u32, u64);

impl Key for WideKey {
    const BITS: u32 = u64::BITS * WORDS as u32;
    const ZERO: Self = [0; WORDS];
    fn field(self, shift: u32, width: u32) -> u64 {
        radix::bits(&self, shift, width)
    }
    fn differs(self, other: Self, shift: u32) -> bool {
        (0..WORDS).any(|word| {
            let low = u64::BITS * (WORDS - 1 - word) as u32;
            let mask = match shift.checked_sub(low) {
                None => u64::MAX,
                Some(shift) => u64::MAX.checked_shl(shift).unwrap_or(0),
            };
            (self[word] ^ other[word]) & mask != 0
        })
    }
    fn of_word(word: u64) -> Self {
        let mut key = Self::ZERO;
        key[WORDS - 1] = word;
        key
    }
}

/// Representation of an element while it is sorted: the bits of its word below the number of its part.
pub(super) trait Local: Key {
    fn word(self) -> u64;
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// Returns the bits from `shift` up; `shift` is less than the number of bits.
    fn above(self, shift: u32) -> Self;
    /// Returns the number of the bin, which is above the lowest `bits` bits.
    fn bin(self, bits: u32) -> usize;
    /// Returns the key, which is in the lowest `bits` bits.
    fn key(self, bits: u32) -> Self;
}

macro_rules! local {
    ($($word:ident),*) => {$(
        impl Local for $word {
            #[inline(always)]
            fn word(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }
            #[inline(always)]
            fn above(self, shift: u32) -> Self {
                self >> shift
            }
            #[inline(always)]
            fn bin(self, bits: u32) -> usize {
                (self >> bits) as usize
            }
            #[inline(always)]
            fn key(self, bits: u32) -> Self {
                self & !($word::MAX << bits)
            }
        }
    )*};
}

local!(u32, u64);

/// Returns the bits of a word from `shift` up.
#[inline(always)]
pub(super) fn bucket(word: u64, shift: u32) -> usize {
    debug_assert!(shift < u64::BITS);
    word.wrapping_shr(shift) as usize
}

/// Returns whether the places of this many elements fit 32 bits, with which parts and bins are counted.
pub(super) fn is_countable(elements: usize) -> bool {
    u32::try_from(elements).is_ok()
}
