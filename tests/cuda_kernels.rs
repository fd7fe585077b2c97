//! Kernels as CUDA: over all stock formats, compiled with a stand-in for a device and run in three schedules, compared
//! with Rust bit for bit.
//!
//! All operands are small integers, so every sum is exact in every order and for every element type.

#[macro_use]
#[path = "cuda_kernels/calls.rs"]
mod calls;
#[allow(dead_code, reason = "the tests of C use the rest")]
#[path = "c_kernels/data.rs"]
mod data;
#[path = "cuda_kernels/gate.rs"]
mod gate;
#[path = "cuda_kernels/host.rs"]
mod host;
#[path = "c_kernels/members.rs"]
mod members;
#[macro_use]
#[path = "cuda_kernels/operands.rs"]
mod operands;
#[path = "cuda_kernels/program.rs"]
mod program;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "common/random.rs"]
mod random;
#[path = "c_kernels/results.rs"]
mod results;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "common/sample.rs"]
mod sample;

use unisparse::__private::c::{Allocation, Launch, When, Work};
use unisparse::prelude::*;

#[path = "cuda_kernels/faults.rs"]
mod faults;
#[path = "cuda_kernels/products.rs"]
mod products;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "common/shapes.rs"]
mod shapes;
#[path = "cuda_kernels/shared.rs"]
mod shared;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "common/skewed.rs"]
mod skewed;
#[path = "cuda_kernels/sparse.rs"]
mod sparse;
#[path = "cuda_kernels/statements.rs"]
mod statements;
#[path = "cuda_kernels/tables.rs"]
mod tables;

sparse_kernel! {
    pub fn sampled: D[i, j] = A[i, j] * P[i, k] * Q[k, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo;
    pub fn scattered: y[j] = A[i, j] * x[i]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo;
    pub fn relaxed: d[j] min= s[i] + A[i, j] where A: Csr | Bcsr | Csc | Coo | Dia;
    pub fn longest: t max= A[i, j] where A: Csr | Dia | Coo;
    pub fn frontier: next[j] |= front[i] & A[i, j] if !seen[j] where A: Csr | Ell | Coo;
    pub fn affine: y[i] = alpha * A[i, j] * x[j] + beta * z[i] where A: Csr | Cisr | Bcsr;
    pub fn dot: t = A[i, j] * B[i, j] where A: Csr | Cisr | BdiaCsr, B: Csr | Coo | Lil;
    pub fn both: D[i, j] = 2 * A[i, j] - B[i, j] where A: Csr | Csc | Dcsr, B: Csr | Coo;
    pub fn both_sparse: D[i, j] = A[i, j] + 2 * B[i, j] where A: Csr | Csc | Dcsr, B: Csr | Coo, D: Csr;
    pub fn product: C[i, j] = A[i, k] * B[k, j] where A: Csr | Csc | Bcsr | Coo, B: Csr | Dcsr | Bcsr, C: Csr;
    pub fn common: D[i, j] = A[i, j] * B[i, j] where A: Csr | Dcsr | Coo, B: Csr | Dia, D: Csr;
    pub fn sampled_sparse: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: Csr | Coo | Sell | Cisr, S: Csr;
    pub fn contracted: C[i, l] = A[i, j, k] * B[j, l] where A: Csf, B: Csr, C: Csr;
    pub fn triangles: t = L[i, j] * L[j, k] * L[i, k] where L: Csr | Dok;
}
