//! Operands of a call, with their types erased.

use std::sync::Arc;

use super::array::Array;
use super::buffer::Buffer;
use super::device::Device;
use super::element::Element;
use super::error::Error;
use super::tensor::{Summand, Tensor};

/// The indices by which a statement reads an operand, by their numbers, once for each distinct read.
pub(super) type Reads<'a> = &'a [&'a [usize]];

/// An input of a kernel.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Argument<'a>(pub(super) Input<'a>);

#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    /// An array, with its number of elements.
    Dense(&'a Buffer, usize, Reads<'a>),
    /// The bits of an element.
    Scalar(u64),
    Tensor(&'a [Summand], &'a [usize], &'a Arc<Device>, Reads<'a>),
    /// A sparse output with this number of dims.
    Elements(usize),
}

impl<'a> Argument<'a> {
    /// A dense operand.
    #[must_use]
    pub fn dense<T>(array: &'a Array<T>, reads: Reads<'a>) -> Self {
        Argument(Input::Dense(array.buffer(), array.len(), reads))
    }

    /// A scalar operand.
    #[must_use]
    pub fn scalar<T: Element>(element: T) -> Self {
        Argument(Input::Scalar(element.to_word()))
    }

    /// A sparse operand.
    #[must_use]
    pub fn tensor<F>(tensor: &'a Tensor<F>, reads: Reads<'a>) -> Self {
        Argument(Input::Tensor(tensor.summands(), tensor.shape(), tensor.device(), reads))
    }
}

impl Input<'_> {
    /// Whether the operand is on this device.
    pub(super) fn is_on(&self, device: &Arc<Device>) -> bool {
        match self {
            Input::Dense(buffer, ..) => Arc::ptr_eq(buffer.device(), device),
            Input::Scalar(_) | Input::Elements(_) => true,
            Input::Tensor(_, _, of, _) => Arc::ptr_eq(of, device),
        }
    }

    /// Compares the operand with the extents of the indices that read it, on which kernels rely.
    pub(super) fn check(&self, extents: &[usize]) -> Result<(), Error> {
        let extent = |&index: &usize| extents.get(index).copied().unwrap_or(0);
        let different = match *self {
            Input::Dense(_, found, reads) => {
                let lens = reads.iter().map(|read| {
                    let len = read.iter().map(extent);
                    len.fold(1_usize, usize::saturating_mul)
                });
                lens.map(|expected| (found, expected))
                    .find(|(found, expected)| found != expected)
            }
            Input::Tensor(_, shape, _, reads) => {
                let dims = reads
                    .iter()
                    .flat_map(|read| shape.iter().copied().zip(read.iter().map(extent)));
                dims.into_iter().find(|(found, expected)| found != expected)
            }
            Input::Scalar(_) | Input::Elements(_) => None,
        };
        match different {
            None => Ok(()),
            Some((found, expected)) => Err(Error::Length { found, expected }),
        }
    }
}
