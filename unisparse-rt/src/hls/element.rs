//! Elements that hardware computes with.

use crate::element::Scalar;

mod sealed {
    pub trait Sealed {}
}

/// An element type of both languages. Sealed: `f64`, `f32`, the integers of 8 to 64 bits, and `bool`.
#[diagnostic::on_unimplemented(
    message = "a kernel for high-level synthesis has no elements of type `{Self}`",
    note = "its elements are `f64`, `f32`, integers of 8 to 64 bits, and `bool`"
)]
pub trait Element: sealed::Sealed + Scalar + Default {
    /// The type in C++.
    #[doc(hidden)]
    const TEXT: &'static str;
    /// Appends the bytes of the element, as a kernel has it in memory.
    #[doc(hidden)]
    fn append(self, into: &mut Vec<u8>);
}

macro_rules! element {
    ($($element:ty: $text:literal),*) => {$(
        impl sealed::Sealed for $element {}
        impl Element for $element {
            const TEXT: &'static str = $text;
            fn append(self, into: &mut Vec<u8>) {
                into.extend(self.to_le_bytes());
            }
        }
    )*};
}

element! {
    f64: "double", f32: "float",
    i8: "unisparse::wrapping<int8_t>", i16: "unisparse::wrapping<int16_t>",
    i32: "unisparse::wrapping<int32_t>", i64: "unisparse::wrapping<int64_t>",
    u8: "unisparse::wrapping<uint8_t>", u16: "unisparse::wrapping<uint16_t>",
    u32: "unisparse::wrapping<uint32_t>", u64: "unisparse::wrapping<uint64_t>"
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const TEXT: &'static str = "unisparse::truth";
    fn append(self, into: &mut Vec<u8>) {
        into.push(u8::from(self));
    }
}

/// Returns the bytes of elements, as a kernel has them in memory.
pub(super) fn to_bytes<T: Element>(elements: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(elements.size_hint().0.saturating_mul(size_of::<T>()));
    elements.for_each(|element| element.append(&mut bytes));
    bytes
}
