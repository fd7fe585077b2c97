//! The arrays of `ndarray`.

use ndarray::{Array, ArrayBase, Data, Dim, Dimension, Ix};
use unisparse_rt::private::for_each_once;
use unisparse_rt::{Error, ErrorKind, Limit, Scalar, SparseTensor, Stored, Triplets};

use super::{FromFormat, IntoFormat};

/// What is not zero is an element.
impl<T, S, const N: usize> IntoFormat<N> for &ArrayBase<S, Dim<[Ix; N]>>
where
    T: Stored,
    S: Data<Elem = T>,
    Dim<[Ix; N]>: Dimension,
{
    type Scalar = T;

    fn into_format<F: SparseTensor<N, Scalar = T>>(self) -> Result<F, Error> {
        let shape: [usize; N] = core::array::from_fn(|dim| self.shape()[dim]);
        let (mut elements, mut at) = (Triplets::new(shape), [0; N]);
        for &value in self {
            if !value.reads_zero() {
                elements.push(at, value)?;
            }
            // The next coordinate in row-major order, in which an array is iterated.
            for dim in (0..N).rev() {
                at[dim] += 1;
                if at[dim] < shape[dim] {
                    break;
                }
                at[dim] = 0;
            }
        }
        elements.convert()
    }
}

/// Zero where no element is stored, in row-major order. An array larger than the default [`Limit`] for the tensor is an error.
impl<T, const N: usize> FromFormat<T, N> for Array<T, Dim<[Ix; N]>>
where
    T: Scalar + Stored<Value = T>,
    Dim<[Ix; N]>: Dimension,
    [Ix; N]: ndarray::IntoDimension<Dim = Dim<[Ix; N]>>,
{
    fn of<A: SparseTensor<N, Scalar = T>>(tensor: &A) -> Result<Self, Error> {
        let shape = tensor.shape();
        let product = |first: usize, least: usize| {
            let extents = shape.iter().map(|&extent| extent.max(least) as u128);
            extents.fold(first as u128, u128::saturating_mul)
        };
        let bytes = product(size_of::<T>(), 0);
        let allowed = Limit::default()
            .allowed(tensor.nnz(), size_of::<T>(), &shape)
            .max(ALWAYS);
        let refused = |found, expected| Err(Error::new(ErrorKind::Limit, "the array", None, found, expected));
        if bytes > allowed {
            return refused(format!("{bytes} bytes"), format!("at most {allowed}"));
        }
        // An array without elements has strides, too, which are products of the other extents.
        if product(1, 1) > isize::MAX as u128 {
            return refused(
                format!("shape {shape:?}"),
                format!("a product of the extents of at most {}", isize::MAX),
            );
        }
        let mut array = Array::from_elem(shape, T::ZERO);
        if let Some(elements) = array.as_slice_mut() {
            let position = |at: [usize; N]| {
                at.iter()
                    .zip(&shape)
                    .fold(0, |position, (&at, &extent)| position * extent + at)
            };
            for_each_once(A::NAME, tensor, |at, value| elements[position(at)] = value)?;
        }
        Ok(array)
    }
}

/// A dense array of this many bytes is never refused.
const ALWAYS: u128 = 1 << 30;
