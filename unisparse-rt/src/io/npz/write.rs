//! Writes tensors as `scipy.sparse.load_npz` reads them.

use std::io::{self, Write};
use std::path::Path;

use super::arrays::{Arrays, refused};
use super::kind::NpzKind;
use super::number::NpzScalar;
use super::values::{Bytes, OfNpz};
use super::zip::Zip;
use crate::convert::assemble::by_dims::for_each_once;
use crate::element::Scalar;
use crate::io::InFile;
use crate::io::files::create;
use crate::limit::Limit;
use crate::names::short_type_name;
use crate::tensor::SparseTensor;

/// Writes a tensor to the `.npz` file at `path`, in the [nearest](NpzKind::nearest) kind. See [`write_npz_to`].
///
/// # Errors
/// As [`write_npz_to`], and those of creating and writing the file.
pub fn write_npz<F: SparseTensor<N, Scalar: InFile<Number: NpzScalar>>, const N: usize>(
    path: impl AsRef<Path>,
    tensor: &F,
) -> io::Result<()> {
    write_npz_as(path, tensor, NpzKind::nearest::<F>(&tensor.shape()))
}

/// Writes a tensor to the `.npz` file at `path`, in this kind. See [`write_npz_to`].
///
/// # Errors
/// As [`write_npz_to`], and those of creating and writing the file.
pub fn write_npz_as<F: SparseTensor<N, Scalar: InFile<Number: NpzScalar>>, const N: usize>(
    path: impl AsRef<Path>,
    tensor: &F,
    kind: NpzKind,
) -> io::Result<()> {
    create(path.as_ref(), |writer| write_npz_to(writer, tensor, kind))
}

/// Writes a tensor as an `.npz` file of this kind, compressed, which `scipy.sparse.load_npz` reads as a sparse array. Indices are
/// sorted in `csr`, `csc` and `bsr`, and in storage order in `coo`; they are `int32` if the extents and the number of values fit,
/// otherwise `int64`. `O(n log n)` in the number of elements, `O(n)` if these come in the order of the kind.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::io;
/// # use unisparse::{Error, SparseTensor};
/// # fn write(a: &impl SparseTensor<2, Scalar = f64>) -> std::io::Result<()> {
/// let mut bytes = Vec::new();
/// io::write_npz_to(&mut bytes, a, io::NpzKind::Csr)?;
/// let read = io::parse_npz::<f64, 2, _>(bytes.as_slice()).map_err(std::io::Error::other)?;
/// assert_eq!(read.shape(), a.shape());
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of the writer; `InvalidInput` if there is no such kind of as many dims, if blocks do not divide the extents, or if an
/// array would have more bytes than the default [`Limit`](crate::Limit) allows for a tensor, as `dia` has of a matrix without
/// diagonals.
pub fn write_npz_to<F: SparseTensor<N, Scalar: InFile<Number: NpzScalar>>, const N: usize>(
    writer: &mut dyn Write,
    tensor: &F,
    kind: NpzKind,
) -> io::Result<()> {
    write_as::<F, OfNpz, N>(writer, tensor, kind)
}

/// Writes a tensor as [`write_npz_to`] does, with other rules for the bytes of elements.
pub(in crate::io) fn write_as<F, B, const N: usize>(writer: &mut dyn Write, tensor: &F, kind: NpzKind) -> io::Result<()>
where
    F: SparseTensor<N, Scalar: InFile>,
    B: Bytes<<F::Scalar as InFile>::Number>,
{
    let Some(descr) = B::DESCR else {
        return Err(refused(format!(
            "no `.npz` file holds elements of type {}",
            short_type_name::<F::Scalar>()
        )));
    };
    let (mut at, mut values) = (Vec::new(), Vec::new());
    let mut take = |coordinate, value: F::Scalar| {
        at.push(coordinate);
        values.push(value.number());
    };
    if kind == NpzKind::Coo {
        tensor.for_each(take);
    } else {
        for_each_once("npz", tensor, &mut take).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    }
    let width = size_of::<<F::Scalar as InFile>::Number>().max(size_of::<i64>());
    let allowed = Limit::default().allowed(at.len(), width, &tensor.shape()) / width as u128;
    let arrays = Arrays::new(
        kind,
        tensor.shape(),
        &at,
        usize::try_from(allowed).unwrap_or(usize::MAX),
    )?;
    let mut zip = Zip::new(writer);
    zip.integers(
        arrays
            .integers
            .iter()
            .map(|array| (array.name, &array.shape[..], &array.entries[..])),
        &tensor.shape(),
    )?;
    zip.array(
        "format",
        &format!("|S{}", kind.word().len()),
        &[],
        kind.word().bytes().map(|byte| [byte]),
    )?;
    let extents = tensor.shape().map(|extent| (extent as i64).to_le_bytes());
    zip.array("shape", "<i8", &[N], extents.into_iter())?;
    let count: usize = arrays.data.iter().product();
    let mut placed = vec![<F::Scalar as InFile>::Number::ZERO; count];
    for (place, value) in arrays.places.into_iter().zip(values) {
        placed[place] = value;
    }
    zip.values::<_, B>("data", descr, &arrays.data, placed.into_iter())?;
    zip.array("_is_array", "|b1", &[], [[1_u8]].into_iter())?;
    zip.finish()
}
