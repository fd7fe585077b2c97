//! Writes tensors as files of Binsparse.

use super::NAME;
use super::descriptor::Descriptor;
use super::format::BinsparseFormat;
use super::levels::pack;
use crate::convert::assemble::by_dims::for_each_once;
use crate::element::Scalar;
use crate::io::InFile;
use crate::io::files::create;
use crate::io::npz::arrays::refused;
use crate::io::npz::number::NpzScalar;
use crate::io::npz::values::{Bytes, OfNpz};
use crate::io::npz::zip::Zip;
use crate::limit::Limit;
use crate::names::short_type_name;
use crate::tensor::SparseTensor;
use std::io::{self, Write};
use std::path::Path;

/// Writes a tensor to the `.npz` file at `path` in the [nearest](BinsparseFormat::nearest) format of Binsparse. See
/// [`write_binsparse_to`].
///
/// # Errors
/// As [`write_binsparse_to`], and those of creating and writing the file.
pub fn write_binsparse<F: SparseTensor<N, Scalar: InFile<Number: NpzScalar>>, const N: usize>(
    path: impl AsRef<Path>,
    tensor: &F,
) -> io::Result<()> {
    write_binsparse_as(path, tensor, &BinsparseFormat::nearest::<F>())
}

/// Writes a tensor to the `.npz` file at `path` in this format of Binsparse. See [`write_binsparse_to`].
///
/// # Errors
/// As [`write_binsparse_to`], and those of creating and writing the file.
pub fn write_binsparse_as<F: SparseTensor<N, Scalar: InFile<Number: NpzScalar>>, const N: usize>(
    path: impl AsRef<Path>,
    tensor: &F,
    format: &BinsparseFormat,
) -> io::Result<()> {
    create(path.as_ref(), |writer| write_binsparse_to(writer, tensor, format))
}

