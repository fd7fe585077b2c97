//! A format's levels as data, which drives assembly, validation, iteration and `explain`.

use crate::array::{Indices, Pointers};
use crate::element::Index;
use crate::error::{Error, ErrorKind};

/// How one level is stored (the paper's §5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Determined by the levels above: nothing is stored, and the position equals the parent's.
    Fixed,
    /// Not trimmed: every coordinate of the domain exists below every parent.
    /// Position = parent position × size + (coordinate − lowest).
    Dense,
    /// Every coordinate from 0 to the greatest below each parent; only their number is stored.
    /// Position = first position of the parent + coordinate.
    Counted {
        /// A `ptr` array maps parents to positions; without one the level is at the root and has a single number of
        /// coordinates, its size.
        pointed: bool,
    },
    /// Coordinates are stored in an `idx` array.
    Indexed {
        /// A `ptr` array maps parents to entries; without one the level is the root or has one entry per parent entry.
        pointed: bool,
        /// Not merged: one entry per child instead of one per coordinate.
        copied: bool,
        /// Not trimmed: every coordinate has an entry; coordinates without elements have the entry of a hole.
        full: bool,
    },
    /// The single coordinate of the node that a part of a tensor belongs to: [`Tree::given`].
    Given,
    /// Determined by the levels above through a query: an `idx` array parallel to the parent's positions.
    Aligned,
}

impl Kind {
    /// Returns whether the levels above determine the coordinate, so that the position equals the parent's.
    #[must_use]
    pub const fn is_determined(self) -> bool {
        matches!(self, Kind::Fixed | Kind::Given | Kind::Aligned)
    }

    /// Returns whether every coordinate has an entry in an `idx` array.
    #[must_use]
    pub fn is_full(self) -> bool {
        matches!(self, Kind::Indexed { full: true, .. })
    }
}

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
    /// Whether its coordinate is invariant over all entries of a level above within one parent: the row of a lane.
    pub invariant: bool,
    /// Its arrays as text: `ptr[u32], idx[u32]`.
    pub storage: &'static str,
    /// The rule that determines its storage.
    pub why: &'static str,
}

/// The coordinates `lo..lo + size` that a level can hold, computed from the shape or measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domain {
    /// The lowest coordinate.
    pub lo: i64,
    /// Number of coordinates.
    pub size: usize,
}

impl Domain {
    /// Creates the domain `lo..=hi` of level `name`, computed from the shape; empty if `hi` is below `lo`.
    ///
    /// # Errors
    /// `Overflow` if a bound is beyond ±2^62, so that sums of coordinates never leave `i64`.
    pub fn new(name: &'static str, lo: i128, hi: i128) -> Result<Self, Error> {
        Self::within(lo, hi).ok_or_else(|| {
            let found = format!("extents that give level `{name}` coordinates from {lo} to {hi}");
            too_wide("shape".to_owned(), found)
        })
    }

    /// Creates the domain `lo..=hi` of level `name`, measured from its elements; empty if `hi` is below `lo`.
    ///
    /// # Errors
    /// As [`new`](Domain::new).
    pub(crate) fn measured(name: &'static str, lo: i64, hi: i64) -> Result<Self, Error> {
        Self::within(lo.into(), hi.into())
            .ok_or_else(|| too_wide(format!("level `{name}`"), format!("coordinates from {lo} to {hi}")))
    }

    /// Creates the domain `lo..=hi`, if its bounds are within ±2^62 and its size fits `usize`.
    fn within(lo: i128, hi: i128) -> Option<Self> {
        const BOUND: i128 = 1 << 62;
        if hi < lo {
            let lo = i64::try_from(lo.clamp(-BOUND, BOUND)).ok()?;
            return Some(Domain { lo, size: 0 });
        }
        let narrow = |bound: i128| i64::try_from(bound).ok().filter(|_| (-BOUND..=BOUND).contains(&bound));
        let (lo, hi) = (narrow(lo)?, narrow(hi)?);
        let size = usize::try_from(i128::from(hi) - i128::from(lo) + 1).ok()?;
        Some(Domain { lo, size })
    }

    /// Returns all coordinates that the `idx` array of a measured level may hold; negative ones only if `signed`.
    #[must_use]
    pub const fn open(signed: bool) -> Self {
        Domain {
            lo: if signed { -(1 << 61) } else { 0 },
            size: 1 << 62,
        }
    }

    /// Returns one past the highest coordinate.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.lo + self.size as i64
    }

    /// Returns whether every coordinate is a valid index of a slice of this length.
    #[must_use]
    pub fn is_within(&self, len: usize) -> bool {
        self.lo >= 0 && usize::try_from(self.end()).is_ok_and(|end| end <= len)
    }

    /// Returns whether the domain contains the coordinate.
    #[must_use]
    pub fn contains(&self, coordinate: i64) -> bool {
        self.lo <= coordinate && coordinate < self.end()
    }
}

/// Rejects shapes for which sums of coordinates could overflow `i64`. Every tensor of `format` has passed this check.
///
/// # Errors
/// `Overflow`, naming the first dimension whose extent is above 2^62.
pub fn check_shape<const N: usize>(format: &str, shape: [usize; N]) -> Result<(), Error> {
    const GREATEST: u64 = 1 << 62;
    let too_large = shape.iter().position(|&extent| extent as u64 > GREATEST);
    too_large.map_or(Ok(()), |dim| {
        Err(Error::new(
            ErrorKind::Overflow,
            format!("format `{format}`"),
            None,
            format!("extent {} of dimension {dim}", shape[dim]),
            format!("at most {GREATEST}"),
        ))
    })
}

#[cold]
fn too_wide(subject: String, found: String) -> Error {
    let expected = "coordinates of at most 62 bits";
    Error::new(ErrorKind::Overflow, subject, None, found, expected)
}

/// An integer array with its entry type erased.
pub trait IndexArray {
    /// Returns the length.
    fn len(&self) -> usize;
    /// Returns the entry at `position`.
    fn at(&self, position: usize) -> i64;
    /// Returns the name of the entry's type.
    fn type_name(&self) -> &'static str;
}

macro_rules! index_array {
    ($($array:ident),*) => {$(
        impl<I: Index> IndexArray for $array<I> {
            fn len(&self) -> usize {
                <[I]>::len(self)
            }
            fn at(&self, position: usize) -> i64 {
                self[position].to_i64()
            }
            fn type_name(&self) -> &'static str {
                I::NAME
            }
        }
    )*};
}

index_array!(Indices, Pointers);

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
/// `N` dimensions, `M` levels.
pub trait Tree<const N: usize, const M: usize>: crate::format::encoding::Encoded {
    /// The element type.
    type Scalar: crate::element::Stored;
    /// The level table.
    const LEVELS: [Level; M];
    /// The format's name.
    const NAME: &'static str;
    /// Whether some positions can be holes.
    const HOLES: bool;
    /// Number of queries that the index map mentions.
    const QUERIES: usize;

    /// Returns the extent of each dimension.
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
