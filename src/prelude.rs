//! What most programs use: `use unisparse::prelude::*;`

pub use crate::formats::*;
pub use crate::kernels::{spmm, spmv};
pub use crate::{Duplicates, Error, Limit, Scalar, Source, SparseTensor, Triplets, sparse_format, sparse_kernel};
