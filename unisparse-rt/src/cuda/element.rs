//! Elements that kernels on a device compute with.

use crate::element::Scalar;

mod sealed {
    pub trait Sealed {}
}

/// An element type of both sides. Sealed: `f64`, `f32`, the integers of 8 to 64 bits, `bool`, `f16` and `bf16`.
#[diagnostic::on_unimplemented(
    message = "a device has no elements of type `{Self}`",
    note = "elements on a device are `f64`, `f32`, integers of 8 to 64 bits, `bool`, `f16` and `bf16`"
)]
pub trait Element: sealed::Sealed + Scalar<Sum = <Self as Element>::Result> {
    /// The type of results, that of [sums](Scalar::Sum): the element type itself, but `f32` for `f16` and `bf16`.
    type Result: Element;

    /// The last part of the macro that chooses the type in a kernel: `F64`.
    #[doc(hidden)]
    const NAME: &'static str;
    /// The bytes of an element.
    #[doc(hidden)]
    const BYTES: usize = size_of::<Self>();
    /// Returns the bits of the element in the lowest bits of the result.
    #[doc(hidden)]
    fn to_word(self) -> u64;
    /// Returns the element with these bits.
    #[doc(hidden)]
    fn of_word(word: u64) -> Self;
}

macro_rules! element {
    ($($element:ty, $name:literal, $to:expr, $of:expr;)*) => {$(
        impl sealed::Sealed for $element {}
        impl Element for $element {
            type Result = <$element as Scalar>::Sum;
            const NAME: &'static str = $name;
            #[inline]
            fn to_word(self) -> u64 { $to(self) }
            #[inline]
            fn of_word(word: u64) -> Self { $of(word) }
        }
    )*};
}

element! {
    f64, "F64", f64::to_bits, f64::from_bits;
    f32, "F32", |element: f32| u64::from(element.to_bits()), |word| f32::from_bits(word as u32);
    i8, "I8", |element| u64::from(element as u8), |word| word as i8;
    i16, "I16", |element| u64::from(element as u16), |word| word as i16;
    i32, "I32", |element| u64::from(element as u32), |word| word as i32;
    i64, "I64", |element| element as u64, |word| word as i64;
    u8, "U8", u64::from, |word| word as u8;
    u16, "U16", u64::from, |word| word as u16;
    u32, "U32", u64::from, |word| word as u32;
    u64, "U64", |element| element, |word| word;
    bool, "BOOL", u64::from, |word| word & 0xff != 0;
}

#[cfg(feature = "half")]
element! {
    half::f16, "F16", |element: half::f16| u64::from(element.to_bits()), |word| half::f16::from_bits(word as u16);
    half::bf16, "BF16", |element: half::bf16| u64::from(element.to_bits()), |word| half::bf16::from_bits(word as u16);
}

/// Returns the bytes of elements, as a device has them in memory.
pub(super) fn to_bytes<T: Element>(elements: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(elements.size_hint().0.saturating_mul(T::BYTES));
    elements.for_each(|element| bytes.extend_from_slice(&element.to_word().to_le_bytes()[..T::BYTES]));
    bytes
}

/// Returns the elements that these bytes are.
pub(super) fn of_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    let elements = bytes.chunks_exact(T::BYTES).map(|bytes| {
        let mut word = [0; 8];
        word[..T::BYTES].copy_from_slice(bytes);
        T::of_word(u64::from_le_bytes(word))
    });
    elements.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns<T: Element>(elements: &[T]) {
        let bytes = to_bytes(elements.iter().copied());
        assert_eq!(bytes.len(), size_of_val(elements));
        assert_eq!(of_bytes::<T>(&bytes), elements);
    }

    #[test]
    fn elements_survive_as_bytes() {
        returns(&[1.5f64, -0.0, f64::INFINITY, f64::MIN_POSITIVE]);
        returns(&[1.5f32, -0.0, f32::NEG_INFINITY, f32::MIN_POSITIVE]);
        returns(&[i8::MIN, -1, 0, i8::MAX]);
        returns(&[i16::MIN, -1, 0, i16::MAX]);
        returns(&[i32::MIN, -1, 0, i32::MAX]);
        returns(&[i64::MIN, -1, 0, i64::MAX]);
        returns(&[0, u8::MAX]);
        returns(&[0, u16::MAX]);
        returns(&[0, u32::MAX]);
        returns(&[0, u64::MAX]);
        returns(&[true, false]);
        #[cfg(feature = "half")]
        returns(&[half::f16::MAX, half::f16::NEG_ONE]);
        #[cfg(feature = "half")]
        returns(&[half::bf16::MAX, half::bf16::NEG_ONE]);
        assert_eq!(to_bytes([1u16, 0x203].into_iter()), [1, 0, 3, 2]);
    }
}
