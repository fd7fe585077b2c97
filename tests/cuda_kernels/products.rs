//! Products of all stock formats with dense operands, for all element types.

use unisparse::__private::c::{Count, Kernels, Launch, Work};
use unisparse::prelude::*;
#[cfg(feature = "half")]
use unisparse::{bf16, f16};

use super::{sampled, scattered};
use crate::calls::{call, check, options, some};
use crate::data::{self, Arrays, Element, Input, arrays_as, dense};
use crate::operands::{Operands, operands};
use crate::program::{self, Call, Options};
use crate::skewed::{elements, numbers};
use crate::{host, results};

/// Calls a macro for each stock format of matrices, with its arrays, its name and its const parameters.
macro_rules! matrices {
    ($each:ident $given:tt) => {
        sixth!(0 $each $given);
        sixth!(1 $each $given);
        sixth!(2 $each $given);
        sixth!(3 $each $given);
        sixth!(4 $each $given);
        sixth!(5 $each $given);
    };
}

/// Calls a macro for a sixth of the stock formats.
macro_rules! sixth {
    (0 $each:ident $given:tt) => {
        $each!($given plain Coo []);
        $each!($given plain Csr []);
        $each!($given plain Bcsr [2, 3]);
        $each!($given cut C2sr [2]);
    };
    (1 $each:ident $given:tt) => {
        $each!($given plain Csc []);
        $each!($given plain Csb [4]);
        $each!($given plain Dia []);
        $each!($given hybrid BdiaCsr [4]);
    };
    (2 $each:ident $given:tt) => {
        $each!($given plain Dcsr []);
        $each!($given plain DiaVariant []);
        $each!($given plain HiCoo [4]);
        $each!($given cut Cisr [3]);
    };
    (3 $each:ident $given:tt) => {
        $each!($given plain Dcsc []);
        $each!($given plain Sell [2, 4]);
        $each!($given plain Bdia [4]);
        $each!($given plain Dok []);
    };
    (4 $each:ident $given:tt) => {
        $each!($given plain Ell []);
        $each!($given plain Bcsc [3, 2]);
        $each!($given cut CisrPlus [2]);
        $each!($given hybrid BellCoo [4]);
    };
    (5 $each:ident $given:tt) => {
        $each!($given plain Jds []);
        $each!($given plain Bell [4]);
        $each!($given plain Serpens [4, 8, 3]);
        $each!($given plain Lil []);
    };
}

/// Appends the calls of the products of one matrix in a format.
macro_rules! products {
    ($of_products:tt $($format:tt)*) => { products_of!($of_products $($format)*); };
}

/// Functions that return the calls of the products of matrices, one for each element type: in a sixth of the formats, and with
/// `RUSTFLAGS="--cfg every_product"` in all of them.
macro_rules! calls_of {
    ($($name:ident $element:ident $of:expr, $sixth:tt);* $(;)?) => {$(
        pub(super) fn $name(all: &[Operands]) -> Vec<Call> {
            let (of, mut calls): (fn(f64) -> $element, _) = ($of, Vec::new());
            for operands in all {
                #[cfg(not(every_product))]
                sixth!($sixth products ($element of operands calls));
                #[cfg(every_product)]
                matrices!(products ($element of operands calls));
            }
            calls
        }
    )*};
}

calls_of! {
    f64_of_four_lanes f64 |number| number, 2;
    f64_of_one_lane f64 |number| number, 3;
    f32_calls f32 |number| number as f32, 1;
    i32_calls i32 |number| number as i32, 0;
}
#[cfg(feature = "half")]
calls_of!(f16_calls f16 f16::from_f64, 4; bf16_calls bf16 bf16::from_f64, 5);

/// Returns the calls of the products of matrices in all formats.
pub(super) fn f64_calls(all: &[Operands]) -> Vec<Call> {
    let (of, mut calls): (fn(f64) -> f64, _) = (|number| number, Vec::new());
    for operands in all {
        matrices!(products (f64 of operands calls));
    }
    calls
}

