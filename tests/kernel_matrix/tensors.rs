//! Tensors of three dims, with dense operands, with vectors, matrices and tensors that are sparse.

use core::any::Any;

use unisparse::prelude::*;

use crate::checks::{Format, Integers, cast, kernels, of_two, over, two};
use crate::formats::*;
use crate::oracle::{
    Elements, dense, elementwise, made, moved, numbers, pairs, product, same, same_dense, stored, sum, tensors,
};

sparse_kernel! {
    fn mttkrp: M[i, r] += X[i, j, k] * B[j, r] * C[k, r] where X: Csf | Coordinates | LastFirst | Bricks | Slabs;
    fn planes: Y[i, k] = X[i, i, k] where X: Csf | Coordinates | LastFirst, Y: Csr | Coo;
}

kernels! {
    sums_of_pairs: sums, add [Z[i, j, k] = X[i, j, k] + Y[i, j, k]] {
        every X: Csf Coordinates LastFirst Bricks Slabs, Y: Csf Coordinates LastFirst Bricks Slabs, Z: Csf LastFirst;
        X: Csf, Y: Csf, Z: LastFirst;
        X: Coordinates, Y: Coordinates, Z: Csf;
        X: LastFirst, Y: LastFirst, Z: Csf;
        X: Bricks, Y: Bricks, Z: LastFirst;
        X: Slabs, Y: Slabs, Z: Csf;
    }
    products_of_pairs: products, multiply [Z[i, j, k] = X[i, j, k] * Y[i, j, k]] {
        every X: Csf Coordinates LastFirst Bricks Slabs, Y: Csf Coordinates LastFirst Bricks Slabs, Z: Csf LastFirst;
        X: Csf, Y: Csf, Z: LastFirst;
        X: Coordinates, Y: Coordinates, Z: Csf;
        X: LastFirst, Y: LastFirst, Z: Csf;
        X: Bricks, Y: Bricks, Z: LastFirst;
        X: Slabs, Y: Slabs, Z: Csf;
    }
    products_with_vectors: by_vectors, by_vector [Y[i, j] = X[i, j, k] * v[k]] {
        every X: Csf Coordinates LastFirst Bricks Slabs, v: Entries Chunks, Y: Csr Csc Dia Coo;
        X: Csf, v: Entries, Y: Csr;
        X: Coordinates, v: Chunks, Y: Csr;
        X: LastFirst, v: Chunks, Y: Coo;
        X: Bricks, v: Entries, Y: Csc;
        X: Slabs, v: Chunks, Y: Dia;
    }
    products_with_matrices: by_matrices, by_matrix [Y[i, j, r] = X[i, j, k] * U[k, r]] {
        every X: Csf Coordinates LastFirst Bricks, U: Csr Csc, Y: Csf Coordinates Bricks;
        X: Csf, U: Csr, Y: Csf;
        X: Coordinates, U: Csc, Y: Csf;
        X: LastFirst, U: Csc, Y: Bricks;
        X: Bricks, U: Csr, Y: Coordinates;
    }
    products_with_tensors: contractions, contract [C[i, l] = X[i, j, k] * Y[j, k, l]] {
        every X: Csf Coordinates LastFirst, Y: Csf LastFirst Bricks, C: Csr Csc;
        X: Csf, Y: Csf, C: Csr;
        X: Coordinates, Y: Bricks, C: Csr;
        X: LastFirst, Y: LastFirst, C: Csc;
    }
    products_with_two_matrices: khatri_rao, sparse_mttkrp [M[i, r] = X[i, j, k] * B[j, r] * C[k, r]] {
        every X: Csf LastFirst, B: Csr Csc, C: Csr Dia, M: Csr Coo;
        X: Csf, B: Csr, C: Dia, M: Csr;
        X: LastFirst, B: Csc, C: Csr, M: Coo;
    }
    products_with_dense_vectors: by_dense_vectors, by_dense_vector [Y[j, k] = X[i, j, k] * v[i]] {
        every X: Csf Coordinates LastFirst Bricks Slabs, Y: Csr Csc Coo;
        X: Csf, Y: Csr;
        X: Coordinates, Y: Csc;
        X: LastFirst, Y: Coo;
        X: Bricks, Y: Csr;
        X: Slabs, Y: Csc;
    }
    sums_of_slices: slices, slice_sums [Y[i, k] = X[i, j, k]] {
        every X: Csf Coordinates LastFirst Bricks Slabs, Y: Csr Csc Coo;
        X: Csf, Y: Coo;
        X: Coordinates, Y: Csr;
        X: LastFirst, Y: Csc;
        X: Bricks, Y: Coo;
        X: Slabs, Y: Csr;
    }
    inner_products_of_pairs: inner_products, inner [s = X[i, j, k] * Y[i, j, k]] {
        every X: Csf Coordinates LastFirst Bricks, Y: Csf Coordinates LastFirst Slabs;
        X: Csf, Y: Csf;
        X: Coordinates, Y: Slabs;
        X: LastFirst, Y: LastFirst;
        X: Bricks, Y: Coordinates;
    }
    other_orders: turns, turn [Y[k, i, j] = X[i, j, k]] {
        every X: Csf Coordinates LastFirst Bricks Slabs, Y: Csf LastFirst Bricks Coordinates;
        X: Csf, Y: LastFirst;
        X: Coordinates, Y: Csf;
        X: LastFirst, Y: Coordinates;
        X: Bricks, Y: Bricks;
        X: Slabs, Y: Csf;
    }
}

