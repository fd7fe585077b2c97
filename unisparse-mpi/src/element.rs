//! Elements as words that MPI sends.

use mpi::datatype::Equivalence;
use unisparse::{Complex, Narrow, Pattern, Scalar, Stored};

/// A stored element that MPI can send: as a fixed number of words of a type that MPI has.
///
/// Numbers, `bool`, complex numbers, [`Narrow`] and [`Pattern`] are. A type of your own needs three items:
///
/// ```
/// # use unisparse::Scalar;
/// use unisparse_mpi::Element;
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Minutes(f32);
/// # impl Scalar for Minutes {
/// #     type Sum = Self;
/// #     const ZERO: Self = Minutes(f32::INFINITY);
/// #     const ONE: Self = Minutes(0.0);
/// #     fn plus(self, other: Self) -> Self { Minutes(self.0.min(other.0)) }
/// #     fn times(self, other: Self) -> Self { Minutes(self.0 + other.0) }
/// # }
///
/// impl Element for Minutes {
///     type Word = f32;
///     fn write(self, words: &mut [f32]) {
///         words[0] = self.0;
///     }
///     fn read(words: &[f32]) -> Self {
///         Minutes(words[0])
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "MPI cannot send elements of type `{Self}`",
    note = "implement `unisparse_mpi::Element`: write the element as words of a type that MPI has"
)]
pub trait Element: Stored {
    /// The type of a word, which MPI can send.
    type Word: Equivalence + Copy + Default + PartialEq + Send + Sync + 'static;
    /// The number of words of an element, at least one.
    const WORDS: usize = 1;

    /// Writes the element to [`WORDS`](Element::WORDS) words.
    fn write(self, words: &mut [Self::Word]);

    /// Reads an element from [`WORDS`](Element::WORDS) words.
    fn read(words: &[Self::Word]) -> Self;
}

/// Returns the words of elements.
pub(crate) fn to_words<T: Element>(elements: impl ExactSizeIterator<Item = T>) -> Vec<T::Word> {
    let mut words = vec![T::Word::default(); elements.len() * T::WORDS];
    for (element, words) in elements.zip(words.chunks_exact_mut(T::WORDS)) {
        element.write(words);
    }
    words
}

/// Returns the elements of words.
pub(crate) fn of_words<T: Element>(words: &[T::Word]) -> impl ExactSizeIterator<Item = T> + '_ {
    words.chunks_exact(T::WORDS).map(T::read)
}

macro_rules! one_word {
    ($($number:ty),*) => {$(
        impl Element for $number {
            type Word = Self;
            #[inline]
            fn write(self, words: &mut [Self]) { words[0] = self; }
            #[inline]
            fn read(words: &[Self]) -> Self { words[0] }
        }
    )*};
}

one_word!(f32, f64, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, bool);

macro_rules! two_words {
    ($($number:ty),*) => {$(
        impl Element for $number {
            type Word = u64;
            const WORDS: usize = 2;
            #[inline]
            fn write(self, words: &mut [u64]) { (words[0], words[1]) = (self as u64, (self >> 64) as u64); }
            #[inline]
            fn read(words: &[u64]) -> Self { Self::from(words[0]) | Self::from(words[1]) << 64 }
        }
    )*};
}

two_words!(u128, i128);

macro_rules! complex {
    ($($number:ty),*) => {$(
        impl Element for Complex<$number> {
            type Word = $number;
            const WORDS: usize = 2;
            #[inline]
            fn write(self, words: &mut [$number]) { (words[0], words[1]) = (self.re, self.im); }
            #[inline]
            fn read(words: &[$number]) -> Self { Complex::new(words[0], words[1]) }
        }
    )*};
}

complex!(f32, f64);

#[cfg(feature = "half")]
macro_rules! half {
    ($($number:ty),*) => {$(
        impl Element for $number {
            type Word = u16;
            #[inline]
            fn write(self, words: &mut [u16]) { words[0] = self.to_bits(); }
            #[inline]
            fn read(words: &[u16]) -> Self { Self::from_bits(words[0]) }
        }
    )*};
}

#[cfg(feature = "half")]
half!(unisparse::f16, unisparse::bf16);

impl<S: Scalar + Element, T: Scalar + From<S>> Element for Narrow<S, T> {
    type Word = S::Word;
    const WORDS: usize = S::WORDS;
    #[inline]
    fn write(self, words: &mut [S::Word]) {
        self.stored().write(words);
    }
    #[inline]
    fn read(words: &[S::Word]) -> Self {
        Narrow::new(S::read(words))
    }
}

/// A pattern has no value, and is sent as a byte that is not read.
impl<T: Scalar> Element for Pattern<T> {
    type Word = u8;
    #[inline]
    fn write(self, _: &mut [u8]) {}
    #[inline]
    fn read(_: &[u8]) -> Self {
        Pattern::new()
    }
}
