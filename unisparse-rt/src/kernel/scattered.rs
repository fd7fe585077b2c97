//! Sparse outputs to which elements are added in any order, and combined where a coordinate occurs more than once.

use rayon::slice::ParallelSliceMut;

use super::fibers::refuse_wide;
use crate::element::{Index, Scalar};
use crate::error::Error;
use crate::limit::Limit;
use crate::machine::{parallel, radix};
use crate::source::{Source, check_inside};
use crate::tensor::SparseTensor;

/// Sparse output of `N` dims under construction.
///
/// Elements are added in any order, and a coordinate may occur more than once. `T` is the type that elements are summed in;
/// coordinates are stored as `I`.
#[derive(Debug)]
pub struct Scattered<T, const N: usize, I = u32> {
    shape: [usize; N],
    coordinates: Vec<[I; N]>,
    values: Vec<T>,
}

impl<T: Scalar, const N: usize, I: Index> Scattered<T, N, I> {
    /// Creates an output of this shape without elements; in the end, the extents must fit `I`.
    #[must_use]
    pub fn new(shape: [usize; N]) -> Self {
        Scattered {
            shape,
            coordinates: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds an element, whose coordinate is inside the shape.
    #[inline]
    pub fn add(&mut self, coordinate: [usize; N], value: T) {
        debug_assert!(coordinate.iter().zip(self.shape).all(|(&at, extent)| at < extent));
        self.coordinates.push(coordinate.map(I::truncated));
        self.values.push(value);
    }

    /// Concatenates the elements of all pieces; `None` without pieces.
    #[must_use]
    pub fn join(pieces: Vec<Self>) -> Option<Self> {
        let total: usize = pieces.iter().map(|piece| piece.values.len()).sum();
        let mut pieces = pieces.into_iter();
        let mut all = pieces.next()?;
        all.coordinates.reserve(total - all.values.len());
        all.values.reserve(total - all.values.len());
        for piece in pieces {
            all.coordinates.extend_from_slice(&piece.coordinates);
            all.values.extend_from_slice(&piece.values);
        }
        Some(all)
    }

    /// Converts the elements to any format.
    ///
    /// Elements with equal coordinates are combined in the order they were added: `combine(sum, value)`.
    ///
    /// `O(n * bits)` for the bits of a coordinate, if there are at most 64; otherwise a comparison sort.
    ///
    /// # Errors
    /// `Overflow` if an extent exceeds `I`, `OutOfBounds` if an element is outside the shape, and the errors of
    /// [`SparseTensor::assemble`].
    pub fn into_format<C: SparseTensor<N, Scalar: Scalar<Sum = T>, Coordinate = I>>(
        mut self,
        combine: impl Fn(T, T) -> T,
        limit: Limit,
    ) -> Result<C, Error> {
        refuse_wide::<I, N>(self.shape)?;
        self.sort();
        self.combine(combine);
        let coordinates = self.coordinates.iter();
        check_inside(&self.shape, coordinates.map(|coordinate| coordinate.map(I::to_usize)))?;
        C::assemble_from(
            Scattered {
                shape: self.shape,
                coordinates: self.coordinates,
                values: self.values.into_iter().map(C::Scalar::narrow).collect(),
            },
            limit,
        )
    }

    /// Sorts by coordinate, stably.
    fn sort(&mut self) {
        if self.coordinates.is_sorted() {
            return;
        }
        let bits = self.shape.map(|extent| usize::BITS - extent.leading_zeros());
        let total: u32 = bits.iter().sum();
        if total <= u64::BITS {
            let key = |coordinate: [I; N]| {
                let all = coordinate.into_iter().zip(bits);
                all.fold(0u64, |key, (at, bits)| key << bits | at.to_i64() as u64)
            };
            let mut keys = parallel::map(self.values.len(), |at| key(self.coordinates[at]));
            radix::sort(&mut keys, &mut self.values, 0..total);
            parallel::update(&mut self.coordinates, |at, coordinate| {
                let mut key = keys[at];
                for (at, bits) in coordinate.iter_mut().zip(bits).rev() {
                    *at = I::truncated((key & ((1 << bits) - 1)) as usize);
                    key >>= bits;
                }
            });
        } else {
            let all = self.coordinates.iter().copied().zip(self.values.iter().copied());
            let mut all: Vec<([I; N], T)> = all.collect();
            // The sort on several threads takes long to compile for each type.
            if !cfg!(optimised) || parallel::pieces(all.len()) == 1 {
                all.sort_by_key(|&(coordinate, _)| coordinate);
            } else {
                all.par_sort_by_key(|&(coordinate, _)| coordinate);
            }
            (self.coordinates, self.values) = all.into_iter().unzip();
        }
    }

    /// Combines each run of elements with equal coordinates into one element.
    fn combine(&mut self, combine: impl Fn(T, T) -> T) {
        let mut kept = 0;
        for at in 0..self.values.len() {
            let (coordinate, value) = (self.coordinates[at], self.values[at]);
            if kept > 0 && self.coordinates[kept - 1] == coordinate {
                self.values[kept - 1] = combine(self.values[kept - 1], value);
            } else {
                (self.coordinates[kept], self.values[kept]) = (coordinate, value);
                kept += 1;
            }
        }
        self.coordinates.truncate(kept);
        self.values.truncate(kept);
    }
}

/// The elements must be sorted and combined.
impl<T: Scalar, const N: usize, I: Index> Source<N> for Scattered<T, N, I> {
    type Scalar = T;
    const IS_CHECKED: bool = true;

    fn shape(&self) -> [usize; N] {
        self.shape
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    fn for_each(&self, mut visit: impl FnMut([usize; N], T)) {
        for (coordinate, &value) in self.coordinates.iter().zip(&self.values) {
            visit(coordinate.map(I::to_usize), value);
        }
    }

    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        Some((core::array::from_fn(|dim| dim), true))
    }
}
