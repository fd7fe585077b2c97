//! Conversion between numbers in files and elements.

use super::ReadErrorKind;
use super::decimal::{Decimal, signed};
use super::digits;
use crate::element::Scalar;
use num_complex::Complex;
use std::io;
use std::str::{self, FromStr};

/// Number of digits that fit `i64`, whatever they are.
const FRONT_DIGITS: usize = i64::MAX.ilog10() as usize;

/// An element type that files can be read into.
///
/// The type accepts or rejects the number itself, whatever field the file declares:
///
/// - `f32`, `f64`, `f16`, `bf16` accept every number that fits, rounded once to the nearest, ties to even; numbers that are
///   too small become zero. A finite number that rounds to infinity does not fit and is rejected. Fortran's `1.5d3`, and
///   `inf`, `infinity` and `nan` are numbers.
/// - Integer types accept every number that is an integer and fits: `7`, `7.0`, `7e2`, `0e99`. They reject all
///   others, and never truncate or wrap around.
/// - `bool` accepts 0 and 1 only.
/// - `Complex` accepts every number and every pair of numbers that fit its parts.
///
/// The entries of a pattern file become [`ONE`](Scalar::ONE). Types that are not scalars are read as described at [`InFile`].
///
/// [`InFile`]: super::InFile
#[diagnostic::on_unimplemented(
    message = "no file can be read into elements of type `{Self}`",
    note = "files are read into the primitive numbers, `bool`, `Complex`, and types that implement `unisparse::io::ReadScalar`"
)]
pub trait ReadScalar: Scalar {
    /// Describes the numbers that [`read`](ReadScalar::read) accepts, for errors.
    const EXPECTED: &'static str;
    /// Whether the type can hold the entries of a complex file.
    const COMPLEX: bool = false;

    /// Converts a word of a file to an element.
    ///
    /// # Errors
    /// [`ReadErrorKind::Number`] if it is not a number, [`ReadErrorKind::Range`] if it does not fit.
    fn read(word: &[u8]) -> Result<Self, ReadErrorKind>;

    /// Reads the number that a text begins with, and returns its length, if there is a fast way. If the text goes on with a blank,
    /// this is what [`read`](ReadScalar::read) makes of the word, unless the number is not finite.
    #[doc(hidden)]
    #[inline]
    fn read_front(_text: &[u8]) -> Option<(Self, usize)> {
        None
    }

    /// Adds an imaginary part to this element: the second word of a complex entry.
    ///
    /// # Errors
    /// As [`read`](ReadScalar::read). Never called unless [`COMPLEX`](ReadScalar::COMPLEX).
    fn with_imaginary(self, _word: &[u8]) -> Result<Self, ReadErrorKind> {
        Err(ReadErrorKind::Range)
    }

    /// Returns the negative, for mirror images in skew-symmetric files, if the type can hold it.
    fn negated(self) -> Option<Self>;

    /// Returns the complex conjugate, for mirror images in Hermitian files.
    #[must_use]
    fn conjugated(self) -> Self {
        self
    }

    /// Whether NumPy has numbers of this type.
    #[cfg(feature = "npz")]
    #[doc(hidden)]
    const IN_NPZ: bool = false;

    /// Converts a number of a NumPy array, if the type can hold it.
    #[cfg(feature = "npz")]
    #[doc(hidden)]
    fn of_npz(_: super::npz::Number) -> Option<Self> {
        None
    }
}

/// An element type that can be written into a file.
pub trait WriteScalar: Scalar {
    /// The word for this type in the banner of a Matrix Market file: `real`, `integer`, `complex`.
    const FIELD: &'static str;

    /// Writes the element such that it reads back unchanged.
    ///
    /// # Errors
    /// The errors of the writer.
    fn write(self, writer: &mut dyn io::Write) -> io::Result<()>;

    /// The type in the header of a NumPy array, if there is one.
    #[cfg(feature = "npz")]
    #[doc(hidden)]
    const NPZ: Option<&'static str> = None;

    /// Appends the bytes of the element in a NumPy array.
    #[cfg(feature = "npz")]
    #[doc(hidden)]
    fn append_npz(self, _: &mut Vec<u8>) {}
}

