//! The `idx` array of a level: every coordinate is inside its domain, which unchecked access relies on.
use core::cell::Cell;
use core::fmt;
use core::ops::{Deref, Range};

use super::domain::Domain;
use super::first::First;
use super::slice::Slice;
use super::stream::{Coordinates, Gather, Offsets, Scatter, ScatterFrom};
use crate::element::Index;
use crate::error::{Error, ErrorKind};
use crate::machine::pages;
use crate::machine::simd::multiversioned;

/// An `idx` array: coordinates of one level, all inside the level's domain.
#[derive(PartialEq, Eq)]
pub struct Indices<I> {
    entries: Vec<I>,
    domain: Domain,
}

impl<I: Index> Indices<I> {
    /// Takes `entries` as the `idx` array called `name`.
    ///
    /// # Errors
    /// `OutOfBounds` for the first entry outside the domain.
    pub fn try_new(name: &'static str, entries: Vec<I>, domain: Domain) -> Result<Self, Error> {
        inside(name, entries.iter().copied(), domain)?;
        Ok(Indices { entries, domain })
    }

    /// As [`try_new`](Indices::try_new); entries that are all inside the domain `known` are checked only if that is not within
    /// `domain`.
    pub(crate) fn try_known(
        name: &'static str,
        entries: Vec<I>,
        known: Option<Domain>,
        domain: Domain,
    ) -> Result<Self, Error> {
        if known.is_some_and(|known| domain.contains(known.lo) && domain.contains(known.end() - 1)) {
            return Ok(Self::of_checked(entries, domain));
        }
        Self::try_new(name, entries, domain)
    }

    /// Returns the error of a coordinate that does not fit, at a position of the `idx` array called `name`.
    pub(crate) fn overflow(name: &str, position: usize, coordinate: i64, domain: Domain) -> Error {
        narrow_index(name, I::NAME, Some(position), coordinate, domain)
    }

    /// Returns the domain that every entry is inside.
    #[must_use]
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Takes entries that are known to be inside the domain.
    pub(super) fn of_checked(entries: Vec<I>, domain: Domain) -> Self {
        debug_assert!(inside("", entries.iter().copied(), domain).is_ok());
        Indices { entries, domain }
    }

    /// Returns the array.
    #[must_use]
    pub fn into_vec(self) -> Vec<I> {
        self.entries
    }

    /// Returns the coordinate at `position`, of a domain that starts at zero or above.
    ///
    /// # Panics
    /// If the position is outside the array.
    #[inline]
    #[must_use]
    pub fn coordinate(&self, position: usize) -> usize {
        self.entries[position].to_usize()
    }

    /// Returns the coordinate at `position`, of a domain that may start below zero.
    ///
    /// # Panics
    /// If the position is outside the array.
    #[inline]
    #[must_use]
    pub fn offset(&self, position: usize) -> isize {
        self.entries[position].to_isize()
    }

    /// Returns a stream of the coordinates, for a domain that starts at zero or above.
    #[must_use]
    pub fn coordinates(&self) -> Coordinates<&[I]> {
        Coordinates::new(&self.entries)
    }

    /// Returns a stream of the coordinates, for a domain that may start below zero.
    #[must_use]
    pub fn offsets(&self) -> Offsets<&[I]> {
        Offsets::new(&self.entries)
    }

    /// Returns a stream of `data[coordinate]`.
    ///
    /// # Panics
    /// If `data` is shorter than the domain, or the domain starts below zero.
    #[must_use]
    pub fn gather<'a, T>(&'a self, data: &'a [T]) -> Gather<'a, &'a [I], T> {
        assert!(self.domain.is_within(data.len()));
        // SAFETY: every entry is inside the domain, which is within the data.
        unsafe { Gather::new(&self.entries, data) }
    }

    /// Returns a stream of the cells `data[coordinate]`.
    ///
    /// # Panics
    /// If `data` is shorter than the domain, or the domain starts below zero.
    #[must_use]
    pub fn scatter<'a, T>(&'a self, data: &'a [Cell<T>]) -> Scatter<'a, &'a [I], T> {
        assert!(self.domain.is_within(data.len()));
        // SAFETY: every entry is inside the domain, which is within the data.
        unsafe { Scatter::new(&self.entries, data) }
    }

    /// Returns a stream of the cells `data[coordinate - first]`, of a part of an output; `None` outside the part.
    #[must_use]
    pub fn scatter_from<'a, T>(&'a self, data: &'a [Cell<T>], first: usize) -> ScatterFrom<'a, &'a [I], T> {
        ScatterFrom::new(&self.entries, data, first)
    }
}

impl<I: Index> Slice for Indices<I> {
    fn slice(&self, range: Range<usize>) -> Self {
        Indices {
            entries: pages::copied(&self.entries[range]),
            domain: self.domain,
        }
    }
    fn keep_first(self, count: usize) -> Self {
        Indices {
            entries: self.entries.keep_first(count),
            domain: self.domain,
        }
    }
}

/// Checks that every entry of the `idx` array called `name` is inside the domain; the error is of the first outside.
pub(crate) fn inside<I: Index>(
    name: &str,
    entries: impl Iterator<Item = I> + Clone,
    domain: Domain,
) -> Result<(), Error> {
    // Nearly always all entries are inside. A loop without an exit compares several entries at once, more if they are
    // narrower.
    let all = entries.clone();
    let all_inside = match (I::try_from_i64(domain.lo), I::try_from_i64(domain.end() - 1)) {
        (Some(lowest), Some(greatest)) => multiversioned(
            #[inline(always)]
            |_| all.fold(true, |all, entry| all & (lowest <= entry) & (entry <= greatest)),
        ),
        _ => all.fold(true, |all, entry| all & domain.contains(entry.to_i64())),
    };
    if all_inside {
        return Ok(());
    }
    let outside = |(_, entry): &(usize, I)| !domain.contains(entry.to_i64());
    match entries.enumerate().find(outside) {
        None => Ok(()),
        Some((position, entry)) => Err(Error::new(
            ErrorKind::OutOfBounds,
            format!("`{name}_idx`"),
            Some(position),
            format!("index {}", entry.to_i64()),
            format!("one from {} to {}", domain.lo, domain.end() - 1),
        )),
    }
}

impl<I: Clone> Clone for Indices<I> {
    fn clone(&self) -> Self {
        Indices {
            entries: pages::copied(&self.entries),
            domain: self.domain,
        }
    }
}

impl<I> Deref for Indices<I> {
    type Target = [I];
    #[inline]
    fn deref(&self) -> &[I] {
        &self.entries
    }
}

impl<I: fmt::Debug> fmt::Debug for Indices<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        First(&self.entries).fmt(f)
    }
}

/// Returns the error of a coordinate of the domain that does not fit the `idx` entries of level `name`.
pub(crate) fn narrow_index(name: &str, entry: &str, position: Option<usize>, coordinate: i64, domain: Domain) -> Error {
    let (lo, hi) = (domain.lo, domain.end() - 1);
    let wider = if lo < 0 { "i64" } else { "u64" };
    Error::new(
        ErrorKind::Overflow,
        format!("`{name}_idx`"),
        position,
        format!("coordinate {coordinate} of a domain from {lo} to {hi}"),
        format!("one that fits `{entry}` (a format of your own can say `index({name}: {wider})`)"),
    )
}
