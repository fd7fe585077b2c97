//! `Gpu`: the public handle of a device and its first stream.

use core::fmt;
use core::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use super::array::Array;
use super::device::Device;
use super::driver::Driver;
use super::element::Element;
use super::error::Error;
use super::modules::{Modules, folder};
use super::nvidia::Nvidia;
use super::stream::Stream;
use super::tensor::{Summands, Tensor};

/// A device, and its first stream. A clone is the same device.
///
/// Work in one stream is executed in order; [`Gpu::stream`] opens another one.
#[derive(Clone)]
pub struct Gpu {
    stream: Arc<Stream>,
}

impl Gpu {
    /// Opens a device, by its number from zero.
    ///
    /// Operands belong to the `Gpu` that made them and its clones: opened twice, the same device counts as two, and a call with
    /// operands of both is `OtherDevice`.
    ///
    /// # Errors
    /// `NoDriver`, `NoDevice` or `NoSuchDevice` if there is none; `OldDriver` if the driver supports no CUDA 12.8; `TooOld` if
    /// the compute capability of the device is below 8.0.
    pub fn open(number: usize) -> Result<Self, Error> {
        Gpu::with_driver(Box::new(Nvidia::open(number)?), folder())
    }

    /// Opens a device with a driver of the caller's own and a folder for compiled kernels, for tests.
    ///
    /// # Errors
    /// What the driver reports.
    #[doc(hidden)]
    pub fn with_driver(driver: Box<dyn Driver>, folder: Option<PathBuf>) -> Result<Self, Error> {
        let device = Arc::new(Device {
            driver,
            modules: Modules::new(folder),
        });
        Ok(Gpu {
            stream: Arc::new(Stream::open(&device)?),
        })
    }

    pub(super) fn device(&self) -> &Arc<Device> {
        self.stream.device()
    }

    /// Returns the name of the device.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.device().driver.properties().name
    }

    /// Returns the compute capability: 90 for 9.0.
    #[must_use]
    pub fn capability(&self) -> u32 {
        self.device().driver.properties().capability
    }

    /// Copies an operand to the device: a tensor of any declared format with its arrays as they are, or the elements of a
    /// slice, `Vec` or array. Returns when it is there.
    ///
    /// # Errors
    /// `OutOfMemory` if the device has not enough memory.
    pub fn upload<U: Upload + ?Sized>(&self, operand: &U) -> Result<U::Uploaded, Error> {
        operand.upload_to(self)
    }

    /// Returns zeros on the device.
    ///
    /// # Errors
    /// `OutOfMemory` if the device has not enough memory.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Array<T>, Error> {
        Array::zeros(self.device(), len)
    }

    /// Opens another stream, whose work is not ordered with that of others but by events.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn stream(&self) -> Result<Stream, Error> {
        Stream::open(self.device())
    }

    /// Waits for all work on the device.
    ///
    /// # Errors
    /// What the driver reports, also of the work before.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.device().driver.synchronize(None)
    }
}

impl Deref for Gpu {
    type Target = Stream;
    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gpu").field(&self.name()).finish()
    }
}

/// What can be copied to a device: slices, `Vec`s and arrays of [`Element`]s, and tensors of all declared formats.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to a device",
    label = "expected a slice, a `Vec`, an array, or a tensor in a declared format, of elements that a device has",
    note = "elements on a device are `f64`, `f32`, integers of 8 to 64 bits, `bool`, `f16` and `bf16`"
)]
pub trait Upload {
    /// The type of the copy: [`Array`], or [`Tensor`].
    type Uploaded;
    /// Copies this to the device, as [`Gpu::upload`].
    ///
    /// # Errors
    /// As [`Gpu::upload`].
    fn upload_to(&self, gpu: &Gpu) -> Result<Self::Uploaded, Error>;
}

impl<T: Element> Upload for [T] {
    type Uploaded = Array<T>;
    fn upload_to(&self, gpu: &Gpu) -> Result<Array<T>, Error> {
        Array::of(gpu.device(), self.iter().copied())
    }
}

impl<T: Element> Upload for Vec<T> {
    type Uploaded = Array<T>;
    fn upload_to(&self, gpu: &Gpu) -> Result<Array<T>, Error> {
        self[..].upload_to(gpu)
    }
}

impl<T: Element, const L: usize> Upload for [T; L] {
    type Uploaded = Array<T>;
    fn upload_to(&self, gpu: &Gpu) -> Result<Array<T>, Error> {
        self[..].upload_to(gpu)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Summands> Upload for F {
    type Uploaded = Tensor<F>;
    fn upload_to(&self, gpu: &Gpu) -> Result<Tensor<F>, Error> {
        Tensor::of(gpu, self)
    }
}
