//! Dense and scalar results, dense operands, reductions and masks, over every format.

use unisparse::prelude::*;

use crate::checks::{Integers, kernels, over};
use crate::common::formats::over_formats;
use crate::formats::*;
use crate::oracle::{dense, elementwise, made, matrix_product, numbers, pairs, same, same_dense, stored, sum, tensors};

over_formats! {
    A: [Csr Csc Dia C2sr BdiaCsr] [Coo Dcsr Bcsr Ell Sell Csb Bdia HiCoo Cisr Lil Dok BellCoo Grid Anti];
    [scaled: y[i] = alpha * A[i, j] * x[j] + beta * z[i]]
    [negated: y[j] += z[j] - A[i, j] * x[i]]
    [trace: s = A[i, i]]
    [form: s = x[i] * A[i, j] * y[j]]
    [least: s min= A[i, j]]
    [greatest: y[i] max= A[i, j]]
    [relax: d[j] min= s[i] + A[i, j]]
    [masked: y[i] = A[i, j] * x[j] if !seen[i]]
    [bits: y[j] |= x[i] & A[i, j] if seen[j]]
}

sparse_kernel! {
    fn dense_sum: C[i, j] = A[i, j] + B[i, j] where A: Csr | Dia | Cisr, B: Csr | Csc | Bcsr;
    fn dense_product: C[i, j] += A[i, k] * B[k, j] where A: Csr | Csc | Ell, B: Csr | Csc | Dia | BdiaCsr;
    fn largest_sum: y[i] max= A[i, k] + B[k, j] where A: Csr | Coo, B: Csr | Csc | Dcsr;
    fn filter: y[i] &= A[i, j] | B[i, j] where A: Csr | Coo | Dia, B: Csr | Csc;
    fn gather: y[i] |= A[i, j] - B[i, j] where A: Csr | Coo | Dia, B: Csr | Csc;
    fn combined: C[i, j] = larger(A[i, j], B[i, j]) where A: Csr | Coo | Dia, B: Csr | Csc, C: Csr;
}

kernels! {
    scalar_products: dots, dot [s = A[i, j] * B[i, j]] {
        every A: Coo Csr Bcsr Dia Ell Cisr BdiaCsr Csc, B: Coo Csr Csc Dcsr Bcsr Sell Lil BellCoo;
        A: Coo, B: Csr;
        A: Csr, B: Csc;
        A: Bcsr, B: Coo;
        A: Dia, B: Bcsr;
        A: Ell, B: Sell;
        A: Cisr, B: Dcsr;
        A: BdiaCsr, B: BellCoo;
        A: Csc, B: Lil;
    }
    sampled_products: samples, sampled [S[i, j] = A[i, j] * P[i, k] * Q[k, j]] {
        every A: Coo Csr Csc Dcsr Bcsr Dia Ell Csb HiCoo Cisr Lil BdiaCsr, S: Csr Csc Coo Bcsr;
        A: Coo, S: Bcsr;
        A: Csr, S: Csr;
        A: Csc, S: Csc;
        A: Dcsr, S: Csc;
        A: Bcsr, S: Coo;
        A: Dia, S: Bcsr;
        A: Ell, S: Coo;
        A: Csb, S: Csr;
        A: HiCoo, S: Csc;
        A: Cisr, S: Csr;
        A: Lil, S: Bcsr;
        A: BdiaCsr, S: Coo;
    }
    functions_of_elements: applied, rectified [C[i, j] = rectify(A[i, j])] {
        every A: Coo Csr Csc Dcsr Bcsr Dia Ell Csb HiCoo Cisr Lil BdiaCsr, C: Csr Dcsr Dia;
        A: Coo, C: Dcsr;
        A: Csr, C: Csr;
        A: Csc, C: Dcsr;
        A: Dcsr, C: Dia;
        A: Bcsr, C: Csr;
        A: Dia, C: Dia;
        A: Ell, C: Dia;
        A: Csb, C: Dia;
        A: HiCoo, C: Csr;
        A: Cisr, C: Dcsr;
        A: Lil, C: Dcsr;
        A: BdiaCsr, C: Csr;
    }
}

fn rectify(value: i64) -> i64 {
    value.max(0)
}

fn larger(left: i64, right: i64) -> i64 {
    left.max(right)
}

const SHAPES: [[usize; 2]; 9] = [[0, 3], [3, 0], [0, 0], [1, 1], [1, 7], [7, 1], [5, 8], [9, 6], [7, 7]];

/// What a stored element `A[i, j]` does to a dense result.
type Term<'a> = dyn Fn(&mut [i64], usize, usize, i64) + 'a;

