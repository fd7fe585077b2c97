//! Statements other than products: tensors of three dims, semirings, masks, scalars, several sparse operands.

use unisparse::kernels::mttkrp;
use unisparse::prelude::*;

use super::{affine, both, dot, frontier, longest, relaxed, triangles};
use crate::calls::{call, check, options, some};
use crate::data::{Arrays, Input, arrays_as, dense, scalar};
use crate::program::{Call, Options};
use crate::skewed::{elements, numbers};

fn same(number: f64) -> f64 {
    number
}

/// Returns calls of statements of all kinds.
pub(super) fn other_calls() -> Vec<Call> {
    let mut calls = Vec::new();
    let shape @ [rows, cols] = [19, 23];
    let (wide, other) = (elements(shape, 30, 11), elements(shape, 20, 12));
    let (s, x, z) = (numbers(rows, 13), numbers(cols, 14), numbers(rows, 15));
    macro_rules! add {
        ($kernels:expr, $inputs:expr, $extents:expr, $constants:expr, $before:expr, $after:expr) => {
            calls.push(call(
                $kernels,
                $inputs,
                (&$extents, &$constants),
                ($before, $after),
                same,
            ))
        };
    }
    macro_rules! relaxations {
        ($($format:ident [$($constant:literal),*]),*) => {$({
            let a: $format<f64, $($constant),*> = wide.convert().unwrap();
            // Any number replaces NaN.
            let (mut s, mut d) = (s.clone(), numbers(cols, 16));
            (s[2], d[5], d[7]) = (f64::NAN, f64::NAN, f64::NAN);
            let before = d.clone();
            relaxed(&mut d, &s, &a).unwrap();
            let mut inputs = vec![dense(&s)];
            inputs.extend(sent!(plain, &a, same));
            add!(kernels!(f64 impl relaxed for $format;), inputs, [cols, rows], [$($constant),*], &before, &d);
        })*};
    }
    relaxations!(Csr [], Csc [], Coo [], Dia [], Bcsr [2, 3]);
    macro_rules! longests {
        ($($format:ident),*) => {$({
            let a: $format<f64> = wide.convert().unwrap();
            let t: f64 = longest(&a).unwrap();
            add!(kernels!(f64 impl longest for $format;), sent!(plain, &a, same), shape, [], &[0.0], &[t]);
        })*};
    }
    longests!(Csr, Dia, Coo);
    macro_rules! affines {
        ($($kind:ident $format:ident [$($constant:literal),*]),*) => {$({
            let a: $format<f64, $($constant),*> = wide.convert().unwrap();
            let mut y = vec![f64::NAN; rows];
            let before = y.clone();
            affine(&mut y, 2.0, &a, &x, -3.0, &z).unwrap();
            let mut inputs = vec![scalar(2.0)];
            inputs.extend(sent!($kind, &a, same));
            inputs.extend([dense(&x), scalar(-3.0), dense(&z)]);
            add!(kernels!(f64 impl affine for $format;), inputs, shape, [$($constant),*], &before, &y);
        })*};
    }
    affines!(plain Csr [], cut Cisr [3], plain Bcsr [2, 3]);
    macro_rules! dots {
        ($($kind:ident $format:ident [$($constant:literal),*] $right:ident),*) => {$({
            let a: $format<f64, $($constant),*> = wide.convert().unwrap();
            let b: $right<f64> = other.convert().unwrap();
            let t: f64 = dot(&a, &b).unwrap();
            let mut inputs = sent!($kind, &a, same);
            inputs.extend(sent!(plain, &b, same));
            let kernels = kernels!(f64 impl dot for A: $format, B: $right;);
            add!(kernels, inputs, shape, [$($constant),*], &[0.0], &[t]);
        })*};
    }
    dots!(plain Csr [] Csr, plain Csr [] Coo, plain Csr [] Lil, cut Cisr [3] Csr, hybrid BdiaCsr [4] Lil);
    macro_rules! differences {
        ($($format:ident $right:ident),*) => {$({
            let a: $format<f64> = wide.convert().unwrap();
            let b: $right<f64> = other.convert().unwrap();
            let mut d = vec![0.0; rows * cols];
            both(&mut d, &a, &b).unwrap();
            let mut inputs = sent!(plain, &a, same);
            inputs.extend(sent!(plain, &b, same));
            let before = vec![f64::NAN; d.len()];
            add!(kernels!(f64 impl both for A: $format, B: $right;), inputs, shape, [], &before, &d);
        })*};
    }
    differences!(Csr Csr, Csr Coo, Csc Csr, Dcsr Coo);
    let square = elements([cols, cols], 25, 17);
    macro_rules! closed {
        ($($format:ident),*) => {$({
            let l: $format<f64> = square.convert().unwrap();
            let t: f64 = triangles(&l).unwrap();
            let inputs = sent!(plain, &l, same);
            add!(kernels!(f64 impl triangles for $format;), inputs, [cols; 3], [], &[0.0], &[t]);
        })*};
    }
    closed!(Csr, Dok);
    let extents @ [i, j, k] = [5, 6, 7];
    let mut triplets = Triplets::new(extents);
    for (at, number) in numbers(i * j * k, 18).into_iter().enumerate() {
        if at % 3 == 0 && at / (j * k) != 2 {
            triplets.push([at / (j * k), at / k % j, at % k], number).unwrap();
        }
    }
    let tensor: Csf<f64> = triplets.convert().unwrap();
    for ranks in [0, 3, 150] {
        let (b, c, mut m) = (numbers(j * ranks, 19), numbers(k * ranks, 20), numbers(i * ranks, 21));
        let before = m.clone();
        mttkrp(&mut m, &tensor, &b, &c).unwrap();
        let mut inputs = sent!(plain, &tensor, same);
        inputs.extend([dense(&b), dense(&c)]);
        add!(
            kernels!(f64 impl mttkrp for Csf;),
            inputs,
            [i, ranks, j, k],
            [],
            &before,
            &m
        );
    }
    calls
}

