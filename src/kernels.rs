//! The stock kernels.
//!
//! [`spmv`](fn@spmv) and [`spmm`](fn@spmm) work for every declared format of two dimensions, with nothing more written. The
//! others are declared for the stock formats named in their statements; a format of yours joins one with
//! `sparse_kernel! { impl unisparse::kernels::sddmm for MyFormat; }`. Sparse results come in any format that is asked for:
//!
//! ```
//! use unisparse::kernels::spgemm;
//! use unisparse::prelude::*;
//!
//! let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
//! let b: Csc<f64> = a.convert()?;
//! let c: Coo<f64> = spgemm(&a, &b)?;
//! assert_eq!(c.iter().collect::<Vec<_>>(), [([0, 0], 6.0), ([1, 1], 6.0)]);
//! # Ok::<(), unisparse::Error>(())
//! ```

#[allow(unused_imports)]
use crate::formats::*;

crate::__private::__stock_kernels! { {crate} }

crate::sparse_kernel! {
    /// Sparse matrix times sparse matrix.
    pub fn spgemm: C[i, j] = A[i, k] * B[k, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, B: Coo | Csr | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, C: _;

    /// The sum of two sparse matrices: where either is stored.
    pub fn add: C[i, j] = A[i, j] + B[i, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, B: Coo | Csr | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, C: _;

    /// The product of two sparse matrices, element by element: where both are stored.
    pub fn hadamard: C[i, j] = A[i, j] * B[i, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, B: Coo | Csr | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, C: _;

    /// A product of two dense matrices, row-major, sampled where `A` is stored and scaled by it.
    pub fn sddmm: S[i, j] = A[i, j] * P[i, k] * Q[k, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo, S: _;

    /// The transpose of a sparse matrix.
    pub fn transpose: B[j, i] = A[i, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo, B: _;

    /// The matricised tensor times the Khatri-Rao product of two dense matrices, added to what `M` holds: the step that
    /// CP decompositions repeat.
    pub fn mttkrp: M[i, r] += X[i, j, k] * B[j, r] * C[k, r] where X: Csf;

    /// Sparse tensor times dense vector, along the last dimension.
    pub fn ttv: Y[i, j] = X[i, j, k] * v[k] where X: Csf, Y: _;

    /// Sparse tensor times dense matrix, along the last dimension.
    pub fn ttm: Y[i, j, r] = X[i, j, k] * U[k, r] where X: Csf, Y: _;
}
