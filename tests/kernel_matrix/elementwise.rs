//! Sums and products element by element, of pairs of formats: loops co-iterate two tensors.

use core::any::Any;

use unisparse::prelude::*;

use crate::checks::{Format, Integers, cast, equal_shapes, kernels, of_one, of_two, one, over, two};
use crate::formats::*;
use crate::oracle::{Elements, elementwise, made, moved, pairs, same, stored, sum, tensors};

sparse_kernel! {
    fn symmetric: C[i, j] = A[i, j] + A[j, i] where A: Csr | Coo | Bcsr | Dia | BdiaCsr | Cisr, C: Csr | Coo;
    fn shifted: C[i, j] = alpha * A[i, j] + beta * B[i, j] * x[j] where A: Csr | Dcsr, B: Csr | Coo, C: Csr;
    fn nested: D[i, j] = (A[i, j] + B[i, j]) * C[i, j] where A: Csr | Coo, B: Csr | Csc, C: Csr | Dia, D: Csr;
}

kernels! {
    sums_of_pairs: sums, pub(crate) add [C[i, j] = A[i, j] + B[i, j]] {
        every A: Coo Csr Csc Dcsr Bcsr Dia Ell Sell Csb Bdia HiCoo Cisr C2sr Lil Dok BdiaCsr, B: Coo Csr Csc Dcsr Bcsr Dia Ell Sell Csb Bdia HiCoo Cisr C2sr Lil Dok BdiaCsr, C: Csr;
        A: Coo, B: Csr, C: Csr;
        A: Csr, B: Coo, C: Csr;
        A: Csc, B: Csc, C: Csr;
        A: Dcsr, B: Dcsr, C: Csr;
        A: Bcsr, B: Bcsr, C: Csr;
        A: Dia, B: Dia, C: Csr;
        A: Ell, B: Lil, C: Csr;
        A: Sell, B: Csb, C: Csr;
        A: Csb, B: Sell, C: Csr;
        A: Bdia, B: C2sr, C: Csr;
        A: HiCoo, B: HiCoo, C: Csr;
        A: Cisr, B: Cisr, C: Csr;
        A: C2sr, B: Bdia, C: Csr;
        A: Lil, B: Ell, C: Csr;
        A: Dok, B: Dok, C: Csr;
        A: BdiaCsr, B: BdiaCsr, C: Csr;
    }
    products_of_pairs: products, multiply [C[i, j] = A[i, j] * B[i, j]] {
        every A: Coo Csr Csc Dcsr Bcsr Dia Ell Csb Cisr BdiaCsr, B: Csr Csc Bcsr Bdia HiCoo C2sr Lil Dok Sell BellCoo, C: Csr;
        A: Coo, B: C2sr, C: Csr;
        A: Csr, B: Lil, C: Csr;
        A: Csc, B: Csc, C: Csr;
        A: Dcsr, B: Bdia, C: Csr;
        A: Bcsr, B: Csr, C: Csr;
        A: Dia, B: Dok, C: Csr;
        A: Ell, B: Sell, C: Csr;
        A: Csb, B: HiCoo, C: Csr;
        A: Cisr, B: Bcsr, C: Csr;
        A: BdiaCsr, B: BellCoo, C: Csr;
    }
    differences_in_every_result: differences, subtract [C[i, j] = A[i, j] - 2 * B[i, j]] {
        every A: Coo Csr Bcsr Dia, B: Csr Csc Dcsr Grid, C: Csr Csc Coo Bcsr Dcsr Dia;
        A: Coo, B: Csr, C: Dcsr;
        A: Csr, B: Csc, C: Csr;
        A: Bcsr, B: Dcsr, C: Csc;
        A: Bcsr, B: Grid, C: Bcsr;
        A: Dia, B: Dcsr, C: Dia;
        A: Dia, B: Grid, C: Coo;
    }
    squares_in_every_result: squares, square [C[i, j] = A[i, j] * A[i, j]] {
        every A: Coo Csr Bcsr Ell Anti BellCoo, C: Csr Csc Coo Bcsr Dcsr Dia;
        A: Coo, C: Bcsr;
        A: Csr, C: Dcsr;
        A: Bcsr, C: Dia;
        A: Ell, C: Coo;
        A: Anti, C: Csr;
        A: BellCoo, C: Csc;
    }
    sums_of_three_operands: sums_of_three, three [D[i, j] = A[i, j] + B[i, j] + C[i, j]] {
        every A: Csr Coo Dia, B: Csr Csc Bcsr, C: Csr Lil Cisr, D: Csr Dcsc;
        A: Csr, B: Csr, C: Csr, D: Dcsc;
        A: Coo, B: Csc, C: Lil, D: Csr;
        A: Dia, B: Bcsr, C: Cisr, D: Csr;
    }
    transposes_of_every_format: transposes, transposed [C[j, i] = A[i, j]] {
        every A: Coo Csr Csc Dcsr Bcsr Dia Ell Sell Csb Bdia HiCoo Cisr C2sr Lil Dok BdiaCsr BellCoo Grid Anti, C: Csr Csc Coo Bcsr Dcsr Dia;
        A: Coo, C: Bcsr;
        A: Csr, C: Dia;
        A: Csc, C: Csr;
        A: Dcsr, C: Coo;
        A: Bcsr, C: Csr;
        A: Dia, C: Bcsr;
        A: Ell, C: Dia;
        A: Sell, C: Bcsr;
        A: Csb, C: Coo;
        A: Bdia, C: Dcsr;
        A: HiCoo, C: Dia;
        A: Cisr, C: Dcsr;
        A: C2sr, C: Csc;
        A: Lil, C: Bcsr;
        A: Dok, C: Dia;
        A: BdiaCsr, C: Dcsr;
        A: BellCoo, C: Csc;
        A: Grid, C: Csc;
        A: Anti, C: Coo;
    }
}

