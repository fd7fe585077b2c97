//! Statements of all kinds on cores, beside the same statements on the processor.

use unisparse::pim::{self, Device};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets, pim_kernel};

sparse_format! {
    /// Rows and columns in structs.
    format Pairs<const P: usize = 2> = |i, j| (bank: i % P, row: i, col: j)
        { merge(bank); trim(row..=col); partition(bank); pack(row..=col); }
    /// Blocks whose columns of one byte are in structs of eight with four-byte rows.
    format Narrow<const P: usize = 2> = |i, j| (bank: i % P, row: i, col: j)
        { merge(bank, row); trim(row..=col); partition(bank); pack(col); index(col: u8); }
}

use super::{Blocked, Columns, Dealt, Spread, matrix, vector};

sparse_kernel! {
    fn least: y[i] min= A[i, j] + x[j] where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn greatest: y[j] max= -A[i, j] * x[i] where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn total: s = A[i, j] * x[j] where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn farthest: s max= A[i, j] * (2 * j + 1) where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn half: y[i] = 0.5 * A[i, j] * (x[j] - 3) where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn unseen: y[i] += A[i, j] if !x[j] where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn reached: y[i] |= A[i, j] & (x[j] | 4) where A: C2sr | CisrPlus | Dealt | Blocked | Columns | Spread | Pairs | Narrow;
    fn large: y[i] = 300 * A[i, j] where A: C2sr;
    fn numbered: y[i] = j * A[i, j] where A: C2sr;
}

/// Checks statements with these operands on one format.
macro_rules! check {
    ($triplets:expr, $cores:expr, $format:ty, $($kernel:ident $output:tt $start:expr, $operand:expr;)*) => {{
        let a: $format = $triplets.convert().unwrap();
        $(
            let operands = $operand;
            let expected = on_processor!($kernel $output a, $start, &operands);
            let kernel = pim_kernel!($kernel, A: $format);
            let run = pim::run(&Device::blimp($cores), &kernel, &a, &inputs!($output operands)).unwrap();
            assert_eq!(run.y, expected, "{} over {} on {} cores", kernel.text, kernel.format, $cores);
        )*
    }};
}

/// Runs a statement with an output (`y`, of rows or columns) or a result (`s`), and an operand if there is one.
macro_rules! on_processor {
    ($kernel:ident [y $dim:literal] $a:ident, $start:expr, $x:expr) => {{
        let mut y = vec![$start; $a.shape()[$dim]];
        $kernel(&mut y, &$a, &$x[..]).unwrap();
        y
    }};
    ($kernel:ident [s] $a:ident, $start:expr, $x:expr) => {
        vec![$kernel(&$a, &$x[..]).unwrap()]
    };
    ($kernel:ident [s alone] $a:ident, $start:expr, $x:expr) => {
        vec![$kernel(&$a).unwrap()]
    };
}

macro_rules! inputs {
    ([s alone] $x:ident) => {{
        let _: Vec<f32> = $x;
        []
    }};
    ($output:tt $x:ident) => {
        [&$x[..]]
    };
}

macro_rules! check_all {
    ($triplets:expr, $($format:ty),*) => {{
        let [rows, cols] = $triplets.shape();
        $(
            for cores in [1, 3, 5] {
                check!($triplets, cores, $format,
                    least [y 0] f32::INFINITY, vector(cols);
                    greatest [y 1] f32::NEG_INFINITY, vector(rows);
                    total [s] 0.0, vector(cols);
                    farthest [s alone] f32::NEG_INFINITY, Vec::new();
                    half [y 0] 0.0, vector(cols);
                    unseen [y 0] 0.0, vector(cols);
                );
            }
        )*
    }};
}

#[test]
fn statements_of_all_kinds_run() {
    for (shape, count, seed) in [
        ([30, 20], 90, 3),
        ([7, 40], 60, 4),
        ([1, 1], 1, 5),
        ([5, 3], 0, 6),
        ([0, 4], 0, 7),
    ] {
        let triplets = if shape[0] == 0 {
            Triplets::new(shape)
        } else {
            matrix(shape, count, seed)
        };
        check_all!(triplets, C2sr<f32, 4>, CisrPlus<f32, 4>, Dealt<f32, 3>, Blocked<f32, 4>, Columns<f32, 4>, Spread<f32, 4>, Pairs<f32, 4>, Narrow<f32, 4>);
    }
}

/// The memory of one core with rows, columns and values in structs of twelve bytes: one array, one pointer.
#[test]
fn structs_are_one_array() {
    let elements = [([0, 1], 2.0), ([0, 3], 3.0), ([2, 0], 4.0)];
    let a = Pairs::<f32, 1>::try_from_triplets([3, 4], elements).unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: Pairs<f32, 1>);
    let (device, x) = (Device::blimp(1), [1.0; 4]);
    let mut text = Vec::new();
    pim::accesses(&device, &kernel, &a, &[&x], 0, &mut pim::Trace::new(&mut text)).unwrap();
    // 12 bytes of `y`, 16 of `x`, then the structs, each from a multiple of 64 on.
    let text = String::from_utf8(text).unwrap();
    let addresses: Vec<u64> = text
        .lines()
        .map(|line| u64::from_str_radix(line.split(' ').next().unwrap().trim_start_matches("0x"), 16).unwrap())
        .collect();
    let first = 2 * 64;
    for at in 0..3 {
        for offset in [0, 4, 8] {
            let count = addresses
                .iter()
                .filter(|address| **address == first + 12 * at + offset)
                .count();
            assert_eq!(count, 1, "entry {at}, byte {offset} of {addresses:?}");
        }
    }
    let report = pim::run(&device, &kernel, &a, &[&x]).unwrap().report;
    assert_eq!(report.cores[0].bank_bytes, first + 64);
}

#[test]
fn bits_are_combined() {
    let mut triplets = Triplets::<u8, 2>::new([9, 8]);
    for at in 0..30 {
        triplets.push([at * 5 % 9, at * 3 % 8], 1 << (at % 8)).unwrap();
    }
    let triplets = triplets.duplicates(Duplicates::Last);
    let x: Vec<u8> = [0, 37, 74, 111, 148, 185, 222, 3].to_vec();
    macro_rules! check_bits {
        ($($format:ty),*) => {$(
            let a: $format = triplets.convert().unwrap();
            let mut y = vec![0; 9];
            reached(&mut y, &a, &x).unwrap();
            assert!(y.iter().any(|bits| *bits != 0));
            let run = pim::run(&Device::blimp(3), &pim_kernel!(reached, A: $format), &a, &[&x]).unwrap();
            assert_eq!(run.y, y);
        )*};
    }
    check_bits!(C2sr<u8, 4>, Dealt<u8, 3>, Blocked<u8, 4>, Columns<u8, 4>);
}

#[test]
fn numbers_that_the_element_type_lacks_are_refused() {
    let a = C2sr::<i8, 2>::try_from_triplets([2, 200], [([0, 1], 1)]).unwrap();
    let kernel = pim_kernel!(large, A: C2sr<i8, 2>);
    let error = pim::run(&Device::blimp(2), &kernel, &a, &[]).unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Type, "literal `300`"));
    let kernel = pim_kernel!(numbered, A: C2sr<i8, 2>);
    let error = pim::run(&Device::blimp(2), &kernel, &a, &[]).unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Overflow, "index `j`"));
}