/// Writes a tensor as an `.npz` file of Binsparse 0.1.0, in this format.
///
/// The file has the arrays of the format, compressed, and a descriptor in JSON. Indices are sorted; they are `int32` if the extents and the number of values fit, otherwise `int64`. The values of a
/// [`Pattern`](crate::Pattern) are one, `iso`. `O(n log n)` in the number of elements, `O(n)` if these come in the order of the
/// format.
///
/// A format with dense levels below sparse ones, or with dense levels alone, stores every coordinate of these: zeros are written
/// for what the tensor does not hold, and are elements for whoever reads the file.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::io;
/// # use unisparse::SparseTensor;
/// # fn write(a: &impl SparseTensor<2, Scalar = f64>) -> std::io::Result<()> {
/// let mut bytes = Vec::new();
/// io::write_binsparse_to(&mut bytes, a, &io::BinsparseFormat::named("DCSC").unwrap())?;
/// let read = io::parse_npz::<f64, 2, _>(bytes.as_slice()).map_err(std::io::Error::other)?;
/// assert_eq!(read.shape(), a.shape());
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of the writer; `InvalidInput` if the format is for another number of dims, if Binsparse has no such element type (it has
/// no half precision), or if an array would have more bytes than the default [`Limit`](crate::Limit) allows for a tensor.
pub fn write_binsparse_to<F: SparseTensor<N, Scalar: InFile<Number: NpzScalar>>, const N: usize>(
    writer: &mut dyn Write,
    tensor: &F,
    format: &BinsparseFormat,
) -> io::Result<()> {
    write_as::<F, OfNpz, N>(writer, tensor, format, None)
}

/// Returns the type of the array in a NumPy header, and its name in a descriptor.
fn type_of(descr: &str) -> Option<(&str, &'static str)> {
    Some(match descr {
        "|b1" => ("|u1", "bint8"),
        "|i1" => (descr, "int8"),
        "<i2" => (descr, "int16"),
        "<i4" => (descr, "int32"),
        "<i8" => (descr, "int64"),
        "|u1" => (descr, "uint8"),
        "<u2" => (descr, "uint16"),
        "<u4" => (descr, "uint32"),
        "<u8" => (descr, "uint64"),
        "<f4" => (descr, "float32"),
        "<f8" => (descr, "float64"),
        "<c8" => ("<f4", "complex[float32]"),
        "<c16" => ("<f8", "complex[float64]"),
        _ => return None,
    })
}

/// Writes a tensor as [`write_binsparse_to`] does, with these rules for the bytes of elements, and a fill value.
pub(in crate::io) fn write_as<F, B, const N: usize>(
    writer: &mut dyn Write,
    tensor: &F,
    format: &BinsparseFormat,
    fill: Option<F::Scalar>,
) -> io::Result<()>
where
    F: SparseTensor<N, Scalar: InFile>,
    B: Bytes<<F::Scalar as InFile>::Number>,
{
    let shape = tensor.shape();
    let Some((descr, name)) = B::DESCR.and_then(type_of) else {
        let scalar = short_type_name::<F::Scalar>();
        return Err(refused(format!("Binsparse has no elements of type {scalar}")));
    };
    if format.order().len() != N {
        let dims = format.order().len();
        return Err(refused(format!("the format is for {dims} dims, the tensor has {N}")));
    }
    let (mut coordinates, mut values) = (Vec::new(), Vec::new());
    for_each_once("Binsparse", tensor, |at, value: F::Scalar| {
        coordinates.extend(format.order().iter().map(|&dim| at[dim]));
        values.push(value.number());
    })
    .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let coordinates = in_order::<_, N>(coordinates, &mut values);
    let width = size_of::<<F::Scalar as InFile>::Number>().max(size_of::<i64>());
    let allowed = Limit::default().allowed(values.len(), width, &shape) / width as u128;
    let allowed = usize::try_from(allowed).unwrap_or(usize::MAX);
    let extents: Vec<usize> = format.order().iter().map(|&dim| shape[dim]).collect();
    let packed = pack(format.levels(), &extents, &coordinates, values.len(), allowed)?;
    let is_iso = !F::Scalar::HAS_NUMBER && packed.stored == values.len();

    let mut zip = Zip::new(writer);
    let lengths: Vec<[usize; 1]> = packed.integers.iter().map(|(_, entries)| [entries.len()]).collect();
    let arrays = packed.integers.iter().zip(&lengths);
    let index = zip.integers(
        arrays.map(|((name, entries), length)| (&**name, &length[..], &entries[..])),
        &shape,
    )?;
    let mut types: Vec<(String, String)> = packed
        .integers
        .iter()
        .map(|(name, _)| (name.clone(), index.to_owned()))
        .collect();
    let wrapped = if is_iso {
        format!("iso[{name}]")
    } else {
        name.to_owned()
    };
    types.push(("values".to_owned(), wrapped));
    let numbers = if is_iso {
        vec![Scalar::ONE]
    } else {
        let mut placed = vec![Scalar::ZERO; packed.stored];
        for (&place, &value) in packed.places.iter().zip(&values) {
            placed[place] = value;
        }
        placed
    };
    values_as::<_, B>(&mut zip, "values", descr, numbers)?;
    if let Some(fill) = fill {
        types.push(("fill_value".to_owned(), name.to_owned()));
        values_as::<_, B>(&mut zip, "fill_value", descr, vec![fill.number()])?;
    }
    let text = Descriptor::text(&shape, packed.stored, format, &types, fill.is_some());
    let points = text.chars().map(|point| u32::from(point).to_le_bytes());
    zip.array(NAME, &format!("<U{}", text.chars().count()), &[], points)?;
    zip.finish()
}

/// Writes an array of values; the parts of complex numbers are entries of their own.
fn values_as<V: Copy, B: Bytes<V>>(
    zip: &mut Zip<&mut dyn Write>,
    name: &str,
    descr: &str,
    values: Vec<V>,
) -> io::Result<()> {
    let parts = if B::DESCR.is_some_and(|descr| descr.starts_with("<c")) {
        2
    } else {
        1
    };
    let length = values.len() * parts;
    zip.values::<V, B>(name, descr, &[length], values.into_iter())
}

/// Brings elements into the order of their coordinates, `N` for each.
fn in_order<V: Copy, const N: usize>(coordinates: Vec<usize>, values: &mut Vec<V>) -> Vec<usize> {
    let at = |element: usize| &coordinates[element * N..][..N];
    if (1..values.len()).all(|element| at(element - 1) < at(element)) {
        return coordinates;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by_key(|&element| at(element));
    *values = order.iter().map(|&element| values[element]).collect();
    order.iter().flat_map(|&element| at(element)).copied().collect()
}
