//! The elements that queries are evaluated on, each coordinate once, read a few at a time.
//!
//! What depends on the source is a loop that reads a few elements: all else is compiled once for each format, as loops over
//! arrays that stay in the nearest cache.

use core::ops::Range;

use crate::bounds::checked_count;
use crate::pieces::balanced;
use crate::{Error, Source, Stored};

/// Elements that are read at a time, about.
pub(super) const BATCH: usize = 512;

/// Room for some elements, copied from their source: as much as was needed so far.
pub(super) struct Read<T, const N: usize> {
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
}

impl<T: Stored, const N: usize> Read<T, N> {
    /// Room for a little more than are read at a time, of so many.
    pub(super) fn new(count: usize) -> Self {
        let room = count.min(2 * BATCH);
        Read {
            coordinates: vec![[0; N]; room],
            values: vec![T::FILL; room],
        }
    }
}

/// A source as an object: every visit gives the same elements in the same order.
pub(super) trait Elements<T, const N: usize>: Send + Sync {
    /// An upper bound of how many elements there are.
    fn count(&self) -> usize;

    /// Where the visit can be cut into at most so many pieces of about as many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// The elements between two borders, copied to `room` if they are not in arrays.
    fn read<'a>(&'a self, piece: Range<usize>, room: &'a mut Read<T, N>) -> (&'a [[usize; N]], &'a [T]);
}

/// Elements where they are.
pub(super) struct Visited<'s, S> {
    source: &'s S,
    count: usize,
}

impl<'s, S> Visited<'s, S> {
    /// # Errors
    /// `OutOfBounds` if an element is outside the shape.
    pub(super) fn new<const N: usize>(source: &'s S) -> Result<Self, Error>
    where
        S: Source<N>,
    {
        let count = checked_count(source)?;
        Ok(Visited { source, count })
    }
}

impl<S: Source<N>, const N: usize> Elements<S::Scalar, N> for Visited<'_, S> {
    fn count(&self) -> usize {
        self.count
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.source.borders(pieces)
    }

    fn read<'a>(
        &'a self,
        piece: Range<usize>,
        room: &'a mut Read<S::Scalar, N>,
    ) -> (&'a [[usize; N]], &'a [S::Scalar]) {
        let Read { coordinates, values } = room;
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
            // Borders are seldom so far apart.
            coordinates.resize(read, [0; N]);
            values.resize(read, S::Scalar::FILL);
        }
    }
}

/// Elements that were brought into logical order.
pub(super) struct Gathered<T, const N: usize> {
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
}

impl<T: Stored, const N: usize> Elements<T, N> for Gathered<T, N> {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.values.len(), pieces, |element| element)
    }

    fn read<'a>(&'a self, piece: Range<usize>, _: &'a mut Read<T, N>) -> (&'a [[usize; N]], &'a [T]) {
        (&self.coordinates[piece.clone()], &self.values[piece])
    }
}
