//! A format's levels as data, which drives assembly, validation, iteration and `explain`.

use super::encoding::Encoded;
use super::kind::Kind;
use crate::array::{Domain, IndexArray};
use crate::element::Stored;
use crate::error::Error;

/// One row of a format's level table.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// The level's name, which labels its arrays and its errors.
    pub name: &'static str,
    /// The name of its `ptr` array: the level above, whose positions index the array.
    pub pointer_name: &'static str,
    /// The expression it holds, as declared: `i / R`.
    pub expression: &'static str,
    /// Its domain as a half-open range: `0..i_extent`.
    pub domain: &'static str,
    /// How it is stored.
    pub kind: Kind,
    /// Whether its domain is measured from the elements, because the shape does not determine it.
    pub measured: bool,
    /// A level above over which the coordinate is invariant, as the slot for the row of a lane: elements that differ in that level
    /// alone have the same coordinate here. Its coordinates count from zero, so one of these elements has coordinate zero there.
    pub invariant: Option<usize>,
    /// The levels above over which its coordinate is invariant, and which its `idx` array leaves out: the array has one entry
    /// for each position of the other levels above. Ascending.
    pub invariant_over: &'static [usize],
    /// Its arrays as text: `ptr[u32], idx[u32]`.
    pub storage: &'static str,
    /// The rule that determines its storage.
    pub why: &'static str,
}

/// The arrays of one level.
#[derive(Clone, Copy)]
pub struct LevelArrays<'a> {
    /// The first entry of each parent, followed by the end.
    pub ptr: Option<&'a dyn IndexArray>,
    /// The coordinate of each entry.
    pub idx: Option<&'a dyn IndexArray>,
}

/// A tensor as seen by the algorithms that serve every format.
///
/// `N` dims, `M` levels.
pub trait Tree<const N: usize, const M: usize>: Encoded {
    /// The element type.
    type Scalar: Stored;
    /// The level table.
    const LEVELS: [Level; M];
    /// The format's name.
    const NAME: &'static str;
    /// Whether some positions can be holes.
    const HOLES: bool;
    /// Number of queries that the index map mentions.
    const QUERIES: usize;

    /// Returns the extent of each dim.
    fn shape(&self) -> [usize; N];
    /// Returns the measured sizes that are stored: of dense levels with a measured domain, and of counted levels at the
    /// root. 0 for other levels.
    fn sizes(&self) -> [usize; M] {
        [0; M]
    }
    /// Returns the coordinates of levels of kind [`Kind::Given`]. 0 for other levels.
    fn given(&self) -> [i64; M] {
        [0; M]
    }
    /// Returns the domain of each level for this shape and these `sizes`: `0..size` for levels with a stored size,
    /// [`Domain::open`] for other measured levels.
    ///
    /// # Errors
    /// `Overflow` if an extent or a level's coordinates do not fit.
    fn domains(shape: [usize; N], sizes: &[usize; M]) -> Result<[Domain; M], Error>;
    /// Maps a logical coordinate to level coordinates: the index map. `queries` are the results of the queries.
    fn encode(coordinate: [usize; N], queries: &[i64]) -> [i64; M];
    /// Maps level coordinates to the logical coordinate, if there is one inside the shape.
    /// Coordinates of fixed levels, and of levels that mention a query, are ignored.
    fn decode(shape: [usize; N], coordinates: &[i64; M]) -> Option<[usize; N]>;
    /// Returns the arrays of each level.
    fn arrays(&self) -> [LevelArrays<'_>; M];
    /// Returns the number of positions of the last level, including holes.
    fn stored(&self) -> usize;
    /// Returns the value at a position below [`stored`](Tree::stored).
    fn value(&self, position: usize) -> Self::Scalar;
}