/// Reads and writes NumPy arrays as `NpzScalar` does.
#[cfg(feature = "npz")]
macro_rules! npz {
    (read) => {
        const IN_NPZ: bool = true;
        fn of_npz(number: crate::io::npz::Number) -> Option<Self> {
            crate::io::npz::NpzScalar::of(number)
        }
    };
    (write) => {
        const NPZ: Option<&'static str> = Some(<Self as crate::io::npz::NpzScalar>::DESCR);
        fn append_npz(self, to: &mut Vec<u8>) {
            crate::io::npz::NpzScalar::append(self, to);
        }
    };
}

#[cfg(not(feature = "npz"))]
macro_rules! npz {
    ($direction:ident) => {};
}

/// For types that NumPy does not have.
macro_rules! no_npz {
    ($direction:ident) => {};
}

/// A type that numbers with fractions are parsed as.
trait Float: FromStr {
    fn is_infinite(&self) -> bool;
    fn is_finite(&self) -> bool;
}

/// Parses a number of a float type, rounded to the nearest. Fortran writes exponents with a `d`.
fn float<F: Float>(word: &[u8]) -> Result<F, ReadErrorKind> {
    let text = str::from_utf8(word).map_err(|_| ReadErrorKind::Number)?;
    let number: F = text
        .parse()
        .or_else(|_| text.replace(['d', 'D'], "e").parse())
        .map_err(|_| ReadErrorKind::Number)?;
    match number.is_infinite() && is_finite(word) {
        true => Err(ReadErrorKind::Range),
        false => Ok(number),
    }
}

/// Reads the finite number in the syntax of the standard library that a text begins with, and returns its length.
#[inline]
fn float_front<F: Float + fast_float2::FastFloat>(text: &[u8]) -> Option<(F, usize)> {
    fast_float2::parse_partial(text)
        .ok()
        .filter(|(number, _): &(F, usize)| number.is_finite())
}

/// Reads the integer of a few digits that a text begins with, and returns its length.
#[inline]
fn integer_front<I: TryFrom<i64>>(text: &[u8]) -> Option<(I, usize)> {
    let (negative, digits) = signed(text);
    let (magnitude, count) = digits::front(digits);
    if count == 0 || count > FRONT_DIGITS {
        return None;
    }
    let magnitude = magnitude as i64;
    let integer = I::try_from(if negative { -magnitude } else { magnitude }).ok()?;
    Some((integer, text.len() - digits.len() + count))
}

/// Returns whether a word that is a number is finite: it has digits, unlike `inf` and `nan`.
fn is_finite(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
}

/// Returns the sign and magnitude of a decimal that is an integer, such as `-7`, `7.0` or `7e2`.
fn whole(word: &[u8]) -> Result<(bool, u128), ReadErrorKind> {
    match Decimal::parse(word) {
        Some(decimal) => decimal.whole().ok_or(ReadErrorKind::Range),
        // `inf` and `nan` are numbers, but not integers.
        None => float::<f64>(word).and(Err(ReadErrorKind::Range)),
    }
}

macro_rules! float_io {
    ($($float:ty),*) => {$(
        impl Float for $float {
            fn is_infinite(&self) -> bool { <$float>::is_infinite(*self) }
            fn is_finite(&self) -> bool { <$float>::is_finite(*self) }
        }
        impl ReadScalar for $float {
            const EXPECTED: &'static str = concat!("a number that fits ", stringify!($float));
            #[inline]
            fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                float(word)
            }
            #[inline]
            fn read_front(text: &[u8]) -> Option<(Self, usize)> {
                float_front(text)
            }
            fn negated(self) -> Option<Self> { Some(-self) }
            npz!(read);
        }
        write_io!(npz $float: "real");
    )*};
}

macro_rules! integer_io {
    ($npz:ident: $($integer:ty),*) => {$(
        impl ReadScalar for $integer {
            const EXPECTED: &'static str = concat!("a whole number that fits ", stringify!($integer));
            fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                // The integer syntax of the standard library is the common case, and is exact.
                if let Some(integer) = str::from_utf8(word).ok().and_then(|text| text.parse().ok()) {
                    return Ok(integer);
                }
                let (negative, magnitude) = whole(word)?;
                let integer = match negative {
                    false => magnitude.try_into().ok(),
                    true => 0_i128.checked_sub_unsigned(magnitude).and_then(|n| n.try_into().ok()),
                };
                integer.ok_or(ReadErrorKind::Range)
            }
            #[inline]
            fn read_front(text: &[u8]) -> Option<(Self, usize)> {
                integer_front(text)
            }
            fn negated(self) -> Option<Self> { self.checked_neg() }
            $npz!(read);
        }
        write_io!($npz $integer: "integer");
    )*};
}

