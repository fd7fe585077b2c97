//! The arrays of a core in its bank: where each is, and how wide its entries are.

use std::mem::size_of;

use super::program::{Kernel, OperandKind, TupleArray};
use crate::array::{IndexArray, members};
use crate::error::{Error, ErrorKind};
use crate::format::Tree;

/// An array in a bank.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Placed {
    /// Its number in the bank.
    pub(super) number: usize,
    pub(super) address: u64,
    /// The bytes of an entry.
    pub(super) width: u64,
    /// The bytes from an entry to the next one: more than `width` in an array of structs.
    pub(super) stride: u64,
    /// Whether a loop over the entries advances a pointer for this array. The members of a struct share the pointer of the first.
    pub(super) advances: bool,
}

/// The arrays of one part.
#[derive(Debug, Clone)]
pub(super) struct PartArrays {
    /// The `ptr` and the `idx` array of each level.
    pub(super) levels: Vec<[Placed; 2]>,
    pub(super) values: Placed,
}

/// Gives arrays their places in a bank, one after another.
#[derive(Debug, Clone)]
pub(super) struct Bank {
    next: u64,
    count: usize,
    bytes: u64,
}

/// Arrays start at multiples of this, the bytes of a burst.
const ALIGNMENT: u64 = 64;

impl Bank {
    pub(super) fn new(bytes: u64) -> Self {
        Bank {
            next: 0,
            count: 0,
            bytes,
        }
    }

    /// Places an array.
    ///
    /// # Errors
    /// `Limit` if the bank is full.
    fn place(&mut self, name: &str, len: usize, width: usize) -> Result<Placed, Error> {
        let placed = Placed {
            number: self.count,
            address: self.next,
            width: width as u64,
            stride: width as u64,
            advances: true,
        };
        let end = (len as u64)
            .checked_mul(width as u64)
            .and_then(|bytes| bytes.checked_add(self.next))
            .filter(|end| *end <= self.bytes);
        let Some(end) = end else {
            return Err(Error::new(
                ErrorKind::Limit,
                name,
                None,
                format!("{len} entries of {width} bytes after the first {} bytes", self.next),
                format!(
                    "arrays that fit into the {} bytes of a core's bank: use more cores",
                    self.bytes
                ),
            ));
        };
        self.next = end.next_multiple_of(ALIGNMENT);
        self.count += 1;
        Ok(placed)
    }

    /// Places the dense operands, of these lengths.
    ///
    /// # Errors
    /// `Limit` if the bank is full.
    pub(super) fn operands<A, S>(
        &mut self,
        kernel: &Kernel<A, S>,
        lens: &[usize],
        width: usize,
    ) -> Result<Vec<Placed>, Error> {
        let operands = kernel.operands.iter().zip(lens);
        let place = |(operand, &len): (&super::program::Operand, &usize)| match operand.kind {
            OperandKind::Dense => self.place(operand.name, len, width),
            OperandKind::Scalar | OperandKind::Sparse => Ok(Placed::default()),
        };
        operands.map(place).collect()
    }

    /// Places the arrays of a part, from the root down.
    ///
    /// # Errors
    /// `Limit` if the bank is full.
    pub(super) fn part<P: Tree<N, M>, const N: usize, const M: usize>(
        &mut self,
        part: &P,
        tuple_arrays: &[TupleArray],
    ) -> Result<PartArrays, Error> {
        let mut levels = Vec::with_capacity(M);
        let stored = P::STORAGE.first().map_or(&[][..], |storage| storage.levels);
        for ((arrays, level), stored) in part.arrays().iter().zip(&P::LEVELS).zip(stored) {
            let mut placed = [Placed::default(); 2];
            let is_packed = tuple_arrays.iter().any(|tuples| tuples.levels.contains(&levels.len()));
            let both = [
                (arrays.ptr, stored.ptr),
                (arrays.idx.filter(|_| !is_packed), stored.idx),
            ];
            for (placed, (array, stored)) in placed.iter_mut().zip(both) {
                if let (Some(array), Some(stored)) = (array, stored) {
                    *placed = self.place(level.name, array.len(), stored.width)?;
                }
            }
            levels.push(placed);
        }
        let mut values = Placed::default();
        if !tuple_arrays.iter().any(|tuples| tuples.values) {
            values = self.place("values", part.stored(), size_of::<P::Scalar>())?;
        }
        let mut places = PartArrays { levels, values };
        for tuples in tuple_arrays {
            self.tuple_array(part, tuples, &mut places)?;
        }
        Ok(places)
    }

    /// Places an array of structs.
    ///
    /// # Errors
    /// `Limit` if the bank is full.
    fn tuple_array<P: Tree<N, M>, const N: usize, const M: usize>(
        &mut self,
        part: &P,
        tuples: &TupleArray,
        places: &mut PartArrays,
    ) -> Result<(), Error> {
        let stored = P::STORAGE.first().map_or(&[][..], |storage| storage.levels);
        let width = |level: &usize| {
            stored
                .get(*level)
                .and_then(|level| level.idx)
                .map_or(1, |idx| idx.width)
        };
        let mut widths: Vec<usize> = tuples.levels.iter().map(width).collect();
        widths.extend(tuples.values.then_some(size_of::<P::Scalar>()));
        let (offsets, stride) = members(&widths);
        let Some(first) = tuples.levels.first() else {
            return Ok(());
        };
        let entries = part.arrays()[*first].idx.map_or(0, IndexArray::len);
        let all = self.place(P::LEVELS[*first].name, entries, stride)?;
        for (at, (offset, width)) in offsets.into_iter().zip(widths).enumerate() {
            let member = Placed {
                address: all.address + offset as u64,
                width: width as u64,
                advances: at == 0,
                ..all
            };
            match tuples.levels.get(at) {
                Some(&level) => places.levels[level][1] = member,
                None => places.values = member,
            }
        }
        Ok(())
    }

    /// Returns the bytes of the bank that arrays take.
    pub(super) fn used(&self) -> u64 {
        self.next
    }
}
