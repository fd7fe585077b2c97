//! The `ptr` array of a level, which loops over entries rely on.

use core::fmt;
use core::ops::{Deref, Range};

use super::first::First;
use super::stream::{Segments, Stream};
use crate::element::Index;
use crate::error::{Error, ErrorKind};
use crate::machine::pages;
use crate::machine::simd::multiversioned;

/// A `ptr` array: the start of each parent's entries, and the end. It starts at zero and never decreases.
#[derive(PartialEq, Eq)]
pub struct Pointers<P> {
    starts: Vec<P>,
}

impl<P: Index> Pointers<P> {
    /// Takes `starts` as the `ptr` array called `name`.
    ///
    /// # Errors
    /// `Length` if it is empty, `Order` if it does not start at zero or decreases.
    pub fn try_new(name: &'static str, starts: Vec<P>) -> Result<Self, Error> {
        let subject = || format!("`{name}_ptr`");
        let Some(first) = starts.first() else {
            return Err(Error::new(
                ErrorKind::Length,
                subject(),
                None,
                "an empty array",
                "one entry more than parents",
            ));
        };
        if first.to_i64() != 0 {
            let found = format!("pointer {}", first.to_i64());
            return Err(Error::new(ErrorKind::Order, subject(), Some(0), found, "0"));
        }
        if !never_decreases(&starts) {
            let position = starts.windows(2).position(|pair| pair[1] < pair[0]).unwrap_or(0);
            return Err(Error::new(
                ErrorKind::Order,
                subject(),
                Some(position + 1),
                format!("pointer {}", starts[position + 1].to_i64()),
                format!("at least {}", starts[position].to_i64()),
            ));
        }
        Ok(Pointers { starts })
    }

    /// Returns the error of a `ptr` array called `name` whose `end`, a number of entries or positions, does not fit.
    pub(crate) fn overflow(name: &str, end: u64, what: &str) -> Error {
        narrow_pointer(name, P::NAME, end, what)
    }

    /// Copies the pointers of these parents alone, moved to start at zero.
    pub(crate) fn cut(&self, parents: Range<usize>) -> Self {
        let starts = &self.starts[parents.start..=parents.end];
        let first = starts[0].to_i64();
        // No pointer grows, so each still fits.
        let mut rebased = pages::with_capacity(starts.len());
        rebased.extend(
            starts
                .iter()
                .filter_map(|start| P::try_from_i64(start.to_i64() - first)),
        );
        Pointers { starts: rebased }
    }

    /// Returns the array.
    #[must_use]
    pub fn into_vec(self) -> Vec<P> {
        self.starts
    }

    /// Returns the number of entries of all parents.
    #[must_use]
    pub fn end(&self) -> usize {
        self.starts.last().map_or(0, |end| end.to_usize())
    }

    /// Returns the positions of the entries of `parent`.
    ///
    /// # Panics
    /// If the parent does not exist.
    #[inline]
    #[must_use]
    pub fn range(&self, parent: usize) -> Range<usize> {
        self.starts[parent].to_usize()..self.starts[parent + 1].to_usize()
    }

    /// Returns the pointers of all parents.
    #[inline]
    #[must_use]
    pub(crate) fn all(&self) -> Parents<'_, P> {
        Parents {
            first: 0,
            starts: &self.starts,
        }
    }

    /// Returns the start and the end of some entries that have one parent, if both fit.
    pub(crate) fn ends(&self, entries: &Range<usize>) -> Option<[P; 2]> {
        let end = |position: usize| P::try_from_i64(i64::try_from(position).ok()?);
        Some([end(entries.start)?, end(entries.end)?])
    }

    /// Returns the positions of the entries of all these parents; empty if there are no parents.
    ///
    /// # Panics
    /// If one of the parents does not exist.
    #[inline]
    #[must_use]
    pub fn below(&self, parents: &Range<usize>) -> Range<usize> {
        self.starts[parents.start].to_usize()..self.starts[parents.end].to_usize()
    }

    /// Cuts `stream` into one segment for each parent.
    ///
    /// # Panics
    /// If the stream is shorter than the last pointer.
    #[inline(always)]
    #[must_use]
    pub fn over<S: Stream>(&self, stream: S) -> Segments<'_, P, S> {
        self.all().over(stream)
    }
}

/// Returns whether no entry is less than the one before it. A loop without an exit compares several entries at once.
fn never_decreases<P: Index>(starts: &[P]) -> bool {
    let later = starts.get(1..).unwrap_or_default();
    multiversioned(
        #[inline(always)]
        |_| {
            starts
                .iter()
                .zip(later)
                .fold(true, |all, (before, after)| all & (before <= after))
        },
    )
}

impl<P: Clone> Clone for Pointers<P> {
    fn clone(&self) -> Self {
        Pointers {
            starts: pages::copied(&self.starts),
        }
    }
}

impl<P> Deref for Pointers<P> {
    type Target = [P];
    #[inline]
    fn deref(&self) -> &[P] {
        &self.starts
    }
}

impl<P: fmt::Debug> fmt::Debug for Pointers<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        First(&self.starts).fmt(f)
    }
}

/// [`Pointers`] of consecutive parents, or of one parent and a part of its entries.
#[derive(Debug, Clone, Copy)]
pub struct Parents<'a, P> {
    first: usize,
    /// Starts and the last end: one more than there are parents.
    starts: &'a [P],
}

impl<'a, P: Index> Parents<'a, P> {
    /// Creates a parent whose entries start and end here.
    ///
    /// # Panics
    /// If they end before they start.
    #[must_use]
    pub(crate) fn one(first: usize, ends: &'a [P; 2]) -> Self {
        assert!(ends[0] <= ends[1]);
        Parents { first, starts: ends }
    }

    /// Cuts `stream` into one segment for each parent.
    ///
    /// # Panics
    /// If the stream is shorter than the last pointer.
    #[inline(always)]
    #[must_use]
    pub fn over<S: Stream>(&self, stream: S) -> Segments<'a, P, S> {
        assert!(self.starts.last().is_some_and(|end| end.to_usize() <= stream.len()));
        // SAFETY: there is at least one pointer, they never decrease, and their end is within the stream.
        unsafe { Segments::new(self.first, self.starts, stream) }
    }

    /// Returns the positions of the entries of `parent`.
    ///
    /// # Panics
    /// If the parent does not exist.
    #[inline]
    #[must_use]
    pub fn range(&self, parent: usize) -> Range<usize> {
        let number = parent - self.first;
        self.starts[number].to_usize()..self.starts[number + 1].to_usize()
    }
}

/// Returns the error of an `end`, a number of entries or positions, that does not fit the `ptr` entries of level `name`.
pub(crate) fn narrow_pointer(name: &str, entry: &str, end: u64, what: &str) -> Error {
    Error::new(
        ErrorKind::Overflow,
        format!("`{name}_ptr`"),
        None,
        format!("{end} {what}, which need {} bits", u64::BITS - end.leading_zeros()),
        format!("a number that fits `{entry}` (a format of your own can say `pointer(u64)`)"),
    )
}
