//! Operands of kernels that accept every format: a tensor in one of the listed formats is read as it is, any other is converted first.

use core::any::Any;
use std::borrow::Cow;

use crate::error::Error;
use crate::limit::Limit;
use crate::tensor::SparseTensor;

/// Returns the tensor as one of format `F` if it is one. Nothing is left of the comparison in compiled code.
#[inline(always)]
#[must_use]
pub fn same_format<A: SparseTensor<N> + 'static, F: SparseTensor<N> + 'static, const N: usize>(
    tensor: &A,
) -> Option<&F> {
    (tensor as &dyn Any).downcast_ref()
}

/// Returns the tensor in format `F`: itself, or a copy.
///
/// # Errors
/// As for a conversion.
#[inline(always)]
pub fn in_format<A, F, const N: usize>(tensor: &A) -> Result<Cow<'_, F>, Error>
where
    A: SparseTensor<N> + 'static,
    F: SparseTensor<N, Scalar = A::Scalar> + Clone + 'static,
{
    match same_format(tensor) {
        Some(same) => Ok(Cow::Borrowed(same)),
        None => F::assemble(tensor, Limit::default()).map(Cow::Owned),
    }
}
