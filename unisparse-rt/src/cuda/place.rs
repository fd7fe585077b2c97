//! Hybrids with some parts on a device and the others on the host.

use super::array::Array;
use super::element::Element;
use super::error::Error;
use super::gpu::Gpu;
use super::stream::Stream;
use super::tensor::{Summands, Tensor};
use crate::element::Scalar;
use crate::error::Error as HostError;

/// Where a part of a hybrid is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the device.
    Gpu,
    /// On the host.
    Cpu,
}

/// A declared hybrid.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hybrid, whose parts can be in different places",
    note = "declare one with `sparse_format! {{ pub hybrid Name = .. + .. split ..; }}`"
)]
pub trait Hybrid: Summands + Sized {
    /// The place of each part: `[Place; 2]` for two parts.
    type Places: AsRef<[Place]>;
    /// Returns a hybrid with copies of the parts where `keep` holds, and no elements in the others.
    ///
    /// # Errors
    /// As the constructors of the parts' formats.
    #[doc(hidden)]
    fn only(&self, keep: impl Fn(usize) -> bool) -> Result<Self, HostError>;
}

/// A hybrid with some parts on a device and the others on the host: two tensors of the same format, whose sum it is.
#[derive(Debug)]
pub struct Placed<H: Hybrid> {
    gpu: Gpu,
    on_gpu: Tensor<H>,
    on_cpu: H,
    /// The operands on the device, kept for the next call.
    operands: Option<Operands<H::Element>>,
}

#[derive(Debug)]
struct Operands<E: Element> {
    x: Array<E>,
    y: Array<E::Result>,
}

impl Gpu {
    /// Copies some parts of a hybrid to the device, in the order of their declaration, and the others on the host.
    ///
    /// ```no_run
    /// # use unisparse_rt::cuda::{Error, Gpu, Hybrid, Place};
    /// # fn place<BdiaCsr: Hybrid<Places = [Place; 2]>>(gpu: &Gpu, a: &BdiaCsr) -> Result<(), Error> {
    /// let placed = gpu.place(a, [Place::Gpu, Place::Cpu])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Gpu::upload`].
    pub fn place<H: Hybrid>(&self, hybrid: &H, places: H::Places) -> Result<Placed<H>, Error> {
        let places = places.as_ref();
        Ok(Placed {
            gpu: self.clone(),
            on_gpu: Tensor::of(self, &hybrid.only(|part| places[part] == Place::Gpu)?)?,
            on_cpu: hybrid.only(|part| places[part] == Place::Cpu)?,
            operands: None,
        })
    }
}

impl<H: Hybrid> Placed<H> {
    /// Returns the tensor of the parts on the device.
    #[must_use]
    pub fn on_gpu(&self) -> &Tensor<H> {
        &self.on_gpu
    }

    /// Returns the tensor of the parts on the host.
    #[must_use]
    pub fn on_cpu(&self) -> &H {
        &self.on_cpu
    }

    /// Runs a kernel that is linear in the hybrid on both at once, and stores the sum of their results in `y`: `on_gpu` enqueues
    /// it for the parts on the device, whose result is added to zeros, and `on_cpu` computes the result of the others.
    ///
    /// ```ignore
    /// placed.run(&mut y, &x, spmv_on, spmv)?;
    /// ```
    ///
    /// On a device, results of `f16` and `bf16` are `f32`, so the host's `spmv` is no `on_cpu` for them: that does not compile.
    ///
    /// # Errors
    /// Those of both.
    pub fn run(
        &mut self,
        y: &mut [<H::Element as Element>::Result],
        x: &[H::Element],
        on_gpu: impl FnOnce(
            &Stream,
            &mut Array<<H::Element as Element>::Result>,
            &Tensor<H>,
            &Array<H::Element>,
        ) -> Result<(), Error>,
        on_cpu: impl FnOnce(&mut [<H::Element as Element>::Result], &H, &[H::Element]) -> Result<(), HostError>,
    ) -> Result<(), Error> {
        let operands = match self.operands.take() {
            Some(mut operands) if operands.x.len() == x.len() && operands.y.len() == y.len() => {
                operands.x.set(x)?;
                operands.y.clear()?;
                operands
            }
            _ => Operands {
                x: self.gpu.upload(x)?,
                y: self.gpu.zeros(y.len())?,
            },
        };
        let operands = self.operands.insert(operands);
        on_gpu(&self.gpu, &mut operands.y, &self.on_gpu, &operands.x)?;
        on_cpu(y, &self.on_cpu, x)?;
        for (sum, more) in y.iter_mut().zip(operands.y.download()?) {
            *sum = sum.plus(more);
        }
        Ok(())
    }
}
