//! Element types other than `f64`, and explicit const arguments.

use unisparse::kernels::sddmm;
use unisparse::prelude::*;
use unisparse::{Complex32, Complex64};

use crate::data::{Input, arrays, dense, to_dense, to_sparse};
use crate::{COLS, RANKS, ROWS, check, elements, numbers};

#[test]
fn other_elements_and_given_parameters() {
    let mut cases = Vec::new();
    let triplets = elements([ROWS, COLS], 15);
    macro_rules! each {
        ($element:ident, $from:expr; $($kind:ident $format:ident $(<$($constant:literal),*>)?),*) => {$({
            let of = |number: f64| -> $element { $from(number) };
            let mut own = Triplets::new([ROWS, COLS]);
            triplets.for_each(|coordinate, value| own.push(coordinate, of(value)).unwrap());
            let a: $format<$element $(, $($constant),*)?> = own.convert().unwrap();
            let x: Vec<$element> = numbers(COLS, 16).into_iter().map(of).collect();
            let mut y = vec![of(7.0); ROWS];
            let before = y.clone();
            spmv(&mut y, &a, &x).unwrap();
            let mut inputs = sent!($kind, &a);
            inputs.push(dense(&x));
            let function = function!($element impl unisparse::kernels::spmv for $format $(<$($constant),*>)?;);
            cases.push(to_dense(function, inputs, (&[ROWS, COLS], &[]), &before, &y));
        })*};
    }
    each!(f64, |number| number; plain Bcsr<2, 3>, plain Sell<2, 4>, cut C2sr<2>, hybrid BdiaCsr<4>);
    each!(f32, |number| number as f32; plain Csr, plain Dia, plain Lil, plain Bell<4>, hybrid BellCoo<4>);
    each!(i32, |number| (number * 1e6) as i32; plain Csr, plain Bdia<4>);
    each!(u8, |number| number as i32 as u8; plain Csr, plain Coo);
    each!(bool, |number| number < -60.0; plain Csr, plain Ell);
    let complex = |number: f64| Complex64::new(number, number * 0.3 - 1.0);
    each!(Complex64, complex; plain Csr, plain Bcsr<2, 3>, plain Dia, cut C2sr<2>);
    let complex = |number: f64| Complex32::new(number as f32, number as f32 * 0.3);
    each!(Complex32, complex; plain Coo, plain Ell);
    // One part of a tensor can be an operand too.
    let whole: C2sr<f64, 2> = triplets.convert().unwrap();
    let (part, x) = (&whole.parts()[1], numbers(COLS, 16));
    let mut y = vec![f64::NAN; ROWS];
    let before = y.clone();
    spmv(&mut y, part, &x).unwrap();
    let mut inputs = sent!(plain, part);
    inputs.push(dense(&x));
    let function = function!(f64 impl unisparse::kernels::spmv for unisparse::formats::C2srPart;);
    cases.push(to_dense(function, inputs, (&[ROWS, COLS], &[2]), &before, &y));
    check("elements", cases, 0, "");
}

/// Elements are widened when they are read, and rounded when they are stored.
#[cfg(feature = "half")]
#[test]
fn half_precision() {
    use unisparse::{bf16, f16};

    let mut cases = Vec::new();
    let triplets = elements([ROWS, COLS], 17);
    macro_rules! each {
        ($element:ident; $($kind:ident $format:ident [$($constant:literal),*]),*) => {$({
            let of = |number: f64| $element::from_f64(number / 64.0);
            let mut own = Triplets::new([ROWS, COLS]);
            triplets.for_each(|coordinate, value| own.push(coordinate, of(value)).unwrap());
            let a: $format<$element, $($constant),*> = own.convert().unwrap();
            let constants: &[usize] = &[$($constant),*];
            let [x, b, p, q] = [COLS, COLS * RANKS, ROWS * RANKS, RANKS * COLS]
                .map(|count| numbers(count, 18).into_iter().map(of).collect::<Vec<_>>());
            let mut y = vec![of(7.0); ROWS];
            let before = y.clone();
            spmv(&mut y, &a, &x).unwrap();
            let mut inputs = sent!($kind, &a);
            inputs.push(dense(&x));
            let function = function!($element impl unisparse::kernels::spmv for $format;);
            cases.push(to_dense(function, inputs, (&[ROWS, COLS], constants), &before, &y));
            let mut c = vec![of(7.0); ROWS * RANKS];
            let before = c.clone();
            spmm(&mut c, &a, &b).unwrap();
            let mut inputs = sent!($kind, &a);
            inputs.push(dense(&b));
            let function = function!($element impl unisparse::kernels::spmm for $format;);
            cases.push(to_dense(function, inputs, (&[ROWS, RANKS, COLS], constants), &before, &c));
            let s: Coo<$element> = sddmm(&a, &p, &q).unwrap();
            let mut inputs = sent!($kind, &a);
            inputs.extend([dense(&p), dense(&q)]);
            let function = function!($element impl unisparse::kernels::sddmm for $format;);
            cases.push(to_sparse(function, inputs, (&[ROWS, COLS, RANKS], constants), &s));
        })*};
    }
    each!(f16; plain Csr [], plain Bcsr [2, 3], plain Dia [], plain Ell []);
    each!(bf16; plain Csr [], plain Coo [], plain Csc []);
    macro_rules! every {
        ($element:ident) => {
            let all = (0..=u16::MAX).map($element::from_bits);
            let all: Vec<$element> = all.filter(|element| !element.is_nan()).collect();
            let elements = all.iter().enumerate().map(|(at, &element)| ([at], element));
            let a = Whole::try_from_triplets([all.len()], elements).unwrap();
            let function = function!($element impl copied for Whole;);
            let nothing = vec![$element::ZERO; all.len()];
            let mut y = nothing.clone();
            copied(&mut y, &a).unwrap();
            assert_eq!(y, all);
            let inputs = sent!(plain, &a);
            cases.push(to_dense(function, inputs, (&[all.len()], &[]), &nothing, &y));
        };
    }
    every!(f16);
    every!(bf16);
    check("half", cases, 0, "");
}

sparse_format! {
    pub format Whole = |i| (at: i) {}
}

sparse_kernel! {
    pub fn copied: y[i] = A[i] where A: Whole;
}
