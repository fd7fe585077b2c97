//! Sparse tensors in any declared format over the machines of an MPI run.
//!
//! ```no_run
//! use unisparse_mpi::prelude::*;
//!
//! let world = unisparse_mpi::initialize()?;
//! let a: Distributed<Bdia<f64>> = Distributed::read_matrix_market(&world, "a.mtx")?; // each rank reads its part
//! let x = DistributedVec::from_fn(&world, a.columns(), |i| i as f64);
//! let mut y = DistributedVec::zeros(&world, a.rows());
//! spmv(&mut y, &a, &x)?; // the halo is exchanged while the own part is computed
//! println!("{}", y.norm());
//! # Ok::<(), unisparse_mpi::Error>(())
//! ```
//!
//! Rows and columns are divided among the ranks in contiguous blocks, see [`Partition`]; [`Distributed`] says how a matrix is
//! stored, [`DistributedVec`] and [`DistributedMat`] are its dense operands. A call that can fail on one rank fails on all, with
//! the [`Error`] of the lowest rank that failed. docs/MPI.md says how to install MPI and to run a program.
//!
//! Operands of one machine and distributed ones do not mix:
//!
//! ```compile_fail,E0277
//! use unisparse_mpi::prelude::*;
//! # fn example(a: &Distributed<Csr<f64>>, x: &[f64], y: &mut [f64]) {
//! unisparse::kernels::spmv(y, a, x); // not a format of this kernel
//! # }
//! ```
#![forbid(unsafe_code)]

mod dense;
mod element;
mod error;
mod matrix;
mod message;
mod partition;
mod plan;
pub mod prelude;
mod product;
mod spgemm;
mod tuned;
mod world;

pub use dense::{DistributedMat, DistributedVec};
pub use element::Element;
pub use error::{Error, ErrorKind};
pub use matrix::{Distributed, Setup};
pub use partition::Partition;
pub use plan::{Network, Plan, Prediction, RankPlan};
pub use product::{spmm, spmm_transposed, spmv, spmv_transposed};
pub use spgemm::spgemm;
pub use tuned::TunedProduct;
pub use world::{World, initialize};

#[cfg(doctest)]
#[doc = include_str!("../../docs/MPI.md")]
struct Guide;
