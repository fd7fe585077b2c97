//! Streams and events.

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::buffer::Buffer;
use super::device::Device;
use super::driver::Handle;
use super::error::Error;

/// A queue of work on a device, which is executed in order.
pub struct Stream {
    device: Arc<Device>,
    handle: Handle,
    /// Room for what launches leave to later ones, which the calls in the stream use one after another.
    room: Mutex<Option<Buffer>>,
}

impl Stream {
    pub(super) fn open(device: &Arc<Device>) -> Result<Self, Error> {
        Ok(Stream {
            device: Arc::clone(device),
            handle: device.driver.open_stream()?,
            room: Mutex::new(None),
        })
    }

    pub(super) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }

    /// Returns room for what launches leave to later ones, until the guard is dropped.
    pub(super) fn room(&self, bytes: usize) -> Result<MutexGuard<'_, Option<Buffer>>, Error> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        if room.as_ref().is_none_or(|buffer| buffer.bytes() < bytes) {
            // The work before still uses the smaller room, which is released after it, and before both are needed at once.
            *room = None;
            *room = Some(Buffer::allocate(&self.device, bytes)?);
        }
        Ok(room)
    }

    /// Waits for the work of this stream.
    ///
    /// # Errors
    /// What the driver reports, also of the work before.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.device.driver.synchronize(Some(self.handle))
    }

    /// Returns an event that occurs when the work so far is done.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn record(&self) -> Result<Event, Error> {
        Ok(Event {
            handle: self.device.driver.record(self.handle)?,
            device: Arc::clone(&self.device),
        })
    }

    /// Makes the work that is enqueued from now on wait for an event, of any stream of the device.
    ///
    /// # Errors
    /// `OtherDevice` if the event is of another device.
    pub fn wait(&self, event: &Event) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.device, &event.device) {
            return Err(Error::OtherDevice);
        }
        self.device.driver.wait(self.handle, event.handle)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.device.driver.close_stream(self.handle);
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.handle.0).finish()
    }
}

/// A point in the work of a stream.
pub struct Event {
    device: Arc<Device>,
    handle: Handle,
}

impl Event {
    /// Waits for both events, and returns the time from the other one to this one, as the device measures it.
    ///
    /// # Errors
    /// `OtherDevice` if they are of different devices; what the driver reports, also of the work before.
    pub fn since(&self, earlier: &Event) -> Result<Duration, Error> {
        if !Arc::ptr_eq(&self.device, &earlier.device) {
            return Err(Error::OtherDevice);
        }
        let milliseconds = self.device.driver.elapsed(earlier.handle, self.handle)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.device.driver.forget(self.handle);
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Event").field(&self.handle.0).finish()
    }
}
