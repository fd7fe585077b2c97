//! Products and conversions of several systems: LLVM's sparse compiler, SciPy, PyTorch, PyData, CuPy, GraphBLAS, ojAlgo.

use unisparse::formats::{Bcsr, Coo, Csc, Csr};
use unisparse::kernels::{sddmm, spgemm, spmv};
use unisparse::prelude::*;
use unisparse::{Stored, TripletsView};

use super::formats::{CooColumns, RowPairs};
use super::{is_close, nonzeros};

sparse_kernel! {
    fn row_of: s[k] = C[i, k] * e[i] where C: Csr;
    fn sampled: O[i, j] = 0.2 * S[i, j] + S[i, j] * P[i, k] * Q[k, j] where S: Csr, O: Csr;
    fn from_left: v[j] += w[i] * A[i, j] where A: Csr;
}

/// <https://github.com/llvm/llvm-project/issues/225249>: the inverse of an index map swapped coordinates silently, so that
/// a matrix was not the same after two conversions.
#[test]
fn llvm_225249() {
    let a = [([0, 0], 1.0), ([3, 0], 2.0), ([1, 1], 3.0), ([2, 2], 4.0)];
    let a: Csr<f64> = Csr::try_from_triplets([4, 3], a).unwrap();
    let pairs: RowPairs<f64> = a.convert().unwrap();
    assert_eq!(
        (pairs.pair_idx(), pairs.half_idx()),
        (&[0, 1, 0, 1][..], &[0, 1, 1, 0][..])
    );
    assert_eq!(pairs.convert::<Csr<f64>>().unwrap(), a);
}

/// <https://github.com/llvm/llvm-project/issues/204290>: a product that is sampled into blocks crashed the compiler.
#[test]
fn llvm_204290() {
    let p = [([0, 0], 1.0), ([1, 1], 1.0), ([2, 3], 1.0)];
    let p: Bcsr<f64, 2, 2> = Bcsr::try_from_triplets([4, 4], p).unwrap();
    let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let b = [1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0, 3.0];
    let s: Bcsr<f64, 2, 2> = sddmm(&p, &a, &b).unwrap();
    assert_eq!(nonzeros(&s), [([0, 0], 1.0), ([1, 1], 4.0), ([2, 3], 23.0)]);
}

/// <https://github.com/pydata/sparse/issues/607>: rows of a product were not in order, and a row that was cut out of it
/// wrong.
#[test]
fn pydata_607() {
    let a = [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 1.0), ([1, 1], 2.0)];
    let b = (0..6).map(|at| ([at / 3, at % 3], (at + 1) as f64));
    let a = Triplets::try_from_triplets([2, 2], a).unwrap();
    let b = Triplets::try_from_triplets([2, 3], b).unwrap();
    let (rows, coordinates): (Csr<f64>, Coo<f64>) = (a.convert().unwrap(), a.convert().unwrap());
    let c: Csr<f64> = spgemm(&rows, &b.convert::<Csr<f64>>().unwrap()).unwrap();
    let of_coordinates: Csr<f64> = spgemm(&coordinates, &b.convert::<Coo<f64>>().unwrap()).unwrap();
    assert_eq!(
        (c.col_idx(), c.values()),
        (&[0, 1, 2, 0, 1, 2][..], &[9.0, 12.0, 15.0, 9.0, 12.0, 15.0][..])
    );
    assert_eq!(of_coordinates, c);
    let mut s = [f64::NAN; 3];
    row_of(&mut s, &c, &[0.0, 1.0]).unwrap();
    assert_eq!(s, [9.0, 12.0, 15.0]);
}

