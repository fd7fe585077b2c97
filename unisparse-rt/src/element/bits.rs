//! Values as bits.

use super::narrow::{Narrow, Pattern};

/// A value that a field of a machine word can have (`word` of a format): numbers and `bool`, and [`Narrow`] and [`Pattern`] of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field of a word",
    note = "a value of a word is a number, a `bool`, or a `Narrow` or `Pattern` of one"
)]
pub trait Bits: Copy {
    /// The number of bits.
    const BITS: u32;
    /// Returns the bits, the lowest `BITS` ones.
    fn to_bits(self) -> u128;
    /// Returns the value with these bits, if there is one.
    fn from_bits(bits: u128) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ident as $natural:ident)*) => {$(
        impl Bits for $integer {
            const BITS: u32 = $integer::BITS;
            fn to_bits(self) -> u128 {
                (self as $natural).into()
            }
            fn from_bits(bits: u128) -> Option<Self> {
                Some($natural::try_from(bits).ok()? as $integer)
            }
        }
    )*};
}

integers!(u8 as u8 u16 as u16 u32 as u32 u64 as u64 i8 as u8 i16 as u16 i32 as u32 i64 as u64);

macro_rules! floats {
    ($($float:ty: $natural:ident)*) => {$(
        impl Bits for $float {
            const BITS: u32 = $natural::BITS;
            fn to_bits(self) -> u128 {
                <$float>::to_bits(self).into()
            }
            fn from_bits(bits: u128) -> Option<Self> {
                Some(<$float>::from_bits($natural::try_from(bits).ok()?))
            }
        }
    )*};
}

floats!(f32: u32 f64: u64);
#[cfg(feature = "half")]
floats!(half::f16: u16 half::bf16: u16);

impl Bits for bool {
    const BITS: u32 = 1;
    fn to_bits(self) -> u128 {
        self.into()
    }
    fn from_bits(bits: u128) -> Option<Self> {
        (bits <= 1).then_some(bits == 1)
    }
}

impl<T: Copy> Bits for Pattern<T> {
    const BITS: u32 = 0;
    fn to_bits(self) -> u128 {
        0
    }
    fn from_bits(bits: u128) -> Option<Self> {
        (bits == 0).then(Pattern::new)
    }
}

impl<S: Bits, T: Copy> Bits for Narrow<S, T> {
    const BITS: u32 = S::BITS;
    fn to_bits(self) -> u128 {
        self.stored().to_bits()
    }
    fn from_bits(bits: u128) -> Option<Self> {
        S::from_bits(bits).map(Narrow::new)
    }
}
