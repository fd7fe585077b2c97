//! Reads and writes files in the format that belongs to the ending of their names.

use super::error::Position;
use super::files::{read_file, write_file};
use super::{
    InFile, ReadError, ReadErrorKind, ReadScalar, WriteScalar, matrix_market, smtx, tns, write_matrix_market_to,
};
use crate::source::Source;
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;
use std::any::Any;
use std::io;
use std::path::Path;

/// A format of files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    MatrixMarket,
    Tns,
    Smtx,
    Npz,
    Binsparse,
}

/// The endings of names, for messages.
const ENDINGS: &str = "a name that ends in `.mtx`, `.tns` or `.smtx`, or with `.gz` after these, or in `.npz`";

/// What to do about a `.npz` file without the feature.
#[cfg(not(feature = "npz"))]
const FEATURE: &str = "the feature `npz` of `unisparse`, which reads and writes `.npz` files";

impl FileFormat {
    /// Returns the format that belongs to the ending of a file's name.
    fn of(path: &Path) -> Option<Self> {
        let is = |path: &Path, ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if is(path, "npz") {
            let is_binsparse = path.file_stem().is_some_and(|stem| is(Path::new(stem), "bsp"));
            return Some(if is_binsparse {
                FileFormat::Binsparse
            } else {
                FileFormat::Npz
            });
        }
        let plain = if is(path, "gz") {
            Path::new(path.file_stem()?)
        } else {
            path
        };
        let formats = [
            ("mtx", FileFormat::MatrixMarket),
            ("tns", FileFormat::Tns),
            ("smtx", FileFormat::Smtx),
        ];
        formats
            .into_iter()
            .find(|(ending, _)| is(plain, ending))
            .map(|(_, format)| format)
    }
}

/// Reads the file at `path` in the format that its name says.
///
/// These are `.mtx` ([Matrix Market](super::read_matrix_market)), `.tns`
/// ([FROSTT](super::read_tns)), `.smtx` ([DLMC](super::read_smtx)), these with `.gz` after them, or `.npz` (scipy and Binsparse, with the feature `npz`).
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Triplets, io};
/// # let path = std::env::temp_dir().join(format!("unisparse-by-name-{}.mtx.gz", std::process::id()));
/// # let a: Triplets<f64, 2> = Triplets::try_from_triplets([2, 3], [([1, 2], 0.5)])?;
/// io::write(&path, &a)?; // path ends in `.mtx.gz`
/// let b: Triplets<f64, 2> = io::read(&path)?;
/// assert_eq!(a, b);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsupported`](ReadErrorKind::Unsupported) for another name, or without the feature; [`Arity`](ReadErrorKind::Arity) if the format
/// has another number of dims; otherwise those of the format.
pub fn read<T: InFile<Number: ReadScalar>, const N: usize>(
    path: impl AsRef<Path>,
) -> Result<Triplets<T, N>, ReadError> {
    let path = path.as_ref();
    let refused = |kind, found: &str, expected: &str| {
        let error = ReadError::new(kind, Position::default(), found, expected);
        Err(error.in_file(path))
    };
    let matrix = |matrix: Triplets<T, 2>| {
        let matrix: Box<dyn Any> = Box::new(matrix);
        match matrix.downcast::<Triplets<T, N>>() {
            Ok(matrix) => Ok(*matrix),
            Err(_) => refused(ReadErrorKind::Arity, "a file of matrices", &format!("one of {N} dims")),
        }
    };
    match FileFormat::of(path) {
        Some(FileFormat::MatrixMarket | FileFormat::Smtx) if N != 2 => refused(
            ReadErrorKind::Arity,
            "a file of a matrix",
            &format!("one of a tensor of {N} dims"),
        ),
        Some(FileFormat::MatrixMarket) => read_file(path, matrix_market::parse_matrix_market).and_then(matrix),
        Some(FileFormat::Smtx) => read_file(path, smtx::parse_smtx).and_then(matrix),
        Some(FileFormat::Tns) => read_file(path, tns::parse_tns),
        #[cfg(feature = "npz")]
        Some(FileFormat::Npz | FileFormat::Binsparse) if !T::Number::IN_NPZ => refused(
            ReadErrorKind::Unsupported,
            "a `.npz` file",
            "elements of a type that NumPy has",
        ),
        #[cfg(feature = "npz")]
        Some(FileFormat::Npz | FileFormat::Binsparse) => read_file(path, super::npz::parse_as::<T, npz::OfFiles, N, _>),
        #[cfg(not(feature = "npz"))]
        Some(FileFormat::Npz | FileFormat::Binsparse) => refused(ReadErrorKind::Unsupported, "a `.npz` file", FEATURE),
        None => refused(ReadErrorKind::Unsupported, "another name", ENDINGS),
    }
}

