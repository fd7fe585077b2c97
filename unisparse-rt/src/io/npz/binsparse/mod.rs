//! Files of Binsparse in `.npz`: a descriptor in JSON and the arrays of its levels.
//!
//! `format` is a list of levels and the order of the dims, `descriptor` the text, which `json` reads, `levels` makes the arrays of sorted
//! coordinates and back, `read` and `write` add the values.

mod descriptor;
mod format;
mod json;
mod levels;
mod read;
mod write;

pub use format::{BinsparseFormat, BinsparseLevel};
pub(super) use read::parse;
pub(in crate::io) use write::write_as;
pub use write::{write_binsparse, write_binsparse_as, write_binsparse_to};

use crate::element::Stored;
use crate::io::npz::archive::Archive;
use crate::io::npz::number::NpzScalar;
use crate::io::npz::values::OfNpz;
use crate::io::{InFile, ReadError};
use crate::triplets::Triplets;
use std::io::{self, Read, Write};

/// The name of the array with the descriptor, and of its only member.
const NAME: &str = "binsparse";

/// What a file of Binsparse says: elements, the format that holds them, and the value of all other coordinates.
///
/// [`read_npz`](crate::io::read_npz) suffices where others are zero, and the format does not matter.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::Triplets;
/// use unisparse::io::{Binsparse, BinsparseFormat};
///
/// let distances = Binsparse {
///     elements: Triplets::try_from_triplets([2, 3], [([0, 1], 1.5), ([1, 2], 0.5)])?,
///     format: BinsparseFormat::named("DCSR").unwrap(),
///     fill: Some(f64::INFINITY),
/// };
/// let mut bytes = Vec::new();
/// distances.write_to(&mut bytes)?;
/// assert_eq!(Binsparse::parse(bytes.as_slice())?, distances);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Binsparse<T, const N: usize> {
    /// The elements that are stored.
    pub elements: Triplets<T, N>,
    /// How they are stored.
    pub format: BinsparseFormat,
    /// The value of what is not stored, if the file says one; else it is zero.
    pub fill: Option<T>,
}

impl<T: Stored + InFile<Number: NpzScalar>, const N: usize> Binsparse<T, N> {
    /// Reads the bytes of an `.npz` file of Binsparse.
    ///
    /// # Errors
    /// As [`parse_npz`](crate::io::parse_npz), [`Missing`](crate::io::ReadErrorKind::Missing) if it is a file of scipy.
    pub fn parse(mut reader: impl Read) -> Result<Self, ReadError> {
        let archive = Archive::read(&mut reader)?;
        parse::<T, OfNpz, N>(&archive)
    }

    /// Writes the elements with the fill value, in the format. Otherwise as [`write_binsparse_to`].
    ///
    /// # Errors
    /// As [`write_binsparse_to`].
    pub fn write_to(&self, writer: &mut dyn Write) -> io::Result<()> {
        write_as::<_, OfNpz, N>(writer, &self.elements, &self.format, self.fill)
    }
}