/// <https://github.com/scipy/scipy/issues/21327>: the columns in the rows of a product were not in order.
#[test]
#[expect(clippy::approx_constant, reason = "the report has 3.14")]
fn scipy_21327() {
    let a = [
        ([0, 0], 0.01),
        ([0, 1], 0.2),
        ([1, 1], 0.001),
        ([2, 0], 4.0),
        ([2, 1], 0.2),
        ([2, 2], 5.0),
    ];
    let b = [0.0005, -0.118, 3.14, 0.005, 0.0012, -0.03, 15.0, 0.0005, 0.0001];
    let b = b.into_iter().enumerate().map(|(at, value)| ([at / 3, at % 3], value));
    let a: Csr<f64> = Csr::try_from_triplets([3, 3], a).unwrap();
    let b: Csr<f64> = Csr::try_from_triplets([3, 3], b).unwrap();
    let c: Csr<f64> = spgemm(&a, &b).unwrap();
    let expected = [
        0.001005, -0.00094, 0.0254, 5e-6, 1.2e-6, -3e-5, 75.003, -0.46926, 12.5545,
    ];
    assert_eq!(c.row_ptr(), [0, 3, 6, 9]);
    assert_eq!(c.col_idx(), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    for (&found, expected) in c.values().iter().zip(expected) {
        assert!(is_close(found, expected), "{found} {expected}");
    }
}

/// <https://github.com/pytorch/pytorch/issues/90836>: a product without elements failed.
#[test]
fn torch_90836() {
    let x: Csr<f64> = Csr::try_from_triplets([2, 4], [[0, 0], [0, 1], [1, 0], [1, 1]].map(|at| (at, 1.0))).unwrap();
    let y: Csr<f64> = Csr::try_from_triplets([4, 2], [[2, 0], [2, 1], [3, 0], [3, 1]].map(|at| (at, 1.0))).unwrap();
    let o: Csr<f64> = spgemm(&x, &y).unwrap();
    assert_eq!((o.shape(), o.row_ptr(), o.nnz()), ([2, 2], &[0, 0, 0][..], 0));
}

/// <https://github.com/pytorch/pytorch/issues/90693>: extents of zero were an error.
#[test]
fn torch_90693() {
    let a: Csr<f64> = Csr::try_from_triplets([0, 10], []).unwrap();
    let b: Csr<f64> = Csr::try_from_triplets([10, 0], []).unwrap();
    let (inner, outer): (Csr<f64>, Csr<f64>) = (spgemm(&a, &b).unwrap(), spgemm(&b, &a).unwrap());
    assert_eq!((inner.shape(), inner.row_ptr(), inner.nnz()), ([0, 0], &[0][..], 0));
    assert_eq!(
        (outer.shape(), outer.row_ptr(), outer.nnz()),
        ([10, 10], &[0; 11][..], 0)
    );
}

/// <https://github.com/pytorch/pytorch/issues/85169>: where the inner extent is zero, what the product is added to was not
/// scaled.
#[test]
fn torch_85169() {
    let s: Csr<f64> = Csr::try_from_triplets([5, 5], (0..5).map(|i| ([i, i], 1.0))).unwrap();
    let o: Csr<f64> = sampled(&s, &[], &[]).unwrap();
    assert_eq!(
        o.iter().collect::<Vec<_>>(),
        (0..5).map(|i| ([i, i], 0.2)).collect::<Vec<_>>()
    );
}

/// <https://github.com/cupy/cupy/pull/3620>: coordinates in the order of columns went to a kernel for those in the order of
/// rows, which gave [1, 1, 2].
#[test]
fn cupy_3620() {
    let (rows, cols, values) = ([0, 1, 2, 1, 2, 2], [0, 0, 0, 1, 1, 2], [1.0; 6]);
    let a = TripletsView::try_new([3, 3], [&rows, &cols], &values).unwrap();
    let (by_rows, by_columns): (Coo<f64>, CooColumns<f64>) = (a.convert().unwrap(), a.convert().unwrap());
    assert_eq!(by_columns.row_idx(), [0, 1, 2, 1, 2, 2]);
    let (mut of_rows, mut of_columns) = ([f64::NAN; 3], [f64::NAN; 3]);
    spmv(&mut of_rows, &by_rows, &[1.0; 3]).unwrap();
    spmv(&mut of_columns, &by_columns, &[1.0; 3]).unwrap();
    assert_eq!((of_rows, of_columns), ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]));
}

/// An integer of 64 bits that kernels read as a float.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Whole(i64);

impl Stored for Whole {
    type Value = f64;
    const FILL: Self = Whole(0);
    const UNIT: Self = Whole(1);

    fn value(self) -> f64 {
        self.0 as f64
    }
}

/// <https://github.com/DrTimothyAldenDavis/GraphBLAS/issues/244>: a product of integers and floats left the output as it
/// was.
#[test]
fn graphblas_244() {
    let a = [
        ([0, 1], 3),
        ([1, 0], 3),
        ([1, 2], 2),
        ([2, 1], 2),
        ([2, 3], 2),
        ([3, 2], 2),
    ];
    let a: Csr<Whole> = Csr::try_from_triplets([4, 4], a.map(|(at, value)| (at, Whole(value)))).unwrap();
    let mut v = [0.25; 4];
    from_left(&mut v, &[0.070833, 0.0425, 0.053125, 0.10625], &a).unwrap();
    for (found, expected) in v.into_iter().zip([0.3775, 0.568749, 0.5475, 0.35625]) {
        assert!(is_close(found, expected), "{found} {expected}");
    }
}

/// <https://github.com/optimatika/ojAlgo/issues/55>: the last element of a column was ignored.
#[test]
fn ojalgo_55() {
    let a: Csc<f64> = Csc::try_from_triplets([3, 2], [([0, 0], 1.0)]).unwrap();
    let identity: Csc<f64> = Csc::try_from_triplets([2, 2], [([0, 0], 1.0), ([1, 1], 1.0)]).unwrap();
    let c: Csc<f64> = spgemm(&a, &identity).unwrap();
    assert_eq!(
        (c.col_ptr(), c.row_idx(), c.values()),
        (&[0, 1, 1][..], &[0][..], &[1.0][..])
    );
}
