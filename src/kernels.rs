//! The stock kernels.
//!
//! [`spmv`](fn@spmv) and [`spmm`](fn@spmm) work for every declared format of two dims, with nothing more written. The
//! others are declared for the stock formats named in their statements; a format of yours joins one with
//! `sparse_kernel! { impl unisparse::kernels::sddmm for MyFormat; }`. Sparse results come in any format that the caller names:
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
//!
//! | you want | kernel |
//! |---|---|
//! | `y = A x`, `C = A B` with a dense `B` | [`spmv`](fn@spmv), [`spmm`](fn@spmm) |
//! | `A B`, `A + B`, their product element by element, all sparse | [`spgemm`](fn@spgemm), [`add`](fn@add), [`hadamard`](fn@hadamard) |
//! | `Aᵀ` | [`transpose`](fn@transpose); [`into_transposed`](crate::MatrixOperations::into_transposed) moves the arrays where it can |
//! | a dense product where `A` is stored | [`sddmm`](fn@sddmm) |
//! | products with a tensor of three dims | [`mttkrp`](fn@mttkrp), [`ttv`](fn@ttv), [`ttm`](fn@ttm) |
//! | diagonals, sums of rows, norms, slices, stacking | methods of [`MatrixOperations`](crate::MatrixOperations) and [`Operations`](crate::Operations) |
//! | anything else | one line of [`sparse_kernel!`](crate::sparse_kernel) |
//!
//! The page of each function has its operands with the formats that they may have, its loops and their cost. The trait of the
//! same name is for generic code:
//!
//! ```
//! use unisparse::prelude::*;
//!
//! fn dot(a: &[f64], b: &[f64]) -> f64 {
//!     a.iter().zip(b).map(|(a, b)| a * b).sum()
//! }
//!
//! /// Solves `A x = b` by conjugate gradients: `A` is symmetric and positive definite, in any format.
//! fn cg<A: spmv<Scalar = f64>>(a: &A, b: &[f64], tolerance: f64) -> Result<Vec<f64>, Error> {
//!     let (mut x, mut q) = (vec![0.0; b.len()], vec![0.0; b.len()]);
//!     let (mut r, mut p) = (b.to_vec(), b.to_vec());
//!     let mut norm = dot(&r, &r);
//!     while norm.sqrt() > tolerance {
//!         spmv(&mut q, a, &p)?;
//!         let step = norm / dot(&p, &q);
//!         for i in 0..b.len() {
//!             x[i] += step * p[i];
//!             r[i] -= step * q[i];
//!         }
//!         let before = norm;
//!         norm = dot(&r, &r);
//!         for i in 0..b.len() {
//!             p[i] = r[i] + norm / before * p[i];
//!         }
//!     }
//!     Ok(x)
//! }
//!
//! let elements = [([0, 0], 4.0), ([0, 1], 1.0), ([1, 0], 1.0), ([1, 1], 3.0)];
//! let a = Csr::try_from_triplets([2, 2], elements)?;
//! let x = cg(&a, &[1.0, 2.0], 1e-9)?;
//! assert!((x[0] - 1.0 / 11.0).abs() < 1e-9 && (x[1] - 7.0 / 11.0).abs() < 1e-9);
//! assert_eq!(cg(&a.convert::<Bcsr<f64, 2, 2>>()?, &[1.0, 2.0], 1e-9)?.len(), 2);
//! # Ok::<(), Error>(())
//! ```

#[allow(unused_imports)]
use crate::formats::*;

crate::__private::__stock_kernels! { {crate} }

