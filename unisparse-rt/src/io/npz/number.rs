//! The elements of NumPy arrays.

use num_complex::Complex;

use crate::element::Scalar;

/// An element type that `.npz` files can be read into and written from.
///
/// Numbers of every type of NumPy are read. Those that the type does not hold are rejected: integer types accept whole numbers
/// that fit, floating-point types round to the nearest but do not accept a finite number that becomes infinite, real types
/// accept no complex number, `bool` accepts 0 and 1.
#[diagnostic::on_unimplemented(
    message = "no `.npz` file holds elements of type `{Self}`",
    note = "NumPy has the primitive integers up to 64 bits, `f32`, `f64`, `bool`, `Complex` and `f16`"
)]
pub trait NpzScalar: Scalar {
    /// The type in the header of an array: `<f8`.
    const DESCR: &'static str;
    /// Describes the numbers that are accepted, for errors.
    const ACCEPTED: &'static str;

    /// Converts a number, if this type holds it.
    #[doc(hidden)]
    fn of(number: Number) -> Option<Self>;

    /// Appends the bytes of the element.
    #[doc(hidden)]
    fn append(self, to: &mut Vec<u8>);
}

/// A number of an array.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Real(f64),
    Complex(f64, f64),
}

impl Number {
    pub(super) fn is_zero(self) -> bool {
        match self {
            Number::Bool(value) => !value,
            Number::Signed(integer) => integer == 0,
            Number::Unsigned(integer) => integer == 0,
            Number::Real(real) => real == 0.0,
            Number::Complex(real, imaginary) => real == 0.0 && imaginary == 0.0,
        }
    }
}

/// The type of the elements of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NpyType {
    class: u8,
    is_big_endian: bool,
    /// The bytes of an element.
    pub(super) width: usize,
}

impl NpyType {
    /// Returns the type with this description: `<f8`.
    pub(super) fn of(descr: &str) -> Option<Self> {
        let (order, class, width) = (descr.get(..1)?, *descr.as_bytes().get(1)?, descr.get(2..)?);
        let width: usize = width.parse().ok()?;
        let is_known = match class {
            b'b' => width == 1,
            b'i' | b'u' => [1, 2, 4, 8].contains(&width),
            b'f' => [2, 4, 8].contains(&width),
            b'c' => [8, 16].contains(&width),
            b'S' | b'U' => width < 1 << 16,
            _ => false,
        };
        let width = if class == b'U' { 4 * width } else { width };
        let is_big_endian = order == ">" || (order == "=" && cfg!(target_endian = "big"));
        (is_known && ["<", ">", "|", "="].contains(&order)).then_some(NpyType {
            class,
            is_big_endian,
            width,
        })
    }

    /// Returns the name of NumPy: `f8`.
    pub(super) fn name(self) -> String {
        format!(
            "{}{}",
            char::from(self.class),
            if self.class == b'U' { self.width / 4 } else { self.width }
        )
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self.class, b'S' | b'U')
    }

    /// Returns the number with these bytes; text is no number.
    pub(super) fn number(self, bytes: &[u8]) -> Number {
        let half = bytes.len() / 2;
        match (self.class, self.width) {
            (b'b', _) => Number::Bool(bytes[0] != 0),
            (b'i', width) => {
                let above = 64 - 8 * width as u32;
                Number::Signed((self.bits(bytes) << above) as i64 >> above)
            }
            (b'u', _) => Number::Unsigned(self.bits(bytes)),
            (b'f', _) => Number::Real(self.real(bytes)),
            (b'c', _) => Number::Complex(self.real(&bytes[..half]), self.real(&bytes[half..])),
            _ => Number::Real(f64::NAN),
        }
    }

    fn real(self, bytes: &[u8]) -> f64 {
        let bits = self.bits(bytes);
        match bytes.len() {
            8 => f64::from_bits(bits),
            4 => f32::from_bits(bits as u32).into(),
            _ => half_precision(bits as u16),
        }
    }

    /// Returns up to eight bytes as an integer.
    fn bits(self, bytes: &[u8]) -> u64 {
        let add = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        if self.is_big_endian {
            bytes.iter().fold(0, add)
        } else {
            bytes.iter().rev().fold(0, add)
        }
    }

    /// Returns the text with these bytes, without the zeros that fill the array.
    pub(super) fn text(self, bytes: &[u8]) -> Option<String> {
        let text: String = match self.class {
            b'S' => String::from_utf8(bytes.to_vec()).ok()?,
            b'U' => {
                let points = bytes
                    .chunks_exact(4)
                    .map(|point| char::from_u32(self.bits(point) as u32));
                points.collect::<Option<String>>()?
            }
            _ => return None,
        };
        Some(text.trim_end_matches('\0').to_owned())
    }
}

