//! Sparse vectors: alone, with each other, and with matrices.

use core::any::Any;

use unisparse::prelude::*;

use crate::checks::{Format, Integers, cast, equal_shapes, kernels, of_two, over, two};
use crate::formats::*;
use crate::oracle::{Elements, elementwise, made, pairs, product, same, same_dense, stored, sum, tensors};

sparse_kernel! {
    fn dot: s = x[i] * y[i] where x: Entries | Whole | Chunks, y: Entries | Whole | Chunks;
    fn apply_dense: y[i] += A[i, j] * x[j] where A: Csr | Csc | Coo | Bcsr | Dia | BdiaCsr, x: Entries | Chunks;
    fn diagonal: d[i] = A[i, i] where A: Csr | Coo | Dia | Bcsr | Csc | Cisr, d: Entries | Chunks;
    fn row_sums: y[i] = A[i, j] where A: Csr | Csc | Coo | Dia | Cisr, y: Entries | Whole;
}

kernels! {
    sums_of_vectors: sums, add [z[i] = x[i] + y[i]] {
        every x: Entries Whole Chunks, y: Entries Whole Chunks, z: Entries Whole Chunks;
        x: Entries, y: Entries, z: Entries;
        x: Whole, y: Whole, z: Whole;
        x: Chunks, y: Chunks, z: Chunks;
    }
    products_of_vectors: products, multiply [z[i] = x[i] * y[i]] {
        every x: Entries Whole Chunks, y: Entries Whole Chunks, z: Entries Whole Chunks;
        x: Entries, y: Entries, z: Entries;
        x: Whole, y: Whole, z: Whole;
        x: Chunks, y: Chunks, z: Chunks;
    }
    products_with_matrices: applications, apply [y[i] = A[i, j] * x[j]] {
        every A: Csr Csc Coo Bcsr Dia Cisr Ell, x: Entries Chunks Whole, y: Entries Whole;
        A: Csr, x: Whole, y: Entries;
        A: Csc, x: Entries, y: Entries;
        A: Coo, x: Chunks, y: Whole;
        A: Bcsr, x: Entries, y: Whole;
        A: Dia, x: Whole, y: Whole;
        A: Cisr, x: Chunks, y: Entries;
        A: Ell, x: Whole, y: Whole;
    }
    products_with_transposed_matrices: transposed_applications, apply_transposed [y[j] = x[i] * A[i, j]] {
        every x: Entries Chunks, A: Csr Csc Dcsr, y: Entries Chunks;
        x: Entries, A: Csr, y: Entries;
        x: Chunks, A: Csc, y: Entries;
        x: Chunks, A: Dcsr, y: Chunks;
    }
    matrices_of_two_vectors: outer_products, outer [A[i, j] = x[i] * y[j]] {
        every x: Entries Chunks Whole, y: Entries Whole, A: Csr Csc Coo Dia;
        x: Entries, y: Whole, A: Coo;
        x: Chunks, y: Entries, A: Csr;
        x: Whole, y: Entries, A: Csc;
        x: Whole, y: Whole, A: Dia;
    }
    matrices_with_scaled_rows: scaled_rows, scale_rows [C[i, j] = x[i] * A[i, j]] {
        every x: Entries Chunks, A: Csr Csc Dia, C: Csr Csc;
        x: Entries, A: Csr, C: Csc;
        x: Chunks, A: Csc, C: Csc;
        x: Chunks, A: Dia, C: Csr;
    }
}

const LENGTHS: [([usize; 1], [usize; 1], [usize; 1]); 5] = [
    equal_shapes([0]),
    equal_shapes([1]),
    equal_shapes([4]),
    equal_shapes([7]),
    equal_shapes([22]),
];
const SHAPES: [[usize; 2]; 9] = [[0, 3], [3, 0], [0, 0], [1, 1], [1, 7], [7, 1], [5, 8], [9, 6], [7, 7]];

