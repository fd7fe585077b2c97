//! How the levels of a format are stored.

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
    /// In a part of a partitioned tensor: the coordinate, which is `Tree::given`, of the one node at this level that the part is below.
    Given,
    /// Determined by the levels above through a query: an `idx` array parallel to the parent's positions, or one with fewer
    /// entries if some levels above do not matter (`invariant_over`).
    Aligned,
}

impl Kind {
    /// Returns whether the levels above determine the coordinate, so that the position equals the parent's.
    #[must_use]
    pub const fn is_determined(self) -> bool {
        matches!(self, Kind::Fixed | Kind::Given | Kind::Aligned)
    }

    /// Returns whether the level has neither an array nor positions of its own.
    #[must_use]
    pub const fn holds_nothing(self) -> bool {
        matches!(self, Kind::Fixed | Kind::Given)
    }

    /// Returns whether every coordinate has an entry in an `idx` array.
    #[must_use]
    pub fn is_full(self) -> bool {
        matches!(self, Kind::Indexed { full: true, .. })
    }
}
