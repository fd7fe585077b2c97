//! Declare any sparse tensor format in two lines, and write a kernel once, as a tensor expression. The macros are a compiler
//! that runs inside `cargo build`: they generate structs, conversions between all formats, and loops.
//!
//! ```
//! use unisparse::prelude::*;
//!
//! sparse_format! {
//!     /// The diagonals that hold an element, each stored by row.
//!     pub format Diagonals = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }
//! }
//!
//! let near = |i: usize| (i.saturating_sub(1)..=(i + 1).min(3)).map(move |j| ([i, j], 1.0));
//! let a = Diagonals::try_from_triplets([4, 4], (0..4).flat_map(near))?;
//! assert_eq!(a.diag_idx(), [-1, 0, 1]);
//!
//! let mut y = [0.0; 4];
//! spmv(&mut y, &a, &[1.0, 2.0, 3.0, 4.0])?;
//! assert_eq!(y, [3.0, 6.0, 9.0, 7.0]);
//!
//! let rows: Csr<f64> = a.convert()?;
//! assert_eq!(rows.row_ptr(), [0, 2, 5, 8, 10]);
//! # Ok::<(), unisparse::Error>(())
//! ```
//!
//! `diag` and `row` are the levels of a tree in which the elements are stored, with the coordinates `j - i` and `i`. `trim`
//! keeps only the diagonals with an element, so their numbers are stored, in `diag_idx`.
//!
#![doc = include_str!("../docs/csr.svg")]
//!
//! Where to go from here:
//!
//! - [`guide`] has a [tutorial](guide::tutorial), pages for those who know [scipy](guide::scipy), [sprs](guide::sprs),
//!   [GraphBLAS](guide::graphblas), [TACO or Finch](guide::taco), a [cookbook of formats](guide::cookbook),
//!   [debugging](guide::debugging), and [when not to use this](guide::limits).
//! - [`language`] is a tutorial of both macros, then their reference.
//! - [`sparse_format!`] declares formats and hybrids. [`formats`] has the stock formats: each page shows its declaration, its
//!   levels and the arrays of an example.
//! - [`sparse_kernel!`] writes kernels. [`kernels`] has the stock kernels: each page shows its loops and their cost.
//!   [`kernel_text!`] gives the loops of any kernel as text.
//! - [`Triplets`] collects elements, [`TripletsView`] borrows them from arrays, [`io`] reads and writes files. All convert to
//!   every format.
//! - [`SparseTensor`] and [`Source`] are the traits for generic code. [`advise`](fn@advise) ranks formats for a tensor,
//!   [`plan()`] shows how a conversion works, [`Limit`] bounds padding.
#![forbid(unsafe_code)]

extern crate self as unisparse;

mod advise;
pub mod formats;
pub mod guide;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray", feature = "sprs"))]
pub mod interop;
pub mod kernels;
pub mod language;
pub mod prelude;
#[cfg(feature = "proptest")]
pub mod proptest;
mod tune;

pub use advise::advise;
pub use tune::{Tuner, tune};
pub use unisparse_rt::{
    Accumulator, Advice, Advisor, Bits, Calibration, Complex, Complex32, Complex64, Dense, DenseMut, Describe,
    Duplicates, Encoded, Encoding, Error, ErrorKind, Estimate, Explain, FromFloat, FromInteger, Index, Limit,
    LinearOperator, Magnitude, MatrixOperations, Narrow, Negate, Operations, Ordered, Padding, Pattern, Plan, Progress,
    Ranking, Scalar, Source, SparseTensor, Spy, Stored, Target, Trial, Triplets, TripletsView, Tuned, Use, ValueOf,
    Word, WordField, WordParts,
};
pub use unisparse_rt::{calibrate, io, observe, plan, set_reproducible};

#[cfg(feature = "half")]
pub use unisparse_rt::{bf16, f16};

#[cfg(feature = "pim")]
pub use unisparse_rt::pim;

#[cfg(feature = "cuda")]
pub use unisparse_rt::cuda;

#[cfg(feature = "hls")]
pub use unisparse_rt::hls;

/// What generated code calls. Exempt from semantic versioning.
#[doc(hidden)]
pub mod __private {
    pub use unisparse_macros::{
        __kernel_text, __kernel_text_join, __kernel_text_resume, __sparse_convert_resume, __sparse_format,
        __sparse_hybrid_resume, __sparse_kernel, __sparse_kernel_join, __sparse_kernel_resume, __stock_kernels,
    };
    pub use unisparse_rt::private::*;
}

