//! The arrays of a core in its bank: where each is, and how wide its entries are.

use std::mem::size_of;

use super::program::{Kernel, OperandKind};
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
    ) -> Result<PartArrays, Error> {
        let mut levels = Vec::with_capacity(M);
        let stored = P::STORAGE.first().map_or(&[][..], |storage| storage.levels);
        for ((arrays, level), stored) in part.arrays().iter().zip(&P::LEVELS).zip(stored) {
            let mut placed = [Placed::default(); 2];
            let both = [(arrays.ptr, stored.ptr), (arrays.idx, stored.idx)];
            for (placed, (array, stored)) in placed.iter_mut().zip(both) {
                if let (Some(array), Some(stored)) = (array, stored) {
                    *placed = self.place(level.name, array.len(), stored.width)?;
                }
            }
            levels.push(placed);
        }
        let values = self.place("values", part.stored(), size_of::<P::Scalar>())?;
        Ok(PartArrays { levels, values })
    }

    /// Returns the bytes of the bank that arrays take.
    pub(super) fn used(&self) -> u64 {
        self.next
    }
}
