//! Reads and writes tensors in common formats.
//!
//! | format | read | parse | write |
//! |---|---|---|---|
//! | the name of the file says it | [`read`] | | [`write()`] |
//! | Matrix Market `.mtx` | [`read_matrix_market`] | [`parse_matrix_market`] | [`write_matrix_market`] |
//! | FROSTT `.tns` | [`read_tns`] | [`parse_tns`] | [`write_tns`] |
//! | DLMC `.smtx` | [`read_smtx`] | [`parse_smtx`] | [`write_smtx`] |
#![cfg_attr(
    feature = "npz",
    doc = "| scipy `.npz` | [`read_npz`] | [`parse_npz`] | [`write_npz`] |
| Binsparse `.bsp.npz` | [`read_npz`] | [`parse_npz`] | [`write_binsparse`] |"
)]
#![cfg_attr(
    not(feature = "npz"),
    doc = "| scipy `.npz` and Binsparse `.bsp.npz`, with the feature `npz` | | | |"
)]
//!
//! `read_*` takes a path and names it in its errors; `parse_*` takes any [`Read`](std::io::Read),
//! which needs no buffer of its own. All of them decompress gzip, which they detect by its first two
//! bytes, never by the file's name; `write_*` compresses text if the name ends in `.gz`. [`observe`](crate::observe) reports the
//! progress of `read_*`, in bytes of the file, and of `write_*`. They read in one pass, and their memory is bounded by
//! the contents of the file, not by what its header promises. The calling thread reads and decompresses, and the threads of the
//! current `rayon` pool parse pieces of the text; `write_*` formats pieces on them likewise. Results, errors and texts do not depend on
//! the number of threads.
//!
//! The element type determines which numbers of the file it accepts, see [`ReadScalar`]: no number
//! is ever truncated, wrapped around or made infinite to fit. Every refusal is a [`ReadError`] with the line and
//! column at fault. Repeated entries become separate triplets, which are resolved by
//! [`Duplicates`](crate::Duplicates).
//!
//! ```
//! # use unisparse_rt as unisparse;
//! use unisparse::{Triplets, io};
//! let text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 4.0\n3 1 -1.5\n";
//! let matrix: Triplets<f64, 2> = io::parse_matrix_market(text.as_bytes())?;
//! assert_eq!(matrix.coordinates(), [[0, 0], [2, 0], [0, 2]]);
//!
//! let wrong = text.replace("3 1", "3 0");
//! let error = io::parse_matrix_market::<f64, _>(wrong.as_bytes()).unwrap_err().to_string();
//! assert_eq!(error, "line 4, column 3: found column index 0, expected one from 1 to 3");
//! # Ok::<(), io::ReadError>(())
//! ```

mod by_name;
mod decimal;
mod digits;
mod entries;
mod error;
mod fault;
mod files;
mod in_file;
mod in_order;
mod matrix_market;
#[cfg(feature = "npz")]
mod npz;
mod pieces;
mod plain;
mod scalar;
mod scanner;
mod smtx;
#[cfg(test)]
mod tests;
mod text;
mod tns;
mod write;

pub use by_name::{read, write};
pub use error::{ReadError, ReadErrorKind};
pub use in_file::InFile;
pub use matrix_market::{parse_matrix_market, read_matrix_market};
#[cfg(feature = "npz")]
pub use npz::{
    Binsparse, BinsparseFormat, BinsparseLevel, NpzKind, NpzScalar, parse_npz, read_npz, write_binsparse,
    write_binsparse_as, write_binsparse_to, write_npz, write_npz_as, write_npz_to,
};
pub use scalar::{ReadScalar, WriteScalar};
pub use smtx::{parse_smtx, read_smtx, write_smtx, write_smtx_to};
pub use tns::{parse_tns, read_tns, write_tns, write_tns_to};
pub use write::{write_matrix_market, write_matrix_market_to};

/// Maximum number of elements for which memory is reserved based on a header alone.
const TRUSTED_COUNT: usize = 1 << 16;

/// Number of bytes that an entry is expected to take, before the entries of a piece of a file are counted.
const BYTES_PER_ENTRY: usize = 16;
