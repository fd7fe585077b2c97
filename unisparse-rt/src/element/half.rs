//! Half-precision elements, whose sums are `f32`.
//!
//! The `half` crate checks the processor's features at each conversion of an `f16` and calls a function that is not inlined.
//! The conversions here are a few bit operations, which vectorize in loops over contiguous elements. They give the same bits
//! as `half`: a NaN keeps its sign and the part of its payload that fits, and becomes quiet.

use core::any::Any;
use core::cmp::Ordering;

use half::{bf16, f16};

use super::scalar::{Accumulator, Scalar};

/// Difference of the exponent biases of `f32` and `f16`, at the position of an `f32`'s exponent.
const REBIAS: u32 = (127 - 15) << 23;
/// `2^-14` as an `f32`, the least normal `f16`.
const LEAST_NORMAL: u32 = (127 - 14) << 23;
/// The exponent bits of an infinite or NaN `f32`.
const INFINITE: u32 = 0xff << 23;

/// Converts an `f16` to an `f32`, exactly.
#[inline(always)]
fn widened(value: f16) -> f32 {
    let bits = u32::from(value.to_bits());
    // Exponent and mantissa at their positions in an `f32`.
    let magnitude = (bits & 0x7fff) << 13;
    let rebased = magnitude + REBIAS;
    // The exponent of an infinite or NaN `f16` becomes that of an infinite or NaN `f32`.
    let normal = if magnitude < 31 << 23 {
        rebased
    } else {
        rebased + REBIAS
    };
    // A subnormal has no leading one: interpret it with exponent `2^-14`, then subtract `2^-14`.
    let subnormal = f32::from_bits(rebased + (1 << 23)) - f32::from_bits(LEAST_NORMAL);
    let widened = if magnitude < 1 << 23 {
        subnormal.to_bits()
    } else {
        normal
    };
    let quiet = if magnitude > 31 << 23 { 1 << 22 } else { 0 };
    f32::from_bits((bits & 0x8000) << 16 | widened | quiet)
}

/// Converts an `f32` to the nearest `f16`, ties to even.
#[inline(always)]
fn rounded(value: f32) -> f16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Round to nearest, ties to even: the addition carries if more than half of the last bit is cut off, or half and it is odd.
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

        /// Computes sums in `f32`: with half as many bits, small terms would soon be rounded away.
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
    use crate::element::{Narrow, Stored};

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

    /// Checks each half, the midpoint to the next one, and the neighbours of both, plus every 4099th `f32`.
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
