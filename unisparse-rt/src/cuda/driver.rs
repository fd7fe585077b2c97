//! What a device does for this crate: memory, modules of kernels, launches, streams and events.
//!
//! Tests have a second implementation, which runs kernels on the processor.

use super::error::Error;
use super::launch::Arguments;

/// A place in the memory of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(hidden)]
pub struct Address(pub u64);

/// A stream or an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub struct Handle(pub u64);

/// A kernel that was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub struct Function(pub u64);

/// What a device is.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Properties {
    /// Its name.
    pub name: String,
    /// Its compute capability: 90 for 9.0.
    pub capability: u32,
    /// The number of its multiprocessors.
    pub multiprocessors: u32,
    /// The least extent or length for which kernels are compiled with positions of 64 bits: [`WIDE_FROM`], less in tests.
    pub wide_from: u64,
}

/// Positions and coordinates have 32 bits below this number, so that they can be added.
#[doc(hidden)]
pub const WIDE_FROM: u64 = 1 << 30;

/// A device.
#[doc(hidden)]
pub trait Driver: Send + Sync {
    /// Returns what the device is.
    fn properties(&self) -> &Properties;

    /// Allocates memory, at least one byte, aligned to 16 bytes.
    ///
    /// # Errors
    /// `OutOfMemory` if there is not enough.
    fn allocate(&self, bytes: usize) -> Result<Address, Error>;

    /// Releases memory that was allocated, after all work that was enqueued. Errors are ignored.
    fn release(&self, address: Address, bytes: usize);

    /// Copies bytes to the device. Returns when they are there.
    ///
    /// # Errors
    /// What the driver reports.
    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), Error>;

    /// Copies bytes from the device, after all work that was enqueued. Returns when they are there.
    ///
    /// # Errors
    /// What the driver reports, also of the work before.
    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), Error>;

    /// Sets bytes to zero. Returns when they are.
    ///
    /// # Errors
    /// What the driver reports.
    fn clear(&self, at: Address, bytes: usize) -> Result<(), Error>;

    /// Returns all that `compile` adds to a text, such as the compiler's options: what is compiled with others is not loaded.
    fn options(&self) -> String;

    /// Compiles a text with these kernels. `name` is for messages.
    ///
    /// # Errors
    /// `NoCompiler` without a compiler, `Compile` if the text has errors.
    fn compile(&self, name: &str, text: &str, kernels: &[&str]) -> Result<Vec<u8>, Error>;

    /// Loads what was compiled, maybe by another process, and returns its kernels.
    ///
    /// # Safety
    /// The binary must be whole, as `compile` returned it: drivers are given no length.
    ///
    /// # Errors
    /// What the driver reports.
    unsafe fn load(&self, binary: &[u8], kernels: &[&str]) -> Result<Vec<Function>, Error>;

    /// Enqueues a launch in a stream.
    ///
    /// # Safety
    /// The stream must be open, and the function loaded by this driver. The arguments must be those that the kernel takes, and
    /// the arrays to which they point at least as long as it expects, until its work is done.
    ///
    /// # Errors
    /// What the driver reports.
    unsafe fn launch(
        &self,
        stream: Handle,
        function: Function,
        blocks: u32,
        threads: u32,
        arguments: &Arguments,
    ) -> Result<(), Error>;

    /// Opens a stream.
    ///
    /// # Errors
    /// What the driver reports.
    fn open_stream(&self) -> Result<Handle, Error>;

    /// Closes a stream, whose work goes on. Errors are ignored.
    fn close_stream(&self, stream: Handle);

    /// Waits for the work of a stream, or of all streams.
    ///
    /// # Errors
    /// What the driver reports, also of the work before.
    fn synchronize(&self, stream: Option<Handle>) -> Result<(), Error>;

    /// Records an event in a stream.
    ///
    /// # Errors
    /// What the driver reports.
    fn record(&self, stream: Handle) -> Result<Handle, Error>;

    /// Makes the work that a stream gets from now on wait for an event.
    ///
    /// # Errors
    /// What the driver reports.
    fn wait(&self, stream: Handle, event: Handle) -> Result<(), Error>;

    /// Waits for an event, and returns the milliseconds since another, for which it waits, too.
    ///
    /// # Errors
    /// What the driver reports.
    fn elapsed(&self, from: Handle, to: Handle) -> Result<f32, Error>;

    /// Forgets an event. Errors are ignored.
    fn forget(&self, event: Handle);
}
