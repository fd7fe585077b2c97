//! Kernels with a sparse output: sums and products of sparse matrices, element by element and as matrices, and sampled
//! products.

use unisparse::prelude::*;

use super::{both_sparse, common, contracted, product, sampled_sparse};
use crate::calls::{call_sparse, check, options, some};
use crate::data::{Arrays, Input, arrays_as, dense};
use crate::program::{Call, Options};
use crate::shapes::SHAPES;
use crate::skewed::{elements, numbers};

fn same(number: f64) -> f64 {
    number
}

/// Returns calls of statements whose output is sparse, over matrices of these shapes.
pub(super) fn calls(shapes: &[([usize; 2], usize, usize)]) -> Vec<Call> {
    let mut calls = Vec::new();
    for &(shape @ [rows, cols], ranks, percent) in shapes {
        let (left, right) = (elements(shape, percent, 41), elements(shape, percent / 2, 42));
        let (p, q) = (numbers(rows * ranks, 43), numbers(ranks * cols, 44));
        let square = elements([cols, rows], percent, 45);
        macro_rules! two {
            ($function:ident($right_of:ident, $extents:expr): $($a:ident $a_of:tt * $b:ident $b_of:tt),*) => {$({
                two!(each $function $right_of $extents, $a $a_of, $b $b_of);
            })*};
            (each $function:ident $right_of:ident $extents:expr, $a:ident [$($m:literal),*], $b:ident [$($n:literal),*]) => {
                let a: $a<f64, $($m),*> = left.convert().unwrap();
                let b: $b<f64, $($n),*> = $right_of.convert().unwrap();
                let c: Csr<f64> = $function(&a, &b).unwrap();
                let mut inputs = sent!(plain, &a, same);
                inputs.extend(sent!(plain, &b, same));
                let kernels = kernels!(f64 impl $function for A: $a, B: $b;);
                calls.push(call_sparse(kernels, inputs, (&$extents, &[$($m,)* $($n),*]), &c));
            };
        }
        two!(both_sparse(right, [rows, cols]): Csr [] * Csr [], Csc [] * Coo [], Dcsr [] * Csr []);
        two!(common(right, [rows, cols]): Csr [] * Csr [], Dcsr [] * Dia [], Coo [] * Csr []);
        two!(product(square, [rows, rows, cols]): Csr [] * Csr [], Csc [] * Csr [], Csr [] * Dcsr [],
            Bcsr [2, 3] * Csr [], Coo [] * Bcsr [3, 2]);
        macro_rules! sampled {
            ($($kind:ident $format:ident [$($constant:literal),*]),*) => {$({
                let a: $format<f64, $($constant),*> = left.convert().unwrap();
                let c: Csr<f64> = sampled_sparse(&a, &p, &q).unwrap();
                let mut inputs = sent!($kind, &a, same);
                inputs.extend([dense(&p), dense(&q)]);
                let kernels = kernels!(f64 impl sampled_sparse for $format;);
                calls.push(call_sparse(kernels, inputs, (&[rows, cols, ranks], &[$($constant),*]), &c));
            })*};
        }
        sampled!(plain Csr [], plain Coo [], plain Sell [2, 4], cut Cisr [3]);
    }
    let [i, j, k, l] = [5, 6, 7, 9];
    let mut triplets = Triplets::new([i, j, k]);
    for (at, number) in numbers(i * j * k, 46).into_iter().enumerate() {
        if at % 3 == 0 && at / (j * k) != 2 {
            triplets.push([at / (j * k), at / k % j, at % k], number).unwrap();
        }
    }
    let (a, b): (Csf<f64>, Csr<f64>) = (triplets.convert().unwrap(), elements([j, l], 40, 47).convert().unwrap());
    let c: Csr<f64> = contracted(&a, &b).unwrap();
    let mut inputs = sent!(plain, &a, same);
    inputs.extend(sent!(plain, &b, same));
    let kernels = kernels!(f64 impl contracted for A: Csf, B: Csr;);
    calls.push(call_sparse(kernels, inputs, (&[i, l, j, k], &[]), &c));
    calls
}

#[test]
fn sparse_outputs() {
    check("sparse", &some(calls(&SHAPES), 0, 2), options(32, false));
    let with_races = Options {
        races: true,
        ..options(4, true)
    };
    check("sparse_races", &some(calls(&SHAPES[..5]), 1, 2), with_races);
}
