//! Construction of the `idx` arrays of aligned levels, whose coordinates the levels above determine.

use super::levels::Levels;
use super::sequence::{bins, each_key};
use crate::array::{Filled, Indices};
use crate::element::Index;
use crate::error::Error;
use crate::format::{below_invariant, invariant_entries};

/// The coordinate of an element at a level minus the lowest.
type Offset<'a> = dyn Fn(usize) -> usize + 'a;

impl Levels {
    /// Returns the `idx` array of an aligned level.
    ///
    /// It has one entry for each position of the level built last, the lowest coordinate where there is no element.
    pub(super) fn aligned<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        let mut array = self.filled(level, self.count as u128)?;
        let (mut misfit, lo) = (None, self.layout.levels[level].domain.lo);
        self.each_position(level, &mut |position, offset| {
            array.set(&mut misfit, position, lo + offset as i64);
        });
        array.finish(misfit, self.checked)
    }

    /// Returns the `idx` array of a level that is invariant over the level built next, and perhaps others below it.
    ///
    /// It has one entry for each position of the other levels above, the lowest coordinate where there is no element.
    pub(super) fn invariant<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        let mut array = self.filled(level, self.invariant_entries(level))?;
        let below: Vec<usize> = below_invariant(self.table, level).collect();
        let (mut misfit, lo) = (None, self.layout.levels[level].domain.lo);
        let mut set = |position: usize, offset: usize| array.set(&mut misfit, position, lo + offset as i64);
        if self.count == 1 {
            self.each_first(level, &mut |offset| {
                let position = below
                    .iter()
                    .fold(0, |position, &below| position * self.size(below) + offset(below));
                set(position, offset(level));
            });
        } else {
            self.walk_dyn(level, &mut |group| {
                let place =
                    |position: usize, &below: &usize| position * self.size(below) + self.offset_of(&group, below);
                set(below.iter().fold(group.position, place), self.offset_of(&group, level));
            });
        }
        array.finish(misfit, self.checked)
    }

    /// Visits elements that in total have all coordinates of `level`, with a function that returns the coordinate at a level
    /// minus the lowest.
    ///
    /// If `level` is invariant over the next level, and that counts from zero, the elements with zero there have all, and come
    /// first.
    fn each_first(&self, level: usize, visit: &mut dyn FnMut(&Offset<'_>)) {
        let spec = &self.table[level];
        let counting = spec.invariant.filter(|_| spec.invariant == spec.invariant_from());
        each_key!(&self.keys, keys => {
            for (bin, range) in bins(&self.starts, keys.len()) {
                for &key in &keys[range] {
                    let offset = |level: usize| self.layout.levels[level].offset(bin, key);
                    if counting.is_some_and(|counting| offset(counting) > 0) {
                        return;
                    }
                    visit(&offset);
                }
            }
        });
    }

    /// Returns the number of entries of the `idx` array of such a level.
    pub(super) fn invariant_entries(&self, level: usize) -> u128 {
        invariant_entries(self.table, level, self.count as u128, |below| self.size(below) as u128)
    }

    /// Visits the position of each group of elements at the level built last, with their coordinate at `level` minus the
    /// lowest.
    fn each_position(&self, level: usize, visit: &mut dyn FnMut(usize, usize)) {
        self.walk(self.built, |group| visit(group.position, self.offset_of(&group, level)));
    }

    /// Creates the `idx` array of an aligned level with this number of entries, filled with the lowest coordinate.
    pub(super) fn filled<I: Index>(&mut self, level: usize, entries: u128) -> Result<Filled<I>, Error> {
        self.reserve(entries, size_of::<I>())?;
        let entries = self.fitting(level, entries)?;
        let of_level = &self.layout.levels[level];
        let count = (entries, self.elements);
        Filled::new(self.table[level].name, count, of_level.domain, of_level.declared)
    }
}
