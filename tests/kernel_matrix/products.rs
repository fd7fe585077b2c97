//! Products of sparse matrices: of pairs of formats, to every result, masked, and with others added.

use core::any::Any;

use unisparse::prelude::*;

use crate::checks::{Format, Integers, cast, kernels, of_two, over, two};
use crate::formats::*;
use crate::oracle::{Elements, elementwise, made, matrix_product, pairs, product, same, stored, sum, tensors};

sparse_kernel! {
    fn difference: C[i, j] = A[i, k] * B[k, j] - B[i, k] * A[k, j] where A: Csr | Coo | Dia, B: Csr | Csc, C: Csr;
    fn power: C[i, j] = A[i, k] * A[k, j] where A: Csr | Csc | Coo | Bcsr | Dia | Ell | BdiaCsr, C: Csr | Csc;
}

kernels! {
    products_of_pairs: products, multiply [C[i, j] = A[i, k] * B[k, j]] {
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
    products_in_every_result: products_to, multiply_to [C[i, j] = A[i, k] * B[k, j]] {
        every A: Csr Csc Bcsr Grid, B: Csr Csc Coo BdiaCsr, C: Csc Coo Bcsr Dcsr Dia;
        A: Csr, B: Csc, C: Dcsr;
        A: Csc, B: BdiaCsr, C: Coo;
        A: Bcsr, B: Csr, C: Dia;
        A: Bcsr, B: Csc, C: Csc;
        A: Grid, B: Coo, C: Bcsr;
    }
    products_with_transposes: by_transposes, multiply_by_transpose [C[i, j] = A[i, k] * B[j, k]] {
        every A: Csr Csc Dia C2sr, B: Csr Csc Ell Dok, C: Csr Coo;
        A: Csr, B: Csr, C: Coo;
        A: Csc, B: Csc, C: Coo;
        A: Dia, B: Dok, C: Csr;
        A: C2sr, B: Ell, C: Csr;
    }
    products_of_transposes: of_transposes, transpose_times [C[i, j] = A[k, i] * B[k, j]] {
        every A: Csr Csc Coo Lil, B: Csr Bcsr Csc, C: Csr Dcsc;
        A: Csr, B: Bcsr, C: Csr;
        A: Csc, B: Csc, C: Csr;
        A: Coo, B: Csr, C: Dcsc;
        A: Lil, B: Csc, C: Dcsc;
    }
    products_where_a_mask_is_set: where_set, masked [C[i, j] = A[i, k] * B[k, j] if M[i, j]] {
        every A: Csr Csc, B: Csr Bcsr, M: Csr Dcsr Dia BdiaCsr Csc, C: Csr Csc;
        A: Csr, B: Bcsr, M: Csr, C: Csr;
        A: Csr, B: Bcsr, M: Dia, C: Csr;
        A: Csr, B: Bcsr, M: Csc, C: Csc;
        A: Csc, B: Csr, M: Dcsr, C: Csc;
        A: Csc, B: Csr, M: BdiaCsr, C: Csr;
    }
    products_where_a_mask_is_not_set: where_unset, masked_out [C[i, j] = A[i, k] * B[k, j] if !M[i, j]] {
        every A: Csr Csc, B: Csr Bcsr, M: Csr Dcsr Dia BdiaCsr Csc, C: Csr Csc;
        A: Csr, B: Bcsr, M: Csr, C: Csr;
        A: Csr, B: Bcsr, M: Dia, C: Csr;
        A: Csr, B: Bcsr, M: Csc, C: Csc;
        A: Csc, B: Csr, M: Dcsr, C: Csc;
        A: Csc, B: Csr, M: BdiaCsr, C: Csr;
    }
    products_and_a_third: with_addends, with_addend [C[i, j] = A[i, k] * B[k, j] + D[i, j]] {
        every A: Csr Csc Bcsr, B: Csr Coo Csc, D: Csr Csc Dia Cisr, C: Csr Coo;
        A: Csr, B: Coo, D: Cisr, C: Coo;
        A: Csc, B: Csc, D: Csr, C: Csr;
        A: Bcsr, B: Csr, D: Dia, C: Csr;
        A: Bcsr, B: Csc, D: Csc, C: Coo;
    }
    products_of_three: chains, chain [D[i, j] = A[i, k] * B[k, l] * C[l, j]] {
        every A: Csr Coo, B: Csr Csc Dia, C: Csr Dcsr, D: Csr;
        A: Csr, B: Csc, C: Dcsr, D: Csr;
        A: Csr, B: Dia, C: Dcsr, D: Csr;
        A: Coo, B: Csr, C: Csr, D: Csr;
    }
    sampled_products: samples, sampled [D[i, j] = C[i, j] * A[i, k] * B[k, j]] {
        every C: Csr Coo Dia, A: Csr Bcsr, B: Csr Csc, D: Csr;
        C: Csr, A: Csr, B: Csc, D: Csr;
        C: Coo, A: Bcsr, B: Csc, D: Csr;
        C: Dia, A: Bcsr, B: Csr, D: Csr;
    }
}

/// Rows, what is summed over, columns.
const EXTENTS: [[usize; 3]; 10] = [
    [0, 3, 2],
    [3, 0, 2],
    [2, 3, 0],
    [0, 0, 0],
    [1, 1, 1],
    [1, 6, 1],
    [6, 1, 5],
    [1, 5, 7],
    [5, 7, 6],
    [8, 4, 9],
];

type Shapes = ([usize; 2], [usize; 2], [usize; 2]);

fn shapes(of: impl Fn([usize; 3]) -> Shapes) -> [Shapes; 10] {
    EXTENTS.map(of)
}

of_two! {
    products<2, 2, 2>: multiply over shapes(|[m, k, n]| ([m, k], [k, n], [m, n])), matrix_product;
    products_to<2, 2, 2>: multiply_to over shapes(|[m, k, n]| ([m, k], [k, n], [m, n])), matrix_product;
    by_transposes<2, 2, 2>: multiply_by_transpose over shapes(|[m, k, n]| ([m, k], [n, k], [m, n])),
        |a: &Elements<i64, 2>, b: &Elements<i64, 2>| product(a, b, |[i, k], [j, l]| (k == l).then_some([i, j]));
    of_transposes<2, 2, 2>: transpose_times over shapes(|[m, k, n]| ([k, m], [k, n], [m, n])),
        |a: &Elements<i64, 2>, b: &Elements<i64, 2>| product(a, b, |[k, i], [l, j]| (k == l).then_some([i, j]));
}

/// A kernel of a product and a third matrix of the shape of the result.
fn three<A: Integers<2>, B: Integers<2>, C: Integers<2>, D: Integers<2>>(
    kernel: &str,
    run: impl Fn(&A, &B, &C) -> D,
    expected: impl Fn(&Elements<i64, 2>, &Elements<i64, 2>, &Elements<i64, 2>) -> Elements<i64, 2>,
) {
    for (seed, [m, k, n]) in EXTENTS.into_iter().enumerate() {
        let thirds = tensors([m, n], 50 + seed as u64);
        for (at, (left, right)) in pairs([m, k], [k, n], seed as u64).into_iter().enumerate() {
            let third = &thirds[at * 3 % thirds.len()];
            let (a, b, c): (A, B, C) = (made(&left), made(&right), made(third));
            let expected = expected(&stored(&a), &stored(&b), &stored(&c));
            let what = || {
                format!(
                    "{kernel} of {}, {} and {}: {:?}",
                    A::NAME,
                    B::NAME,
                    C::NAME,
                    (&left, &right, third)
                )
            };
            same([m, n], &run(&a, &b, &c), &expected, what);
        }
    }
}

/// The elements where the mask is not zero, or where it is.
fn where_mask(of: Elements<i64, 2>, mask: &Elements<i64, 2>, set: bool) -> Elements<i64, 2> {
    let is_set = |at: &[usize; 2]| mask.get(at).is_some_and(|&value| value != 0);
    of.into_iter().filter(|(at, _)| is_set(at) == set).collect()
}

fn where_set<A: Integers<2> + masked<B, M, C>, B: Integers<2>, M: Integers<2>, C: Integers<2>>() {
    three(
        "masked",
        |a: &A, b: &B, m: &M| -> C { masked(a, b, m).unwrap() },
        |a, b, m| where_mask(matrix_product(a, b), m, true),
    );
}

fn where_unset<A: Integers<2> + masked_out<B, M, C>, B: Integers<2>, M: Integers<2>, C: Integers<2>>() {
    three(
        "masked_out",
        |a: &A, b: &B, m: &M| -> C { masked_out(a, b, m).unwrap() },
        |a, b, m| where_mask(matrix_product(a, b), m, false),
    );
}

fn with_addends<A: Integers<2> + with_addend<B, D, C>, B: Integers<2>, D: Integers<2>, C: Integers<2>>() {
    three(
        "with_addend",
        |a: &A, b: &B, d: &D| -> C { with_addend(a, b, d).unwrap() },
        |a, b, d| sum(&matrix_product(a, b), d),
    );
}

fn samples<C: Integers<2> + sampled<A, B, D>, A: Integers<2>, B: Integers<2>, D: Integers<2>>() {
    three(
        "sampled",
        |a: &A, b: &B, c: &C| -> D { sampled(c, a, b).unwrap() },
        |a, b, c| elementwise(&matrix_product(a, b), c),
    );
}

fn powers<A: Integers<2> + power<C>, C: Integers<2>>() {
    for n in [0, 1, 2, 7, 10] {
        for tensor in tensors([n, n], n as u64) {
            let a: A = made(&tensor);
            let result: C = power(&a).unwrap();
            same([n, n], &result, &matrix_product(&stored(&a), &stored(&a)), || {
                format!("{}: {tensor:?}", A::NAME)
            });
        }
    }
}

fn commutators<A: Integers<2> + difference<B, C>, B: Integers<2>, C: Integers<2>>() {
    for n in [0, 1, 2, 7, 10] {
        for (left, right) in pairs([n, n], [n, n], n as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let negative = matrix_product(&stored(&b), &stored(&a))
                .into_iter()
                .map(|(at, value)| (at, -value))
                .collect();
            let expected = sum(&matrix_product(&stored(&a), &stored(&b)), &negative);
            let result: C = difference(&a, &b).unwrap();
            same([n, n], &result, &expected, || {
                format!("{} {}: {left:?} {right:?}", A::NAME, B::NAME)
            });
        }
    }
}

fn chains<A: Integers<2> + chain<B, C, D>, B: Integers<2>, C: Integers<2>, D: Integers<2>>() {
    for (seed, [m, k, n]) in EXTENTS.into_iter().enumerate() {
        let lasts = tensors([n, 4], 50 + seed as u64);
        for (at, (left, right)) in pairs([m, k], [k, n], seed as u64).into_iter().enumerate() {
            let (a, b, c): (A, B, C) = (made(&left), made(&right), made(&lasts[at % lasts.len()]));
            let expected = matrix_product(&matrix_product(&stored(&a), &stored(&b)), &stored(&c));
            let result: D = chain(&a, &b, &c).unwrap();
            same([m, 4], &result, &expected, || {
                format!("{} {} {}: {left:?} {right:?}", A::NAME, B::NAME, C::NAME)
            });
        }
    }
}

#[test]
fn powers_and_commutators() {
    over!(powers: [Csr Csc Coo Bcsr Dia Ell BdiaCsr] [Csr Csc]);
    over!(commutators: [Csr Coo Dia] [Csr Csc] [Csr]);
}
