//! Places that several threads write: the elements that holes look up, and the sums of a fiber.

use unisparse::prelude::*;

use crate::calls::{call, call_sparse, check, options};
use crate::data::{Input, arrays_as, dense};
use crate::operands::operands;
use crate::program::{Call, Options};
use crate::sample::sample;
use crate::shapes::SHAPES;
use crate::skewed::elements;

sparse_format! {
    /// Rows sorted by length within windows of two, in chunks of four, so that each window has holes; their elements are
    /// stored in blocks of four columns.
    format BlocksWithHoles = |i, j| (window: i / 2, chunk: rank / 4, slot, lane: rank % 4, row: i, bcol: j / 4, c: j % 4)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).group_by(i / 2).traverse_by(i);
            slot = enumerate(_ => 0).group_by(i).traverse_by(j / 4);
        } { merge(window, chunk, slot, lane, row, bcol); trim(slot); }
}

sparse_kernel! {
    pub fn fused: C[i, j] = 2 * D[i, j] * E[i, j] + A[i, k] * B[k, j] where D: Csr, E: Csr, A: Csr, B: Csr, C: Csr;
}

fn same(number: f64) -> f64 {
    number
}

fn check_races(name: &str, calls: &[Call]) {
    for lanes in sample([4, 32], 0, 2) {
        let with_races = Options {
            races: true,
            ..options(lanes, false)
        };
        check(&format!("{name}_{lanes}"), calls, with_races);
    }
}

#[test]
fn holes_of_several_workers() {
    let mut calls = Vec::new();
    for of_shape in &operands()[1..5] {
        let (rows, cols, ranks) = (of_shape.rows, of_shape.cols, of_shape.ranks);
        let a: BlocksWithHoles<f64> = of_shape.triplets.convert().unwrap();
        let mut c = vec![0.0; rows * ranks];
        spmm(&mut c, &a, &of_shape.b).unwrap();
        let mut inputs = sent!(plain, &a, same);
        inputs.push(dense(&of_shape.b));
        let kernels = kernels!(f64 impl unisparse::kernels::spmm for BlocksWithHoles;);
        let before = vec![7.0; c.len()];
        calls.push(call(kernels, inputs, (&[rows, ranks, cols], &[]), (&before, &c), same));
    }
    check_races("holes", &calls);
}

#[test]
fn fibers_of_several_loops() {
    let mut calls = Vec::new();
    for (shape, _, percent) in SHAPES {
        let [rows, cols] = shape;
        // The elements of one lane, then those that the lanes divide.
        let operands = [(shape, 51), (shape, 52), ([rows, rows], 53), (shape, 54)];
        let operands = operands.map(|(shape, seed)| elements(shape, percent, seed).convert());
        let [d, e, a, b]: [Csr<f64>; 4] = operands.map(|operand| operand.unwrap());
        let c: Csr<f64> = fused(&d, &e, &a, &b).unwrap();
        let inputs = [&d, &e, &a, &b].map(|operand| Input::Tensor(vec![arrays_as(operand, same)]));
        let kernels = kernels!(f64 impl fused for D: Csr, E: Csr, A: Csr, B: Csr;);
        calls.push(call_sparse(kernels, inputs.into(), (&[rows, cols, rows], &[]), &c));
    }
    check_races("fibers", &calls);
}