const SHAPES: [([usize; 2], [usize; 2], [usize; 2]); 8] = [
    equal_shapes([0, 3]),
    equal_shapes([3, 0]),
    equal_shapes([0, 0]),
    equal_shapes([1, 1]),
    equal_shapes([1, 7]),
    equal_shapes([7, 1]),
    equal_shapes([5, 8]),
    equal_shapes([9, 6]),
];

fn scaled(of: &Elements<i64, 2>, by: i64) -> Elements<i64, 2> {
    of.iter().map(|(&at, &value)| (at, value * by)).collect()
}

fn transpose_of(of: &Elements<i64, 2>) -> Elements<i64, 2> {
    moved(of, |[i, j]| [j, i])
}

of_two! {
    sums<2, 2, 2>: add over SHAPES, sum;
    products<2, 2, 2>: multiply over SHAPES, elementwise;
    differences<2, 2, 2>: subtract over SHAPES, |a: &Elements<i64, 2>, b: &Elements<i64, 2>| sum(a, &scaled(b, -2));
}

of_one! {
    squares<2, 2>: square over SHAPES.map(|(a, c, _)| (a, c)), |a: &Elements<i64, 2>| elementwise(a, a);
    transposes<2, 2>: transposed over SHAPES.map(|([m, n], ..)| ([m, n], [n, m])), transpose_of;
    with_transposes<2, 2>: symmetric over [0, 1, 2, 6, 9].map(|n| ([n, n], [n, n])), |a: &Elements<i64, 2>| sum(a, &transpose_of(a));
}

#[test]
fn sums_with_transposes() {
    over!(with_transposes: [Csr Coo Bcsr Dia BdiaCsr Cisr] [Csr Coo]);
}

fn sums_of_three<A: Integers<2> + three<B, C, D>, B: Integers<2>, C: Integers<2>, D: Integers<2>>() {
    for (seed, (shape, ..)) in SHAPES.into_iter().enumerate() {
        let others = tensors(shape, 40 + seed as u64);
        for (at, (left, right)) in pairs(shape, shape, seed as u64).into_iter().enumerate() {
            let (a, b, c): (A, B, C) = (made(&left), made(&right), made(&others[at % others.len()]));
            let expected = sum(&sum(&stored(&a), &stored(&b)), &stored(&c));
            let result: D = three(&a, &b, &c).unwrap();
            same(shape, &result, &expected, || {
                format!("{} + {} + {}", A::NAME, B::NAME, C::NAME)
            });
        }
    }
}

fn products_of_sums<A: Integers<2> + nested<B, C, D>, B: Integers<2>, C: Integers<2>, D: Integers<2>>() {
    for (seed, (shape, ..)) in SHAPES.into_iter().enumerate() {
        let others = tensors(shape, 40 + seed as u64);
        for (at, (left, right)) in pairs(shape, shape, seed as u64).into_iter().enumerate() {
            let (a, b, c): (A, B, C) = (made(&left), made(&right), made(&others[at % others.len()]));
            let expected = elementwise(&sum(&stored(&a), &stored(&b)), &stored(&c));
            let result: D = nested(&a, &b, &c).unwrap();
            same(shape, &result, &expected, || {
                format!("({} + {}) * {}", A::NAME, B::NAME, C::NAME)
            });
        }
    }
}

#[test]
fn products_of_sums_of_pairs() {
    over!(products_of_sums: [Csr Coo] [Csr Csc] [Csr Dia] [Csr]);
}

#[test]
fn scalars_and_vectors_in_sums() {
    for (seed, (shape, ..)) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs(shape, shape, seed as u64) {
            let x: Vec<i64> = (0..shape[1] as i64).map(|j| j - 2).collect();
            let (a, b): (Dcsr<i64>, Coo<i64>) = (made(&left), made(&right));
            let terms = stored(&b)
                .into_iter()
                .map(|(at, value)| (at, -2 * value * x[at[1]]))
                .collect();
            let expected = sum(&scaled(&stored(&a), 3), &terms);
            let c: Csr<i64> = shifted(3, &a, -2, &b, &x).unwrap();
            same(shape, &c, &expected, || format!("{left:?} {right:?}"));
        }
    }
}