/// Every kernel of one matrix, over one format.
fn one_matrix<A>()
where
    A: Integers<2> + scaled + negated + trace + form + least + greatest + relax + masked + bits,
{
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for tensor in tensors(shape, seed as u64) {
            let a: A = made(&tensor);
            let all = stored(&a);
            let [m, n] = shape;
            let (x, u): (Vec<i64>, Vec<i64>) = (numbers(n, 1), numbers(m, 2));
            let (rows, columns): (Vec<i64>, Vec<i64>) = (numbers(m, 3), numbers(n, 4));
            let flags = |len: usize| -> Vec<bool> { numbers::<i64>(len, 5).iter().map(|&number| number > 0).collect() };
            let (row_flags, column_flags) = (flags(m), flags(n));
            let what = |kernel: &str| format!("{kernel} of {}: {tensor:?}", A::NAME);
            // By the definition: from `start`, one term for each stored element.
            let folded = |start: &[i64], term: &Term<'_>| {
                let mut sums = start.to_vec();
                all.iter().for_each(|(&[i, j], &value)| term(&mut sums, i, j, value));
                sums
            };
            let updated = |start: &[i64], run: &dyn Fn(&mut Vec<i64>)| {
                let mut own = start.to_vec();
                run(&mut own);
                own
            };

            let own = updated(&rows, &|y| scaled(y, 3, &a, &x, -2, &u).unwrap());
            let start: Vec<i64> = u.iter().map(|z| -2 * z).collect();
            assert_eq!(
                own,
                folded(&start, &|y, i, j, value| y[i] += 3 * value * x[j]),
                "{}",
                what("scaled")
            );

            let own = updated(&columns, &|y| negated(y, &x, &a, &u).unwrap());
            let start: Vec<i64> = columns.iter().zip(&x).map(|(y, z)| y + z).collect();
            assert_eq!(
                own,
                folded(&start, &|y, i, j, value| y[j] -= value * u[i]),
                "{}",
                what("negated")
            );

            let own = updated(&rows, &|y| greatest(y, &a).unwrap());
            assert_eq!(
                own,
                folded(&rows, &|y, i, _, value| y[i] = y[i].max(value)),
                "{}",
                what("greatest")
            );

            let own = updated(&columns, &|d| relax(d, &u, &a).unwrap());
            assert_eq!(
                own,
                folded(&columns, &|d, i, j, value| d[j] = d[j].min(u[i] + value)),
                "{}",
                what("relax")
            );

            let own = updated(&rows, &|y| masked(y, &a, &x, &row_flags).unwrap());
            let term =
                |y: &mut [i64], i: usize, j: usize, value: i64| y[i] += if row_flags[i] { 0 } else { value * x[j] };
            assert_eq!(own, folded(&vec![0; m], &term), "{}", what("masked"));

            let own = updated(&columns, &|y| bits(y, &u, &a, &column_flags).unwrap());
            let term =
                |y: &mut [i64], i: usize, j: usize, value: i64| y[j] |= if column_flags[j] { u[i] & value } else { 0 };
            assert_eq!(own, folded(&columns, &term), "{}", what("bits"));

            assert_eq!(
                form(&u, &a, &x).unwrap(),
                folded(&[0], &|s, i, j, value| s[0] += u[i] * value * x[j])[0],
                "{}",
                what("form")
            );
            assert_eq!(
                least(&a).unwrap(),
                folded(&[i64::MAX], &|s, _, _, value| s[0] = s[0].min(value))[0],
                "{}",
                what("least")
            );
            if m == n {
                let on_diagonal =
                    |s: &mut [i64], i: usize, j: usize, value: i64| s[0] += if i == j { value } else { 0 };
                assert_eq!(trace(&a).unwrap(), folded(&[0], &on_diagonal)[0], "{}", what("trace"));
            }
        }
    }
}

#[test]
fn every_format() {
    over!(one_matrix: [Csr Csc Dia C2sr BdiaCsr]);
    #[cfg(every_product)]
    over!(one_matrix: [Coo Dcsr Bcsr Ell Sell Csb Bdia HiCoo Cisr Lil Dok BellCoo Grid Anti]);
}

fn dots<A: Integers<2> + dot<B>, B: Integers<2>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
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

