//! `ndarray` arrays and views as dense operands.

use ndarray::{Array1, Array2, Array3, ShapeBuilder, array, s};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets};

unisparse::sparse_kernel! {
    /// For these tests.
    pub fn product: C[i, n] = A[i, j] * B[j, n] where A: Csr | Csc | Dia | Bcsr;
    /// For these tests.
    pub fn weighted: y[i] += A[i, j] * x[j] * w[i] where A: Csr | Csc | Dia | Bcsr;
    /// For these tests.
    pub fn ttm: Y[i, j, r] = X[i, j, k] * U[k, r] where X: Csf;
}

fn matrix() -> Triplets<f64, 2> {
    Triplets::try_from_triplets([3, 4], [([0, 1], 2.0), ([2, 3], 3.0), ([2, 0], 5.0), ([1, 1], 7.0)]).unwrap()
}

fn dense() -> Array2<f64> {
    let mut dense = Array2::<f64>::zeros((3, 4));
    for ([i, j], value) in matrix().iter() {
        dense[[i, j]] += value;
    }
    dense
}

macro_rules! each {
    (|$a:ident| $body:block) => {{
        let $a: Csr<f64> = matrix().convert().unwrap();
        $body
        let $a: Csc<f64> = matrix().convert().unwrap();
        $body
        let $a: Dia<f64> = matrix().convert().unwrap();
        $body
        let $a: Bcsr<f64> = matrix().convert().unwrap();
        $body
    }};
}

#[test]
fn arrays_of_either_order_and_views() {
    let b = Array2::from_shape_fn((4, 2), |(j, n)| (j * 10 + n) as f64 - 3.0);
    let expected = dense().dot(&b);
    let mut by_column = Array2::<f64>::zeros((4, 2).f());
    by_column.assign(&b);
    each!(|a| {
        for (number, mut c) in [Array2::from_elem((3, 2), 9.0), Array2::from_elem((3, 2).f(), 9.0)]
            .into_iter()
            .enumerate()
        {
            product(&mut c, &a, &b).unwrap();
            assert_eq!(c, expected, "{number}");
            c.fill(9.0);
            product(&mut c, &a, &by_column).unwrap();
            assert_eq!(c, expected, "{number}");
            c.fill(9.0);
            product(&mut c.view_mut(), &a, &b.view()).unwrap();
            assert_eq!(c, expected, "{number}");
        }
        // A transposed view, a reversed one, and every other column of a larger output.
        let transposed = by_column.t().to_owned();
        let mut c = Array2::from_elem((3, 2), 9.0);
        product(&mut c, &a, &transposed.t()).unwrap();
        assert_eq!(c, expected);
        let reversed = b.slice(s![..;-1, ..]).to_owned();
        product(&mut c, &a, &reversed.slice(s![..;-1, ..])).unwrap();
        assert_eq!(c, expected);
        let mut wide = Array2::from_elem((3, 4), 9.0);
        product(&mut wide.slice_mut(s![.., ..;2]), &a, &b).unwrap();
        assert_eq!(wide.slice(s![.., ..;2]), expected);
        assert!(wide.slice(s![.., 1..;2]).iter().all(|&value| value == 9.0));
        // Slices and arrays mix.
        let mut flat = [9.0; 6];
        product(&mut flat, &a, &by_column).unwrap();
        assert!(flat.iter().eq(expected.iter()));
    });
}

#[test]
fn vectors_accumulate() {
    let (x, w): (Array1<f64>, Array1<f64>) = (array![1.0, 2.0, 3.0, 4.0], array![1.0, -1.0, 2.0]);
    let expected = &dense().dot(&x) * &w + 100.0;
    each!(|a| {
        let mut y = Array1::from_elem(3, 100.0);
        weighted(&mut y, &a, &x, &w).unwrap();
        assert_eq!(y, expected);
        let mut strided = Array1::from_elem(6, 100.0);
        weighted(&mut strided.slice_mut(s![..;-2]), &a, &x.to_vec(), &w.view()).unwrap();
        assert_eq!(strided.slice(s![..;-2]), expected);
        assert_eq!(strided.slice(s![..;2]), array![100.0, 100.0, 100.0]);
    });
}

#[test]
fn three_dims() {
    let t = Triplets::try_from_triplets([2, 3, 4], [([0, 1, 2], 2.0), ([1, 2, 3], 3.0), ([1, 2, 0], 4.0)]).unwrap();
    let x: Csf<f64> = t.convert().unwrap();
    let u = Array2::from_shape_fn((4, 5).f(), |(k, r)| (k * 5 + r) as f64);
    let mut y = Array3::from_elem((2, 3, 5).f(), 9.0);
    ttm(&mut y, &x, &u).unwrap();
    let mut expected = Array3::<f64>::zeros((2, 3, 5));
    for ([i, j, k], value) in t.iter() {
        for r in 0..5 {
            expected[[i, j, r]] += value * u[[k, r]];
        }
    }
    assert_eq!(y, expected);
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    each!(|a| {
        let z = |rows, columns| Array2::<f64>::zeros((rows, columns));
        for (rows, columns, inner, operand) in [
            (3, 2, 3, "operand `B`"),
            (4, 2, 4, "operand `C`"),
            (2, 2, 4, "operand `C`"),
        ] {
            let error = product(&mut z(rows, columns), &a, &z(inner, 2)).unwrap_err();
            assert_eq!((error.kind(), error.subject()), (ErrorKind::Shape, operand), "{error}");
        }
        // The same number of elements, in another shape.
        assert_eq!(
            product(&mut z(3, 2), &a, &z(2, 4)).unwrap_err().kind(),
            ErrorKind::Shape
        );
        assert_eq!(
            product(&mut z(2, 3), &a, &z(4, 2)).unwrap_err().kind(),
            ErrorKind::Shape
        );
        assert_eq!(
            product(&mut z(3, 5), &a, &z(4, 2)).unwrap_err().kind(),
            ErrorKind::Shape
        );
        assert_eq!(
            product(&mut z(3, 2), &a, &Array1::<f64>::zeros(8))
                .unwrap_err()
                .subject(),
            "operand `B`"
        );
    });
}
