//! Calls of kernels with a sparse output, whose result is a tensor on the device.

use super::argument::Argument;
use super::assemble::assembled;
use super::call::find;
use super::element::Element;
use super::error::Error;
use super::stream::Stream;
use super::tensor::{Summands, Tensor};
use crate::element::Scalar;
use crate::kernel::Scattered;
use crate::kernel::c::OfFormats;
use crate::limit::Limit;
use crate::tensor::SparseTensor;

/// Runs a kernel with a sparse output of this shape. The device computes its elements, and makes the arrays of the format `C`
/// if its levels are the dims in the order of the elements; else the host makes them, as those of any tensor.
///
/// # Errors
/// As [`run`](super::run), and those of [`SparseTensor::assemble`].
#[doc(hidden)]
pub fn sparse<E: Element, C, const N: usize>(
    stream: &Stream,
    of: OfFormats,
    shape: [usize; N],
    inputs: &[Argument<'_>],
    extents: &[usize],
    combine: impl Fn(E::Result, E::Result) -> E::Result,
) -> Result<Tensor<C>, Error>
where
    C: SparseTensor<N, Scalar: Scalar<Sum = E::Result>> + Summands,
{
    let mut elements = find::<E>(stream, of, &shape, inputs, extents)?;
    if let Some(visitor) = C::VISITOR {
        elements = match assembled::<C, E::Result>(stream, elements, &shape)? {
            Ok(part) => return Ok(Tensor::made(stream, &shape, part, visitor)),
            Err(elements) => elements,
        };
    }
    let (coordinates, values) = elements.download::<E::Result, N>()?;
    let mut scattered = Scattered::<_, N, C::Coordinate>::new(shape);
    for (coordinate, value) in coordinates.into_iter().zip(values) {
        scattered.add(coordinate, value);
    }
    let tensor: C = scattered.into_format(combine, Limit::default())?;
    Tensor::of(stream, &tensor)
}
