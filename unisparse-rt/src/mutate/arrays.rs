//! The arrays of a tensor, level by level, in whatever integer types it has them.

use core::any::Any;
use std::borrow::Cow;

use super::{merge, trim};
use crate::level::Domain;
use crate::storage::{Indices, Pointers};
use crate::{Error, Index};

/// How many entries change their type at a time.
const CHUNK: usize = 256;

/// An array of integers that moves as it is, or is read in pieces.
pub(super) trait Array<'a> {
    fn len(&self) -> usize;
    /// Moves the array to the `Option` of one that `place` is, or gives itself back if that is of another type.
    fn move_to(self: Box<Self>, place: &mut dyn Any) -> Result<(), Box<dyn Array<'a> + 'a>>;
    /// The entries from `first` on, as many as there is room for.
    fn read(&self, first: usize, into: &mut [i64]);
}

impl<'a> dyn Array<'a> + 'a {
    /// The entries as `I`.
    ///
    /// # Errors
    /// That of `misfit` for the first that does not fit, at its position.
    pub(super) fn convert<I: Index>(&self, misfit: impl Fn(usize, i64) -> Error) -> Result<Vec<I>, Error> {
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
        }
    )*};
}

array!(Indices, Pointers);

/// An `idx` array, and what operators do to it.
pub(super) trait Idx<'a>: Array<'a> {
    /// Merge: marks the entries that are not as the one before.
    fn changes(&self, marks: &mut merge::Marks);
    /// Merge: where runs start, those marked and those of this array; and itself, the first entry of each.
    fn runs(&self, marks: merge::Marks) -> Result<(Vec<u32>, Box<dyn Idx<'a> + 'a>), Error>;
    /// Merge: the first entry of each run.
    fn first_of_each(&self, starts: &[u32]) -> Result<Box<dyn Idx<'a> + 'a>, Error>;
    /// Split: each once for each of its children.
    fn for_each_child(&self, ptr: &[u32]) -> Result<Box<dyn Idx<'a> + 'a>, Error>;
    /// Fill: the pointers below the level when it is dense.
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

/// An `idx` array that an operator made, checked again as any other: loops rest on it.
pub(super) fn made<'a, I: Index>(entries: Vec<I>, domain: Domain) -> Result<Box<dyn Idx<'a> + 'a>, Error> {
    Ok(Box::new(Cow::<Indices<I>>::Owned(Indices::try_new(
        "", entries, domain,
    )?)))
}

/// A `ptr` array.
pub(super) trait Ptr<'a>: Array<'a> {
    /// As operators read it. Every pointer is below 2^32: so many entries there are at most.
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
pub(super) struct Nodes<'a> {
    pub(super) ptr: Option<Box<dyn Ptr<'a> + 'a>>,
    pub(super) idx: Option<Box<dyn Idx<'a> + 'a>>,
}

/// The arrays of a tensor, lent by one that is read or given by one that is consumed.
pub struct Arrays<'a, T: Clone> {
    pub(super) levels: Vec<Nodes<'a>>,
    pub(super) values: Cow<'a, [T]>,
}

impl<'a, T: Clone> Arrays<'a, T> {
    /// None yet, of so many levels.
    pub(super) fn new(levels: usize) -> Self {
        Arrays {
            levels: core::iter::repeat_with(Nodes::default).take(levels).collect(),
            values: Cow::Borrowed(&[]),
        }
    }

    /// Takes the `ptr` array of a level.
    pub fn pointers<P: Index>(&mut self, level: usize, ptr: Cow<'a, Pointers<P>>) {
        self.levels[level].ptr = Some(Box::new(ptr));
    }

    /// Takes the `idx` array of a level.
    pub fn indices<I: Index>(&mut self, level: usize, idx: Cow<'a, Indices<I>>) {
        self.levels[level].idx = Some(Box::new(idx));
    }

    /// Takes the values.
    pub fn values(&mut self, values: Cow<'a, [T]>) {
        self.values = values;
    }
}
