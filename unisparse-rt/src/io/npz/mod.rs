//! Files of `scipy.sparse.save_npz`: a zip archive of NumPy arrays.
//!
//! `archive` is the archive, `npy` the header of an array, `number` its elements. `read` makes triplets of the arrays of each kind
//! of matrix, `kind` chooses the kind in which a format is written, and `arrays` makes its arrays.

mod archive;
mod arrays;
mod kind;
mod npy;
mod number;
mod read;
mod write;

pub use kind::NpzKind;
pub use number::NpzScalar;
pub(super) use number::Number;
pub(super) use read::{Numbers, parse_as};
pub use read::{parse_npz, read_npz};
pub(super) use write::{Bytes, write_as};
pub use write::{write_npz, write_npz_as, write_npz_to};
