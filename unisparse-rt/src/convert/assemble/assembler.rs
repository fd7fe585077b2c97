//! The two ways to fill the arrays of a tensor, and the choice between them.

use super::depths::block_levels;
use super::levels::Levels;
use super::ordered::{self, Ordered};
use super::placed::Placed;
use super::sequence::Arranged;
use super::sorted::Sorted;
use super::strategy::{Choice, Way};
use super::words::ElementWords;
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::format::{Level, Storage};
use crate::limit::Limit;
use crate::report::step;
use crate::source::{Duplicates, twice};

/// How the arrays of a tensor are filled.
pub(super) enum Assembler<T> {
    /// From the elements in storage order.
    Ordered(Ordered<T>),
    /// By writing each element to its place.
    Placed(Placed<T>),
}

/// What is known of a format and its elements before they are brought into order.
pub(super) struct Start<'a> {
    pub(super) format: &'static str,
    pub(super) table: &'static [Level],
    pub(super) target: &'static Storage,
    /// Domains that arrays are checked against.
    pub(super) declared: &'a [Domain],
    pub(super) sorted: Sorted,
    /// Whether their coordinates are known to be inside the shape on every visit.
    pub(super) checked: bool,
    /// What becomes of elements with equal coordinates, if there may be any.
    pub(super) policy: Duplicates,
    pub(super) limit: Limit,
    pub(super) shape: &'a [usize],
    /// Returns the logical coordinate, within a shape, of level coordinates.
    pub(super) decode: fn(&[usize], &[i64]) -> Option<Vec<usize>>,
}

impl<T: Stored> Assembler<T> {
    /// Brings the elements into storage order in the way that was chosen.
    pub(super) fn new(elements: &dyn ElementWords<T>, choice: Choice, start: Start) -> Result<Self, Error> {
        let (count, width) = (elements.count(), size_of::<T>());
        let allowed = start.limit.allowed(count, width, start.shape);
        let Choice { way, layout } = choice;
        layout.check(start.format)?;
        let mut levels = Levels::new(
            (start.format, start.table),
            (width, start.target.holes),
            (count, start.checked),
            start.declared,
            layout,
            allowed,
        );
        if way == Way::Place {
            return Ok(Assembler::Placed(Placed::new(
                elements,
                levels,
                block_levels(start.target.levels),
            )));
        }
        let policy = (!start.sorted.unique).then_some(start.policy);
        let ordering = step(way.step());
        let taken = ordered::order(elements, &levels.layout, way, policy);
        drop(ordering);
        let Arranged { starts, keys, values } = taken.map_err(|coordinates| start.duplicate(&coordinates))?;
        (levels.starts, levels.keys) = (starts, keys);
        levels.allowed = start.limit.allowed(values.len(), width, start.shape);
        Ok(Assembler::Ordered(Ordered { levels, values }))
    }

    pub(super) fn levels(&self) -> &Levels {
        match self {
            Assembler::Ordered(ordered) => &ordered.levels,
            Assembler::Placed(placed) => &placed.levels,
        }
    }

    pub(super) fn levels_mut(&mut self) -> &mut Levels {
        match self {
            Assembler::Ordered(ordered) => &mut ordered.levels,
            Assembler::Placed(placed) => &mut placed.levels,
        }
    }
}

impl Start<'_> {
    #[cold]
    fn duplicate(&self, coordinates: &[i64]) -> Error {
        let at = (self.decode)(self.shape, coordinates).map_or_else(String::new, |at| format!(" {at:?}"));
        twice(self.format, &at)
    }
}
