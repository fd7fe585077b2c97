//! Tensors and kernels on a device of CUDA.
//!
//! ```no_run
//! # use unisparse_rt::cuda::{Gpu, Error};
//! # fn main() -> Result<(), Error> {
//! let gpu = Gpu::open(0)?;
//! let x = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
//! assert_eq!(x.download()?, [1.0, 2.0, 3.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A kernel declared with `#[target(cuda)]`, and most stock kernels, have a second function, `spmv_on` for
//! `spmv`. It takes a [`Stream`], which a [`Gpu`] is too, and operands that are on the device: [`Tensor`]s and [`Array`]s. A
//! call compiles the kernels of its formats if that was not done before, enqueues them and returns. [`Array::download`] and
//! [`Stream::synchronize`] wait.

mod argument;
mod array;
mod assemble;
mod buffer;
mod call;
mod device;
mod download;
mod driver;
mod element;
mod error;
mod given;
mod gpu;
mod launch;
mod modules;
mod nvidia;
mod part;
mod phases;
mod place;
mod sparse;
mod stream;
mod structs;
mod tensor;

#[doc(hidden)]
pub use argument::Argument;
pub use array::Array;
#[doc(hidden)]
pub use call::{reduce, run};
#[doc(hidden)]
pub use driver::{Address, Driver, Function, Handle, Properties, WIDE_FROM};
pub use element::Element;
pub use error::Error;
pub use gpu::{Gpu, Upload};
#[doc(hidden)]
pub use launch::Arguments;
#[doc(hidden)]
pub use nvidia::compile;
pub use place::{Hybrid, Place, Placed};
#[doc(hidden)]
pub use sparse::sparse;
pub use stream::{Event, Stream};
pub use tensor::Tensor;
#[doc(hidden)]
pub use tensor::{Summand, Summands, Visitor};
