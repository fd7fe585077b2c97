//! The elements that queries are evaluated on, each coordinate once, read in batches.
//!
//! Only the loop that fills a batch is compiled for each source type. Everything else is compiled once per format, as loops
//! over arrays that stay in L1.

use core::ops::Range;

use super::order::logical_order;
use crate::array::check_shape;
use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::format::balance::balanced;
use crate::machine::{pages, parallel};
use crate::source::{Duplicates, Source, checked_count};

/// Approximate number of elements in a batch.
pub(super) const BATCH: usize = 512;

/// A buffer for a batch of elements copied from their source; it grows to the largest batch read so far.
pub(super) struct Read<T, const N: usize> {
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
}

impl<T: Stored, const N: usize> Read<T, N> {
    /// Allocates a buffer for two batches, or for `count` elements if these are fewer.
    pub(super) fn new(count: usize) -> Self {
        let room = count.min(2 * BATCH);
        Read {
            coordinates: vec![[0; N]; room],
            values: vec![T::FILL; room],
        }
    }
}

/// A source as a trait object: every visit yields the same elements in the same order.
pub(super) trait Elements<T, const N: usize>: Send + Sync {
    /// Returns an upper bound of the number of elements.
    fn count(&self) -> usize;

    /// Returns borders that cut the visit into at most `pieces` pieces with about equal numbers of elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Returns the elements between two borders, copied to `room` unless they are stored in arrays.
    fn read<'a>(&'a self, piece: Range<usize>, room: &'a mut Read<T, N>) -> (&'a [[usize; N]], &'a [T]);
}

/// The elements of a source, read from its own storage.
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
            // The batch was larger than the buffer, which is rare: grow the buffer and read again.
            coordinates.resize(read, [0; N]);
            values.resize(read, S::Scalar::FILL);
        }
    }
}

/// Copies the elements of a source, in logical order, each coordinate once. `format` is the format of which an error is.
///
/// # Errors
/// `OutOfBounds` if an element is outside the shape, `Overflow` for an extent above 2^62, `Duplicate` if there are duplicates and
/// the source refuses them.
pub(crate) fn in_logical_order<S: Source<N>, const N: usize>(
    format: &'static str,
    source: &S,
) -> Result<(Vec<[usize; N]>, Vec<S::Scalar>), Error> {
    let shape = source.shape();
    check_shape(format, shape)?;
    let count = checked_count(source)?;
    let mut coordinates: Vec<[usize; N]> = pages::with_capacity(count);
    let mut values = pages::with_capacity(count);
    source.for_each(|coordinate, value| {
        coordinates.push(coordinate);
        values.push(value);
    });
    let gathered = Gathered { coordinates, values }.ordered(format, shape, source.duplicates())?;
    Ok((gathered.coordinates, gathered.values))
}

/// Elements that were copied and sorted into logical order.
pub(super) struct Gathered<T, const N: usize> {
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
}

impl<T: Stored, const N: usize> Gathered<T, N> {
    /// Sorts the elements unless they are in logical order, and resolves duplicates.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the policy refuses them.
    pub(super) fn ordered(self, format: &'static str, shape: [usize; N], policy: Duplicates) -> Result<Self, Error> {
        let Gathered {
            mut coordinates,
            mut values,
        } = self;
        if !coordinates.is_sorted() {
            let order = logical_order(&shape, coordinates.as_flattened());
            coordinates = parallel::map(order.len(), |at| coordinates[order[at]]);
            values = parallel::map(order.len(), |at| values[order[at]]);
        }
        resolve_duplicates(format, policy, &mut coordinates, &mut values)?;
        Ok(Gathered { coordinates, values })
    }
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

/// Keeps one element per coordinate, according to the policy.
fn resolve_duplicates<T: Stored, const N: usize>(
    format: &str,
    policy: Duplicates,
    coordinates: &mut Vec<[usize; N]>,
    values: &mut Vec<T>,
) -> Result<(), Error> {
    let Some(first) = coordinates.windows(2).position(|pair| pair[0] == pair[1]) else {
        return Ok(());
    };
    if policy.of::<T>() == Duplicates::Reject {
        return Err(Error::new(
            ErrorKind::Duplicate,
            format!("format `{format}`"),
            None,
            format!("coordinate {:?} twice", coordinates[first]),
            "each coordinate once (choose another `Duplicates` policy)",
        ));
    }
    let mut kept = first;
    for element in first + 1..values.len() {
        if coordinates[element] == coordinates[kept] {
            match (policy, T::PLUS) {
                (Duplicates::Sum, Some(plus)) => values[kept] = plus(values[kept], values[element]),
                (Duplicates::Last, _) => values[kept] = values[element],
                _ => {}
            }
        } else {
            kept += 1;
            coordinates[kept] = coordinates[element];
            values[kept] = values[element];
        }
    }
    coordinates.truncate(kept + 1);
    values.truncate(kept + 1);
    Ok(())
}
