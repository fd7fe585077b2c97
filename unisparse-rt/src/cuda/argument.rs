//! The operands of a call.

use std::sync::Arc;

use super::array::Array;
use super::buffer::Buffer;
use super::device::Device;
use super::element::Element;
use super::tensor::{Summand, Tensor};

/// An input of a kernel.
#[derive(Clone, Copy)]
pub struct Argument<'a>(pub(super) Input<'a>);

#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    /// An array, with its number of elements.
    Dense(&'a Buffer, usize),
    /// The bits of an element.
    Scalar(u64),
    Tensor(&'a [Summand], &'a Arc<Device>),
    /// A sparse output with this number of dims.
    Elements(usize),
}

impl<'a> Argument<'a> {
    /// A dense operand.
    #[must_use]
    pub fn dense<T>(array: &'a Array<T>) -> Self {
        Argument(Input::Dense(array.buffer(), array.len()))
    }

    /// A scalar operand.
    #[must_use]
    pub fn scalar<T: Element>(element: T) -> Self {
        Argument(Input::Scalar(element.to_word()))
    }

    /// A sparse operand.
    #[must_use]
    pub fn tensor<F>(tensor: &'a Tensor<F>) -> Self {
        Argument(Input::Tensor(tensor.summands(), tensor.device()))
    }
}

impl Input<'_> {
    /// Whether the operand is on this device.
    pub(super) fn is_on(&self, device: &Arc<Device>) -> bool {
        match self {
            Input::Dense(buffer, _) => Arc::ptr_eq(buffer.device(), device),
            Input::Scalar(_) | Input::Elements(_) => true,
            Input::Tensor(_, of) => Arc::ptr_eq(of, device),
        }
    }
}