/// Writes a tensor to the file at `path` in the format that its name says.
///
/// As [`read`] reads them: `.mtx`, `.tns`, `.smtx` (the pattern
/// alone), these with `.gz` after them, `.bsp.npz` in the nearest format
/// of Binsparse, or `.npz` in the nearest kind of scipy.
///
/// # Errors
/// `InvalidInput` for another name, without the feature, or if the format has another number of dims; otherwise those of the format.
pub fn write<F: SparseTensor<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
    path: impl AsRef<Path>,
    tensor: &F,
) -> io::Result<()> {
    let path = path.as_ref();
    let refused = |why: &str| {
        let text = format!("{}: expected {why}", path.display());
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    };
    let format = FileFormat::of(path);
    match format {
        Some(FileFormat::Tns) => write_file(path, |writer| tns::write_tns_to(writer, tensor)),
        Some(FileFormat::MatrixMarket | FileFormat::Smtx) if N != 2 => {
            refused(&format!("the name of a format for {N} dims: `.tns`"))
        }
        Some(FileFormat::MatrixMarket) => write_file(path, |writer| write_matrix_market_to(writer, &AsMatrix(tensor))),
        Some(FileFormat::Smtx) => write_file(path, |writer| smtx::write_smtx_to(writer, &AsMatrix(tensor))),
        #[cfg(feature = "npz")]
        Some(FileFormat::Npz) => npz::write(path, tensor),
        #[cfg(feature = "npz")]
        Some(FileFormat::Binsparse) => npz::write_binsparse(path, tensor),
        #[cfg(not(feature = "npz"))]
        Some(FileFormat::Npz | FileFormat::Binsparse) => refused(FEATURE),
        None => refused(ENDINGS),
    }
}

/// A tensor of `N` dims as a source of a matrix, where `N` is known to be 2.
struct AsMatrix<'a, F, const N: usize>(&'a F);

/// Returns the coordinate of a matrix.
fn pair<const N: usize>(of: [usize; N]) -> [usize; 2] {
    [of[0], of[N - 1]]
}

impl<F: SparseTensor<N>, const N: usize> Source<2> for AsMatrix<'_, F, N> {
    type Scalar = F::Scalar;

    const HAS_DUPLICATES: bool = F::HAS_DUPLICATES;

    fn duplicates(&self) -> crate::source::Duplicates {
        self.0.duplicates()
    }

    fn shape(&self) -> [usize; 2] {
        pair(self.0.shape())
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn for_each(&self, mut visit: impl FnMut([usize; 2], Self::Scalar)) {
        self.0.for_each(|at, value| visit(pair(at), value));
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.0.borders(pieces)
    }

    fn for_each_between(&self, piece: std::ops::Range<usize>, mut visit: impl FnMut([usize; 2], Self::Scalar)) {
        self.0.for_each_between(piece, |at, value| visit(pair(at), value));
    }
}

#[cfg(feature = "npz")]
mod npz {
    use super::{InFile, ReadScalar, SparseTensor, WriteScalar};
    use crate::io::files::create;
    use crate::io::npz::{BinsparseFormat, Bytes, NpzKind, Number, Numbers, write_as, write_binsparse_with};
    use std::io;
    use std::path::Path;

    /// Converts the numbers of `.npz` files by the rules of text files: [`ReadScalar`] and [`WriteScalar`] say which fit.
    pub(super) struct OfFiles;

    impl<V: ReadScalar> Numbers<V> for OfFiles {
        const ACCEPTED: &'static str = V::EXPECTED;

        fn of(number: Number) -> Option<V> {
            V::of_npz(number)
        }
    }

    impl<V: WriteScalar> Bytes<V> for OfFiles {
        const DESCR: Option<&'static str> = V::NPZ;

        fn append(value: V, to: &mut Vec<u8>) {
            value.append_npz(to);
        }
    }

    pub(super) fn write<F: SparseTensor<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
        path: &Path,
        tensor: &F,
    ) -> io::Result<()> {
        let kind = NpzKind::nearest::<F>(&tensor.shape());
        create(path, |writer| write_as::<F, OfFiles, N>(writer, tensor, kind))
    }

    pub(super) fn write_binsparse<F: SparseTensor<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
        path: &Path,
        tensor: &F,
    ) -> io::Result<()> {
        let format = BinsparseFormat::nearest::<F>();
        create(path, |writer| {
            write_binsparse_with::<F, OfFiles, N>(writer, tensor, &format, None)
        })
    }
}
