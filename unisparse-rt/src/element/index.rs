//! Integer types that store a level's coordinates (`idx`) or its pointers (`ptr`).

use core::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// An integer type for the entries of `idx` and `ptr` arrays. Sealed: the primitive integers up to 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store indices",
    note = "`index(level: ..)` and `pointer(..)` take a primitive integer type up to 64 bits"
)]
pub trait Index: sealed::Sealed + Copy + Ord + Debug + Send + Sync + 'static {
    /// The type's name, for messages.
    const NAME: &'static str;
    /// The least coordinate it stores.
    const MIN: i64;
    /// The largest coordinate it stores; coordinates are `i64`, so at most `i64::MAX`.
    const MAX: i64;

    /// Returns the low bits of a coordinate, which are the coordinate itself if it fits.
    #[doc(hidden)]
    fn truncated(coordinate: usize) -> Self;
    /// Converts a coordinate to this type, if it fits.
    fn try_from_i64(coordinate: i64) -> Option<Self>;
    /// Returns the coordinate.
    fn to_i64(self) -> i64;
    /// Returns the coordinate, for a level whose domain has no negative coordinates.
    fn to_usize(self) -> usize;
    /// Returns the coordinate, for a level whose domain may have negative coordinates.
    fn to_isize(self) -> isize;
}

macro_rules! index {
    ($($integer:ident)*) => {$(
        impl sealed::Sealed for $integer {}
        impl Index for $integer {
            const NAME: &'static str = stringify!($integer);
            const MIN: i64 = $integer::MIN as i64;
            const MAX: i64 = if size_of::<$integer>() == 8 { i64::MAX } else { $integer::MAX as i64 };
            #[inline]
            fn truncated(coordinate: usize) -> Self { coordinate as $integer }
            #[inline]
            fn try_from_i64(coordinate: i64) -> Option<Self> { Self::try_from(coordinate).ok() }
            #[inline]
            fn to_i64(self) -> i64 { self as i64 }
            #[inline]
            fn to_usize(self) -> usize { self as usize }
            #[inline]
            fn to_isize(self) -> isize { self as isize }
        }
    )*};
}

index!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
