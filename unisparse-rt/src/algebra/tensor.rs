//! Operations on tensors of any number of dims.

use core::ops::Range;

use super::combine::Ordered;
use super::{make, product, room};
use crate::convert::assemble::by_dims::for_each_once;
use crate::element::{FromFloat, Magnitude, Scalar, Stored as _};
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::source::ValueOf;
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;

/// Operations that every tensor has. Results are tensors in any format, which the caller names.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Operations, Triplets};
/// let a = Triplets::try_from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], 4.0)])?;
/// assert_eq!(a.norm()?, 5.0);
/// let b: Triplets<f64, 2> = a.axpby(2.0, 1.0, &a)?;
/// assert_eq!(b.values(), [9.0, 12.0]);
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// The elements are copied and, unless they come in logical order, sorted: `O(nnz)` time and memory beside the conversion of the
/// result. A kernel is faster; these are for set-up, and where a line is worth more than the time.
pub trait Operations<const N: usize>: SparseTensor<N> {
    /// Returns the Frobenius norm: the square root of the sum of the squares of all absolute values. Neither overflows nor
    /// loses small values before the result itself does. `O(nnz)`.
    ///
    /// # Errors
    /// `Duplicate` if coordinates are repeated and the policy of the triplets refuses that.
    fn norm(&self) -> Result<f64, Error>
    where
        ValueOf<Self, N>: Magnitude,
    {
        let (mut greatest, mut sum) = (0.0_f64, 0.0);
        let mut add = |magnitude: f64| {
            if magnitude > greatest {
                let ratio = greatest / magnitude;
                (greatest, sum) = (magnitude, sum * ratio * ratio + 1.0);
            } else if magnitude > 0.0 {
                let ratio = magnitude / greatest;
                sum += if ratio.is_nan() { 1.0 } else { ratio * ratio };
            } else if magnitude.is_nan() {
                sum = f64::NAN;
            }
        };
        for_each_once(Self::NAME, self, |_, value: Self::Scalar| {
            add(value.value().magnitude());
        })?;
        Ok(if greatest == 0.0 {
            sum
        } else {
            greatest * f64::sqrt(sum)
        })
    }

    /// Returns the sum of the products of the values where both tensors store one. Complex values are not conjugated.
    ///
    /// # Errors
    /// `Shape` if the shapes differ, `Duplicate` as for a conversion.
    fn inner<B>(&self, other: &B) -> Result<ValueOf<Self, N>, Error>
    where
        B: SparseTensor<N>,
        B::Scalar: crate::element::Stored<Value = ValueOf<Self, N>>,
    {
        let (left, right) = (Ordered::of(Self::NAME, self)?, Ordered::of(B::NAME, other)?);
        let mut sum = <ValueOf<Self, N> as Scalar>::Sum::ZERO;
        left.merge(&right, "the other tensor", |_, left, right| {
            if let (Some(left), Some(right)) = (left, right) {
                sum = sum.plus(left.wide().times(right.wide()));
            }
        })?;
        Ok(Scalar::narrow(sum))
    }

    /// Returns `alpha * self + beta * other`, stored where either is.
    ///
    /// # Errors
    /// `Shape` if the shapes differ, otherwise as a conversion.
    fn axpby<C, B>(&self, alpha: Self::Scalar, beta: Self::Scalar, other: &B) -> Result<C, Error>
    where
        Self::Scalar: Scalar,
        B: SparseTensor<N, Scalar = Self::Scalar>,
        C: SparseTensor<N, Scalar = Self::Scalar>,
    {
        let (left, right) = (Ordered::of(Self::NAME, self)?, Ordered::of(B::NAME, other)?);
        let (alpha, beta) = (alpha.wide(), beta.wide());
        let sum = left.union(&right, "the other tensor", |left, right| {
            let terms = [
                left.map(|left| alpha.times(left.wide())),
                right.map(|right| beta.times(right.wide())),
            ];
            let sum = terms.into_iter().flatten().reduce(Scalar::plus);
            sum.map_or(Self::Scalar::ZERO, Scalar::narrow)
        })?;
        C::assemble(&sum, Limit::default())
    }

    /// Returns the elements in a box, whose least coordinate becomes zero. Takes the time of
    /// [`within`](SparseTensor::within).
    ///
    /// # Errors
    /// `OutOfBounds` if the box is not inside the shape, otherwise as a conversion.
    fn slice<C: SparseTensor<N, Scalar = Self::Scalar>>(&self, ranges: [Range<usize>; N]) -> Result<C, Error> {
        for (dim, (range, extent)) in ranges.iter().zip(self.shape()).enumerate() {
            if range.start > range.end || range.end > extent {
                return Err(Error::new(
                    ErrorKind::OutOfBounds,
                    format!("dim {dim}"),
                    None,
                    format!("{range:?}"),
                    format!("a range within 0..{extent}"),
                ));
            }
        }
        let starts = ranges.each_ref().map(|range| range.start);
        let mut result = Triplets::new(ranges.each_ref().map(|range| range.end - range.start));
        for (at, value) in self.within(ranges) {
            result.add(core::array::from_fn(|dim| at[dim] - starts[dim]), value);
        }
        C::assemble(&result.duplicates(self.duplicates()), Limit::default())
    }

    /// Returns the tensor with the coordinates of each dim in another order: coordinate `i` of the result is `order[i]` of
    /// `self`, as `a[order]` in NumPy.
    ///
    /// # Errors
    /// `Length`, `OutOfBounds` or `Duplicate` if an order is no permutation of the coordinates of its dim, otherwise as a
    /// conversion.
    fn permute<C: SparseTensor<N, Scalar = Self::Scalar>>(&self, orders: [&[usize]; N]) -> Result<C, Error> {
        let shape = self.shape();
        let mut places: [Vec<usize>; N] = core::array::from_fn(|_| Vec::new());
        for dim in 0..N {
            places[dim] = make::inverse(dim, orders[dim], shape[dim])?;
        }
        let mut result = room::triplets("the permuted tensor", shape, self.nnz())?;
        self.for_each(|at, value| result.add(core::array::from_fn(|dim| places[dim][at[dim]]), value));
        C::assemble(&result.duplicates(self.duplicates()), Limit::default())
    }

    /// Returns the Kronecker product: the product of every two elements of both tensors.
    ///
    /// # Errors
    /// `Overflow` if an extent or the number of elements exceeds `usize`, `Limit` if there is no memory for them, otherwise as a
    /// conversion.
    fn kron<C, B>(&self, other: &B) -> Result<C, Error>
    where
        Self::Scalar: Scalar,
        B: SparseTensor<N, Scalar = Self::Scalar>,
        C: SparseTensor<N, Scalar = Self::Scalar>,
    {
        let (left, right) = (Ordered::of(Self::NAME, self)?, Ordered::of(B::NAME, other)?);
        let result = product::kronecker(&left, &right, [self.shape(), other.shape()])?;
        C::assemble(&result, Limit::default())
    }

    /// Returns a tensor with `count` random elements, each coordinate once and each equally likely, with values from 0 to 1,
    /// without 0. The same `seed` gives the same tensor.
    ///
    /// # Errors
    /// `Overflow` if the tensor does not have as many coordinates, `Limit` if there is no memory for the elements, otherwise as
    /// a conversion.
    fn random(shape: [usize; N], count: usize, seed: u64) -> Result<Self, Error>
    where
        Self::Scalar: FromFloat,
    {
        Self::assemble(&make::random(shape, count, seed)?, Limit::default())
    }
}

impl<A: SparseTensor<N>, const N: usize> Operations<N> for A {}
