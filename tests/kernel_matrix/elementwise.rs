//! Sums and products element by element, of pairs of formats: walks of two tensors together.

use unisparse::prelude::*;

use crate::checks::{Integers, alike, of_one, of_two, one, over, two};
use crate::formats::*;
use crate::oracle::{Elements, elementwise, made, moved, pairs, same, stored, sum, tensors};

sparse_kernel! {
    pub(crate) fn add: C[i, j] = A[i, j] + B[i, j]
        where A: Coo | Csr | Csc | Dcsr | Bcsr | Dia | Ell | Sell | Csb | Bdia | HiCoo | Cisr | C2sr | Lil | Dok | BdiaCsr,
              B: Coo | Csr | Csc | Dcsr | Bcsr | Dia | Ell | Sell | Csb | Bdia | HiCoo | Cisr | C2sr | Lil | Dok | BdiaCsr, C: Csr;
    pub(crate) fn multiply: C[i, j] = A[i, j] * B[i, j]
        where A: Coo | Csr | Csc | Dcsr | Bcsr | Dia | Ell | Csb | Cisr | BdiaCsr,
              B: Csr | Csc | Bcsr | Bdia | HiCoo | C2sr | Lil | Dok | Sell | BellCoo, C: Csr;
    fn subtract: C[i, j] = A[i, j] - 2 * B[i, j]
        where A: Coo | Csr | Bcsr | Dia, B: Csr | Csc | Dcsr | Grid, C: Csr | Csc | Coo | Bcsr | Dcsr | Dia;
    fn square: C[i, j] = A[i, j] * A[i, j]
        where A: Coo | Csr | Bcsr | Ell | Anti | BellCoo, C: Csr | Csc | Coo | Bcsr | Dcsr | Dia;
    fn three: D[i, j] = A[i, j] + B[i, j] + C[i, j]
        where A: Csr | Coo | Dia, B: Csr | Csc | Bcsr, C: Csr | Lil | Cisr, D: Csr | Dcsc;
    fn symmetric: C[i, j] = A[i, j] + A[j, i] where A: Csr | Coo | Bcsr | Dia | BdiaCsr | Cisr, C: Csr | Coo;
    fn transposed: C[j, i] = A[i, j]
        where A: Coo | Csr | Csc | Dcsr | Bcsr | Dia | Ell | Sell | Csb | Bdia | HiCoo | Cisr | C2sr | Lil | Dok | BdiaCsr | BellCoo | Grid | Anti,
              C: Csr | Csc | Coo | Bcsr | Dcsr | Dia;
    fn shifted: C[i, j] = alpha * A[i, j] + beta * B[i, j] * x[j] where A: Csr | Dcsr, B: Csr | Coo, C: Csr;
    fn nested: D[i, j] = (A[i, j] + B[i, j]) * C[i, j] where A: Csr | Coo, B: Csr | Csc, C: Csr | Dia, D: Csr;
}

const SHAPES: [([usize; 2], [usize; 2], [usize; 2]); 8] = [
    alike([0, 3]),
    alike([3, 0]),
    alike([0, 0]),
    alike([1, 1]),
    alike([1, 7]),
    alike([7, 1]),
    alike([5, 8]),
    alike([9, 6]),
];

fn scaled(of: &Elements<i64, 2>, by: i64) -> Elements<i64, 2> {
    of.iter().map(|(&at, &value)| (at, value * by)).collect()
}

fn turned(of: &Elements<i64, 2>) -> Elements<i64, 2> {
    moved(of, |[i, j]| [j, i])
}

of_two! {
    sums<2>: add over SHAPES, sum;
    products<2>: multiply over SHAPES, elementwise;
    differences<2>: subtract over SHAPES, |a, b| sum(a, &scaled(b, -2));
}

of_one! {
    squares<2>: square over SHAPES.map(|(a, c, _)| (a, c)), |a| elementwise(a, a);
    transposes<2>: transposed over SHAPES.map(|([m, n], ..)| ([m, n], [n, m])), turned;
    with_transposes<2>: symmetric over [0, 1, 2, 6, 9].map(|n| ([n, n], [n, n])), |a| sum(a, &turned(a));
}

#[test]
fn sums_of_every_pair() {
    over!(sums:
        [Coo Csr Csc Dcsr Blocks Dia Ell Chunked Squares Bands Hierarchy Scheduled Dealt Lil Dok BandsAndRest]
        [Coo Csr Csc Dcsr Blocks Dia Ell Chunked Squares Bands Hierarchy Scheduled Dealt Lil Dok BandsAndRest] [Csr]);
}

#[test]
fn products_of_many_pairs() {
    over!(products:
        [Coo Csr Csc Dcsr Blocks Dia Ell Squares Scheduled BandsAndRest]
        [Csr Csc Blocks Bands Hierarchy Dealt Lil Dok Chunked TilesAndRest] [Csr]);
}

#[test]
fn differences_in_every_result() {
    over!(differences: [Coo Csr Blocks Dia] [Csr Csc Dcsr Grid] [Csr Csc Coo Blocks Dcsr Dia]);
}

#[test]
fn one_operand_read_twice() {
    over!(squares: [Coo Csr Blocks Ell Anti TilesAndRest] [Csr Csc Coo Blocks Dcsr Dia]);
    over!(with_transposes: [Csr Coo Blocks Dia BandsAndRest Scheduled] [Csr Coo]);
}

#[test]
fn transposes_of_every_format() {
    over!(transposes:
        [Coo Csr Csc Dcsr Blocks Dia Ell Chunked Squares Bands Hierarchy Scheduled Dealt Lil Dok BandsAndRest TilesAndRest Grid Anti]
        [Csr Csc Coo Blocks Dcsr Dia]);
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
fn three_operands() {
    over!(sums_of_three: [Csr Coo Dia] [Csr Csc Blocks] [Csr Lil Scheduled] [Csr Dcsc]);
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