of_two! {
    sums<1, 1, 1>: add over LENGTHS, sum;
    products<1, 1, 1>: multiply over LENGTHS, elementwise;
    applications<2, 1, 1>: apply over SHAPES.map(|[m, n]| ([m, n], [n], [m])), images;
    transposed_applications<1, 2, 1>: apply_transposed over SHAPES.map(|[m, n]| ([m], [m, n], [n])),
        |x: &Elements<i64, 1>, a: &Elements<i64, 2>| product(x, a, |[i], [k, j]| (i == k).then_some([j]));
    outer_products<1, 1, 2>: outer over SHAPES.map(|[m, n]| ([m], [n], [m, n])),
        |x: &Elements<i64, 1>, y: &Elements<i64, 1>| product(x, y, |[i], [j]| Some([i, j]));
    scaled_rows<1, 2, 2>: scale_rows over SHAPES.map(|[m, n]| ([m], [m, n], [m, n])),
        |x: &Elements<i64, 1>, a: &Elements<i64, 2>| product(x, a, |[i], [k, j]| (i == k).then_some([k, j]));
}

fn dots<A: Integers<1> + dot<B>, B: Integers<1>>() {
    for (seed, (shape, ..)) in LENGTHS.into_iter().enumerate() {
        for (left, right) in pairs(shape, shape, seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let expected: i64 = elementwise(&stored(&a), &stored(&b)).values().sum();
            assert_eq!(
                dot(&a, &b).unwrap(),
                expected,
                "{} {}: {left:?} {right:?}",
                A::NAME,
                B::NAME
            );
        }
    }
}

#[test]
fn scalar_products() {
    over!(dots: [Entries Whole Chunks] [Entries Whole Chunks]);
}

fn images(a: &Elements<i64, 2>, x: &Elements<i64, 1>) -> Elements<i64, 1> {
    product(a, x, |[i, j], [k]| (j == k).then_some([i]))
}

fn dense_applications<A: Integers<2> + apply_dense<X>, X: Integers<1>>() {
    for (seed, [m, n]) in SHAPES.into_iter().enumerate() {
        for (matrix, vector) in pairs([m, n], [n], seed as u64) {
            let (a, x): (A, X) = (made(&matrix), made(&vector));
            let mut y = vec![5; m];
            apply_dense(&mut y, &a, &x).unwrap();
            let expected = images(&stored(&a), &stored(&x))
                .into_iter()
                .map(|(at, value)| (at, value + 5))
                .collect();
            same_dense([m], &y, 5, &expected, || {
                format!("{} {}: {matrix:?} {vector:?}", A::NAME, X::NAME)
            });
        }
    }
}

#[test]
fn products_to_dense_vectors() {
    over!(dense_applications: [Csr Csc Coo Bcsr Dia BdiaCsr] [Entries Chunks]);
}

fn diagonals<A: Integers<2> + diagonal<D>, D: Integers<1>>() {
    for n in [0, 1, 3, 8] {
        for tensor in tensors([n, n], n as u64) {
            let a: A = made(&tensor);
            let on = stored(&a).into_iter().filter(|([i, j], _)| i == j);
            let d: D = diagonal(&a).unwrap();
            same([n], &d, &on.map(|([i, _], value)| ([i], value)).collect(), || {
                format!("{}: {tensor:?}", A::NAME)
            });
        }
    }
}

fn sums_of_rows<A: Integers<2> + row_sums<Y>, Y: Integers<1>>() {
    for (seed, [m, n]) in SHAPES.into_iter().enumerate() {
        for tensor in tensors([m, n], seed as u64) {
            let a: A = made(&tensor);
            let y: Y = row_sums(&a).unwrap();
            same([m], &y, &crate::oracle::moved(&stored(&a), |[i, _]| [i]), || {
                format!("{}: {tensor:?}", A::NAME)
            });
        }
    }
}

#[test]
fn diagonals_and_sums_of_rows() {
    over!(diagonals: [Csr Coo Dia Bcsr Csc Cisr] [Entries Chunks]);
    over!(sums_of_rows: [Csr Csc Coo Dia Cisr] [Entries Whole]);
}
