//! TACO, <https://github.com/tensor-compiler/taco>: products of several sparse matrices with sparse results, in many
//! combinations of formats.

use unisparse::formats::{Coo, Csc, Csr, Dcsr};
use unisparse::kernels::spgemm;
use unisparse::prelude::*;

use super::formats::Full;
use super::nonzeros;

sparse_kernel! {
    fn congruence: R[i, l] = A[j, i] * D[j, k] * A[k, l] where A: _, D: _, R: _;
    fn gram: R[i, k] = A[j, i] * A[j, k] where A: Csr | Csc | Dcsr | Coo, R: _;
    fn chain: R[i, l] = A[i, j] * B[j, k] * C[k, l] where A: _, B: _, C: _, R: _;
    fn transposed_sums: R[i, l] = (2 * A[k, i] + B[k, i]) * (3 * B[l, k] + C[k, l]) where A: _, B: _, C: _, R: _;
    fn sums: R[i, k] = (A[i, j] + B[i, j]) * (A[j, k] + B[j, k] + C[j, k]) where A: _, B: _, C: _, R: _;
    fn multiply: A[i, k] = B[i, j] * C[j, k] where B: Full | Csr | Csc | Coo, C: Full | Csr | Csc | Coo, A: _;
    impl congruence for A: Csr, D: Csr, R: Csr;
    impl congruence for A: Csc, D: Csc, R: Csc;
    impl congruence for A: Dcsr, D: Dcsr, R: Dcsr;
    impl congruence for A: Coo, D: Coo, R: Coo;
    impl chain for A: Csr, B: Csr, C: Csr, R: Csr;
    impl chain for A: Csc, B: Csc, C: Csc, R: Csc;
    impl chain for A: Dcsr, B: Dcsr, C: Dcsr, R: Dcsr;
    impl chain for A: Coo, B: Coo, C: Coo, R: Coo;
    impl transposed_sums for A: Csr, B: Csr, C: Csr, R: Csr;
    impl transposed_sums for A: Csc, B: Csc, C: Csc, R: Csc;
    impl transposed_sums for A: Dcsr, B: Dcsr, C: Dcsr, R: Dcsr;
    impl transposed_sums for A: Coo, B: Coo, C: Coo, R: Coo;
    impl sums for A: Csr, B: Csr, C: Csr, R: Csr;
    impl sums for A: Csc, B: Csc, C: Csc, R: Csc;
    impl sums for A: Dcsr, B: Dcsr, C: Dcsr, R: Dcsr;
    impl sums for A: Coo, B: Coo, C: Coo, R: Coo;
}

/// <https://github.com/tensor-compiler/taco/issues/121>: entries were misplaced, and pointers wrong, where the last rows
/// are empty.
#[test]
fn taco_121() {
    let b = Triplets::try_from_triplets([3, 4], [([0, 0], 1.0), ([1, 2], 2.0), ([1, 3], 3.0)]).unwrap();
    let c = Triplets::try_from_triplets([4, 2], [([0, 1], 4.0), ([1, 0], 5.0)]).unwrap();
    macro_rules! pairs {
        ($($left:ident * $right:ident),*) => {$({
            let (b, c): ($left<f64>, $right<f64>) = (b.convert().unwrap(), c.convert().unwrap());
            let rows: Csr<f64> = spgemm(&b, &c).unwrap();
            assert_eq!((rows.row_ptr(), rows.col_idx()), (&[0, 1, 1, 1][..], &[1][..]));
            assert_eq!(rows.values(), [4.0]);
        })*};
    }
    pairs!(
        Csr * Csr,
        Csr * Csc,
        Csr * Dcsr,
        Csc * Csr,
        Csc * Csc,
        Csc * Dcsr,
        Dcsr * Csr,
        Dcsr * Csc,
        Dcsr * Dcsr
    );
    let (b, c): (Csr<f64>, Csr<f64>) = (b.convert().unwrap(), c.convert().unwrap());
    let columns: Csc<f64> = spgemm(&b, &c).unwrap();
    assert_eq!((columns.col_ptr(), columns.row_idx()), (&[0, 0, 1][..], &[0][..]));
    let rows: Dcsr<f64> = spgemm(&b, &c).unwrap();
    assert_eq!(
        (rows.row_idx(), rows.row_ptr(), rows.col_idx()),
        (&[0][..], &[0, 1][..], &[1][..])
    );
}

/// The operands of <https://github.com/tensor-compiler/taco/issues/297>, whose sparse results came from wrong code.
fn operands() -> [Triplets<f64, 2>; 4] {
    let of = |elements: [([usize; 2], f64); 3]| Triplets::try_from_triplets([3, 3], elements).unwrap();
    let d = Triplets::try_from_triplets([3, 3], [([0, 0], 2.0), ([2, 2], -1.0)]).unwrap();
    [
        of([([0, 0], 1.0), ([0, 2], 2.0), ([2, 1], 3.0)]),
        of([([0, 1], 4.0), ([1, 1], 5.0), ([2, 0], 6.0)]),
        of([([0, 2], 1.0), ([1, 0], 2.0), ([2, 2], 3.0)]),
        d,
    ]
}