fn samples<A: Integers<2> + sampled<S>, S: Integers<2>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        // An empty operand does not have the extent of the sum.
        let ranks = if shape.contains(&0) { continue } else { 3 };
        for tensor in tensors(shape, seed as u64) {
            let a: A = made(&tensor);
            let (p, q) = (numbers(shape[0] * ranks, 1), numbers(ranks * shape[1], 2));
            let whole = matrix_product(&dense([shape[0], ranks], &p), &dense([ranks, shape[1]], &q));
            let s: S = sampled(&a, &p, &q).unwrap();
            same(shape, &s, &elementwise(&stored(&a), &whole), || {
                format!("{}: {tensor:?}", A::NAME)
            });
        }
    }
}

fn applied<A: Integers<2> + rectified<C>, C: Integers<2>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for tensor in tensors(shape, seed as u64) {
            let a: A = made(&tensor);
            let c: C = rectified(&a).unwrap();
            let expected = stored(&a).into_iter().map(|(at, value)| (at, value.max(0))).collect();
            same(shape, &c, &expected, || format!("{}: {tensor:?}", A::NAME));
        }
    }
}

fn sums_to_dense<A: Integers<2> + dense_sum<B>, B: Integers<2>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs(shape, shape, seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let mut own = vec![77; shape[0] * shape[1]];
            dense_sum(&mut own, &a, &b).unwrap();
            let what = || format!("{} {}: {left:?} {right:?}", A::NAME, B::NAME);
            same_dense(shape, &own, 0, &sum(&stored(&a), &stored(&b)), what);
        }
    }
}

fn products_to_dense<A: Integers<2> + dense_product<B>, B: Integers<2>>() {
    for (seed, [m, n]) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs([m, n], [n, 4], seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let mut own: Vec<i64> = numbers(m * 4, 6);
            let expected = sum(&dense([m, 4], &own), &matrix_product(&stored(&a), &stored(&b)));
            dense_product(&mut own, &a, &b).unwrap();
            same_dense([m, 4], &own, 0, &expected, || {
                format!("{} {}: {left:?} {right:?}", A::NAME, B::NAME)
            });
        }
    }
}

fn largest_sums<A: Integers<2> + largest_sum<B>, B: Integers<2>>() {
    for (seed, [m, n]) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs([m, n], [n, 4], seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let mut own: Vec<i64> = numbers(m, 6);
            let mut expected = own.clone();
            for (&[i, k], x) in &stored(&a) {
                for (&[l, _], y) in &stored(&b) {
                    if k == l {
                        expected[i] = expected[i].max(x + y);
                    }
                }
            }
            largest_sum(&mut own, &a, &b).unwrap();
            assert_eq!(own, expected, "{} {}: {left:?} {right:?}", A::NAME, B::NAME);
        }
    }
}

fn functions_of_two<A: Integers<2> + combined<B, C>, B: Integers<2>, C: Integers<2>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs(shape, shape, seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let (first, second) = (stored(&a), stored(&b));
            let both = first.iter().filter_map(|(at, &x)| Some((*at, x.max(*second.get(at)?))));
            let c: C = combined(&a, &b).unwrap();
            same(shape, &c, &both.collect(), || {
                format!("{} {}: {left:?} {right:?}", A::NAME, B::NAME)
            });
        }
    }
}

/// Reductions of sums that are not sums: the sum at a coordinate is one value.
fn reduced_sums<A: Integers<2> + filter<B> + gather<B>, B: Integers<2>>() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for (left, right) in pairs(shape, shape, seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let before: Vec<i64> = numbers(shape[0], 6);
            let (mut filtered, mut gathered) = (before.clone(), before.clone());
            let (first, second) = (stored(&a), stored(&b));
            for at in sum(&first, &second).keys() {
                let [x, y] = [&first, &second].map(|all| all.get(at).copied().unwrap_or(0));
                filtered[at[0]] &= x | y;
                gathered[at[0]] |= x - y;
            }
            let what = || format!("{} {}: {left:?} {right:?}", A::NAME, B::NAME);
            let mut own = before.clone();
            filter(&mut own, &a, &b).unwrap();
            assert_eq!(own, filtered, "filter of {}", what());
            let mut own = before.clone();
            gather(&mut own, &a, &b).unwrap();
            assert_eq!(own, gathered, "gather of {}", what());
        }
    }
}

#[test]
fn two_matrices() {
    over!(reduced_sums: [Csr Coo Dia] [Csr Csc]);
    over!(sums_to_dense: [Csr Dia Cisr] [Csr Csc Bcsr]);
    over!(products_to_dense: [Csr Csc Ell] [Csr Csc Dia BdiaCsr]);
    over!(largest_sums: [Csr Coo] [Csr Csc Dcsr]);
    over!(functions_of_two: [Csr Coo Dia] [Csr Csc] [Csr]);
}
