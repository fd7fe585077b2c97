//! Reads the arrays of each kind of matrix as triplets.

use crate::io::files::read_file;
use std::io::Read;
use std::path::Path;

use super::archive::Archive;
use super::binsparse;
use super::indices::{counted, indices_below, segments};
use super::npy::{Array, fault};
use super::number::NpzScalar;
use super::values::{Numbers, OfNpz, value_of};
use crate::io::{InFile, ReadError, ReadErrorKind};
use crate::machine::pages;
use crate::triplets::Triplets;

/// Reads an `.npz` file of a sparse matrix or array of `N` dims. See [`parse_npz`].
///
/// # Errors
/// As [`parse_npz`], and [`ReadErrorKind::Io`] if the file cannot be opened.
pub fn read_npz<T: InFile<Number: NpzScalar>, const N: usize>(
    path: impl AsRef<Path>,
) -> Result<Triplets<T, N>, ReadError> {
    read_file(path.as_ref(), parse_npz)
}

/// Reads the bytes of an `.npz` file of scipy or of Binsparse.
///
/// Files of `scipy.sparse.save_npz` hold a matrix or an array in one of the formats `csr`, `csc`, `coo`, `bsr` and `dia`, or a
/// `coo_array` of any number of dims. The archive may be compressed, and the arrays may have any integer type for indices, either
/// byte order, and row- or column-major order.
///
/// Files of Binsparse in `.npz` are recognised by their descriptor, in any format of the specification: those with a name, and
/// custom ones of dense and sparse levels. Symmetric, Hermitian and skew-symmetric matrices get both triangles. What is not stored
/// must be zero; [`Binsparse::parse`](crate::io::Binsparse::parse) accepts other fill values.
///
/// Entries need not be in order. Repeated ones become separate triplets, which are resolved by
/// [`Duplicates`](crate::Duplicates). Zeros are elements, except in the blocks of `bsr` and on the diagonals of `dia`, where they
/// may be padding and are left out. The element type determines which numbers it accepts, see [`NpzScalar`]; a
/// [`Pattern`](crate::Pattern) accepts ones.
///
/// Takes memory for the archive and for what is in it, whatever its headers say. Errors have no line, and name the array.
///
/// # Errors
/// - [`Io`](ReadErrorKind::Io): it cannot be read, or is no zip archive, or a checksum is wrong.
/// - [`Banner`](ReadErrorKind::Banner): an array has no header of NumPy; the format is unknown.
/// - [`Unsupported`](ReadErrorKind::Unsupported): an array has another type than it should.
/// - [`Missing`](ReadErrorKind::Missing): an array is missing.
/// - [`Arity`](ReadErrorKind::Arity): the tensor has another number of dims.
/// - [`Size`](ReadErrorKind::Size), [`TooFew`](ReadErrorKind::TooFew), [`TooMany`](ReadErrorKind::TooMany): the arrays do not
///   have the sizes that the shape and each other determine.
/// - [`Index`](ReadErrorKind::Index): an index is outside the shape, or the starts of the rows decrease.
/// - [`Range`](ReadErrorKind::Range): the element type does not hold a number.
pub fn parse_npz<T: InFile<Number: NpzScalar>, const N: usize, R: Read>(
    reader: R,
) -> Result<Triplets<T, N>, ReadError> {
    parse_as::<T, OfNpz, N, R>(reader)
}

/// Reads the bytes of an `.npz` file, as [`parse_npz`] does, with other rules for numbers.
pub(in crate::io) fn parse_as<T: InFile, A: Numbers<T::Number>, const N: usize, R: Read>(
    mut reader: R,
) -> Result<Triplets<T, N>, ReadError> {
    let archive = Archive::read(&mut reader)?;
    if archive.has("binsparse") {
        return of_binsparse::<T, A, N>(&archive);
    }
    let format = archive.array("format")?.text()?;
    let shape = shape::<N>(&archive)?;
    let tensor = Tensor {
        shape,
        archive: &archive,
    };
    let elements = match (format.as_str(), N) {
        ("coo", _) => tensor.coordinates::<T, A>()?,
        ("csr", 1 | 2) => tensor.compressed::<T, A>(N - 1)?,
        ("csc", 2) => tensor.compressed::<T, A>(0)?,
        ("bsr", 2) => tensor.blocks::<T, A>()?,
        ("dia", 2) => tensor.diagonals::<T, A>()?,
        (format, _) => {
            let expected = "`csr`, `csc`, `bsr` or `dia` of two dims, `csr` of one, or `coo`";
            return Err(fault(
                ReadErrorKind::Banner,
                format!("the format `{format}` of {N} dims"),
                expected,
            ));
        }
    };
    Ok(Triplets::from_checked(shape, elements.coordinates, elements.values))
}

