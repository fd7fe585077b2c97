//! Half-precision elements, whose sums are `f32`.
//!
//! `half` asks at each conversion of an `f16` what the processor can do, and calls a function that is not inlined. The
//! conversions here are a few operations on bits, which loops over neighbours do in vectors. They give the same bits as
//! `half`: a NaN keeps its sign and what fits of its payload, and becomes quiet.

use core::any::Any;
use core::cmp::Ordering;

use half::{bf16, f16};

use super::{Accumulator, Scalar};

/// From the least exponent of an `f16` to that of the same number as an `f32`, where an `f32` has its exponent.
const REBIAS: u32 = (127 - 15) << 23;
/// `2^-14` as an `f32`, the least normal `f16`.
const LEAST_NORMAL: u32 = (127 - 14) << 23;
/// What an `f32` has in its exponent where it is infinite or NaN.
const INFINITE: u32 = 0xff << 23;

/// An `f16` as an `f32`, which is exact.
#[inline(always)]
fn widened(value: f16) -> f32 {
    let bits = u32::from(value.to_bits());
    // Exponent and mantissa, where an `f32` has them.
    let magnitude = (bits & 0x7fff) << 13;
    let rebased = magnitude + REBIAS;
    // The exponent of an `f16` that is infinite or NaN becomes that of such an `f32`.
    let normal = if magnitude < 31 << 23 {
        rebased
    } else {
        rebased + REBIAS
    };
    // A mantissa without its leading one: `2^-14` more, less `2^-14`.
    let subnormal = f32::from_bits(rebased + (1 << 23)) - f32::from_bits(LEAST_NORMAL);
    let widened = if magnitude < 1 << 23 {
        subnormal.to_bits()
    } else {
        normal
    };
    let quiet = if magnitude > 31 << 23 { 1 << 22 } else { 0 };
    f32::from_bits((bits & 0x8000) << 16 | widened | quiet)
}

/// An `f32` as the nearest `f16`, of two that are as near the even one.
#[inline(always)]
fn rounded(value: f32) -> f16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // What is cut off is more than half of the last bit, or half of it and the bit is one: then the sum carries.
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(REBIAS).wrapping_add(0xfff + odd) >> 13;
    // From 0.5 to 1, neighbouring `f32` are as far apart as subnormal `f16`: the addition rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let nan = 0x7e00 | magnitude >> 13 & 0x3ff;
    let rounded = if magnitude < LEAST_NORMAL {
        subnormal
    } else if magnitude < (127 + 16) << 23 {
        normal
    } else if magnitude <= INFINITE {
        0x7c00
    } else {
        nan
    };
    f16::from_bits((bits >> 16 & 0x8000 | rounded) as u16)
}

macro_rules! half_scalar {
    ($($half:ty: $widened:expr, $rounded:expr;)*) => {$(
        impl Scalar for $half {
            type Sum = f32;
            const ZERO: Self = <$half>::ZERO;
            const ONE: Self = <$half>::ONE;
            #[inline]
            fn plus(self, other: Self) -> Self { $rounded($widened(self) + $widened(other)) }
            #[inline]
            fn times(self, other: Self) -> Self { $rounded($widened(self) * $widened(other)) }
            #[inline]
            fn compare(self, number: f64) -> Option<Ordering> { f64::from($widened(self)).partial_cmp(&number) }
            #[inline]
            fn converted<T: Scalar + From<Self>>(self) -> T {
                let single = $widened(self);
                // Comparisons of types, which are constants.
                let double = f64::from(single);
                let known = (&single as &dyn Any).downcast_ref::<T>();
                match known.or_else(|| (&double as &dyn Any).downcast_ref::<T>()) {
                    Some(&known) => known,
                    None => T::from(self),
                }
            }
        }

        /// Half of the bits are too few to sum in: each term would be rounded away sooner or later.
        impl Accumulator<$half> for f32 {
            #[inline]
            fn of(value: $half) -> f32 { $widened(value) }
            #[inline]
            fn into_scalar(self) -> $half { $rounded(self) }
            fn with<R>(places: &mut [$half], run: impl FnOnce(&mut [f32]) -> R) -> R {
                let mut sums: Vec<f32> = places.iter().map(|&place| $widened(place)).collect();
                let result = run(&mut sums);
                places.iter_mut().zip(sums).for_each(|(place, sum)| *place = $rounded(sum));
                result
            }
        }
    )*};
}

half_scalar! {
    f16: widened, rounded;
    bf16: bf16::to_f32, bf16::from_f32;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Narrow, Stored};

    #[test]
    fn every_half_is_widened_as_half_does() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            assert_eq!(half.wide().to_bits(), half.to_f32_const().to_bits(), "{bits:#06x}");
            assert_eq!(half.wide().to_bits(), half.to_f32().to_bits(), "{bits:#06x}");
            assert_eq!(brain.wide().to_bits(), brain.to_f32().to_bits(), "{bits:#06x}");
        }
    }

    #[test]
    fn every_half_is_read_by_wider_types_as_it_is() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            let (single, double) = (Narrow::<f16, f32>::new(half), Narrow::<f16, f64>::new(half));
            assert_eq!(single.value().to_bits(), half.to_f32().to_bits(), "{bits:#06x}");
            assert_eq!(double.value().to_bits(), half.to_f64().to_bits(), "{bits:#06x}");
            let (single, double) = (Narrow::<bf16, f32>::new(brain), Narrow::<bf16, f64>::new(brain));
            assert_eq!(single.value().to_bits(), brain.to_f32().to_bits(), "{bits:#06x}");
            assert_eq!(double.value().to_bits(), brain.to_f64().to_bits(), "{bits:#06x}");
        }
    }

    /// Each half itself, what lies in the middle between it and the next, and the neighbours of both; and a number in so many
    /// of all others.
    #[test]
    fn sums_are_rounded_as_half_does() {
        let same = |bits: u32| {
            let sum = f32::from_bits(bits);
            assert_eq!(f16::narrow(sum).to_bits(), f16::from_f32(sum).to_bits(), "{bits:#010x}");
            assert_eq!(
                f16::narrow(sum).to_bits(),
                f16::from_f32_const(sum).to_bits(),
                "{bits:#010x}"
            );
            assert_eq!(
                bf16::narrow(sum).to_bits(),
                bf16::from_f32(sum).to_bits(),
                "{bits:#010x}"
            );
        };
        for half in 0..=u16::MAX {
            let exact = f16::from_bits(half).to_f32();
            let next = f16::from_bits(half.wrapping_add(1)).to_f32();
            let middle = ((f64::from(exact) + f64::from(next)) / 2.0) as f32;
            for at in [exact, middle, 65520.0, 65536.0] {
                (0..5).for_each(|near| same(at.to_bits().wrapping_add(near).wrapping_sub(2)));
            }
        }
        (0..u32::MAX / 4099).for_each(|at| same(at * 4099));
    }

    #[test]
    fn halves_are_added_and_multiplied_as_half_does() {
        for (left, right) in (0..=u16::MAX).map(|bits| (bits, bits.wrapping_mul(40_503) ^ 0x1234)) {
            let (a, b) = (f16::from_bits(left), f16::from_bits(right));
            if !a.is_nan() && !b.is_nan() {
                let same =
                    |ours: f16, theirs: f16| ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
                assert!(
                    same(a.plus(b), a + b) && same(a.times(b), a * b),
                    "{left:#06x}, {right:#06x}"
                );
            }
        }
    }
}
