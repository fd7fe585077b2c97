//! Sparse tensors on a device.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use super::device::Device;
use super::download::{self, Visit};
use super::element::{Element, to_bytes};
use super::error::Error;
use super::part::Part;
use super::stream::Stream;
use super::structs::Structs;
use crate::element::Stored;
use crate::format::Tree;
use crate::limit::Limit;
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;

/// A sparse tensor on a device, in the format `F`: its arrays as they are, each in one piece of memory.
///
/// Elements that are [stored](Stored) in another type than they read as are held as they read.
pub struct Tensor<F> {
    shape: Vec<usize>,
    summands: Vec<Summand>,
    device: Arc<Device>,
    format: PhantomData<fn() -> F>,
}

impl<F: Summands> Tensor<F> {
    /// Returns a tensor whose arrays were made on the device of a stream.
    pub(super) fn made(stream: &Stream, shape: &[usize], part: Part, Visitor(visit): Visitor) -> Self {
        Tensor {
            shape: shape.to_vec(),
            summands: vec![Summand {
                parts: vec![part],
                is_cut: false,
                structs: Structs::default(),
                visit,
            }],
            device: Arc::clone(stream.device()),
            format: PhantomData,
        }
    }

    /// Copies a tensor to the device of a stream.
    pub(super) fn of(stream: &Stream, tensor: &F) -> Result<Self, Error> {
        Ok(Tensor {
            shape: tensor.extents(),
            summands: tensor.summands(stream)?,
            device: Arc::clone(stream.device()),
            format: PhantomData,
        })
    }

    /// Copies the tensor to the host, after all work that was enqueued on the device: its elements are assembled again, those of
    /// a hybrid are divided among its parts again.
    ///
    /// # Errors
    /// What the driver reports, also of the work before; the errors of [`SparseTensor::assemble`].
    pub fn download<const N: usize>(&self) -> Result<F, Error>
    where
        F: SparseTensor<N, Scalar = <F as Summands>::Element>,
    {
        let mut elements = Triplets::new(core::array::from_fn(|dim| self.shape[dim]));
        let mut pushed = Ok(());
        for summand in &self.summands {
            for part in &summand.parts {
                (summand.visit)(part, &self.shape, &mut |at, word| {
                    let element = <F as Summands>::Element::of_word(word);
                    let result = elements.push(core::array::from_fn(|dim| at[dim]), element);
                    pushed = core::mem::replace(&mut pushed, Ok(())).and(result);
                })?;
            }
        }
        pushed?;
        // The same tensor was on the host before.
        Ok(F::assemble(&elements, Limit::none())?)
    }

    /// Replaces the values, in storage order with holes, as [`SparseTensor::values`](crate::SparseTensor::values) returns
    /// them; the structure stays. Waits for all work that was enqueued on the device.
    ///
    /// # Errors
    /// `Length` if there is another number of values.
    pub fn set_values(&mut self, values: &[F::Element]) -> Result<(), Error> {
        let expected = self.stored();
        if values.len() != expected {
            return Err(Error::Length {
                found: values.len(),
                expected,
            });
        }
        self.device.driver.synchronize(None)?;
        let mut rest = values;
        for summand in &mut self.summands {
            // Before the parts: they release arrays whose addresses the structs hold, even if a copy fails.
            summand.structs = Structs::default();
            for part in &mut summand.parts {
                let (of_part, others) = rest.split_at(part.stored());
                part.set_values(&to_bytes(of_part.iter().copied()))?;
                rest = others;
            }
        }
        Ok(())
    }
}

impl<F> Tensor<F> {
    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of stored positions, including holes.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.parts().map(Part::stored).sum()
    }

    /// Returns the bytes of the arrays of its format on the device, without the copies that kernels need of arrays that the
    /// format packs or partitions.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts().map(Part::bytes).sum()
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.summands.iter().flat_map(|summand| &summand.parts)
    }

    pub(super) fn summands(&self) -> &[Summand] {
        &self.summands
    }

    pub(super) fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

impl<F> fmt::Debug for Tensor<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("shape", &self.shape)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

/// A tensor that kernels take as one argument: the whole, the parts of a partitioned one, or a part of a hybrid.
#[doc(hidden)]
pub struct Summand {
    pub(super) parts: Vec<Part>,
    pub(super) is_cut: bool,
    /// The arguments of kernels that are arrays of structs.
    pub(super) structs: Structs,
    /// Visits the elements of a part.
    visit: Visit,
}

impl Summand {
    /// Copies the arrays of a tensor to a device.
    ///
    /// # Errors
    /// `OutOfMemory` if the device has not enough memory.
    pub fn whole<F: Tree<N, M>, const N: usize, const M: usize>(stream: &Stream, tensor: &F) -> Result<Self, Error>
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        Ok(Summand {
            parts: vec![Part::of(stream.device(), tensor)?],
            is_cut: false,
            structs: Structs::default(),
            visit: download::visit::<F, N, M>,
        })
    }

    /// Copies the arrays of the parts of a partitioned tensor to a device.
    ///
    /// # Errors
    /// `OutOfMemory` if the device has not enough memory.
    pub fn cut<F: Tree<N, M>, const N: usize, const M: usize>(stream: &Stream, parts: &[F]) -> Result<Self, Error>
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        let parts = parts.iter().map(|part| Part::of(stream.device(), part));
        Ok(Summand {
            parts: parts.collect::<Result<_, Error>>()?,
            is_cut: true,
            structs: Structs::default(),
            visit: download::visit::<F, N, M>,
        })
    }
}

/// Visits the elements of the arrays of one format.
#[doc(hidden)]
pub struct Visitor(Visit);

impl Visitor {
    /// Returns the visitor of a format.
    #[must_use]
    pub const fn of<F: Tree<N, M>, const N: usize, const M: usize>() -> Self
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        Visitor(download::visit::<F, N, M>)
    }
}

/// The formats that can be copied to a device.
#[doc(hidden)]
pub trait Summands {
    /// The visitor of the arrays, if they are those of one tree: neither a hybrid's nor a partitioned tensor's.
    const VISITOR: Option<Visitor> = None;
    /// The type as which elements read.
    type Element: Element;
    /// Returns the extent of each dim.
    fn extents(&self) -> Vec<usize>;
    /// Copies the tensors over which kernels run.
    ///
    /// # Errors
    /// `OutOfMemory` if the device has not enough memory.
    fn summands(&self, stream: &Stream) -> Result<Vec<Summand>, Error>;
}
