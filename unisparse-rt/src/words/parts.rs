//! Partitioned tensors as streams of words.

use super::Word;
use crate::error::Error;
use crate::format::Level;

/// A tensor that `partition` cuts into parts, and whose elements `word` lays out as words: a stream of words for each part.
///
/// Formats that declare both implement it, for elements that are [`Bits`](crate::Bits).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no streams of words",
    note = "the format declares `partition(level);` and `word(64) {{ .. }};`, and its elements are numbers or `bool`"
)]
pub trait WordParts<const N: usize> {
    /// The layout of an element.
    const WORD: Word;
    /// Returns the level table of a part.
    #[must_use]
    fn levels() -> Vec<Level>;
    /// Returns the number of coordinates that a level has in a tensor of this shape, if the shape determines it.
    #[must_use]
    fn size(shape: [usize; N], level: usize) -> Option<usize>;
    /// Returns the logical coordinate of level coordinates, if there is one inside the shape.
    #[must_use]
    fn decode(shape: [usize; N], coordinates: &[i64]) -> Option<[usize; N]>;
    /// Returns the number of parts.
    #[must_use]
    fn count_parts(&self) -> usize;
    /// Returns the coordinates of the levels that are given to a part, those of the others zero.
    ///
    /// # Panics
    /// If there is no such part.
    #[must_use]
    fn given(&self, part: usize) -> Vec<i64>;
    /// Passes the coordinates of the levels and the word of each position of a part to `visit`, in storage order. A level without a
    /// field that the levels above fix through a query is not computed.
    ///
    /// # Panics
    /// If there is no such part.
    ///
    /// # Errors
    /// `Overflow` for a coordinate that does not fit its field, `Structure` for an element whose word is that of a hole.
    fn visit_words(&self, part: usize, visit: &mut dyn FnMut(&[i64], u128)) -> Result<(), Error>;
}