/// The result of a kernel of operands that all have one format, and so does the result, for each of four formats.
macro_rules! in_each_format {
    ($kernel:ident($($operand:ident),*), $expected:expr) => {
        in_each_format!(@ $kernel ($($operand),*) $expected; Csr, Csc, Dcsr, Coo)
    };
    (@ $kernel:ident $operands:tt $expected:expr; $($format:ident),*) => {
        $(in_each_format!(@@ $kernel $operands $expected; $format);)*
    };
    (@@ $kernel:ident ($($operand:ident),*) $expected:expr; $format:ident) => {{
        $(let $operand: $format<f64> = $operand.convert().unwrap();)*
        let found: $format<f64> = $kernel($(&$operand),*).unwrap();
        assert_eq!(nonzeros(&found), $expected, stringify!($format));
    }};
}

/// <https://github.com/tensor-compiler/taco/issues/297>, `AᵀDA`.
#[test]
fn taco_297_atda() {
    let [a, _, _, d] = operands();
    let expected = [
        ([0, 0], 2.0),
        ([0, 2], 4.0),
        ([1, 1], -9.0),
        ([2, 0], 4.0),
        ([2, 2], 8.0),
    ];
    in_each_format!(congruence(a, d), expected);
}

/// <https://github.com/tensor-compiler/taco/issues/297>, `AᵀA`.
#[test]
fn taco_297_ata() {
    let [a, ..] = operands();
    let expected = [
        ([0, 0], 1.0),
        ([0, 2], 2.0),
        ([1, 1], 9.0),
        ([2, 0], 2.0),
        ([2, 2], 4.0),
    ];
    in_each_format!(gram(a), expected);
}

/// <https://github.com/tensor-compiler/taco/issues/297>, `ABC`.
#[test]
fn taco_297_abc() {
    let [a, b, c, _] = operands();
    in_each_format!(chain(a, b, c), [([0, 0], 8.0), ([0, 2], 12.0), ([2, 0], 30.0)]);
}

/// <https://github.com/tensor-compiler/taco/issues/297>, `(2A + B)ᵀ(3Bᵀ + C)`.
#[test]
fn taco_297_sums_transposed() {
    let [a, b, c, _] = operands();
    let expected = [
        ([0, 2], 56.0),
        ([1, 0], 70.0),
        ([1, 1], 75.0),
        ([1, 2], 94.0),
        ([2, 2], 76.0),
    ];
    in_each_format!(transposed_sums(a, b, c), expected);
}

/// <https://github.com/tensor-compiler/taco/issues/297>, `(A + B)(A + B + C)`.
#[test]
fn taco_297_sums() {
    let [a, b, c, _] = operands();
    #[rustfmt::skip]
    let expected = [
        ([0, 0], 21.0), ([0, 1], 30.0), ([0, 2], 9.0), ([1, 0], 10.0), ([1, 1], 25.0), ([2, 0], 12.0), ([2, 1], 39.0),
        ([2, 2], 18.0),
    ];
    in_each_format!(sums(a, b, c), expected);
}

/// <https://github.com/tensor-compiler/taco/blob/master/test/tests-format-mm-permute.cpp>, a disabled test: many of the 64
/// combinations of dense, row, column and coordinate formats failed or did not compile.
#[test]
fn taco_mm_permute() {
    let b = [
        ([0, 0], 1.0),
        ([1, 0], 2.0),
        ([2, 0], 3.0),
        ([2, 1], 4.0),
        ([3, 2], 5.0),
    ];
    let b = Triplets::try_from_triplets([5, 5], b).unwrap();
    let expected = [
        ([0, 0], 1.0),
        ([1, 0], 2.0),
        ([2, 0], 11.0),
        ([3, 0], 15.0),
        ([3, 1], 20.0),
    ];
    macro_rules! left {
        ($($left:ident),*) => { $(right!($left; Full, Csr, Csc, Coo);)* };
    }
    macro_rules! right {
        ($left:ident; $($right:ident),*) => {$({
            let (left, right): ($left<f64>, $right<f64>) = (b.convert().unwrap(), b.convert().unwrap());
            let full: Full<f64> = multiply(&left, &right).unwrap();
            let rows: Csr<f64> = multiply(&left, &right).unwrap();
            let columns: Csc<f64> = multiply(&left, &right).unwrap();
            let coordinates: Coo<f64> = multiply(&left, &right).unwrap();
            let found = [nonzeros(&full), nonzeros(&rows), nonzeros(&columns), nonzeros(&coordinates)];
            for found in found {
                assert_eq!(found, expected, concat!(stringify!($left), " ", stringify!($right)));
            }
        })*};
    }
    left!(Full, Csr, Csc, Coo);
}
