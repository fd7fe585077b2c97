//! What most programs use: `use unisparse::prelude::*;`

pub use crate::formats::*;
// Not the macros of that name: a kernel of the user's may be called so, and formats join it.
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray", feature = "sprs"))]
pub use crate::interop::{IntoFormat, ToForeign};
pub use crate::kernels::items::{spmm, spmv};
#[cfg(feature = "hls")]
pub use crate::kernels::items::{spmm_hls, spmv_hls};
#[cfg(feature = "cuda")]
pub use crate::kernels::items::{spmm_on, spmv_on};
pub use crate::{
    Duplicates, Error, Limit, MatrixOperations, Operations, Scalar, Source, SparseTensor, Stored, Triplets, ValueOf,
    sparse_format, sparse_kernel,
};