crate::sparse_kernel! {
    /// Sparse matrix times sparse matrix.
    ///
    /// ```
    /// use unisparse::kernels::spgemm;
    /// use unisparse::prelude::*;
    ///
    /// let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let c: Csr<f64> = spgemm(&a, &a)?;
    /// assert_eq!(c.iter().collect::<Vec<_>>(), [([0, 0], 6.0), ([1, 1], 6.0)]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    #[target(cuda)]
    pub fn spgemm: C[i, j] = A[i, k] * B[k, j]
        where A: Csr | Coo | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, B: Csr | Coo | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, C: _;

    /// The sum of two sparse matrices: where either is stored.
    ///
    /// ```
    /// use unisparse::kernels::add;
    /// use unisparse::prelude::*;
    ///
    /// let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let b = Coo::try_from_triplets([2, 2], [([0, 1], 5.0), ([1, 1], 7.0)])?;
    /// let c: Csr<f64> = add(&a, &b)?;
    /// assert_eq!(c.iter().collect::<Vec<_>>(), [([0, 1], 7.0), ([1, 0], 3.0), ([1, 1], 7.0)]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    #[target(cuda)]
    pub fn add: C[i, j] = A[i, j] + B[i, j]
        where A: Csr | Coo | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, B: Csr | Coo | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, C: _;

    /// The product of two sparse matrices, element by element: where both are stored.
    ///
    /// ```
    /// use unisparse::kernels::hadamard;
    /// use unisparse::prelude::*;
    ///
    /// let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)])?;
    /// let b = Coo::try_from_triplets([2, 2], [([0, 1], 5.0), ([1, 1], 7.0)])?;
    /// let c: Csr<f64> = hadamard(&a, &b)?;
    /// assert_eq!(c.iter().collect::<Vec<_>>(), [([0, 1], 10.0)]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    #[target(cuda)]
    pub fn hadamard: C[i, j] = A[i, j] * B[i, j]
        where A: Csr | Coo | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, B: Csr | Coo | Csc | Dcsr | Dcsc | Bcsr | Dia | Ell, C: _;

    /// A product of two dense matrices, row-major, sampled where `A` is stored and scaled by it.
    ///
    /// ```
    /// use unisparse::kernels::sddmm;
    /// use unisparse::prelude::*;
    ///
    /// let a = Csr::try_from_triplets([2, 2], [([0, 1], 2.0)])?;
    /// let (p, q) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
    /// let s: Csr<f64> = sddmm(&a, &p, &q)?;
    /// assert_eq!(s.iter().collect::<Vec<_>>(), [([0, 1], 2.0 * (1.0 * 6.0 + 2.0 * 8.0))]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    #[target(cuda)]
    pub fn sddmm: S[i, j] = A[i, j] * P[i, k] * Q[k, j]
        where A: Csr | Coo | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo, S: _;

    /// The transpose of a sparse matrix.
    ///
    /// ```
    /// use unisparse::kernels::transpose;
    /// use unisparse::prelude::*;
    ///
    /// let a = Csr::try_from_triplets([2, 3], [([0, 2], 2.0)])?;
    /// let b: Csr<f64> = transpose(&a)?;
    /// assert_eq!(b.iter().collect::<Vec<_>>(), [([2, 0], 2.0)]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    pub fn transpose: B[j, i] = A[i, j]
        where A: Csr | Coo | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo, B: _;

    /// The matricised tensor times the Khatri-Rao product of two dense matrices, added to what `M` holds: the step that
    /// CP decompositions repeat.
    ///
    /// ```
    /// use unisparse::kernels::mttkrp;
    /// use unisparse::prelude::*;
    ///
    /// let x = Csf::try_from_triplets([1, 2, 2], [([0, 0, 1], 2.0), ([0, 1, 0], 3.0)])?;
    /// let mut m = [100.0];
    /// mttkrp(&mut m, &x, &[1.0, 2.0], &[10.0, 20.0])?;
    /// assert_eq!(m, [100.0 + 2.0 * 1.0 * 20.0 + 3.0 * 2.0 * 10.0]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    #[target(cuda)]
    pub fn mttkrp: M[i, r] += X[i, j, k] * B[j, r] * C[k, r] where X: Csf;

    /// Sparse tensor times dense vector, along the last dim.
    ///
    /// ```
    /// use unisparse::kernels::ttv;
    /// use unisparse::prelude::*;
    ///
    /// let x = Csf::try_from_triplets([1, 2, 2], [([0, 0, 1], 2.0), ([0, 1, 0], 3.0)])?;
    /// let y: Csr<f64> = ttv(&x, &[10.0, 20.0])?;
    /// assert_eq!(y.iter().collect::<Vec<_>>(), [([0, 0], 40.0), ([0, 1], 30.0)]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    #[target(cuda)]
    pub fn ttv: Y[i, j] = X[i, j, k] * v[k] where X: Csf, Y: _;

    /// Sparse tensor times dense matrix, along the last dim.
    ///
    /// ```
    /// use unisparse::kernels::ttm;
    /// use unisparse::prelude::*;
    ///
    /// let x = Csf::try_from_triplets([1, 1, 2], [([0, 0, 1], 2.0)])?;
    /// let y: Csf<f64> = ttm(&x, &[1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(y.iter().collect::<Vec<_>>(), [([0, 0, 0], 6.0), ([0, 0, 1], 8.0)]);
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    pub fn ttm: Y[i, j, r] = X[i, j, k] * U[k, r] where X: Csf, Y: _;
}
