//! TACO, <https://github.com/tensor-compiler/taco>: joins, reductions, transposed and repeated reads.

use unisparse::formats::{Bcsr, Coo, Csc, Csf, Csr, Dcsr, Dia};
use unisparse::prelude::*;

use super::formats::{Coo4, Csf4, Csf021, Csf102, Csf120, Csf201, Csf210, FullVector, Vector};
use super::{nonzeros, of_dense};

sparse_kernel! {
    fn outer_fibers: Z[j, k, l, m] = X[i, j, k] * Y[i, l, m] where X: Csf, Y: Csf, Z: Csf4;
    fn over_slices: A[j, k] += G[i, j, k] * p[i] where G: Csf, p: Vector, A: Dcsr;
    fn broadcast: A[i, j] = B[i] * v[j] + C[j] * u[i] where B: Vector, C: Vector, A: Csr;
    fn broadcast_dense: A[i, j] = B[i] * v[j] + C[j] * u[i] where B: Vector, C: Vector;
    fn transposed_product: y[i] += A[j, i] * c[j] where A: Csr, c: Vector, y: Vector;
    fn contracted: C[p, q, m, h] += 0.5 * A[r, q, m, n] * T[p, r, n, h] where A: Coo4, T: Coo4, C: Coo4;
    fn plus_transposed: J[j, l] = A[l, j] + A[j, l] where A: Csr, J: Csr;
    fn plus_transposed_dense: J[j, l] = A[l, j] + A[j, l] where A: Csr;
    fn diagonal: d[i] = A[i, i] where A: Csr | Csc | Coo | Dia | Bcsr;
    fn trace: t = A[i, i] where A: Csr | Csc | Coo | Dia | Bcsr;
    fn multiply: A[i, k] += B[i, j] * C[j, k] where B: Csc;
    fn multiply_add: A[i, k] = B[i, j] * C[j, k] + D[i, k] where B: Csc;
    fn transposed: B[i, j] = A[j, i] where A: Csr, B: Csr;
    fn plus_dense: a[i] = b[i] + c[i] where b: Vector | FullVector;
    fn matvec_add: y[i] += B[i, j] * c[j] where B: Csr;
    fn matvec_copy: y[i] = d[i] + B[i, j] * c[j] where B: Csr;
    fn row_sums: a[i] += B[i, j] + c[j] * u[i] where B: Csr;
    fn mttkrp_by_last: A[i, j] += B[k, l, i] * D[l, j] * C[k, j]
        where B: Csf | Csf021 | Csf102 | Csf120 | Csf201 | Csf210;
    fn slice: S[i, k, l] += r[j] * T[i, j, k, l] where r: Vector, T: Coo4 | Csf4, S: Csf;
}

/// <https://github.com/tensor-compiler/taco/issues/309>: the sparse result held coordinates twice, 4 and 64 where the sum
/// is 68.
#[test]
fn taco_309() {
    #[rustfmt::skip]
    let x: Csf<f64> = Csf::try_from_triplets([4, 4, 3], [
        ([0, 0, 0], 1.0), ([0, 1, 0], 2.0), ([0, 3, 0], 10.0), ([1, 0, 1], 7.0), ([1, 1, 0], 8.0), ([1, 2, 0], 6.0),
        ([2, 0, 2], 3.0), ([2, 2, 0], 4.0), ([3, 0, 1], 5.0),
    ]).unwrap();
    let z: Csf4<f64> = outer_fibers(&x, &x).unwrap();
    #[rustfmt::skip]
    let expected = [
        ([0, 0, 0, 0], 1.0), ([0, 0, 1, 0], 2.0), ([0, 0, 3, 0], 10.0), ([0, 1, 0, 1], 74.0), ([0, 1, 1, 0], 56.0),
        ([0, 1, 2, 0], 42.0), ([0, 2, 0, 2], 9.0), ([0, 2, 2, 0], 12.0), ([1, 0, 0, 0], 2.0), ([1, 0, 0, 1], 56.0),
        ([1, 0, 1, 0], 68.0), ([1, 0, 2, 0], 48.0), ([1, 0, 3, 0], 20.0), ([2, 0, 0, 1], 42.0), ([2, 0, 0, 2], 12.0),
        ([2, 0, 1, 0], 48.0), ([2, 0, 2, 0], 52.0), ([3, 0, 0, 0], 10.0), ([3, 0, 1, 0], 20.0), ([3, 0, 3, 0], 100.0),
    ];
    assert_eq!(z.iter().collect::<Vec<_>>(), expected);
}

/// <https://github.com/tensor-compiler/taco/issues/146>: the reduction over the outermost compressed level read out of
/// bounds and gave 2.68e154 now and then.
#[test]
fn taco_146() {
    let g = [([1, 0, 0], 0.1), ([0, 1, 0], 1.0), ([2, 0, 0], 0.1)];
    let g: Csf<f64> = Csf::try_from_triplets([5, 5, 3], g).unwrap();
    let p: Vector<f64> = Vector::try_from_triplets([5], [([0], 1.0)]).unwrap();
    let a: Dcsr<f64> = over_slices(&g, &p).unwrap();
    assert_eq!(a.iter().collect::<Vec<_>>(), [([1, 0], 1.0)]);
}

