//! Memory on a device.

use std::sync::Arc;

use super::device::Device;
use super::driver::Address;
use super::error::Error;

/// Memory that is released when it is dropped.
pub(super) struct Buffer {
    device: Arc<Device>,
    address: Address,
    bytes: usize,
}

impl Buffer {
    /// Allocates memory. There is an address even for no bytes.
    pub(super) fn allocate(device: &Arc<Device>, bytes: usize) -> Result<Self, Error> {
        Ok(Buffer {
            device: Arc::clone(device),
            address: device.driver.allocate(bytes.max(1))?,
            bytes,
        })
    }

    pub(super) fn of_bytes(device: &Arc<Device>, bytes: &[u8]) -> Result<Self, Error> {
        let buffer = Buffer::allocate(device, bytes.len())?;
        buffer.write(bytes)?;
        Ok(buffer)
    }

    pub(super) fn zeroed(device: &Arc<Device>, bytes: usize) -> Result<Self, Error> {
        let buffer = Buffer::allocate(device, bytes)?;
        buffer.clear()?;
        Ok(buffer)
    }

    /// Sets all bytes to zero.
    pub(super) fn clear(&self) -> Result<(), Error> {
        match self.bytes {
            0 => Ok(()),
            bytes => self.device.driver.clear(self.address, bytes),
        }
    }

    pub(super) fn address(&self) -> Address {
        self.address
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Replaces the first bytes.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        debug_assert!(bytes.len() <= self.bytes);
        if bytes.is_empty() {
            return Ok(());
        }
        self.device.driver.write(self.address, bytes)
    }

    /// Returns all bytes, after all work that was enqueued.
    pub(super) fn read(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; self.bytes];
        if bytes.is_empty() {
            self.device.driver.synchronize(None)?;
        } else {
            self.device.driver.read(self.address, &mut bytes)?;
        }
        Ok(bytes)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.driver.release(self.address, self.bytes.max(1));
    }
}
