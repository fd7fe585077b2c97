//! What is wrong with a packed stream.

use core::fmt;

use crate::error::{Error, ErrorKind};

/// Where a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WordPosition {
    /// The channel.
    pub channel: usize,
    /// The window.
    pub window: usize,
    /// The slot in the window.
    pub slot: usize,
    /// The lane.
    pub lane: usize,
}

impl fmt::Display for WordPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WordPosition {
            channel,
            window,
            slot,
            lane,
        } = self;
        write!(f, "channel {channel}, window {window}, slot {slot}, lane {lane}")
    }
}

/// Why a stream is not that of a matrix, or would not be computed correctly.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// The packing is that of another design.
    Design {
        /// What is counted, such as `bytes in a word`.
        part: &'static str,
        /// The number in the packing.
        found: usize,
        /// The number that the design has, or has room for.
        expected: usize,
    },
    /// A channel has another number of words than its windows say.
    Length {
        /// The channel.
        channel: usize,
        /// The number of words.
        found: usize,
        /// The number that the windows have.
        expected: usize,
    },
    /// Two elements are added to one memory word before the first addition is done.
    Hazard {
        /// Where the second element is.
        place: WordPosition,
        /// The slot of the first.
        before: usize,
        /// The address of the memory word.
        address: usize,
        /// The least number of slots between them.
        distance: usize,
    },
    /// A field has a number that is no address on the chip, or not that of the word's place.
    Field {
        /// Where the word is.
        place: WordPosition,
        /// The role of the field, or its name.
        field: &'static str,
        /// The word.
        word: u128,
    },
    /// A bit of no field is set.
    Bits {
        /// Where the word is.
        place: WordPosition,
        /// The word.
        word: u128,
    },
    /// A column lies outside of the elements of `x` that its window loads.
    Window {
        /// Where the word is.
        place: WordPosition,
        /// The column in the window.
        column: usize,
        /// The columns that are loaded.
        loaded: usize,
    },
    /// A word is that of an element which the matrix does not have, or has once more than there are words.
    Element {
        /// Where the word is.
        place: WordPosition,
        /// The coordinates that the word has there, if they are inside the shape.
        coordinates: Option<[usize; 2]>,
        /// The word.
        word: u128,
    },
    /// A word of an element is added to the sum of another row.
    Row {
        /// Where the word is.
        place: WordPosition,
        /// The row of the element.
        row: usize,
        /// The row of the sum, if it has one.
        of_sum: Option<usize>,
    },
    /// A word of an element is multiplied by the element of `x` of another column.
    Column {
        /// Where the word is.
        place: WordPosition,
        /// The column of the element.
        column: usize,
        /// The column of the element of `x`, if there is one.
        of_x: Option<usize>,
    },
    /// An element of the matrix has no word.
    Missing {
        /// Its coordinates.
        coordinates: [usize; 2],
    },
    /// The elements of the matrix cannot be read, for instance because it refuses repeated coordinates and has some.
    Matrix {
        /// Why.
        error: Error,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Design { part, found, expected } => {
                write!(
                    f,
                    "design: the packing is for another design, with {found} {part} in place of {expected}"
                )
            }
            Violation::Length {
                channel,
                found,
                expected,
            } => write!(
                f,
                "length: channel {channel} has {found} words, and its windows have {expected}"
            ),
            Violation::Hazard {
                place,
                before,
                address,
                distance,
            } => write!(
                f,
                "hazard: {place} adds to address {address}, as slot {before} does: they must be {distance} slots apart"
            ),
            Violation::Field { place, field, word } => {
                write!(
                    f,
                    "field: {place} has the word {word:#x}, whose {field} is not on the chip, or not that of this place"
                )
            }
            Violation::Bits { place, word } => {
                write!(f, "bits: {place} has the word {word:#x}: bits of no field are zero")
            }
            Violation::Window { place, column, loaded } => {
                write!(
                    f,
                    "window: {place} reads column {column} of the {loaded} that are loaded"
                )
            }
            Violation::Element {
                place,
                coordinates,
                word,
            } => write!(
                f,
                "element: {place} has the word {word:#x} at {coordinates:?}, and the matrix has no such element left"
            ),
            Violation::Row { place, row, of_sum } => {
                write!(
                    f,
                    "row: {place} has an element of row {row}, and its sum is that of {of_sum:?}"
                )
            }
            Violation::Column { place, column, of_x } => {
                write!(
                    f,
                    "column: {place} has an element of column {column}, and reads the element {of_x:?} of x"
                )
            }
            Violation::Missing { coordinates } => write!(f, "missing: the element at {coordinates:?} has no word"),
            Violation::Matrix { error } => write!(f, "matrix: {error}"),
        }
    }
}

impl std::error::Error for Violation {}

impl Violation {
    /// Returns the error of a product with such a stream.
    pub(super) fn error(&self) -> Error {
        let error = |kind, subject, found: usize, expected: usize| {
            Error::new(kind, subject, None, found.to_string(), expected.to_string())
        };
        match *self {
            Violation::Design { part, found, expected } => {
                error(ErrorKind::Structure, format!("{part} of a packing"), found, expected)
            }
            Violation::Length {
                channel,
                found,
                expected,
            } => error(
                ErrorKind::Length,
                format!("the words of channel {channel}"),
                found,
                expected,
            ),
            _ => Error::new(
                ErrorKind::Structure,
                "a packing",
                None,
                self.to_string(),
                "the words of a matrix",
            ),
        }
    }
}