const SHAPES: [[usize; 3]; 7] = [
    [0, 2, 3],
    [2, 0, 3],
    [3, 2, 0],
    [1, 1, 1],
    [1, 5, 2],
    [4, 3, 5],
    [6, 5, 3],
];

fn equal_shapes() -> [([usize; 3], [usize; 3], [usize; 3]); 7] {
    SHAPES.map(crate::checks::equal_shapes)
}

of_two! {
    sums<3, 3, 3>: add over equal_shapes(), sum;
    products<3, 3, 3>: multiply over equal_shapes(), elementwise;
    by_vectors<3, 1, 2>: by_vector over SHAPES.map(|[l, m, n]| ([l, m, n], [n], [l, m])),
        |x: &Elements<i64, 3>, v: &Elements<i64, 1>| product(x, v, |[i, j, k], [at]| (k == at).then_some([i, j]));
    by_matrices<3, 2, 3>: by_matrix over SHAPES.map(|[l, m, n]| ([l, m, n], [n, 4], [l, m, 4])),
        |x: &Elements<i64, 3>, u: &Elements<i64, 2>| product(x, u, |[i, j, k], [at, r]| (k == at).then_some([i, j, r]));
    contractions<3, 3, 2>: contract over SHAPES.map(|[l, m, n]| ([l, m, n], [m, n, 3], [l, 3])),
        |x: &Elements<i64, 3>, y: &Elements<i64, 3>| product(x, y, |[i, j, k], [b, c, l]| (j == b && k == c).then_some([i, l]));
}

fn by_dense_vectors<X: Integers<3> + by_dense_vector<Y>, Y: Integers<2>>() {
    for (seed, [l, m, n]) in SHAPES.into_iter().enumerate() {
        for tensor in tensors([l, m, n], seed as u64) {
            let (x, v): (X, _) = (made(&tensor), numbers(l, 1));
            let y: Y = by_dense_vector(&x, &v).unwrap();
            let expected = product(&stored(&x), &dense([l], &v), |[i, j, k], [at]| {
                (i == at).then_some([j, k])
            });
            same([m, n], &y, &expected, || format!("{}: {tensor:?}", X::NAME));
        }
    }
}

fn slices<X: Integers<3> + slice_sums<Y>, Y: Integers<2>>() {
    for (seed, [l, m, n]) in SHAPES.into_iter().enumerate() {
        for tensor in tensors([l, m, n], seed as u64) {
            let x: X = made(&tensor);
            let y: Y = slice_sums(&x).unwrap();
            let expected = moved(&stored(&x), |[i, _, k]| [i, k]);
            same([l, n], &y, &expected, || format!("{}: {tensor:?}", X::NAME));
        }
    }
}

