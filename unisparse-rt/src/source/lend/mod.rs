//! The arrays of a tensor, level by level, with their integer types erased.

pub(crate) mod merge;
#[cfg(test)]
mod tests;
pub(crate) mod trim;

use core::any::Any;
use std::borrow::Cow;

use crate::array::{Domain, Indices, Pointers};
use crate::element::Index;
use crate::error::Error;

/// Number of entries converted at a time when an array changes its type.
const CHUNK: usize = 256;

/// An integer array that is moved as it is, or read in chunks.
pub(crate) trait Array<'a> {
    fn len(&self) -> usize;
    /// Moves the array into `place` if that is an `Option` of the array's type, otherwise returns the array.
    fn move_to(self: Box<Self>, place: &mut dyn Any) -> Result<(), Box<dyn Array<'a> + 'a>>;
    /// Reads the entries from `first` on, as many as `into` holds.
    fn read(&self, first: usize, into: &mut [i64]);
    /// Returns the array if it is borrowed, so that its type can be found.
    fn borrowed(&self) -> Option<&'a dyn Any>;
}

impl<'a> dyn Array<'a> + 'a {
    /// Converts the entries to `I`.
    ///
    /// # Errors
    /// The error that `misfit` creates from the position and the value of the first entry that does not fit.
    pub(crate) fn convert<I: Index>(&self, misfit: impl Fn(usize, i64) -> Error) -> Result<Vec<I>, Error> {
        let mut converted = Vec::with_capacity(self.len());
        let mut chunk = [0; CHUNK];
        while converted.len() < self.len() {
            let first = converted.len();
            let chunk = &mut chunk[..CHUNK.min(self.len() - first)];
            self.read(first, chunk);
            for (at, &entry) in chunk.iter().enumerate() {
                converted.push(I::try_from_i64(entry).ok_or_else(|| misfit(first + at, entry))?);
            }
        }
        Ok(converted)
    }
}

macro_rules! array {
    ($($array:ident),*) => {$(
        impl<'a, I: Index> Array<'a> for Cow<'a, $array<I>> {
            fn len(&self) -> usize {
                <[I]>::len(self)
            }
            fn move_to(self: Box<Self>, place: &mut dyn Any) -> Result<(), Box<dyn Array<'a> + 'a>> {
                match place.downcast_mut() {
                    Some(place) => *place = Some(self.into_owned()),
                    None => return Err(self),
                }
                Ok(())
            }
            fn read(&self, first: usize, into: &mut [i64]) {
                for (entry, into) in self[first..].iter().zip(into) {
                    *into = entry.to_i64();
                }
            }
            fn borrowed(&self) -> Option<&'a dyn Any> {
                match *self {
                    Cow::Borrowed(array) => Some(array),
                    Cow::Owned(_) => None,
                }
            }
        }
    )*};
}

array!(Indices, Pointers);

/// An `idx` array, with the operations of the operators on it.
pub(crate) trait Idx<'a>: Array<'a> {
    /// Merge: marks the entries that differ from their predecessor.
    fn changes(&self, marks: &mut merge::Marks);
    /// Merge: marks the entries of this array that differ from their predecessor, too. Returns the starts of all marked runs,
    /// and the array's first entry in each run.
    fn runs(&self, marks: merge::Marks) -> Result<(Vec<u32>, Box<dyn Idx<'a> + 'a>), Error>;
    /// Merge: returns the first entry of each run.
    fn first_of_each(&self, starts: &[u32]) -> Result<Box<dyn Idx<'a> + 'a>, Error>;
    /// Split: repeats each entry once per child.
    fn for_each_child(&self, ptr: &[u32]) -> Result<Box<dyn Idx<'a> + 'a>, Error>;
    /// Fill: returns the pointers below this level after it becomes dense.
    fn fill(&self, ptr: &[u32], below: &[u32], domain: Domain, stride: usize) -> Vec<u32>;
    fn into_array(self: Box<Self>) -> Box<dyn Array<'a> + 'a>;
}