/// Declares sparse tensor formats, each by an index map and the storage of its levels, and hybrids of formats.
///
/// ```
/// unisparse::sparse_format! {
///     /// Compressed sparse rows.
///     pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
///     /// Dense blocks of `R` by `C`, compressed by block row.
///     pub format Blocks<const R: usize = 2, const C: usize = 2> =
///         |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C)
///         { merge(brow, bcol); trim(bcol); }
/// }
/// let a = Blocks::<f64, 2, 2>::try_from_triplets([4, 4], [([0, 1], 5.0), ([3, 2], 7.0)])?;
/// assert_eq!((a.brow_ptr(), a.bcol_idx()), (&[0, 1, 2][..], &[0, 1][..]));
/// assert_eq!(a.values(), [0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// A query computes a number for each stored element. Levels may use queries, and a hybrid divides its elements by one:
///
/// ```
/// use unisparse::prelude::*;
/// sparse_format! {
///     /// The first element of each row, then the second of each.
///     pub format Slots = |i, j| (slot, row: i, col: j)
///         where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); }
///         { merge(slot); trim(slot); }
///     /// Short rows in slots, long ones compressed.
///     pub hybrid Rows = Csr + Slots split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
/// }
/// let arrow = (0..3).flat_map(|j| [([0, j], 1.0), ([j, 0], 2.0)]);
/// let a: Triplets<f64, 2> = Triplets::try_from_triplets([3, 3], arrow)?;
/// let (long, short) = Rows::split(&a, 2)?.into_parts();
/// assert_eq!((long.nnz(), short.slot_size()), (3, 1));
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// A declaration `format Name` becomes `struct Name<T, ..>`. It has constructors that check their input, accessors named after
/// its levels, conversions from and to every other format, and the stock kernels. A level that is not trimmed holds every
/// coordinate; a trimmed level holds only those below which an element is stored. `Name::<f64>::describe()` prints how each
/// level is stored, and why. A `hybrid Name` becomes a struct of its parts, with `split`.
///
/// The [tutorial](crate::language#tutorial) introduces the language, and the [reference](crate::language#formats) has all of it.
#[macro_export]
macro_rules! sparse_format {
    ($($tokens:tt)*) => { $crate::__private::__sparse_format! { {$crate} $($tokens)* } };
}

/// Writes kernels as tensor expressions, over any formats.
///
/// ```
/// use unisparse::prelude::*;
/// sparse_kernel! {
///     /// `y = alpha Aᵀ x`
///     pub fn transposed: y[j] = alpha * A[i, j] * x[i] where A: Csr | Bdia | Bcsr<2, 2>;
/// }
/// let a = Csr::try_from_triplets([2, 3], [([0, 2], 4.0), ([1, 0], 5.0)])?;
/// let mut y = [0.0; 3];
/// transposed(&mut y, 10.0, &a, &[1.0, 2.0])?;
/// assert_eq!(y, [100.0, 0.0, 40.0]);
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// The operands listed after `where` are sparse, the others are dense and in row-major order. Indices that are not on the left
/// are summed over. A kernel becomes a function that takes the output, then the inputs in order of appearance, and a trait of
/// the same name, for generic code. The [reference](crate::language#kernels) has operators, reductions, masks and sparse results.
#[macro_export]
macro_rules! sparse_kernel {
    ($($tokens:tt)*) => { $crate::__private::__sparse_kernel! { {$crate} $($tokens)* } };
}

/// What a kernel does over one choice of formats, as a `&'static str`.
///
/// ```
/// use unisparse::kernel_text;
/// use unisparse::kernels::spmv;
/// use unisparse::prelude::*;
///
/// const LOOPS: &str = kernel_text!(loops, spmv, A: Csr<f64>);
/// assert_eq!(LOOPS, "\
/// // y[i] = A[i, j] * x[j] where A: Csr
/// for row in 0..i_extent  // parallel: each iteration owns its elements of y
///   let sum = 0
///   for col_position in A.row_ptr[row]..A.row_ptr[row + 1]
///     let col = A.col_idx[col_position]
///     sum += A.values[col_position] * x[col]
///   y[row] = sum
/// ");
/// let c = kernel_text!(c, unisparse::kernels::spgemm, A: Csr<f32>, B: Bcsr<f32, 2, 2>);
/// assert!(c.contains("int spgemm_csr_bcsr_2_2_f32("));
/// ```
///
/// The first word chooses the text: `loops` is pseudo-code, `c` a file of C with one function and what it calls, `cuda` a file of
/// CUDA C++, `hls` (with the feature `hls`) a function for high-level synthesis. Then come the path of the kernel, and each sparse input with its format
/// and element type; `loops` does not need element types. Const parameters are given as integer literals; without them, the text
/// is for every value.
#[macro_export]
macro_rules! kernel_text {
    ($($tokens:tt)*) => { $crate::__private::__kernel_text! { {$crate} $($tokens)* } };
}

/// A kernel over one part of a partitioned format, as the program of a core that processes in memory: a [`pim::Kernel`].
///
/// ```
/// use unisparse::prelude::*;
/// use unisparse::pim::{self, Device};
///
/// let kernel = unisparse::pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, 2>);
/// let a = C2sr::<f32, 2>::try_from_triplets([3, 3], [([0, 1], 2.0), ([1, 0], 3.0), ([2, 2], 4.0)])?;
/// let run = pim::run(&Device::blimp(2), &kernel, &a, &[&[1.0, 10.0, 100.0]])?;
/// assert_eq!(run.y, [20.0, 3.0, 400.0]);
/// assert_eq!(run.report.loads(), [2, 1]);
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// First comes the path of the kernel, then its sparse input with its format, element type and const arguments.
#[cfg(feature = "pim")]
#[macro_export]
macro_rules! pim_kernel {
    ($($tokens:tt)*) => { $crate::__private::__kernel_text! { {$crate} cores, $($tokens)* } };
}

#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../docs/CUDA.md")]
struct Cuda;

#[cfg(all(doctest, feature = "hls"))]
#[doc = include_str!("../docs/HLS.md")]
struct Hls;

#[cfg(all(doctest, feature = "pim"))]
#[doc = include_str!("../docs/PIM.md")]
struct Pim;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
