//! The operators `+`, `-` and `*` of tensors.

use super::combine::Ordered;
use super::{MatrixOperations, Operations, room};
use crate::element::{Negate, Scalar, Stored};
use crate::error::Error;
use crate::limit::Limit;
use crate::source::ValueOf;
use crate::tensor::SparseTensor;

/// Returns the result of an operator.
///
/// # Panics
/// If there is an error, with its message: operators have no other way to report it.
#[track_caller]
pub fn operate<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(result) => result,
        Err(error) => panic!("{error}"),
    }
}

/// What can be added to a tensor `A` of `N` dims by `+`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to `{A}`",
    note = "`+` adds references to tensors of one element type and number of dims, as `&a + &b`",
    note = "if the type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = ..`"
)]
pub trait Addend<A, const N: usize> {
    /// Returns `left + self`.
    ///
    /// # Errors
    /// As [`axpby`](Operations::axpby).
    fn added_to(self, left: &A) -> Result<A, Error>;
}

impl<A, B, T, const N: usize> Addend<A, N> for &B
where
    A: SparseTensor<N, Scalar = T>,
    B: SparseTensor<N, Scalar = T>,
    T: Scalar,
{
    fn added_to(self, left: &A) -> Result<A, Error> {
        left.axpby(T::ONE, T::ONE, self)
    }
}

/// What can be subtracted from a tensor `A` of `N` dims by `-`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be subtracted from `{A}`",
    note = "`-` subtracts references to tensors of one element type and number of dims, as `&a - &b`",
    note = "if the type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = ..`"
)]
pub trait Subtrahend<A, const N: usize> {
    /// Returns `left - self`.
    ///
    /// # Errors
    /// As [`axpby`](Operations::axpby).
    fn subtracted_from(self, left: &A) -> Result<A, Error>;
}

impl<A, B, T, const N: usize> Subtrahend<A, N> for &B
where
    A: SparseTensor<N, Scalar = T>,
    B: SparseTensor<N, Scalar = T>,
    T: Negate,
{
    fn subtracted_from(self, left: &A) -> Result<A, Error> {
        let (left, right) = (Ordered::of(A::NAME, left)?, Ordered::of(B::NAME, self)?);
        let difference = left.union(&right, "the right tensor", |left, right| {
            let terms = [left, right.map(T::negated)];
            terms.into_iter().flatten().reduce(T::plus).unwrap_or(T::ZERO)
        })?;
        A::assemble(&difference, Limit::default())
    }
}

/// What a tensor `A` of `N` dims can be multiplied by with `*`: a number.
#[diagnostic::on_unimplemented(
    message = "`{A}` cannot be multiplied by `{Self}`",
    note = "`*` multiplies a tensor by a number of its element type"
)]
pub trait Factor<A, const N: usize> {
    /// The type of the product.
    type Product;

    /// Returns `left * self`.
    ///
    /// # Errors
    /// As [`update`](SparseTensor::update).
    fn product(self, left: &A) -> Result<Self::Product, Error>;
}

/// A function that multiplies a matrix by a vector: the output, the matrix, the vector.
pub(super) type Multiply<A, T> = fn(&mut [T], &A, &[T]) -> Result<(), Error>;

/// What a matrix `A` can be multiplied by with `*`: a matrix, a vector or a number.
#[diagnostic::on_unimplemented(
    message = "`{A}` cannot be multiplied by `{Self}`",
    note = "`*` multiplies a matrix by a reference to a matrix or a vector of its element type, as `&a * &x`, or by a number",
    note = "if the type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = ..`"
)]
pub trait MatrixFactor<A: SparseTensor<2>> {
    /// The type of the product.
    type Product;

    /// Returns `left * self`, where `multiply` multiplies by a vector.
    ///
    /// # Errors
    /// `Shape` if the shapes do not fit, `Length` for a vector that does not fit, otherwise as for a conversion.
    fn product(self, left: &A, multiply: Multiply<A, ValueOf<A, 2>>) -> Result<Self::Product, Error>;
}

impl<A, B, T> MatrixFactor<A> for &B
where
    A: SparseTensor<2, Scalar = T>,
    B: SparseTensor<2, Scalar = T>,
    T: Scalar,
{
    type Product = A;

    fn product(self, left: &A, _: Multiply<A, T>) -> Result<A, Error> {
        left.matmul(self)
    }
}

macro_rules! vectors {
    ($($(#[$parameter:ident $length:ident])? $vector:ty),*) => {$(
        impl<A: SparseTensor<2, Scalar: Stored<Value = V>>, V: Scalar, $(const $length: usize)?> MatrixFactor<A> for &$vector {
            type Product = Vec<V>;

            fn product(self, left: &A, multiply: Multiply<A, V>) -> Result<Vec<V>, Error> {
                let mut product = room::filled("the product", V::ZERO, left.shape()[0])?;
                multiply(&mut product, left, self)?;
                Ok(product)
            }
        }
    )*};
}

vectors!([V], Vec<V>, #[length K] [V; K]);

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl<A: SparseTensor<N, Scalar = $number> + Clone, const N: usize> Factor<A, N> for $number {
            type Product = A;

            fn product(self, left: &A) -> Result<A, Error> {
                scaled(left.clone(), self)
            }
        }

        impl<A: SparseTensor<2, Scalar = $number> + Clone> MatrixFactor<A> for $number {
            type Product = A;

            fn product(self, left: &A, _: Multiply<A, $number>) -> Result<A, Error> {
                scaled(left.clone(), self)
            }
        }
    )*};
}

numbers!(f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
numbers!(num_complex::Complex<f32>, num_complex::Complex<f64>);
#[cfg(feature = "half")]
numbers!(half::f16, half::bf16);

/// Returns a tensor with each value multiplied by a factor.
///
/// # Errors
/// As [`update`](SparseTensor::update).
pub fn scaled<A: SparseTensor<N, Scalar: Scalar>, const N: usize>(
    mut tensor: A,
    factor: A::Scalar,
) -> Result<A, Error> {
    tensor.update(|_, value| value.times(factor))?;
    Ok(tensor)
}

/// Returns a tensor with each value negated.
///
/// # Errors
/// As [`update`](SparseTensor::update).
pub fn negated<A: SparseTensor<N, Scalar: Negate>, const N: usize>(mut tensor: A) -> Result<A, Error> {
    tensor.update(|_, value| value.negated())?;
    Ok(tensor)
}
