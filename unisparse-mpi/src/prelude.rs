//! What most programs use: `use unisparse_mpi::prelude::*;`
//!
//! All of [`unisparse::prelude`], where the functions [`spmv`](fn@spmv) and [`spmm`](fn@spmm) are those of this crate. Those of one machine are
//! `unisparse::kernels::{spmv, spmm}`; the traits of these names, which are bounds in generic code, are still those of one machine.

pub use unisparse::prelude::*;

pub use crate::matrix::{Distributed, Setup};
pub use crate::partition::Partition;
pub use crate::product::{spmm, spmm_transposed, spmv, spmv_transposed};
pub use crate::spgemm::spgemm;
pub use crate::{DistributedMat, DistributedVec, World};
