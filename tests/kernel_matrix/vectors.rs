//! Sparse vectors: alone, with each other, and with matrices.

use unisparse::prelude::*;

use crate::checks::{Integers, alike, of_two, over, two};
use crate::formats::*;
use crate::oracle::{Elements, elementwise, made, pairs, product, same, same_dense, stored, sum, tensors};

sparse_kernel! {
    fn add: z[i] = x[i] + y[i] where x: Entries | Whole | Chunks, y: Entries | Whole | Chunks, z: Entries | Whole | Chunks;
    fn multiply: z[i] = x[i] * y[i] where x: Entries | Whole | Chunks, y: Entries | Whole | Chunks, z: Entries | Whole | Chunks;
    fn dot: s = x[i] * y[i] where x: Entries | Whole | Chunks, y: Entries | Whole | Chunks;
    fn apply: y[i] = A[i, j] * x[j]
        where A: Csr | Csc | Coo | Bcsr | Dia | Cisr | Ell, x: Entries | Chunks | Whole, y: Entries | Whole;
    fn apply_dense: y[i] += A[i, j] * x[j] where A: Csr | Csc | Coo | Bcsr | Dia | BdiaCsr, x: Entries | Chunks;
    fn apply_transposed: y[j] = x[i] * A[i, j] where x: Entries | Chunks, A: Csr | Csc | Dcsr, y: Entries | Chunks;
    fn outer: A[i, j] = x[i] * y[j] where x: Entries | Chunks | Whole, y: Entries | Whole, A: Csr | Csc | Coo | Dia;
    fn diagonal: d[i] = A[i, i] where A: Csr | Coo | Dia | Bcsr | Csc | Cisr, d: Entries | Chunks;
    fn row_sums: y[i] = A[i, j] where A: Csr | Csc | Coo | Dia | Cisr, y: Entries | Whole;
    fn scale_rows: C[i, j] = x[i] * A[i, j] where x: Entries | Chunks, A: Csr | Csc | Dia, C: Csr | Csc;
}

const LENGTHS: [([usize; 1], [usize; 1], [usize; 1]); 5] =
    [alike([0]), alike([1]), alike([4]), alike([7]), alike([22])];
const SHAPES: [[usize; 2]; 9] = [[0, 3], [3, 0], [0, 0], [1, 1], [1, 7], [7, 1], [5, 8], [9, 6], [7, 7]];

of_two! {
    sums<1>: add over LENGTHS, sum;
    products<1>: multiply over LENGTHS, elementwise;
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
fn vectors_and_vectors() {
    over!(sums: [Entries Whole Chunks] [Entries Whole Chunks] [Entries Whole Chunks]);
    over!(products: [Entries Whole Chunks] [Entries Whole Chunks] [Entries Whole Chunks]);
    over!(dots: [Entries Whole Chunks] [Entries Whole Chunks]);
}

fn images(a: &Elements<i64, 2>, x: &Elements<i64, 1>) -> Elements<i64, 1> {
    product(a, x, |[i, j], [k]| (j == k).then_some([i]))
}

fn applications<A: Integers<2> + apply<X, Y>, X: Integers<1>, Y: Integers<1>>() {
    let shapes = SHAPES.map(|[m, n]| ([m, n], [n], [m]));
    two::<A, X, Y, 2, 1, 1>("apply", &shapes, |a, x| apply(a, x).unwrap(), images);
}

fn transposed_applications<X: Integers<1> + apply_transposed<A, Y>, A: Integers<2>, Y: Integers<1>>() {
    let shapes = SHAPES.map(|[m, n]| ([m], [m, n], [n]));
    two::<X, A, Y, 1, 2, 1>(
        "apply_transposed",
        &shapes,
        |x, a| apply_transposed(x, a).unwrap(),
        |x, a| product(x, a, |[i], [k, j]| (i == k).then_some([j])),
    );
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
fn matrices_and_vectors() {
    over!(applications: [Csr Csc Coo Blocks Dia Scheduled Ell] [Entries Chunks Whole] [Entries Whole]);
    over!(transposed_applications: [Entries Chunks] [Csr Csc Dcsr] [Entries Chunks]);
    over!(dense_applications: [Csr Csc Coo Blocks Dia BandsAndRest] [Entries Chunks]);
}

fn outer_products<X: Integers<1> + outer<Y, A>, Y: Integers<1>, A: Integers<2>>() {
    let shapes = SHAPES.map(|[m, n]| ([m], [n], [m, n]));
    two::<X, Y, A, 1, 1, 2>(
        "outer",
        &shapes,
        |x, y| outer(x, y).unwrap(),
        |x, y| product(x, y, |[i], [j]| Some([i, j])),
    );
}

fn scaled_rows<X: Integers<1> + scale_rows<A, C>, A: Integers<2>, C: Integers<2>>() {
    let shapes = SHAPES.map(|[m, n]| ([m], [m, n], [m, n]));
    two::<X, A, C, 1, 2, 2>(
        "scale_rows",
        &shapes,
        |x, a| scale_rows(x, a).unwrap(),
        |x, a| product(x, a, |[i], [k, j]| (i == k).then_some([k, j])),
    );
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
fn matrices_of_vectors_and_vectors_of_matrices() {
    over!(outer_products: [Entries Chunks Whole] [Entries Whole] [Csr Csc Coo Dia]);
    over!(scaled_rows: [Entries Chunks] [Csr Csc Dia] [Csr Csc]);
    over!(diagonals: [Csr Coo Dia Blocks Csc Scheduled] [Entries Chunks]);
    over!(sums_of_rows: [Csr Csc Coo Dia Scheduled] [Entries Whole]);
}