/// Reads a file of Binsparse whose other elements are zero.
fn of_binsparse<T: InFile, A: Numbers<T::Number>, const N: usize>(
    archive: &Archive,
) -> Result<Triplets<T, N>, ReadError> {
    let file = binsparse::parse::<T, A, N>(archive)?;
    match file.fill {
        Some(fill) if !fill.reads_zero() => Err(fault(
            ReadErrorKind::Unsupported,
            format!("the fill value {:?}", fill.number()),
            "0, or a call of `Binsparse::parse`, which returns the fill value",
        )),
        _ => Ok(file.elements),
    }
}

fn shape<const N: usize>(archive: &Archive) -> Result<[usize; N], ReadError> {
    let shape = archive.array("shape")?.integers()?;
    let wrong = |extent| {
        fault(
            ReadErrorKind::Size,
            format!("the extent {extent}"),
            "one that is not negative",
        )
    };
    let found = format!("a tensor of {} dims", shape.len());
    let shape: Vec<usize> = shape
        .into_iter()
        .map(|extent| usize::try_from(extent).map_err(|_| wrong(extent)))
        .collect::<Result<_, _>>()?;
    shape
        .try_into()
        .map_err(|_| fault(ReadErrorKind::Arity, found, format!("{N}")))
}

/// A tensor in an archive.
struct Tensor<'a, const N: usize> {
    shape: [usize; N],
    archive: &'a Archive,
}

/// Elements whose coordinates are inside the shape.
struct CheckedElements<T, const N: usize> {
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
}

impl<T, const N: usize> CheckedElements<T, N> {
    fn with_capacity(count: usize) -> Self {
        let mut elements = CheckedElements {
            coordinates: Vec::new(),
            values: Vec::new(),
        };
        pages::reserve(&mut elements.coordinates, count);
        pages::reserve(&mut elements.values, count);
        elements
    }

    fn push(&mut self, at: [usize; N], value: T) {
        self.coordinates.push(at);
        self.values.push(value);
    }
}

