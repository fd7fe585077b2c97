//! A format's levels, as data: what assembly, validation, iteration and `explain` are driven by.

use crate::storage::{Indices, Pointers};
use crate::{Error, ErrorKind, Index};

/// How one level is stored (the paper's §5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Fixed by the levels above: nothing is stored, its position is its parent's.
    Fixed,
    /// Not trimmed: every coordinate of the domain below every parent.
    /// Position = parent position × size + (coordinate − lowest).
    Dense,
    /// Every coordinate from 0 to the greatest below each parent: only how many is stored.
    /// Position = first position of the parent + coordinate.
    Counted {
        /// A `ptr` array says which positions belong to which parent; without one the level is at the root
        /// and has one number of coordinates, its size.
        pointed: bool,
    },
    /// Coordinates in an `idx` array.
    Indexed {
        /// A `ptr` array says which entries belong to which parent; without one the level is the root
        /// or has one entry for each of its parent's.
        pointed: bool,
        /// Not merged: one entry for each child instead of one for each coordinate.
        copied: bool,
        /// Not trimmed: every coordinate has an entry, that of a hole if nothing is stored below it.
        full: bool,
    },
    /// One coordinate, that of the node that a part of a tensor hangs from: [`Tree::given`].
    Given,
    /// Determined by the levels above, through a query: an `idx` array in step with its parent's positions.
    Aligned,
}

impl Kind {
    /// Whether the levels above determine the coordinate: the level's position is its parent's.
    #[must_use]
    pub const fn is_determined(self) -> bool {
        matches!(self, Kind::Fixed | Kind::Given | Kind::Aligned)
    }

    /// Whether every coordinate has an entry in an `idx` array.
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
    /// The name its `ptr` array has: the level above, whose positions index it.
    pub pointer_name: &'static str,
    /// What it holds, as declared: `i / R`.
    pub expression: &'static str,
    /// The coordinates it can hold, end excluded: `0..i_extent`.
    pub domain: &'static str,
    /// How it is stored.
    pub kind: Kind,
    /// Whether its domain is measured from the elements: the shape does not tell it.
    pub measured: bool,
    /// Whether it is the same at all entries of a level above, which are below a parent: the row of a lane.
    pub steady: bool,
    /// Its arrays in words: `ptr[u32], idx[u32]`.
    pub storage: &'static str,
    /// The rule that made it so.
    pub why: &'static str,
}

/// The coordinates `lo..lo + size` a level can hold, computed from the shape or measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domain {
    /// The lowest coordinate.
    pub lo: i64,
    /// How many there are.
    pub size: usize,
}

impl Domain {
    /// The domain `lo..=hi` of level `name`, as the shape tells it; empty if `hi` is below `lo`.
    ///
    /// # Errors
    /// `Overflow` if a bound is beyond ±2^62, so that sums of coordinates never leave `i64`.
    pub fn new(name: &'static str, lo: i128, hi: i128) -> Result<Self, Error> {
        Self::within(lo, hi).ok_or_else(|| {
            let found = format!("extents that give level `{name}` coordinates from {lo} to {hi}");
            too_wide("shape".to_owned(), found)
        })
    }

    /// The domain `lo..=hi` of level `name`, as its elements tell it; empty if `hi` is below `lo`.
    ///
    /// # Errors
    /// As [`new`](Domain::new).
    pub(crate) fn measured(name: &'static str, lo: i64, hi: i64) -> Result<Self, Error> {
        Self::within(lo.into(), hi.into())
            .ok_or_else(|| too_wide(format!("level `{name}`"), format!("coordinates from {lo} to {hi}")))
    }

    /// The domain `lo..=hi`, if its coordinates are of at most 62 bits and can be counted.
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

    /// All that the `idx` array of a measured level may hold; coordinates below zero only if `signed`.
    #[must_use]
    pub const fn open(signed: bool) -> Self {
        Domain {
            lo: if signed { -(1 << 61) } else { 0 },
            size: 1 << 62,
        }
    }

    /// One past the highest coordinate.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.lo + self.size as i64
    }

    /// Whether every coordinate is the position of an item in a slice of this length.
    #[must_use]
    pub fn is_within(&self, len: usize) -> bool {
        self.lo >= 0 && usize::try_from(self.end()).is_ok_and(|end| end <= len)
    }

    /// Whether the coordinate is in it.
    #[must_use]
    pub fn contains(&self, coordinate: i64) -> bool {
        self.lo <= coordinate && coordinate < self.end()
    }
}

/// Refuses shapes whose coordinates could leave `i64` in sums: every tensor of `format` has been through this.
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

/// An integer array whose type is known only to the format.
pub trait IndexArray {
    /// Its length.
    fn len(&self) -> usize;
    /// The entry at `position`.
    fn at(&self, position: usize) -> i64;
    /// The name of the entry's type.
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
    /// The first entry of each parent, and the end.
    pub ptr: Option<&'a dyn IndexArray>,
    /// The coordinate of each entry.
    pub idx: Option<&'a dyn IndexArray>,
}

/// One tensor, seen by the algorithms that serve every format.
///
/// `N` dimensions, `M` levels.
pub trait Tree<const N: usize, const M: usize>: crate::Encoded {
    /// The element type.
    type Scalar: crate::Stored;
    /// The level table.
    const LEVELS: [Level; M];
    /// The format's name.
    const NAME: &'static str;
    /// Whether some positions can be holes.
    const HOLES: bool;
    /// How many queries the index map mentions.
    const QUERIES: usize;

    /// The extent of each dimension.
    fn shape(&self) -> [usize; N];
    /// The size of each level whose size is measured and stored: dense ones with a measured domain, and counted
    /// ones at the root. 0 for others.
    fn sizes(&self) -> [usize; M] {
        [0; M]
    }
    /// The coordinate of each level where that is given. 0 for others.
    fn given(&self) -> [i64; M] {
        [0; M]
    }
    /// The domain of each level under this shape and these `sizes`: `0..size` where that is a level's own,
    /// [`Domain::open`] for other measured levels.
    ///
    /// # Errors
    /// `Overflow` if an extent or a level's coordinates do not fit.
    fn domains(shape: [usize; N], sizes: &[usize; M]) -> Result<[Domain; M], Error>;
    /// The level coordinates of a logical coordinate: the index map. `queries` are the results of the queries.
    fn encode(coordinate: [usize; N], queries: &[i64]) -> [i64; M];
    /// The logical coordinate of level coordinates, if they are those of one inside the shape.
    /// Coordinates of fixed levels, and of levels that mention a query, are not looked at.
    fn decode(shape: [usize; N], coordinates: &[i64; M]) -> Option<[usize; N]>;
    /// The arrays of each level.
    fn arrays(&self) -> [LevelArrays<'_>; M];
    /// How many positions the last level has, holes included.
    fn stored(&self) -> usize;
    /// The value at a position below [`stored`](Tree::stored).
    fn value(&self, position: usize) -> Self::Scalar;
}