/// <https://github.com/tensor-compiler/taco/issues/215>: of a sum of two vectors along different dims only the place where
/// both are stored came out.
#[test]
fn taco_215() {
    let b: Vector<f64> = Vector::try_from_triplets([3], [([1], 1.0)]).unwrap();
    let c: Vector<f64> = Vector::try_from_triplets([3], [([2], 2.0)]).unwrap();
    let (ones, mut dense) = ([1.0; 3], [f64::NAN; 9]);
    let a: Csr<f64> = broadcast(&b, &ones, &c, &ones).unwrap();
    broadcast_dense(&mut dense, &b, &ones, &c, &ones).unwrap();
    let expected = [
        ([0, 2], 2.0),
        ([1, 0], 1.0),
        ([1, 1], 1.0),
        ([1, 2], 3.0),
        ([2, 2], 2.0),
    ];
    assert_eq!(
        (nonzeros(&a), of_dense(3, &dense)),
        (expected.to_vec(), expected.to_vec())
    );
}

/// <https://github.com/tensor-compiler/taco/issues/214>: an empty intersection used index arrays that were never allocated.
#[test]
fn taco_214() {
    let a: Csr<f64> = Csr::try_from_triplets([4, 4], [([0, 1], 1.0), ([0, 2], 2.0)]).unwrap();
    let c: Vector<f64> = Vector::try_from_triplets([4], [([2], 5.0)]).unwrap();
    let y: Vector<f64> = transposed_product(&a, &c).unwrap();
    assert_eq!((y.shape(), y.nnz()), ([4], 0));
}

/// <https://github.com/tensor-compiler/taco/issues/558>: a contraction of two four-dimensional tensors in coordinates
/// repeated some coordinates and lost others.
#[test]
fn taco_558() {
    let running = |shape: [usize; 4]| {
        let count: usize = shape.iter().product();
        let at = move |mut number: usize| {
            let mut at = [0; 4];
            for dim in (0..4).rev() {
                at[dim] = number % shape[dim];
                number /= shape[dim];
            }
            at
        };
        let elements = (0..count).map(|number| (at(number), number as f64));
        Coo4::try_from_triplets(shape, elements).unwrap()
    };
    let (a, t): (Coo4<f64>, Coo4<f64>) = (running([13, 3, 5, 17]), running([7, 13, 17, 11]));
    let c: Coo4<f64> = contracted(&a, &t).unwrap();
    assert_eq!((c.shape(), c.nnz()), ([7, 3, 5, 11], 1155));
    assert_eq!(c.values().iter().sum::<f64>(), 1_884_497_890_275.0);
    let value = |at: [usize; 4]| c.iter().find(|(found, _)| *found == at).map(|(_, value)| value);
    assert_eq!(value([0, 0, 0, 0]), Some(279_436_157.0));
    assert_eq!(value([0, 0, 0, 1]), Some(279_606_106.0));
    assert_eq!(value([6, 2, 4, 10]), Some(3_175_693_755.0));
}

fn three() -> Triplets<f64, 2> {
    Triplets::try_from_triplets([3, 3], [([0, 0], 1.0), ([0, 2], 2.0), ([2, 1], 3.0)]).unwrap()
}

/// <https://github.com/tensor-compiler/taco/issues/199>: a matrix that is read in both orders was refused as a cycle.
#[test]
fn taco_199() {
    let a: Csr<f64> = three().convert().unwrap();
    let (j, mut dense): (Csr<f64>, _) = (plus_transposed(&a).unwrap(), [f64::NAN; 9]);
    plus_transposed_dense(&mut dense, &a).unwrap();
    let expected = [
        ([0, 0], 2.0),
        ([0, 2], 2.0),
        ([1, 2], 3.0),
        ([2, 0], 2.0),
        ([2, 1], 3.0),
    ];
    assert_eq!(j.iter().collect::<Vec<_>>(), expected);
    assert_eq!(of_dense(3, &dense), expected);
}

/// <https://github.com/tensor-compiler/taco/issues/5>: an index that a read repeats crashed the compiler.
#[test]
fn taco_5_diag() {
    let a = [([0, 0], 1.0), ([0, 2], 2.0), ([1, 1], -4.0), ([2, 1], 3.0)];
    let a = Triplets::try_from_triplets([3, 3], a).unwrap();
    macro_rules! of {
        ($($format:ty),*) => {$(
            let stored: $format = a.convert().unwrap();
            let mut d = [f64::NAN; 3];
            diagonal(&mut d, &stored).unwrap();
            assert_eq!((d, trace(&stored).unwrap()), ([1.0, -4.0, 0.0], -3.0), stringify!($format));
        )*};
    }
    of!(Csr<f64>, Csc<f64>, Coo<f64>, Dia<f64>, Bcsr<f64, 2, 2>);
}

