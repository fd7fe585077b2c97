//! Finch, <https://github.com/finch-tensor/Finch.jl/blob/main/test/suites/issue_tests.jl>: the tests of its fixed issues, by
//! number. Every case of this file has its source there.

use unisparse::Pattern;
use unisparse::formats::{Csc, Csr, Dcsc, Dcsr, Dok};
use unisparse::kernels::add;
use unisparse::prelude::*;

use super::formats::{Full, FullVector, Vector};
use super::{nonzeros, of_dense};

sparse_kernel! {
    fn least_pairs: y = f64::min(x[i], x[j]) where x: Vector | FullVector;
    fn three_or_less_one: y = 4 * x[i] - u[i] where x: Vector;
    fn least: T[i, j] = 0.5 * X[i, j] + 0.5 * A[i, j] - 0.5 * f64::abs(X[i, j] - A[i, j])
        where X: Dcsr, A: Dcsr, T: Dcsr;
    fn accumulate: E[i, j] += A[i, j] where A: Csc;
    fn copied: D[i, j] = E[i, j] where E: Csr | Dok, D: Csr;
    fn guarded: x = A[i, j] if M[i, j] where A: Full | Csr | Csc, M: Csr;
    fn spread: O[m, x] += P[x] * K[m, y] where P: Vector;
    fn times_transposed: O[i, k] = A[i, j] * B[k, j] where A: Dcsc, B: Dcsc, O: _;
    fn upper: y[i] += A[i, j] * x[j] where A: Csr | Csc;
    fn lower: y[j] += A[i, j] * x[i] if !D[i, j] where A: Csr | Csc, D: Csr;
}

/// #51: two reads of one vector under two indices gave a wrong sum.
#[test]
fn finch_51() {
    let x = Triplets::try_from_triplets([3], [([0], 1.0), ([1], 2.0), ([2], 3.0)]).unwrap();
    let (sparse, full): (Vector<f64>, FullVector<f64>) = (x.convert().unwrap(), x.convert().unwrap());
    assert_eq!(
        (least_pairs(&sparse).unwrap(), least_pairs(&full).unwrap()),
        (14.0, 14.0)
    );
}

/// #53: a vector of a pattern alone, without values, gave a wrong sum.
#[test]
fn finch_53() {
    let x = [0, 2, 6, 7].map(|i| ([i], Pattern::<f64>::new()));
    let x: Vector<Pattern<f64>> = Vector::try_from_triplets([10], x).unwrap();
    assert_eq!(three_or_less_one(&x, &[1.0; 10]).unwrap(), 6.0);
}

/// #101: the least of two matrices depended on their order where one of them is empty.
#[test]
fn finch_101() {
    let elements = (1..4).flat_map(|i| (0..4).map(move |j| ([i, j], -(i as f64))));
    let a: Dcsr<f64> = Dcsr::try_from_triplets([4, 4], elements.clone()).unwrap();
    let x: Dcsr<f64> = Dcsr::try_from_triplets([4, 4], []).unwrap();
    let expected: Vec<_> = elements.collect();
    let (one, other): (Dcsr<f64>, Dcsr<f64>) = (least(&x, &a).unwrap(), least(&a, &x).unwrap());
    assert_eq!((nonzeros(&one), nonzeros(&other)), (expected.clone(), expected));
}

/// #358: what was accumulated second into an output lost entries.
#[test]
fn finch_358() {
    let of = |elements: &[[usize; 2]]| {
        let elements = elements.iter().map(|&at| (at, 1.0));
        Csc::try_from_triplets([3, 5], elements).unwrap()
    };
    let (a, b, c): (Csc<f64>, Csc<f64>, Csc<f64>) = (of(&[[1, 0]]), of(&[[1, 2], [2, 0]]), of(&[[1, 3]]));
    let first = vec![([1, 0], 1.0), ([1, 2], 1.0), ([2, 0], 1.0)];
    let second = vec![([1, 0], 1.0), ([1, 2], 1.0), ([1, 3], 1.0), ([2, 0], 1.0)];
    let rows: Csr<f64> = add(&a, &b).unwrap();
    let pairs: Dok<f64> = add(&a, &b).unwrap();
    let (of_rows, of_pairs): (Csr<f64>, Csr<f64>) = (copied(&rows).unwrap(), copied(&pairs).unwrap());
    assert_eq!(
        (nonzeros(&of_rows), nonzeros(&of_pairs)),
        (first.clone(), first.clone())
    );
    let rows: Csr<f64> = add(&rows, &c).unwrap();
    assert_eq!(nonzeros(&rows), second);
    let mut dense = [0.0; 15];
    accumulate(&mut dense, &a).unwrap();
    accumulate(&mut dense, &b).unwrap();
    assert_eq!(of_dense(5, &dense), first);
    accumulate(&mut dense, &c).unwrap();
    assert_eq!(of_dense(5, &dense), second);
}

