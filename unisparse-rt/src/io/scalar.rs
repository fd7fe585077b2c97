//! How a number of a file becomes an element, and an element a number of a file.

use super::ReadErrorKind;
use crate::Scalar;
use num_complex::Complex;
use std::io;
use std::str::{self, FromStr};

/// An element type that files can be read into.
///
/// What counts is the number in the file, not the field that the file declares for it:
///
/// - `f32`, `f64`, `f16`, `bf16` take every number, rounded to the nearest; one too large becomes
///   infinite. `1.5d3` of Fortran, `inf` and `nan` are numbers.
/// - An integer type takes every number that is whole and fits: `7`, `7.0`, `7e2`. It refuses the
///   others, and never cuts or wraps around.
/// - `bool` takes 0 and 1 only.
/// - `Complex` takes every number and every pair of numbers.
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

/// A number of any float type. Fortran writes its exponents with a `d`.
fn float<F: FromStr>(word: &[u8]) -> Result<F, ReadErrorKind> {
    let text = str::from_utf8(word).map_err(|_| ReadErrorKind::Number)?;
    text.parse()
        .or_else(|_| text.replace(['d', 'D'], "e").parse())
        .map_err(|_| ReadErrorKind::Number)
}

/// The whole number that a decimal such as `-7`, `7.0` or `7e2` stands for: its sign and magnitude.
fn whole(word: &[u8]) -> Result<(bool, u128), ReadErrorKind> {
    // Whatever is a number but not a whole one is out of range.
    float::<f64>(word)?;
    let (negative, unsigned) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let mut parts = unsigned.splitn(2, |byte| matches!(byte.to_ascii_lowercase(), b'e' | b'd'));
    let mantissa = parts.next().unwrap_or_default();
    let exponent = match parts.next().map(str::from_utf8) {
        Some(Ok(text)) => text.parse::<i32>().map_err(|_| ReadErrorKind::Range)?,
        _ => 0,
    };
    let (before, after) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(point) => (&mantissa[..point], &mantissa[point + 1..]),
        None => (mantissa, &[][..]),
    };
    // Without the zeros at its end the fraction is as short as it can be.
    let after = &after[..after.iter().rposition(|&byte| byte != b'0').map_or(0, |last| last + 1)];
    let mut magnitude = 0_u128;
    for byte in before.iter().chain(after) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(ReadErrorKind::Range);
        }
        magnitude = magnitude
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u128::from(digit)))
            .ok_or(ReadErrorKind::Range)?;
    }
    let mut power = i64::from(exponent) - after.len() as i64;
    while power != 0 && magnitude != 0 {
        if power > 0 {
            magnitude = magnitude.checked_mul(10).ok_or(ReadErrorKind::Range)?;
        } else if magnitude % 10 == 0 {
            magnitude /= 10;
        } else {
            return Err(ReadErrorKind::Range);
        }
        power -= power.signum();
    }
    Ok((negative, magnitude))
}

macro_rules! float_io {
    ($($float:ty),*) => {$(
        impl ReadScalar for $float {
            const EXPECTED: &'static str = "a number";
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
            const EXPECTED: &'static str = "a number";
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
    use super::{ReadErrorKind, ReadScalar, WriteScalar, float, io};

    macro_rules! half_io {
        ($($half:ty),*) => {$(
            impl ReadScalar for $half {
                const EXPECTED: &'static str = "a number";
                fn read(word: &[u8]) -> Result<Self, ReadErrorKind> {
                    float(word).map(<$half>::from_f64)
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

    half_io!(half::f16, half::bf16);
}
