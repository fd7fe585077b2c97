//! How a number of a file becomes an element, and an element a number of a file.

use super::ReadErrorKind;
use super::decimal::Decimal;
use crate::Scalar;
use num_complex::Complex;
use std::io;
use std::str::{self, FromStr};

/// An element type that files can be read into.
///
/// What counts is the number in the file, not the field that the file declares for it:
///
/// - `f32`, `f64`, `f16`, `bf16` take every number that fits, rounded once to the nearest, of two as near to the even one; one
///   too small becomes zero. A finite number that rounds to an infinity does not fit and is refused. `1.5d3` of Fortran,
///   `inf`, `infinity` and `nan` are numbers.
/// - An integer type takes every number that is whole and fits: `7`, `7.0`, `7e2`, `0e99`. It refuses the
///   others, and never cuts or wraps around.
/// - `bool` takes 0 and 1 only.
/// - `Complex` takes every number and every pair of numbers that fit its parts.
///
/// The entries of a pattern file become [`ONE`](Scalar::ONE). Types that are not scalars are read as [`InFile`] says.
///
/// [`InFile`]: super::InFile
#[diagnostic::on_unimplemented(
    message = "no file can be read into elements of type `{Self}`",
    note = "files are read into the primitive numbers, `bool`, `Complex`, and types that implement `unisparse::io::ReadScalar`"
)]
pub trait ReadScalar: Scalar {
    /// What [`read`](ReadScalar::read) takes, in words, for the errors.
    const EXPECTED: &'static str;
    /// Whether the type can hold the entries of a complex file.
    const COMPLEX: bool = false;

    /// The element that this word of a file stands for.
    ///
    /// # Errors
    /// [`ReadErrorKind::Number`] if it is no number, [`ReadErrorKind::Range`] if it does not fit.
    fn read(word: &[u8]) -> Result<Self, ReadErrorKind>;

    /// This element with an imaginary part, the second word of a complex entry.
    ///
    /// # Errors
    /// As [`read`](ReadScalar::read). Never called unless [`COMPLEX`](ReadScalar::COMPLEX).
    fn with_imaginary(self, _word: &[u8]) -> Result<Self, ReadErrorKind> {
        Err(ReadErrorKind::Range)
    }

    /// The negative, for the mirror image in a skew-symmetric file, if the type can hold it.
    fn negated(self) -> Option<Self>;

    /// The complex conjugate, for the mirror image in a Hermitian file.
    #[must_use]
    fn conjugated(self) -> Self {
        self
    }
}

/// An element type that can be written into a file.
pub trait WriteScalar: Scalar {
    /// The word for this type in the banner of a Matrix Market file: `real`, `integer`, `complex`.
    const FIELD: &'static str;

    /// Writes the element so that it reads back as it was.
    ///
    /// # Errors
    /// Those of the writer.
    fn write(self, writer: &mut dyn io::Write) -> io::Result<()>;
}

/// A type that numbers with a fraction are parsed as.
trait Float: FromStr {
    fn is_infinite(&self) -> bool;
}

/// A number of any float type, rounded to the nearest. Fortran writes its exponents with a `d`.
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

/// Whether a word that is a number is a finite one: it has digits, unlike `inf` and `nan`.
fn is_finite(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
}

/// The whole number that a decimal such as `-7`, `7.0` or `7e2` stands for: its sign and magnitude.
fn whole(word: &[u8]) -> Result<(bool, u128), ReadErrorKind> {
    match Decimal::parse(word) {
        Some(decimal) => decimal.whole().ok_or(ReadErrorKind::Range),
        // `inf` and `nan` are numbers, but not whole ones.
        None => float::<f64>(word).and(Err(ReadErrorKind::Range)),
    }
}

macro_rules! float_io {
    ($($float:ty),*) => {$(
        impl Float for $float {
            fn is_infinite(&self) -> bool { <$float>::is_infinite(*self) }
        }
        impl ReadScalar for $float {
            const EXPECTED: &'static str = concat!("a number that fits ", stringify!($float));
            #[inline]
            fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                float(word)
            }
            fn negated(self) -> Option<Self> { Some(-self) }
        }
        write_io!($float: "real");
    )*};
}

macro_rules! integer_io {
    ($($integer:ty),*) => {$(
        impl ReadScalar for $integer {
            const EXPECTED: &'static str = concat!("a whole number that fits ", stringify!($integer));
            fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                // The integer syntax of the standard library is the common case, and exact.
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
            fn negated(self) -> Option<Self> { self.checked_neg() }
        }
        write_io!($integer: "integer");
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
            fn with_imaginary(self, word: &[u8]) -> Result<Self, ReadErrorKind> {
                Ok(Complex::new(self.re, float(word)?))
            }
            fn negated(self) -> Option<Self> { Some(-self) }
            fn conjugated(self) -> Self { self.conj() }
        }
        impl WriteScalar for Complex<$float> {
            const FIELD: &'static str = "complex";
            fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
                write!(writer, "{:?} {:?}", self.re, self.im)
            }
        }
    )*};
}

macro_rules! write_io {
    ($scalar:ty: $field:literal) => {
        impl WriteScalar for $scalar {
            const FIELD: &'static str = $field;
            fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
                write!(writer, "{self:?}")
            }
        }
    };
}

float_io!(f32, f64);
integer_io!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
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
}

impl WriteScalar for bool {
    const FIELD: &'static str = "integer";
    fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
        u8::from(self).write(writer)
    }
}

#[cfg(feature = "half")]
mod half_io {
    use super::{Decimal, ReadErrorKind, ReadScalar, WriteScalar, float, io, is_finite};
    use crate::scalar::to_odd;
    use half::{bf16, f16};

    /// The `f32` that a number rounds to if its last bit is made odd where that is not exact: it rounds to half precision as
    /// the number does. `is_exact` says of an `f32` whether it is one of that precision.
    fn odd(word: &[u8], is_exact: impl Fn(f32) -> bool) -> Result<f32, ReadErrorKind> {
        let nearest: f32 = float(word)?;
        // Every number halfway between two of half precision ends with so many zeros; elsewhere, to round twice does no harm.
        let may_be_halfway = nearest.to_bits() & 0xfff == 0 && !is_exact(nearest);
        if !may_be_halfway {
            return Ok(nearest);
        }
        // The least `f32` has so many places after the point.
        let exact = format!("{nearest:.149}");
        let decimals = Decimal::parse(word).zip(Decimal::parse(exact.as_bytes()));
        Ok(decimals.map_or(nearest, |(number, nearest_number)| {
            to_odd(nearest, number.compare_magnitudes(&nearest_number))
        }))
    }

    macro_rules! half_io {
        ($($half:ident),*) => {$(
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
            }
            impl WriteScalar for $half {
                const FIELD: &'static str = "real";
                fn write(self, writer: &mut dyn io::Write) -> io::Result<()> {
                    self.to_f32().write(writer)
                }
            }
        )*};
    }

    half_io!(f16, bf16);
}
