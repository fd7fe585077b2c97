//! Files of `scipy.sparse.save_npz`: a zip archive of NumPy arrays.
//!
//! `archive` is the archive, and `zip` one that is written; `npy` is the header of an array, `number` its elements, and `values` how
//! they become those of a tensor. `read` makes triplets of the arrays of each kind of matrix, `kind` chooses the kind in which a
//! format is written, and `arrays` makes its arrays. `binsparse` does the same for files of Binsparse.

mod archive;
mod arrays;
mod binsparse;
mod indices;
mod kind;
mod npy;
mod number;
mod read;
mod values;
mod write;
mod zip;

pub(super) use binsparse::write_as as write_binsparse_with;
pub use binsparse::{
    Binsparse, BinsparseFormat, BinsparseLevel, write_binsparse, write_binsparse_as, write_binsparse_to,
};
pub use kind::NpzKind;
pub use number::NpzScalar;
pub(super) use number::Number;
pub(super) use read::parse_as;
pub use read::{parse_npz, read_npz};
pub(super) use values::{Bytes, Numbers};
pub(super) use write::write_as;
pub use write::{write_npz, write_npz_as, write_npz_to};