impl<'a, I: Index> Idx<'a> for Cow<'a, Indices<I>> {
    fn changes(&self, marks: &mut merge::Marks) {
        marks.changes(self);
    }
    fn runs(&self, marks: merge::Marks) -> Result<(Vec<u32>, Box<dyn Idx<'a> + 'a>), Error> {
        let (starts, firsts) = marks.runs(self);
        Ok((starts, made(firsts, self.domain())?))
    }
    fn first_of_each(&self, starts: &[u32]) -> Result<Box<dyn Idx<'a> + 'a>, Error> {
        made(merge::first_of_each(self, starts), self.domain())
    }
    fn for_each_child(&self, ptr: &[u32]) -> Result<Box<dyn Idx<'a> + 'a>, Error> {
        made(merge::for_each_child(self, ptr), self.domain())
    }
    fn fill(&self, ptr: &[u32], below: &[u32], domain: Domain, stride: usize) -> Vec<u32> {
        trim::fill(self, ptr, below, (domain.lo, domain.size), stride)
    }
    fn into_array(self: Box<Self>) -> Box<dyn Array<'a> + 'a> {
        self
    }
}

/// Wraps an `idx` array that an operator made, after checking it like any other: loops rely on its invariants.
pub(crate) fn made<'a, I: Index>(entries: Vec<I>, domain: Domain) -> Result<Box<dyn Idx<'a> + 'a>, Error> {
    Ok(Box::new(Cow::<Indices<I>>::Owned(Indices::try_new(
        "", entries, domain,
    )?)))
}

/// A `ptr` array.
pub(crate) trait Ptr<'a>: Array<'a> {
    /// Returns the pointers as operators read them. They all fit `u32`, as operators require fewer than 2^32 entries.
    fn starts(&self) -> Cow<'_, [u32]>;
    fn into_array(self: Box<Self>) -> Box<dyn Array<'a> + 'a>;
}

impl<'a, P: Index> Ptr<'a> for Cow<'a, Pointers<P>> {
    fn starts(&self) -> Cow<'_, [u32]> {
        let pointers: &Pointers<P> = self;
        match (pointers as &dyn Any).downcast_ref::<Pointers<u32>>() {
            Some(pointers) => Cow::Borrowed(pointers),
            None => Cow::Owned(pointers.iter().map(|start| start.to_i64() as u32).collect()),
        }
    }
    fn into_array(self: Box<Self>) -> Box<dyn Array<'a> + 'a> {
        self
    }
}

/// The arrays of one level.
#[derive(Default)]
pub(crate) struct Nodes<'a> {
    pub(crate) ptr: Option<Box<dyn Ptr<'a> + 'a>>,
    pub(crate) idx: Option<Box<dyn Idx<'a> + 'a>>,
}

/// The arrays of a tensor: borrowed from a tensor that is read, or owned by one that is consumed.
pub struct Arrays<'a, T: Clone> {
    pub(crate) levels: Vec<Nodes<'a>>,
    pub(crate) values: Cow<'a, [T]>,
}

impl<'a, T: Clone> Arrays<'a, T> {
    /// Creates empty arrays of `levels` levels.
    pub(crate) fn new(levels: usize) -> Self {
        Arrays {
            levels: core::iter::repeat_with(Nodes::default).take(levels).collect(),
            values: Cow::Borrowed(&[]),
        }
    }

    /// Sets the `ptr` array of a level.
    pub fn pointers<P: Index>(&mut self, level: usize, ptr: Cow<'a, Pointers<P>>) {
        self.levels[level].ptr = Some(Box::new(ptr));
    }

    /// Sets the `idx` array of a level.
    pub fn indices<I: Index>(&mut self, level: usize, idx: Cow<'a, Indices<I>>) {
        self.levels[level].idx = Some(Box::new(idx));
    }

    /// Sets the values.
    pub fn values(&mut self, values: Cow<'a, [T]>) {
        self.values = values;
    }
}
