//! Writes tensors as `scipy.sparse.load_npz` reads them.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::arrays::{Arrays, refused};
use super::kind::NpzKind;
use super::npy::header;
use super::number::NpzScalar;
pub(super) use super::read::OfNpz;
use crate::convert::assemble::by_dims::for_each_once;
use crate::element::Scalar;
use crate::io::InFile;
use crate::io::files::create;
use crate::limit::Limit;
use crate::names::short_type_name;
use crate::tensor::SparseTensor;

/// Number of bytes that are collected before they are compressed.
const BUFFER_BYTES: usize = 64 * 1024;

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

/// The bytes of elements in arrays.
pub(in crate::io) trait Bytes<V> {
    /// The type in the header of an array; `None` if no array holds elements of this type.
    const DESCR: Option<&'static str>;
    /// Appends the bytes of an element.
    fn append(value: V, to: &mut Vec<u8>);
}

impl<V: NpzScalar> Bytes<V> for OfNpz {
    const DESCR: Option<&'static str> = Some(V::DESCR);

    fn append(value: V, to: &mut Vec<u8>) {
        value.append(to);
    }
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

/// The bytes of an element.
struct Element {
    bytes: [u8; 16],
    length: usize,
}

impl Element {
    fn of(from: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes[..from.len()].copy_from_slice(from);
        Element {
            bytes,
            length: from.len(),
        }
    }
}

impl AsRef<[u8]> for Element {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// An archive that is written.
pub(super) struct Zip<W: Write>(ZipArchiveWriter<W>);

impl<W: Write> Zip<W> {
    pub(super) fn new(writer: W) -> Self {
        Zip(ZipArchiveWriter::new(writer))
    }

    /// Writes the directory of the archive.
    pub(super) fn finish(self) -> io::Result<()> {
        self.0.finish().map_err(io::Error::other).map(drop)
    }

    /// Writes integer arrays in the type that scipy takes for them: that of the extents and of all entries. Returns its name.
    pub(super) fn integers<'a>(
        &mut self,
        arrays: impl Iterator<Item = (&'a str, &'a [usize], &'a [i64])> + Clone,
        extents: &[usize],
    ) -> io::Result<&'static str> {
        let all_fit = |fits: fn(i64) -> bool| {
            arrays
                .clone()
                .all(|(_, _, entries)| entries.iter().all(|&entry| fits(entry)))
        };
        let is_narrow = extents.iter().all(|&extent| i32::try_from(extent).is_ok())
            && all_fit(|entry| i32::try_from(entry).is_ok());
        if extents.iter().any(|&extent| i64::try_from(extent).is_err()) {
            return Err(refused(format!("an extent of {extents:?} does not fit int64")));
        }
        for (name, shape, entries) in arrays.clone() {
            if is_narrow {
                self.array(
                    name,
                    "<i4",
                    shape,
                    entries.iter().map(|&entry| (entry as i32).to_le_bytes()),
                )?;
            } else {
                self.array(name, "<i8", shape, entries.iter().map(|&entry| entry.to_le_bytes()))?;
            }
        }
        Ok(if is_narrow { "int32" } else { "int64" })
    }

    /// Writes an array of values with this type in its header.
    pub(super) fn values<V, B: Bytes<V>>(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        values: impl Iterator<Item = V>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        let elements = values.map(|value| {
            bytes.clear();
            B::append(value, &mut bytes);
            Element::of(&bytes)
        });
        self.array(name, descr, shape, elements)
    }

    /// Writes an array with these elements in row-major order.
    pub(super) fn array(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        elements: impl Iterator<Item: AsRef<[u8]>>,
    ) -> io::Result<()> {
        let file = format!("{name}.npy");
        let file = self.0.new_file(&*file).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let encoder = DeflateEncoder::new(&mut entry, Compression::default());
        let mut writer = BufWriter::with_capacity(BUFFER_BYTES, config.wrap(encoder));
        writer.write_all(&header(descr, shape))?;
        for element in elements {
            writer.write_all(element.as_ref())?;
        }
        let writer = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        let (encoder, descriptor) = writer.finish().map_err(io::Error::other)?;
        encoder.finish()?;
        entry.finish(descriptor).map_err(io::Error::other).map(drop)
    }
}
