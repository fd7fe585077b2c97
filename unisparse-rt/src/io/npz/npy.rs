//! The header of a NumPy array: the type and the order of its elements, and its shape.

use std::io::Read;

use super::number::{NpyType, Number};
use crate::io::error::Position;
use crate::io::{ReadError, ReadErrorKind};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The maximum number of bytes of a header.
const MOST: usize = 1 << 16;

/// Returns an error about an array, which has no line.
pub(super) fn fault(kind: ReadErrorKind, found: impl Into<String>, expected: impl Into<String>) -> ReadError {
    ReadError::new(kind, Position::default(), found, expected)
}

/// What is known of an array before its elements.
pub(super) struct Header {
    name: String,
    kind: NpyType,
    by_columns: bool,
    shape: Vec<usize>,
}

/// An array with its elements in row-major order.
pub(super) struct Array {
    name: String,
    pub(super) kind: NpyType,
    pub(super) shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Header {
    /// Reads the header of the array `name`.
    pub(super) fn read(name: &str, from: &mut dyn Read) -> Result<Self, ReadError> {
        let unreadable = |error| ReadError::io(error, Position::default());
        let wrong = |found: String| {
            fault(
                ReadErrorKind::Banner,
                format!("array `{name}` {found}"),
                "the header of a NumPy array",
            )
        };
        let mut start = [0; 8];
        from.read_exact(&mut start).map_err(unreadable)?;
        if !start.starts_with(MAGIC) || !(1..=3).contains(&start[6]) {
            return Err(wrong("without a header".to_owned()));
        }
        let mut length = [0; 4];
        let width = if start[6] == 1 { 2 } else { 4 };
        from.read_exact(&mut length[..width]).map_err(unreadable)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MOST {
            return Err(wrong(format!("with a header of {length} bytes")));
        }
        let mut text = vec![0; length];
        from.read_exact(&mut text).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&text);
        let (order, shape) = Self::order_and_shape(&text).ok_or_else(|| wrong(format!("with the header {text}")))?;
        let kind = member(&text, "descr").and_then(quoted).and_then(NpyType::of);
        let kind = kind.ok_or_else(|| {
            let expected = "booleans, integers, floating-point or complex numbers of NumPy, or text";
            fault(
                ReadErrorKind::Unsupported,
                format!("array `{name}` with the header {text}"),
                expected,
            )
        })?;
        Ok(Header {
            name: name.to_owned(),
            kind,
            by_columns: order,
            shape,
        })
    }

    fn order_and_shape(text: &str) -> Option<(bool, Vec<usize>)> {
        let order = member(text, "fortran_order")?;
        let by_columns = order.starts_with("True");
        if !by_columns && !order.starts_with("False") {
            return None;
        }
        let (extents, _) = member(text, "shape")?.strip_prefix('(')?.split_once(')')?;
        let extents = extents.split(',').map(str::trim).filter(|extent| !extent.is_empty());
        Some((
            by_columns,
            extents
                .map(|extent| extent.trim_end_matches('L').parse().ok())
                .collect::<Option<_>>()?,
        ))
    }

    /// Returns the number of bytes of the elements.
    pub(super) fn bytes(&self) -> u128 {
        self.shape.iter().fold(self.kind.width as u128, |bytes, &extent| {
            bytes.saturating_mul(extent as u128)
        })
    }

    /// Returns the array with these elements.
    ///
    /// # Errors
    /// `TooFew` or `TooMany` if there is another number of them.
    pub(super) fn array(self, bytes: Vec<u8>) -> Result<Array, ReadError> {
        let expected = self.bytes();
        if bytes.len() as u128 != expected {
            let is_short = (bytes.len() as u128) < expected;
            let kind = if is_short {
                ReadErrorKind::TooFew
            } else {
                ReadErrorKind::TooMany
            };
            let found = if is_short {
                format!("{} bytes", bytes.len())
            } else {
                format!("more than {expected} bytes")
            };
            return Err(fault(
                kind,
                format!("{found} in the array `{}`", self.name),
                format!("{expected}"),
            ));
        }
        let bytes = if self.by_columns {
            by_rows(&bytes, &self.shape, self.kind.width)
        } else {
            bytes
        };
        Ok(Array {
            name: self.name,
            kind: self.kind,
            shape: self.shape,
            bytes,
        })
    }
}