/// The host chooses blocks by the number of positions.
#[test]
fn numbers_of_positions_are_known() {
    let of_launch = |launch: &Launch| match launch.positions {
        // Carries are those of the launch before.
        Count::Unknown if launch.work == Work::Divided && !launch.kernel.ends_with("_carries") => Some(launch.kernel),
        _ => None,
    };
    let calls = f64_calls(&operands()[4..5]);
    let unknown = calls
        .iter()
        .flat_map(|call| call.kernels.launches)
        .filter_map(of_launch);
    assert_eq!(unknown.collect::<Vec<&str>>(), Vec::<&str>::new());
}

#[test]
fn products_of_f64() {
    let operands = operands();
    // A product of each format, and more than one of every third.
    let calls = some(f64_calls(&operands), 0, 3);
    check("f64", &calls, options(32, false));
    for (lanes, wide, calls) in [
        (4, true, f64_of_four_lanes(&operands[..6])),
        (1, false, f64_of_one_lane(&operands[..6])),
    ] {
        let with_races = Options {
            races: true,
            ..options(lanes, wide)
        };
        check(&format!("f64_{lanes}"), &calls, with_races);
    }
}

#[test]
fn products_of_f32() {
    let calls = f32_calls(&operands());
    check("f32", &calls, options(8, false));
}

#[test]
fn products_of_i32() {
    let calls = i32_calls(&operands());
    check("i32", &calls, options(2, false));
}

/// Returns the calls of integers of all other widths, whose shuffles and atomic operations differ.
pub(super) fn integers() -> Vec<Call> {
    let (mut calls, all) = (Vec::new(), operands());
    let operands = &all[4];
    macro_rules! each {
        ($($element:ident $formats:tt),*) => { $(each!(of $element $formats);)* };
        (of $element:ident [$($format:ident $constants:tt),*]) => {{
            // Sums that do not fit wrap around in both.
            let of: fn(f64) -> $element = |number| number as i64 as $element;
            $(products_of!(($element of operands calls) plain $format $constants);)*
        }};
    }
    each!(i8 [Csr [], Coo [], Sell [2, 4]], u16 [Csr [], Coo [], Sell [2, 4]]);
    each!(u8 [Coo []], i16 [Sell [2, 4]], u32 [Coo []], i64 [Sell [2, 4]], u64 [Coo []]);
    calls
}

#[test]
fn products_of_other_integers() {
    let with_races = Options {
        races: true,
        ..options(32, false)
    };
    check("integers", &some(integers(), 0, 3), with_races);
}

#[cfg(feature = "half")]
#[test]
fn products_of_f16() {
    let calls = f16_calls(&operands());
    check("f16", &calls, options(16, true));
}

#[cfg(feature = "half")]
#[test]
fn products_of_bf16() {
    let calls = bf16_calls(&operands());
    check("bf16", &calls, options(32, false));
}

/// Returns products of blocks of half precision with dense columns. The blocks are large enough for the matrix instructions of
/// a warp, some of them whole. `shapes` are numbers of [`SHAPES`](crate::shapes::SHAPES).
#[cfg(feature = "half")]
pub(super) fn dense_blocks(shapes: &[usize]) -> Vec<Call> {
    let (mut calls, all) = (Vec::new(), operands());
    macro_rules! each {
        ($element:ident: $($format:ident [$($constant:literal),*]),*) => {
            for Operands { triplets, rows, cols, ranks, b, .. } in shapes.iter().map(|&shape| &all[shape]) {$({
                let a: $format<f64, $($constant),*> = triplets.convert().unwrap();
                let mut c = vec![0.0; rows * ranks];
                spmm(&mut c, &a, b).unwrap();
                let mut inputs = sent!(plain, &a, $element::from_f64);
                inputs.push(dense(&b.iter().map(|&number| $element::from_f64(number)).collect::<Vec<_>>()));
                let numbers: (&[usize], &[usize]) = (&[*rows, *ranks, *cols], &[$($constant),*]);
                let kernels = kernels!($element impl unisparse::kernels::spmm for $format;);
                calls.push(call(kernels, inputs, numbers, (&vec![7.0; c.len()], &c), $element::from_f64));
            })*}
        };
    }
    each!(f16: Bcsr [16, 16], Bcsr [9, 17], Bell [11]);
    each!(bf16: Bcsr [16, 16], Bell [8]);
    calls
}

