//! Declare any sparse tensor format in two lines, write a kernel once; both are compiled inside
//! `cargo build` to structs, conversions and loops with nothing left to decide at run time.
//!
//! ```
//! use unisparse::prelude::*;
//!
//! sparse_format! {
//!     /// Diagonals that hold an element.
//!     pub format Diagonals = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }
//! }
//!
//! let tridiagonal = (0..4usize).flat_map(|i| (i.saturating_sub(1)..=(i + 1).min(3)).map(move |j| ([i, j], 1.0)));
//! let a = Diagonals::try_from_triplets([4, 4], tridiagonal)?;
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
//! - [`sparse_format!`] declares formats, [`sparse_kernel!`] writes kernels; `docs/LANGUAGE.md` in the
//!   repository is their reference.
//! - [`formats`] has the stock formats, [`kernels`] the stock kernels, [`io`] the readers.
//! - [`Triplets`] is the builder that everything is converted from; [`SparseTensor`] and [`Source`] are for
//!   generic code; [`Limit`] guards against padding.
#![forbid(unsafe_code)]

extern crate self as unisparse;

mod advise;
pub mod formats;
pub mod kernels;
pub mod prelude;

pub use advise::advise;
pub use unisparse_rt::{
    Accumulator, Advice, Advisor, Complex, Complex32, Complex64, Dense, DenseMut, Describe, Duplicates, Encoded,
    Encoding, Error, ErrorKind, Estimate, Explain, FromFloat, FromInteger, Index, Limit, Narrow, Negate, Ordered,
    Padding, Pattern, Plan, Progress, Ranking, Scalar, Source, SparseTensor, Stored, Triplets, TripletsView, ValueOf,
};
pub use unisparse_rt::{io, observe, plan, set_reproducible};

#[cfg(feature = "half")]
pub use unisparse_rt::{bf16, f16};

/// What expansions call. Exempt from semantic versioning.
#[doc(hidden)]
pub mod __private {
    pub use unisparse_macros::{
        __kernel_text, __kernel_text_join, __kernel_text_resume, __sparse_convert_resume, __sparse_format,
        __sparse_hybrid_resume, __sparse_kernel, __sparse_kernel_join, __sparse_kernel_resume, __stock_kernels,
    };
    pub use unisparse_rt::private::*;
}

/// Declares sparse tensor formats: an index map, and how its levels are stored; and hybrids of them.
///
/// ```
/// unisparse::sparse_format! {
///     /// Compressed sparse rows.
///     pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
///     /// Dense blocks of `R` by `C`, compressed by block row.
///     pub format Blocks<const R: usize = 2, const C: usize = 2> =
///         |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
/// }
/// let a = Blocks::<f64, 2, 2>::try_from_triplets([4, 4], [([0, 1], 5.0), ([3, 2], 7.0)])?;
/// assert_eq!((a.brow_ptr(), a.bcol_idx()), (&[0, 1, 2][..], &[0, 1][..]));
/// assert_eq!(a.values(), [0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// Queries of the stored elements make levels that depend on the data, and divide the elements of a hybrid:
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
/// let a: Triplets<f64, 2> = Triplets::try_from_triplets([3, 3], (0..3).flat_map(|j| [([0, j], 1.0), ([j, 0], 2.0)]))?;
/// let (long, short) = Rows::split(&a, 2)?.into_parts();
/// assert_eq!((long.nnz(), short.slot_size()), (3, 1));
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// A declaration `format Name` becomes `struct Name<T, ..>` with constructors that check everything,
/// accessors named after its levels, conversion from and to every other format, and the stock kernels.
/// Levels that are not trimmed hold every coordinate, trimmed ones only those that lead to an element;
/// `Name::<f64>::describe()` prints how each is stored, and why. A `hybrid Name` becomes a struct of its parts, with
/// `split`. See `docs/LANGUAGE.md`.
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
/// The operand of the `where` clause is sparse, the others are dense and in row-major order; indices that are
/// not on the left are summed over. The function takes the output, then the inputs in order of appearance.
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
/// First which text: `loops` is pseudo-code, `c` a file of C with one function and what it calls. Then the kernel's path, and
/// the format of each sparse input with its element type. `loops` can do without element types. Const parameters are integer
/// literals; without them the text is for every value.
#[macro_export]
macro_rules! kernel_text {
    ($($tokens:tt)*) => { $crate::__private::__kernel_text! { {$crate} $($tokens)* } };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/LANGUAGE.md")]
struct Language;