fn mttkrps<X: Integers<3> + mttkrp>() {
    // An empty operand does not have the number of columns.
    let shapes = SHAPES.into_iter().filter(|shape| !shape.contains(&0));
    for (seed, [l, m, n]) in shapes.enumerate() {
        for tensor in tensors([l, m, n], seed as u64) {
            let x: X = made(&tensor);
            let (b, c, before) = (numbers(m * 2, 2), numbers(n * 2, 3), numbers(l * 2, 4));
            let first = product(&stored(&x), &dense([m, 2], &b), |[i, j, k], [at, r]| {
                (j == at).then_some([i, j, k, r])
            });
            let both = product(&first, &dense([n, 2], &c), |[i, _, k, r], [at, s]| {
                (k == at && r == s).then_some([i, r])
            });
            let mut own = before.clone();
            mttkrp(&mut own, &x, &b, &c).unwrap();
            let expected = sum(&dense([l, 2], &before), &both);
            same_dense([l, 2], &own, 0, &expected, || format!("{}: {tensor:?}", X::NAME));
        }
    }
}

fn inner_products<X: Integers<3> + inner<Y>, Y: Integers<3>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs(shape, shape, seed as u64) {
            let (x, y): (X, Y) = (made(&left), made(&right));
            let expected: i64 = elementwise(&stored(&x), &stored(&y)).values().sum();
            assert_eq!(
                inner(&x, &y).unwrap(),
                expected,
                "{} {}: {left:?} {right:?}",
                X::NAME,
                Y::NAME
            );
        }
    }
}

fn turns<X: Integers<3> + turn<Y>, Y: Integers<3>>() {
    for (seed, [l, m, n]) in SHAPES.into_iter().enumerate() {
        for tensor in tensors([l, m, n], seed as u64) {
            let x: X = made(&tensor);
            let y: Y = turn(&x).unwrap();
            same([n, l, m], &y, &moved(&stored(&x), |[i, j, k]| [k, i, j]), || {
                format!("{}: {tensor:?}", X::NAME)
            });
        }
    }
}

fn planes_of<X: Integers<3> + planes<Y>, Y: Integers<2>>() {
    for shape in [[0, 0, 2], [1, 1, 3], [3, 3, 4]] {
        for tensor in tensors(shape, 9) {
            let x: X = made(&tensor);
            let on = stored(&x).into_iter().filter(|([i, j, _], _)| i == j);
            let y: Y = planes(&x).unwrap();
            same(
                [shape[0], shape[2]],
                &y,
                &on.map(|([i, _, k], value)| ([i, k], value)).collect(),
                || format!("{}: {tensor:?}", X::NAME),
            );
        }
    }
}

fn khatri_rao<X: Integers<3> + sparse_mttkrp<B, C, M>, B: Integers<2>, C: Integers<2>, M: Integers<2>>() {
    for (seed, [l, m, n]) in SHAPES.into_iter().enumerate() {
        let factors = tensors([n, 3], 30 + seed as u64);
        for (at, (tensor, factor)) in pairs([l, m, n], [m, 3], seed as u64).into_iter().enumerate() {
            let (x, b, c): (X, B, C) = (made(&tensor), made(&factor), made(&factors[at * 3 % factors.len()]));
            let first = product(&stored(&x), &stored(&b), |[i, j, k], [at, r]| {
                (j == at).then_some([i, j, k, r])
            });
            let both = product(&first, &stored(&c), |[i, _, k, r], [at, s]| {
                (k == at && r == s).then_some([i, r])
            });
            let result: M = sparse_mttkrp(&x, &b, &c).unwrap();
            same([l, 3], &result, &both, || {
                format!("{} {} {}: {tensor:?} {factor:?}", X::NAME, B::NAME, C::NAME)
            });
        }
    }
}

#[test]
fn products_with_two_dense_matrices() {
    over!(mttkrps: [Csf Coordinates LastFirst Bricks Slabs]);
}

#[test]
fn planes_of_three_dims() {
    over!(planes_of: [Csf Coordinates LastFirst] [Csr Coo]);
}
