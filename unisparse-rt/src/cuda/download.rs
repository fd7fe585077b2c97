//! Copies tensors back from a device: their arrays are read as a tensor of their format.

use core::array::from_fn as array;

use super::element::{Element, of_bytes};
use super::error::Error;
use super::part::{Integers, Part};
use crate::array::{Domain, IndexArray};
use crate::element::Stored;
use crate::error::Error as HostError;
use crate::format::{Encoded, Encoding, Level, LevelArrays, Storage, Tree};
use crate::source::Elements;

/// Visits the elements of a part: the coordinate and the bits of each.
pub(super) type Visit = fn(&Part, &[usize], &mut dyn FnMut(&[usize], u64)) -> Result<(), Error>;

/// Visits the elements of a part of a tensor in the format `F`, of this shape.
pub(super) fn visit<F: Tree<N, M>, const N: usize, const M: usize>(
    part: &Part,
    shape: &[usize],
    see: &mut dyn FnMut(&[usize], u64),
) -> Result<(), Error>
where
    <F::Scalar as Stored>::Value: Element,
{
    let mut downloaded = Downloaded::<F, N, M> {
        shape: array(|dim| shape[dim]),
        sizes: array(|level| part.size(level)),
        given: array(|level| part.given(level)),
        arrays: array(|_| [None, None]),
        values: of_bytes(&part.values()?),
    };
    for (level, arrays) in downloaded.arrays.iter_mut().enumerate() {
        for (entries, integers) in arrays.iter_mut().zip(part.arrays(level)) {
            *entries = integers.map(Integers::read).transpose()?.map(Entries);
        }
    }
    for (coordinate, value) in Elements::new(&downloaded) {
        see(&coordinate, value.to_word());
    }
    Ok(())
}

/// A tensor of the format `F`, as a device has it.
struct Downloaded<F: Tree<N, M>, const N: usize, const M: usize> {
    shape: [usize; N],
    sizes: [usize; M],
    given: [i64; M],
    arrays: [[Option<Entries>; 2]; M],
    values: Vec<<F::Scalar as Stored>::Value>,
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Encoded for Downloaded<F, N, M> {
    const ENCODINGS: &'static [Encoding] = F::ENCODINGS;
    const STORAGE: &'static [Storage] = F::STORAGE;
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Tree<N, M> for Downloaded<F, N, M> {
    type Scalar = <F::Scalar as Stored>::Value;
    const LEVELS: [Level; M] = F::LEVELS;
    const NAME: &'static str = F::NAME;
    const HOLES: bool = F::HOLES;
    const QUERIES: usize = F::QUERIES;

    fn shape(&self) -> [usize; N] {
        self.shape
    }
    fn sizes(&self) -> [usize; M] {
        self.sizes
    }
    fn given(&self) -> [i64; M] {
        self.given
    }
    fn domains(shape: [usize; N], sizes: &[usize; M]) -> Result<[Domain; M], HostError> {
        F::domains(shape, sizes)
    }
    fn encode(coordinate: [usize; N], queries: &[i64]) -> [i64; M] {
        F::encode(coordinate, queries)
    }
    fn decode(shape: [usize; N], coordinates: &[i64; M]) -> Option<[usize; N]> {
        F::decode(shape, coordinates)
    }
    fn arrays(&self) -> [LevelArrays<'_>; M] {
        array(|level| LevelArrays {
            ptr: entries_of(&self.arrays[level][0]),
            idx: entries_of(&self.arrays[level][1]),
        })
    }
    fn stored(&self) -> usize {
        self.values.len()
    }
    fn value(&self, position: usize) -> Self::Scalar {
        self.values[position]
    }
}

/// An array of integers that was copied back.
struct Entries(Vec<i64>);

fn entries_of(entries: &Option<Entries>) -> Option<&dyn IndexArray> {
    entries.as_ref().map(|entries| entries as &dyn IndexArray)
}

impl IndexArray for Entries {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn at(&self, position: usize) -> i64 {
        self.0[position]
    }
    fn type_name(&self) -> &'static str {
        "i64"
    }
    fn append_bytes(&self, into: &mut Vec<u8>) {
        self.0
            .iter()
            .for_each(|entry| into.extend_from_slice(&entry.to_le_bytes()));
    }
}
