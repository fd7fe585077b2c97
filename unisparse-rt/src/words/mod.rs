//! Elements as machine words, as `word` of a format lays them out.
//!
//! Words are another view of the arrays: they are made from them, and read back with checks.

mod parts;
mod read;
mod write;

pub use parts::WordParts;
pub use read::{check_words, column, values};
pub use write::{visit, words};

/// The layout of an element as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The bits of the word: 8, 16, 32, 64 or 128.
    pub bits: u32,
    /// The fields, which do not overlap. Bits of no field are zero.
    pub fields: &'static [WordField],
    /// The word of a hole, if holes have one of their own.
    pub filler: Option<u128>,
}

/// Bits of a word: the coordinate of a level, or the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordField {
    /// The level; `None` for the value.
    pub level: Option<usize>,
    /// The name of the level, or `value`.
    pub name: &'static str,
    /// The number of bits.
    pub bits: u32,
    /// The place of the lowest bit.
    pub at: u32,
    /// Whether the coordinate can be negative; it is then a two's complement.
    pub signed: bool,
    /// Whether an array has an entry of it for each position; else the place of the position determines it.
    pub stored: bool,
}

impl WordField {
    /// Returns the bits of this field in a word.
    #[must_use]
    pub const fn of(&self, word: u128) -> u128 {
        let shifted = word >> self.at;
        if self.bits >= 128 {
            shifted
        } else {
            shifted & ((1 << self.bits) - 1)
        }
    }

    /// Returns the coordinate in a word.
    fn coordinate(&self, word: u128) -> i64 {
        let bits = self.of(word) as i64; // a coordinate has at most 63 bits
        let unused = i64::BITS - self.bits;
        if self.signed { bits << unused >> unused } else { bits }
    }

    /// Returns the bits of a coordinate, if it fits.
    fn coded(&self, coordinate: i64) -> Option<u128> {
        let (least, most) = self.range();
        let kept = (1u128 << self.bits) - 1;
        (least..=most)
            .contains(&coordinate)
            .then_some(coordinate as u128 & kept)
    }

    /// Returns the least and the greatest coordinate that fits.
    fn range(&self) -> (i64, i64) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, ((1u64 << self.bits) - 1) as i64)
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A word as a primitive integer.
pub trait WordInteger: sealed::Sealed + Copy {
    /// Returns the integer with these bits, of which all others are zero.
    fn of(bits: u128) -> Self;
    /// Returns the bits.
    fn bits(self) -> u128;
}

macro_rules! word_integers {
    ($($integer:ident)*) => {$(
        impl sealed::Sealed for $integer {}
        impl WordInteger for $integer {
            fn of(bits: u128) -> Self {
                bits as $integer
            }
            fn bits(self) -> u128 {
                self.into()
            }
        }
    )*};
}

word_integers!(u8 u16 u32 u64 u128);

/// Fails to compile if values do not fit their field.
pub const fn check_value_bits(value: u32, field: u32) {
    assert!(
        value <= field,
        "the values of this tensor have more bits than the field `value` of its word"
    );
}