/// Returns the number with these bits of half precision.
fn half_precision(bits: u16) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * f64::powi(2.0, -24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * f64::powi(2.0, i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Returns the integer that a number is, exactly.
fn whole(number: Number) -> Option<i128> {
    /// All whole numbers from here on are above every integer type.
    const BOUND: f64 = 18_446_744_073_709_551_616.0;
    match number {
        Number::Bool(is_one) => Some(is_one.into()),
        Number::Signed(integer) => Some(integer.into()),
        Number::Unsigned(integer) => Some(integer.into()),
        Number::Real(real) | Number::Complex(real, 0.0) => {
            (real.trunc() == real && real.abs() <= BOUND).then_some(real as i128)
        }
        Number::Complex(..) => None,
    }
}

macro_rules! integers {
    ($($integer:ident $descr:literal),*) => {$(
        impl NpzScalar for $integer {
            const DESCR: &'static str = $descr;
            const ACCEPTED: &'static str = concat!("a whole number that fits ", stringify!($integer));
            fn of(number: Number) -> Option<Self> {
                whole(number).and_then(|number| number.try_into().ok())
            }
            fn append(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        }
    )*};
}

integers!(i8 "|i1", i16 "<i2", i32 "<i4", i64 "<i8", u8 "|u1", u16 "<u2", u32 "<u4", u64 "<u8");

impl NpzScalar for bool {
    const DESCR: &'static str = "|b1";
    const ACCEPTED: &'static str = "0 or 1";
    fn of(number: Number) -> Option<Self> {
        match whole(number) {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        }
    }
    fn append(self, to: &mut Vec<u8>) {
        to.push(self.into());
    }
}

macro_rules! floats {
    ($($float:ident $descr:literal $complex:literal),*) => {$(
        impl NpzScalar for $float {
            const DESCR: &'static str = $descr;
            const ACCEPTED: &'static str = concat!("a real number that fits ", stringify!($float));
            fn of(number: Number) -> Option<Self> {
                let (float, is_finite) = match number {
                    Number::Bool(is_one) => (u8::from(is_one).into(), true),
                    Number::Signed(integer) => (integer as $float, true),
                    Number::Unsigned(integer) => (integer as $float, true),
                    Number::Real(real) | Number::Complex(real, 0.0) => (real as $float, real.is_finite()),
                    Number::Complex(..) => return None,
                };
                (float.is_finite() || !is_finite).then_some(float)
            }
            fn append(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        }

        impl NpzScalar for Complex<$float> {
            const DESCR: &'static str = $complex;
            const ACCEPTED: &'static str = concat!("a number whose parts fit ", stringify!($float));
            fn of(number: Number) -> Option<Self> {
                let Number::Complex(real, imaginary) = number else {
                    return $float::of(number).map(Complex::from);
                };
                Some(Complex::new($float::of(Number::Real(real))?, $float::of(Number::Real(imaginary))?))
            }
            fn append(self, to: &mut Vec<u8>) {
                self.re.append(to);
                self.im.append(to);
            }
        }
    )*};
}

floats!(f32 "<f4" "<c8", f64 "<f8" "<c16");

#[cfg(feature = "half")]
impl NpzScalar for half::f16 {
    const DESCR: &'static str = "<f2";
    const ACCEPTED: &'static str = "a real number that fits f16";
    fn of(number: Number) -> Option<Self> {
        let real = f64::of(number)?;
        // From `f64`, so that it is rounded once.
        let half = half::f16::from_f64(real);
        (half.is_finite() || !real.is_finite()).then_some(half)
    }
    fn append(self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }
}

impl core::fmt::Display for Number {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Number::Bool(is_one) => write!(f, "{is_one}"),
            Number::Signed(integer) => write!(f, "{integer}"),
            Number::Unsigned(integer) => write!(f, "{integer}"),
            Number::Real(real) => write!(f, "{real:?}"),
            Number::Complex(real, imaginary) => write!(f, "{real:?}{imaginary:+?}j"),
        }
    }
}