/// <https://github.com/tensor-compiler/taco/issues/280>: a product that is added to a copy used a variable that was never
/// declared.
#[test]
fn taco_280() {
    let b: Csc<f64> = three().convert().unwrap();
    let (c, d) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, 0.0, 0.0, 0.5, 1.0, 1.0]);
    let mut copied = d;
    multiply(&mut copied, &b, &c).unwrap();
    let mut fused = [f64::NAN; 6];
    multiply_add(&mut fused, &b, &c, &d).unwrap();
    let expected = [11.5, 14.0, 0.0, 0.5, 10.0, 13.0];
    assert_eq!((copied, fused), (expected, expected));
}

/// <https://github.com/tensor-compiler/taco/issues/564>: a transposed copy of one compressed matrix to another crashed.
#[test]
fn taco_564() {
    let a = [
        ([0, 0], 1.0),
        ([0, 1], 2.0),
        ([1, 0], -2.0),
        ([1, 1], 1.0),
        ([1, 2], 2.0),
        ([2, 1], -2.0),
        ([2, 2], 1.0),
        ([2, 3], 2.0),
        ([3, 2], -2.0),
        ([3, 3], 1.0),
    ];
    let a: Csr<f64> = Csr::try_from_triplets([4, 4], a).unwrap();
    let b: Csr<f64> = transposed(&a).unwrap();
    assert_eq!(b.row_ptr(), [0, 2, 5, 8, 10]);
    assert_eq!(b.col_idx(), [0, 1, 0, 1, 2, 1, 2, 3, 2, 3]);
    assert_eq!(b.values(), [1.0, -2.0, 2.0, 1.0, -2.0, 2.0, 1.0, -2.0, 2.0, 1.0]);
}

/// <https://github.com/tensor-compiler/taco/issues/27>: the dense operand of a sum with a sparse one was added twice.
#[test]
fn taco_27() {
    let (b, c, d) = (
        three().convert::<Csr<f64>>().unwrap(),
        [1.0, 2.0, 3.0],
        [10.0, 20.0, 30.0],
    );
    let vector: Vector<f64> = Vector::try_from_triplets([3], [([1], 5.0)]).unwrap();
    let full: FullVector<f64> = vector.convert().unwrap();
    let (mut sparse_sum, mut full_sum) = ([f64::NAN; 3], [f64::NAN; 3]);
    plus_dense(&mut sparse_sum, &vector, &c).unwrap();
    plus_dense(&mut full_sum, &full, &c).unwrap();
    assert_eq!((sparse_sum, full_sum), ([1.0, 7.0, 3.0], [1.0, 7.0, 3.0]));
    let (mut copied, mut fused) = (d, [f64::NAN; 3]);
    matvec_add(&mut copied, &b, &c).unwrap();
    matvec_copy(&mut fused, &d, &b, &c).unwrap();
    assert_eq!((copied, fused), ([17.0, 20.0, 36.0], [17.0, 20.0, 36.0]));
}

/// <https://github.com/tensor-compiler/taco/issues/7>: the dense operand was skipped where the sparse one has no element.
#[test]
fn taco_7() {
    let b: Csr<f64> = three().convert().unwrap();
    let mut a = [0.0; 3];
    row_sums(&mut a, &b, &[1.0, 2.0, 4.0], &[1.0; 3]).unwrap();
    assert_eq!(a, [10.0, 7.0, 10.0]);
}

/// <https://github.com/tensor-compiler/taco/issues/35>: one order of the dims alone, (1, 2, 0), gave wrong numbers.
#[test]
fn taco_35() {
    let b = [([0, 0, 1], 1.0), ([0, 2, 0], 2.0), ([1, 1, 1], 3.0), ([1, 2, 1], 4.0)];
    let b = Triplets::try_from_triplets([2, 3, 2], b).unwrap();
    let (c, d) = ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 2.0, 1.0, 3.0, 5.0]);
    macro_rules! of {
        ($($format:ident),*) => {$(
            let stored: $format<f64> = b.convert().unwrap();
            let mut a = [0.0; 4];
            mttkrp_by_last(&mut a, &stored, &d, &c).unwrap();
            assert_eq!(a, [6.0, 20.0, 55.0, 90.0], stringify!($format));
        )*};
    }
    of!(Csf, Csf021, Csf102, Csf120, Csf201, Csf210);
}

/// <https://github.com/tensor-compiler/taco/issues/194>: a slice that a vector with one element picks held arbitrarily large
/// values.
#[test]
fn taco_194() {
    let t = [([0, 8, 0, 1], 5.0), ([1, 8, 1, 0], 6.0), ([1, 2, 1, 1], 7.0)];
    let t = Triplets::try_from_triplets([2, 9, 2, 2], t).unwrap();
    let r: Vector<f64> = Vector::try_from_triplets([9], [([8], 1.0)]).unwrap();
    let (coordinates, fibers): (Coo4<f64>, Csf4<f64>) = (t.convert().unwrap(), t.convert().unwrap());
    let expected = vec![([0, 0, 1], 5.0), ([1, 1, 0], 6.0)];
    let of_coordinates: Csf<f64> = slice(&r, &coordinates).unwrap();
    let of_fibers: Csf<f64> = slice(&r, &fibers).unwrap();
    assert_eq!(
        (nonzeros(&of_coordinates), nonzeros(&of_fibers)),
        (expected.clone(), expected)
    );
}