impl<const N: usize> Tensor<'_, N> {
    /// Reads an array of as many entries as `like` has.
    fn array(&self, name: &str, count: usize) -> Result<Array, ReadError> {
        let array = self.archive.array(name)?.of_dims(1)?;
        counted(name, array.len(), count)?;
        Ok(array)
    }

    fn values<T: InFile, A: Numbers<T::Number>>(&self, data: &Array) -> Result<Vec<T>, ReadError> {
        let (mut values, numbers) = (Vec::new(), data.numbers()?);
        pages::reserve(&mut values, numbers.len());
        for (at, number) in numbers.enumerate() {
            values.push(value_of::<T, A>(number, at, "data")?);
        }
        Ok(values)
    }

    /// Reads where the segments of `count` rows begin, and where the last ends: at most at `entries`.
    fn starts(&self, count: usize, entries: usize) -> Result<Vec<usize>, ReadError> {
        let starts = self.archive.array("indptr")?.of_dims(1)?;
        segments("indptr", &starts.integers()?, count, entries)
    }

    /// Reads `coo`.
    fn coordinates<T: InFile, A: Numbers<T::Number>>(&self) -> Result<CheckedElements<T, N>, ReadError> {
        let data = self.archive.array("data")?.of_dims(1)?;
        let (values, count) = (self.values::<T, A>(&data)?, data.len());
        let mut coordinates = Vec::new();
        pages::reserve(&mut coordinates, count);
        coordinates.resize(count, [0; N]);
        let mut set = |dim: usize, name: &str, indices: &[i64]| {
            let indices = indices_below(self.shape[dim], name, indices)?;
            coordinates
                .iter_mut()
                .zip(indices)
                .for_each(|(at, index)| at[dim] = index);
            Ok(())
        };
        if N == 2 && !self.archive.has("coords") {
            for (dim, name) in ["row", "col"].into_iter().enumerate() {
                set(dim, name, &self.array(name, count)?.integers()?)?;
            }
        } else {
            let coords = self.archive.array("coords")?.of_dims(2)?;
            counted("coords", coords.shape[0], N)?;
            counted("coords[0]", coords.shape[1], count)?;
            let indices = coords.integers()?;
            for dim in 0..N {
                set(dim, "coords", &indices[dim * count..][..count])?;
            }
        }
        Ok(CheckedElements { coordinates, values })
    }

    /// Reads `csr` and `csc`, where the dim `inner` is compressed.
    fn compressed<T: InFile, A: Numbers<T::Number>>(&self, inner: usize) -> Result<CheckedElements<T, N>, ReadError> {
        let data = self.archive.array("data")?.of_dims(1)?;
        let indices = self.array("indices", data.len())?.integers()?;
        // A vector is one row.
        let outer = (N == 2).then(|| 1 - inner);
        let starts = self.starts(outer.map_or(1, |dim| self.shape[dim]), data.len())?;
        let (values, indices) = (
            self.values::<T, A>(&data)?,
            indices_below(self.shape[inner], "indices", &indices)?,
        );
        let mut elements = CheckedElements::with_capacity(data.len());
        for (row, segment) in starts.windows(2).enumerate() {
            for entry in segment[0]..segment[1] {
                let mut at = [0; N];
                at[inner] = indices[entry];
                if let Some(outer) = outer {
                    at[outer] = row;
                }
                elements.push(at, values[entry]);
            }
        }
        Ok(elements)
    }

    /// Reads `bsr`.
    fn blocks<T: InFile, A: Numbers<T::Number>>(&self) -> Result<CheckedElements<T, N>, ReadError> {
        let data = self.archive.array("data")?.of_dims(3)?;
        let (count, rows, cols) = (data.shape[0], data.shape[1], data.shape[2]);
        let divides = |block: usize, extent: usize| block > 0 && extent % block == 0;
        if !divides(rows, self.shape[0]) || !divides(cols, self.shape[1]) {
            let expected = format!("blocks that divide {} x {}", self.shape[0], self.shape[1]);
            return Err(fault(
                ReadErrorKind::Size,
                format!("blocks of {rows} x {cols} in the array `data`"),
                expected,
            ));
        }
        let indices = self.array("indices", count)?.integers()?;
        let starts = self.starts(self.shape[0] / rows, count)?;
        let (values, indices) = (
            self.values::<T, A>(&data)?,
            indices_below(self.shape[1] / cols, "indices", &indices)?,
        );
        let mut elements = CheckedElements::with_capacity(data.len());
        for (block_row, segment) in starts.windows(2).enumerate() {
            for block in segment[0]..segment[1] {
                let block_values = &values[block * rows * cols..][..rows * cols];
                for (place, &value) in block_values.iter().enumerate() {
                    let mut at = [0; N];
                    (at[0], at[1]) = (block_row * rows + place / cols, indices[block] * cols + place % cols);
                    if !value.reads_zero() {
                        elements.push(at, value);
                    }
                }
            }
        }
        Ok(elements)
    }

    /// Reads `dia`: the element of the diagonal `k` in column `j` is `data[k, j]`.
    fn diagonals<T: InFile, A: Numbers<T::Number>>(&self) -> Result<CheckedElements<T, N>, ReadError> {
        let data = self.archive.array("data")?.of_dims(2)?;
        let (count, width) = (data.shape[0], data.shape[1]);
        let offsets = self.array("offsets", count)?.integers()?;
        let values = self.values::<T, A>(&data)?;
        let mut elements = CheckedElements::with_capacity(0);
        for (diagonal, &offset) in offsets.iter().enumerate() {
            for col in 0..width.min(self.shape[1]) {
                let (row, value) = (col as i128 - i128::from(offset), values[diagonal * width + col]);
                let row = usize::try_from(row)
                    .ok()
                    .filter(|&row| row < self.shape[0] && !value.reads_zero());
                if let Some(row) = row {
                    let mut at = [0; N];
                    (at[0], at[1]) = (row, col);
                    elements.push(at, value);
                }
            }
        }
        Ok(elements)
    }
}