/// The sum of the elements 1 to 9 of a matrix at the coordinates where the condition holds.
fn sum_where(condition: impl Fn(usize, usize) -> bool) -> [f64; 3] {
    let pairs = (0..3).flat_map(|i| (0..3).map(move |j| [i, j]));
    let a = pairs.clone().map(|[i, j]| ([i, j], (3 * i + j + 1) as f64));
    let a = Triplets::try_from_triplets([3, 3], a).unwrap();
    let held = pairs.filter(|&[i, j]| condition(i, j)).map(|at| (at, Pattern::new()));
    let held: Csr<Pattern<bool>> = Csr::try_from_triplets([3, 3], held).unwrap();
    let (full, rows, columns): (Full<f64>, Csr<f64>, Csc<f64>) =
        (a.convert().unwrap(), a.convert().unwrap(), a.convert().unwrap());
    [
        guarded(&full, &held).unwrap(),
        guarded(&rows, &held).unwrap(),
        guarded(&columns, &held).unwrap(),
    ]
}

/// #291: masks of triangles were off by one: `i < j`.
#[test]
fn finch_291_lt() {
    assert_eq!(sum_where(|i, j| i < j), [11.0; 3]);
}

/// #291: `i <= j`.
#[test]
fn finch_291_le() {
    assert_eq!(sum_where(|i, j| i <= j), [26.0; 3]);
}

/// #291: `i > j`.
#[test]
fn finch_291_gt() {
    assert_eq!(sum_where(|i, j| i > j), [19.0; 3]);
}

/// #291: `i >= j`.
#[test]
fn finch_291_ge() {
    assert_eq!(sum_where(|i, j| i >= j), [34.0; 3]);
}

/// #291: `i == j`.
#[test]
fn finch_291_eq() {
    assert_eq!(sum_where(|i, j| i == j), [15.0; 3]);
}

/// #291: `i != j`.
#[test]
fn finch_291_ne() {
    assert_eq!(sum_where(|i, j| i != j), [30.0; 3]);
}

/// #339: an operand without one of the output's indices was not repeated along it.
#[test]
fn finch_339() {
    let p: Vector<f64> = Vector::try_from_triplets([2], [([1], 2.0)]).unwrap();
    let mut o = [0.0; 6];
    spread(&mut o, &p, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(o, [0.0, 6.0, 0.0, 14.0, 0.0, 22.0]);
}

/// #313: a product with a transposed second operand into a hash table did not compile.
#[test]
fn finch_313() {
    let a: Dcsc<f64> = Dcsc::try_from_triplets([2, 2], [([0, 0], 1.0), ([1, 1], 1.0)]).unwrap();
    let b: Dcsc<f64> = Dcsc::try_from_triplets([2, 2], [([0, 1], 1.0), ([1, 0], 1.0)]).unwrap();
    let (rows, pairs): (Csr<f64>, Dok<f64>) = (times_transposed(&a, &b).unwrap(), times_transposed(&a, &b).unwrap());
    let expected = vec![([0, 1], 1.0), ([1, 0], 1.0)];
    assert_eq!((nonzeros(&rows), nonzeros(&pairs)), (expected.clone(), expected));
}

/// #134: of the two sums of a symmetric product, of which one triangle is stored, the second was dropped.
#[test]
fn finch_134() {
    let a = [([0, 0], 1.0), ([0, 2], 2.0), ([1, 1], 3.0), ([1, 2], 4.0)];
    let a = Triplets::try_from_triplets([3, 3], a).unwrap();
    let diagonal: Csr<Pattern<bool>> =
        Csr::try_from_triplets([3, 3], (0..3).map(|i| ([i, i], Pattern::new()))).unwrap();
    let (rows, columns): (Csr<f64>, Csc<f64>) = (a.convert().unwrap(), a.convert().unwrap());
    let (x, mut of_rows, mut of_columns) = ([1.0, 2.0, 3.0], [0.0; 3], [0.0; 3]);
    upper(&mut of_rows, &rows, &x).unwrap();
    lower(&mut of_rows, &rows, &x, &diagonal).unwrap();
    upper(&mut of_columns, &columns, &x).unwrap();
    lower(&mut of_columns, &columns, &x, &diagonal).unwrap();
    assert_eq!((of_rows, of_columns), ([7.0, 18.0, 10.0], [7.0, 18.0, 10.0]));
}
