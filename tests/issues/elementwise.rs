//! Elementwise statements: bugs of several systems.

use unisparse::formats::{Coo, Csc, Csf, Csr, Dcsr, Dia};
use unisparse::kernels::{add, hadamard};
use unisparse::prelude::*;

use super::nonzeros;

sparse_kernel! {
    fn at_most_zero: o[i, j] = i32::min(s[i, j], 0) where s: Dcsr;
    fn outer: o[i, j, k] = s[i, j] * d[k] where s: Coo;
    fn outer_sparse: O[i, j, k] = s[i, j] * d[k] where s: Coo, O: Csf;
    fn square: O[i, j] = m[i, j] * m[i, j] where m: Coo, O: Coo;
}

/// <https://github.com/llvm/llvm-project/issues/218097>: the least of an element and zero was not legalized.
#[test]
fn llvm_218097() {
    let s = [([0, 0], 4), ([0, 2], 9), ([0, 3], 4), ([1, 1], -1), ([1, 2], -9)];
    let s: Dcsr<i32> = Dcsr::try_from_triplets([2, 4], s).unwrap();
    let mut o = [7; 8];
    at_most_zero(&mut o, &s).unwrap();
    assert_eq!(o, [0, 0, 0, 0, 0, -1, -9, 0]);
}

/// <https://github.com/scipy/scipy/issues/13984>: a stored diagonal was too short for the sum of two matrices that are not
/// square.
#[test]
fn scipy_13984() {
    #[rustfmt::skip]
    let a: Dia<f64> = Dia::try_from_triplets([4, 6], [
        ([0, 0], -1.5), ([0, 1], 6.5), ([0, 3], 2.25), ([1, 0], 3.125), ([1, 1], -7.875), ([1, 2], 0.625), ([2, 2], -0.125),
        ([2, 3], 1.0), ([3, 2], 8.375),
    ]).unwrap();
    #[rustfmt::skip]
    let b: Dia<f64> = Dia::try_from_triplets([4, 6], [
        ([0, 0], 0.375), ([0, 4], -5.0), ([0, 5], 2.5), ([1, 0], 14.25), ([1, 1], -3.75), ([1, 4], -0.125), ([2, 1], 7.25),
        ([3, 0], 18.5), ([3, 1], -0.0625),
    ]).unwrap();
    let c: Dia<f64> = add(&a, &b).unwrap();
    #[rustfmt::skip]
    let expected = [
        ([0, 0], -1.125), ([0, 1], 6.5), ([0, 3], 2.25), ([0, 4], -5.0), ([0, 5], 2.5), ([1, 0], 17.375), ([1, 1], -11.625),
        ([1, 2], 0.625), ([1, 4], -0.125), ([2, 1], 7.25), ([2, 2], -0.125), ([2, 3], 1.0), ([3, 0], 18.5),
        ([3, 1], -0.0625), ([3, 2], 8.375),
    ];
    assert_eq!(nonzeros(&c), expected);
}

/// <https://github.com/scipy/scipy/issues/23321>: a product of two column formats had the number of pointers of
/// a row format.
#[test]
fn scipy_23321() {
    let a = [([0, 0], 1.0), ([0, 2], 2.0), ([1, 1], 3.0), ([1, 2], 4.0)];
    let b = [([0, 0], 5.0), ([0, 1], 6.0), ([1, 1], 7.0), ([1, 2], 8.0)];
    let a: Csc<f64> = Csc::try_from_triplets([2, 3], a).unwrap();
    let b: Csc<f64> = Csc::try_from_triplets([2, 3], b).unwrap();
    let c: Csc<f64> = hadamard(&a, &b).unwrap();
    assert_eq!(
        (c.col_ptr(), c.row_idx(), c.values()),
        (&[0, 1, 2, 3][..], &[0, 1, 1][..], &[5.0, 21.0, 32.0][..])
    );
}

/// <https://github.com/pytorch/pytorch/issues/188900>: a product of two tensors along different dims dropped slices.
#[test]
fn torch_188900() {
    let s: Coo<f64> = Coo::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap();
    let (d, mut dense) = ([1.0, 10.0, 100.0], [f64::NAN; 12]);
    outer(&mut dense, &s, &d).unwrap();
    assert_eq!(
        dense,
        [0.0, 0.0, 0.0, 2.0, 20.0, 200.0, 3.0, 30.0, 300.0, 0.0, 0.0, 0.0]
    );
    let sparse: Csf<f64> = outer_sparse(&s, &d).unwrap();
    #[rustfmt::skip]
    let expected = [
        ([0, 1, 0], 2.0), ([0, 1, 1], 20.0), ([0, 1, 2], 200.0), ([1, 0, 0], 3.0), ([1, 0, 1], 30.0), ([1, 0, 2], 300.0),
    ];
    assert_eq!(nonzeros(&sparse), expected);
}

/// <https://github.com/jax-ml/jax/issues/8889>: the square of a matrix with duplicates squared its parts, not their sum.
#[test]
fn jax_8889() {
    let m = [
        ([0, 1], 1.0),
        ([1, 0], 2.0),
        ([0, 1], 3.0),
        ([0, 2], 4.0),
        ([1, 0], 5.0),
        ([1, 2], 6.0),
    ];
    let m: Coo<f64> = Triplets::try_from_triplets([3, 3], m).unwrap().convert().unwrap();
    let expected = vec![([0, 1], 16.0), ([0, 2], 16.0), ([1, 0], 49.0), ([1, 2], 36.0)];
    let (read_twice, product): (Coo<f64>, Csr<f64>) = (square(&m).unwrap(), hadamard(&m, &m).unwrap());
    assert_eq!(
        (nonzeros(&read_twice), nonzeros(&product)),
        (expected.clone(), expected)
    );
}