#[test]
fn other_statements() {
    check("statements", &some(other_calls(), 0, 2), options(32, false));
    let with_races = Options {
        races: true,
        ..options(4, true)
    };
    check("statements_races", &some(other_calls(), 1, 2), with_races);
}

/// Returns calls over elements of one byte, which atomic operations change as parts of words.
pub(super) fn graph_calls() -> Vec<Call> {
    let mut calls = Vec::new();
    let shape @ [rows, cols] = [19, 23];
    let (front, seen) = (numbers(rows, 22), numbers(cols, 23));
    let is = |number: f64| number > 0.0;
    let [front, seen] = [front, seen].map(|numbers| numbers.into_iter().map(is).collect::<Vec<bool>>());
    let mut graph = Triplets::new(shape);
    elements(shape, 30, 24).for_each(|at, number| graph.push(at, is(number)).unwrap());
    macro_rules! steps {
        ($($format:ident),*) => {$({
            let a: $format<bool> = graph.convert().unwrap();
            let mut next = vec![false; cols];
            frontier(&mut next, &front, &a, &seen).unwrap();
            let mut inputs = vec![dense(&front)];
            inputs.push(Input::Tensor(vec![arrays_as(&a, |edge| edge)]));
            inputs.push(dense(&seen));
            let after: Vec<f64> = next.iter().map(|&next| f64::from(u8::from(next))).collect();
            let before = vec![0.0; cols];
            let of = |number: f64| number != 0.0;
            calls.push(call(
                kernels!(bool impl frontier for $format;), inputs, (&[cols, rows], &[]), (&before, &after), of,
            ));
        })*};
    }
    steps!(Csr, Ell, Coo);
    calls
}

#[test]
fn searches_of_graphs() {
    let calls = graph_calls();
    check("graphs", &calls, options(8, false));
    let with_races = Options {
        races: true,
        ..options(32, true)
    };
    check("graphs_races", &calls, with_races);
}