#[cfg(feature = "half")]
#[test]
fn products_of_dense_blocks() {
    check(
        "blocks",
        &some(dense_blocks(&[0, 1, 2, 3, 6]), 0, 2),
        options(32, false),
    );
    let with_races = Options {
        races: true,
        ..options(32, true)
    };
    check("blocks_races", &some(dense_blocks(&[4]), 1, 2), with_races);
}

/// Sums of fractions depend on their order. The difference from a sum in another order is at most `n` times the relative
/// rounding error times the sum of the absolute values of its `n` terms.
#[test]
fn sums_of_fractions_differ_by_rounding_only() {
    let shape @ [rows, cols] = [61, 90];
    let fraction = |number: f64| number / 7.0;
    let mut triplets = Triplets::new(shape);
    elements(shape, 40, 31).for_each(|at, number| triplets.push(at, fraction(number)).unwrap());
    let x: Vec<f64> = numbers(cols, 32).into_iter().map(fraction).collect();
    let s: Vec<f64> = numbers(rows, 33).into_iter().map(fraction).collect();
    let (mut calls, mut bounds) = (Vec::new(), Vec::new());
    macro_rules! sums {
        ($($format:ident [$($constant:literal),*]),*) => {$({
            let a: $format<f64, $($constant),*> = triplets.convert().unwrap();
            let (mut y, mut z) = (vec![0.0; rows], vec![0.0; cols]);
            spmv(&mut y, &a, &x).unwrap();
            scattered(&mut z, &a, &s).unwrap();
            let mut terms = [vec![(0.0, 0.0); rows], vec![(0.0, 0.0); cols]];
            triplets.for_each(|[i, j], number| {
                for (of, at, by) in [(0, i, x[j]), (1, j, s[i])] {
                    let (count, sum) = &mut terms[of][at];
                    (*count, *sum) = (*count + 1.0, *sum + (number * by).abs());
                }
            });
            let of_terms = |terms: &Vec<(f64, f64)>| -> Vec<f64> {
                terms.iter().map(|(count, sum)| count * f64::EPSILON * sum).collect()
            };
            bounds.extend(terms.iter().map(of_terms));
            let constants: &[usize] = &[$($constant),*];
            let mut inputs = sent!(plain, &a, |number| number);
            inputs.push(dense(&x));
            let kernels = kernels!(f64 impl unisparse::kernels::spmv for $format;);
            let before = vec![7.0; y.len()];
            calls.push(call(kernels, inputs, (&[rows, cols], constants), (&before, &y), |number| number));
            let mut inputs = sent!(plain, &a, |number| number);
            inputs.push(dense(&s));
            let kernels = kernels!(f64 impl scattered for $format;);
            let before = vec![7.0; z.len()];
            calls.push(call(kernels, inputs, (&[cols, rows], constants), (&before, &z), |number| number));
        })*};
    }
    sums!(Csr [], Csc [], Coo [], Dia [], Bcsr [2, 3], Sell [2, 4]);
    let Some(written) = program::results("fractions", &calls, options(32, false)) else {
        return;
    };
    let numbers = |bytes: &[u8]| -> Vec<f64> { bytes.chunks(8).map(<f64 as Element>::from_bytes).collect() };
    let (mut results, mut differ) = (results::Results(&written), false);
    for (call, bounds) in calls.iter().zip(&bounds) {
        let data::Expected::Dense(expected) = &call.case.expected else {
            panic!("the output is sparse");
        };
        let expected = numbers(expected);
        for _ in 0..host::runs(call.kernels.launches) {
            let found = numbers(results.bytes(8 * expected.len()));
            for ((found, expected), bound) in found.iter().zip(&expected).zip(bounds) {
                let error = (found - expected).abs();
                assert!(error <= *bound, "{}: {found}, not {expected}", call.kernels.name);
                differ |= error > 0.0;
            }
        }
    }
    assert!(differ, "all sums have the order of the processor");
}