/// Returns the text of the dictionary from the value of this member on.
fn member<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let at = [format!("'{name}'"), format!("\"{name}\"")]
        .iter()
        .find_map(|key| Some(text.find(key)? + key.len()))?;
    Some(text[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|&quote| quote == '\'' || quote == '"')?;
    text[1..].split_once(quote).map(|(text, _)| text)
}

/// Returns the elements in row-major order that are stored in column-major order.
fn by_rows(bytes: &[u8], shape: &[usize], width: usize) -> Vec<u8> {
    let (mut at, mut all) = (vec![0; shape.len()], Vec::with_capacity(bytes.len()));
    for _ in 0..bytes.len() / width.max(1) {
        let place = at
            .iter()
            .zip(shape)
            .rev()
            .fold(0, |place, (&at, &extent)| place * extent + at);
        all.extend_from_slice(&bytes[place * width..][..width]);
        for (at, &extent) in at.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < extent {
                break;
            }
            *at = 0;
        }
    }
    all
}

impl Array {
    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        // The extents beside a zero may be large, and text may have no bytes.
        self.bytes.len().checked_div(self.kind.width).unwrap_or(0)
    }

    /// Returns the elements.
    ///
    /// # Errors
    /// `Unsupported` if they are text.
    pub(super) fn numbers(&self) -> Result<impl ExactSizeIterator<Item = Number> + '_, ReadError> {
        if self.kind.is_text() {
            return Err(self.unsupported("numbers"));
        }
        Ok((0..self.len()).map(|at| self.kind.number(&self.bytes[at * self.kind.width..][..self.kind.width])))
    }

    fn unsupported(&self, expected: &str) -> ReadError {
        let found = format!("array `{}` of `{}`", self.name, self.kind.name());
        fault(ReadErrorKind::Unsupported, found, expected)
    }

    /// Returns the elements as integers.
    ///
    /// # Errors
    /// `Unsupported` if they are of another type.
    pub(super) fn integers(&self) -> Result<Vec<i64>, ReadError> {
        let integer = |number| match number {
            Number::Signed(integer) => Ok(integer),
            // What is above `i64::MAX` is also above every extent.
            Number::Unsigned(integer) => Ok(i64::try_from(integer).unwrap_or(i64::MAX)),
            Number::Bool(_) | Number::Real(_) | Number::Complex(..) => Err(self.unsupported("integers")),
        };
        if self.kind.is_text() {
            return Err(self.unsupported("integers"));
        }
        self.numbers()?.map(integer).collect()
    }

    /// Returns the array as text.
    ///
    /// # Errors
    /// `Unsupported` if it is none.
    pub(super) fn text(&self) -> Result<String, ReadError> {
        self.kind.text(&self.bytes).ok_or_else(|| self.unsupported("text"))
    }

    /// Checks the number of dims.
    ///
    /// # Errors
    /// `Size`.
    pub(super) fn of_dims(self, dims: usize) -> Result<Self, ReadError> {
        if self.shape.len() == dims {
            return Ok(self);
        }
        let found = format!("array `{}` of {} dims", self.name, self.shape.len());
        Err(fault(ReadErrorKind::Size, found, format!("{dims}")))
    }
}

/// Returns the header of an array in row-major order, in version 1 of the format.
pub(super) fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    // A tuple of one has a comma, the empty one has none.
    let extents = if shape.len() > 1 {
        extents.trim_end_matches(", ")
    } else {
        extents.trim_end()
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({extents}), }}");
    // The elements begin at a multiple of 64 bytes.
    let length = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(64);
    text += &" ".repeat(length - (MAGIC.len() + 4 + text.len() + 1));
    text.push('\n');
    let mut header = MAGIC.to_vec();
    header.extend([1, 0]);
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
