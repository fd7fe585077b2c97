//! Dense operands on a device.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use super::buffer::Buffer;
use super::device::Device;
use super::element::{Element, of_bytes, to_bytes};
use super::error::Error;

/// A dense operand on a device: a vector, a matrix or a tensor in row-major order.
///
/// As a slice, it does not know its shape; a kernel infers the one extent that the sparse operands leave open from its length.
pub struct Array<T> {
    buffer: Buffer,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Array<T> {
    pub(super) fn of(device: &Arc<Device>, elements: impl ExactSizeIterator<Item = T>) -> Result<Self, Error> {
        let len = elements.len();
        Ok(Array {
            buffer: Buffer::of_bytes(device, &to_bytes(elements))?,
            len,
            element: PhantomData,
        })
    }

    pub(super) fn zeros(device: &Arc<Device>, len: usize) -> Result<Self, Error> {
        let bytes = len
            .checked_mul(T::BYTES)
            .ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        Ok(Array {
            buffer: Buffer::zeroed(device, bytes)?,
            len,
            element: PhantomData,
        })
    }

    /// Copies the elements to the host, after all work that was enqueued on the device.
    ///
    /// # Errors
    /// What the driver reports, also of the work before.
    pub fn download(&self) -> Result<Vec<T>, Error> {
        Ok(of_bytes(&self.buffer.read()?))
    }

    /// Replaces the elements. Waits for all work that was enqueued on the device.
    ///
    /// # Errors
    /// `Length` if there is another number of elements.
    pub fn set(&mut self, elements: &[T]) -> Result<(), Error> {
        if elements.len() != self.len {
            return Err(Error::Length {
                found: elements.len(),
                expected: self.len,
            });
        }
        self.buffer.device().driver.synchronize(None)?;
        self.buffer.write(&to_bytes(elements.iter().copied()))
    }

    /// Sets all elements to zero. Waits for all work that was enqueued on the device.
    ///
    /// # Errors
    /// What the driver reports, also of the work before.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.buffer.device().driver.synchronize(None)?;
        self.buffer.clear()
    }
}

impl<T> Array<T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array").field("len", &self.len).finish_non_exhaustive()
    }
}