macro_rules! complex_io {
    ($($float:ty),*) => {$(
        impl ReadScalar for Complex<$float> {
            const EXPECTED: &'static str = concat!("a number that fits ", stringify!($float));
            const COMPLEX: bool = true;
            fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                Ok(Complex::new(float(word)?, 0.0))
            }
            #[inline]
            fn read_front(text: &[u8]) -> Option<(Self, usize)> {
                float_front(text).map(|(real, length)| (Complex::new(real, 0.0), length))
            }
            fn with_imaginary(self, word: &[u8]) -> Result<Self, ReadErrorKind> {
                Ok(Complex::new(self.re, float(word)?))
            }
            fn negated(self) -> Option<Self> { Some(-self) }
            fn conjugated(self) -> Self { self.conj() }
            npz!(read);
        }
        impl WriteScalar for Complex<$float> {
            const FIELD: &'static str = "complex";
            npz!(write);
            fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
                write!(writer, "{:?} {:?}", self.re, self.im)
            }
        }
    )*};
}

macro_rules! write_io {
    ($npz:ident $scalar:ty: $field:literal) => {
        impl WriteScalar for $scalar {
            const FIELD: &'static str = $field;
            $npz!(write);
            fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
                write!(writer, "{self:?}")
            }
        }
    };
}

float_io!(f32, f64);
integer_io!(npz: i8, i16, i32, i64, u8, u16, u32, u64);
integer_io!(no_npz: i128, isize, u128, usize);
complex_io!(f32, f64);

impl ReadScalar for bool {
    const EXPECTED: &'static str = "0 or 1";
    fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
        match u8::read(word)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(ReadErrorKind::Range),
        }
    }
    fn negated(self) -> Option<Self> {
        (!self).then_some(self)
    }
    npz!(read);
}

impl WriteScalar for bool {
    const FIELD: &'static str = "integer";
    npz!(write);
    fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
        u8::from(self).write(writer)
    }
}

#[cfg(feature = "half")]
mod half_io {
    use super::{Decimal, ReadErrorKind, ReadScalar, WriteScalar, float, io, is_finite};
    use crate::element::to_odd;
    use half::{bf16, f16};

    /// Parses a number to an `f32` that rounds to half precision as the number itself does: inexact values near a midpoint are
    /// rounded to odd. `is_exact` says whether an `f32` is a number of half precision.
    fn odd(word: &[u8], is_exact: impl Fn(f32) -> bool) -> Result<f32, ReadErrorKind> {
        let nearest: f32 = float(word)?;
        // Every midpoint between two halves ends with at least this many zero bits; elsewhere, rounding twice is harmless.
        let may_be_halfway = nearest.to_bits() & 0xfff == 0 && !is_exact(nearest);
        if !may_be_halfway {
            return Ok(nearest);
        }
        // Every `f32` has at most 149 decimal places.
        let exact = format!("{nearest:.149}");
        let decimals = Decimal::parse(word).zip(Decimal::parse(exact.as_bytes()));
        Ok(decimals.map_or(nearest, |(number, nearest_number)| {
            to_odd(nearest, number.compare_magnitudes(&nearest_number))
        }))
    }

    macro_rules! half_io {
        ($($npz:ident $half:ident),*) => {$(
            impl ReadScalar for $half {
                const EXPECTED: &'static str = concat!("a number that fits ", stringify!($half));
                fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                    let half = $half::from_f32(odd(word, |number| $half::from_f32(number).to_f32() == number)?);
                    match half.is_infinite() && is_finite(word) {
                        true => Err(ReadErrorKind::Range),
                        false => Ok(half),
                    }
                }
                fn negated(self) -> Option<Self> { Some(-self) }
                $npz!(read);
            }
            impl WriteScalar for $half {
                const FIELD: &'static str = "real";
                $npz!(write);
                fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
                    self.to_f32().write(writer)
                }
            }
        )*};
    }

    half_io!(npz f16, no_npz bf16);
}
