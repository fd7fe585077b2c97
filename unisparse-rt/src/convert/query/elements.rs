//! The elements that queries are evaluated on, each coordinate once, read in batches.
//!
//! Only the loop that fills a batch is compiled for each source type. Everything else is compiled once per format, as loops
//! over arrays that stay in L1.

use core::ops::Range;

use crate::element::Stored;
use crate::error::Error;
use crate::source::{Source, checked_count};

/// Approximate number of elements in a batch.
pub(crate) const BATCH: usize = 512;

/// A buffer for a batch of elements copied from their source; it grows to the largest batch read so far.
pub(crate) struct ReadBuffer<T, const N: usize> {
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
}

impl<T: Stored, const N: usize> ReadBuffer<T, N> {
    /// Allocates a buffer for two batches, or for `count` elements if these are fewer.
    pub(crate) fn new(count: usize) -> Self {
        let capacity = count.min(2 * BATCH);
        ReadBuffer {
            coordinates: vec![[0; N]; capacity],
            values: vec![T::FILL; capacity],
        }
    }

    /// Returns room for this many coordinates.
    pub(crate) fn coordinates(&mut self, count: usize) -> &mut [[usize; N]] {
        if self.coordinates.len() < count {
            self.coordinates.resize(count, [0; N]);
            self.values.resize(count, T::FILL);
        }
        &mut self.coordinates[..count]
    }
}

/// A source as a trait object: every visit yields the same elements in the same order.
pub(crate) trait SourceElements<T, const N: usize>: Send + Sync {
    /// Returns an upper bound of the number of elements.
    fn count(&self) -> usize;

    /// Returns borders that cut the visit into at most `pieces` pieces with about equal numbers of elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Returns the elements between two borders, copied to `buffer` unless they are stored in arrays.
    fn read<'a>(&'a self, piece: Range<usize>, buffer: &'a mut ReadBuffer<T, N>) -> (&'a [[usize; N]], &'a [T]);
}

/// The elements of a source, read from its own storage.
pub(crate) struct Visited<'s, S> {
    source: &'s S,
    count: usize,
}

impl<'s, S> Visited<'s, S> {
    /// # Errors
    /// `OutOfBounds` if an element is outside the shape.
    pub(crate) fn new<const N: usize>(source: &'s S) -> Result<Self, Error>
    where
        S: Source<N>,
    {
        let count = checked_count(source)?;
        Ok(Visited { source, count })
    }
}

impl<S: Source<N>, const N: usize> SourceElements<S::Scalar, N> for Visited<'_, S> {
    fn count(&self) -> usize {
        self.count
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.source.borders(pieces)
    }

    fn read<'a>(
        &'a self,
        piece: Range<usize>,
        buffer: &'a mut ReadBuffer<S::Scalar, N>,
    ) -> (&'a [[usize; N]], &'a [S::Scalar]) {
        let ReadBuffer { coordinates, values } = buffer;
        loop {
            let (mut places, mut read) = (coordinates.iter_mut().zip(values.iter_mut()), 0);
            self.source.for_each_between(piece.clone(), |coordinate, value| {
                if let Some(place) = places.next() {
                    (*place.0, *place.1) = (coordinate, value);
                }
                read += 1;
            });
            if read <= values.len() {
                return (&coordinates[..read], &values[..read]);
            }
            // The batch was larger than the buffer, which is rare: grow the buffer and read again.
            coordinates.resize(read, [0; N]);
            values.resize(read, S::Scalar::FILL);
        }
    }
}
