//! Kernels of our own: additions to shared elements, scalar results, semirings, masks, scalars, several sparse operands.

use std::sync::atomic::Ordering;

use unisparse::ErrorKind;
use unisparse::cuda::Error;
use unisparse::kernels::{mttkrp, mttkrp_on};
use unisparse::prelude::*;

use super::stand_in;
use super::{as_elements, elements, numbers};

sparse_kernel! {
    /// The product with the transpose.
    #[target(cuda)]
    pub fn scattered: y[j] = A[i, j] * x[i] where A: Csr | Coo | Bcsr | Cisr | BdiaCsr;
    #[target(cuda)]
    pub fn relaxed: d[j] min= s[i] + A[i, j] where A: Csr | Csc | Bcsr<2, 3>;
    #[target(cuda)]
    pub fn longest: t max= A[i, j] where A: Csr | Dia;
    #[target(cuda)]
    pub fn frontier: next[j] |= front[i] & A[i, j] if !seen[j] where A: Csr | Coo;
    #[target(cuda)]
    pub fn reached: y[i] |= A[i, j] & x[j] where A: Csr | Coo;
    /// Operands with names that helpers use.
    #[target(cuda)]
    pub fn named: started[i] = first[i, j] * key[j] where first: Csr | Coo;
    #[target(cuda)]
    pub fn affine: y[i] = alpha * A[i, j] * x[j] - beta * z[i] where A: Csr | Cisr;
    #[target(cuda)]
    pub fn dot: t = A[i, j] * B[i, j] where A: Csr | BdiaCsr | Cisr, B: Csr | Lil;
    #[target(cuda)]
    pub fn both: D[i, j] = 2 * A[i, j] - B[i, j] where A: Csr | Dcsr, B: Csr | Coo;
    #[target(cuda)]
    pub fn weighted: y[i] = A[i, j] * j where A: Csr;
    #[target(cuda)]
    pub fn hundredfold: y[i] = 100 * A[i, j] * x[j] where A: Csr;
    #[target(cuda)]
    pub fn thousandfold: y[i] = 1000 * A[i, j] * x[j] where A: Csr;
    #[target(cuda)]
    pub fn added: y[i] += A[i, j] * x[j] where A: Csr;
}

macro_rules! in_schedules {
    ($counters:ident, $run:block) => {
        for schedule in 0..3 {
            $counters.schedule.store(schedule, Ordering::Relaxed);
            $run
        }
    };
}

#[test]
fn additions_to_shared_elements() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let triplets = elements([19, 23], 30, 11);
    let s = numbers(19, 13);
    let s_on = gpu.upload(&s).unwrap();
    macro_rules! each {
        ($($format:ty),*) => {$({
            let a: $format = triplets.convert().unwrap();
            let mut y = vec![0.0; 23];
            scattered(&mut y, &a, &s).unwrap();
            let a = gpu.upload(&a).unwrap();
            in_schedules!(counters, {
                let mut found = gpu.upload(&[7.0; 23]).unwrap();
                scattered_on(&gpu, &mut found, &a, &s_on).unwrap();
                assert_eq!(found.download().unwrap(), y, stringify!($format));
            });
        })*};
    }
    each!(Csr<f64>, Coo<f64>, Bcsr<f64, 2, 2>, Cisr<f64, 3>, BdiaCsr<f64, 4>);
    // The output keeps what it has.
    let a: Csr<f64> = triplets.convert().unwrap();
    let (x, mut y) = (numbers(23, 14), numbers(19, 15));
    let mut found = gpu.upload(&y).unwrap();
    added(&mut y, &a, &x).unwrap();
    added_on(&gpu, &mut found, &gpu.upload(&a).unwrap(), &gpu.upload(&x).unwrap()).unwrap();
    assert_eq!(found.download().unwrap(), y);
}

#[test]
fn scalar_results() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let (wide, other) = (elements([19, 23], 30, 11), elements([19, 23], 20, 12));
    macro_rules! dots {
        ($($left:ty, $right:ty);*) => {$({
            let a: $left = wide.convert().unwrap();
            let b: $right = other.convert().unwrap();
            let expected = dot(&a, &b).unwrap();
            let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            in_schedules!(counters, { assert_eq!(dot_on(&gpu, &a, &b).unwrap(), expected, stringify!($left $right)); });
        })*};
    }
    dots!(Csr<f64>, Csr<f64>; Csr<f64>, Lil<f64>; BdiaCsr<f64, 4>, Csr<f64>; Cisr<f64, 2>, Lil<f64>);
    let a: Csr<f64> = wide.convert().unwrap();
    let d: Dia<f64> = wide.convert().unwrap();
    let expected = longest(&a).unwrap();
    assert_eq!(longest_on(&gpu, &gpu.upload(&a).unwrap()).unwrap(), expected);
    assert_eq!(longest_on(&gpu, &gpu.upload(&d).unwrap()).unwrap(), expected);
    let none = Csr::<f64>::try_from_triplets([0, 0], []).unwrap();
    let found = longest_on(&gpu, &gpu.upload(&none).unwrap()).unwrap();
    assert_eq!(found, longest(&none).unwrap());
}

#[test]
fn semirings_masks_and_scalars() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let wide = elements([19, 23], 30, 11);
    // Any number replaces NaN.
    let (mut s, mut before) = (numbers(19, 13), numbers(23, 16));
    (s[2], before[5], before[7]) = (f64::NAN, f64::NAN, f64::NAN);
    macro_rules! relaxations {
        ($($format:ty),*) => {$({
            let a: $format = wide.convert().unwrap();
            let mut d = before.clone();
            relaxed(&mut d, &s, &a).unwrap();
            let (s, a) = (gpu.upload(&s).unwrap(), gpu.upload(&a).unwrap());
            in_schedules!(counters, {
                let mut found = gpu.upload(&before).unwrap();
                relaxed_on(&gpu, &mut found, &s, &a).unwrap();
                let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&found.download().unwrap()), bits(&d), stringify!($format));
            });
        })*};
    }
    relaxations!(Csr<f64>, Csc<f64>, Bcsr<f64, 2, 3>);
    let is = |number: f64| number > 0.0;
    let front: Vec<bool> = numbers(19, 22).into_iter().map(is).collect();
    let seen: Vec<bool> = numbers(23, 23).into_iter().map(is).collect();
    let graph = as_elements(&wide, is);
    macro_rules! frontiers {
        ($($format:ty),*) => {$({
            let a: $format = graph.convert().unwrap();
            let mut next = vec![false; 23];
            frontier(&mut next, &front, &a, &seen).unwrap();
            let mut found = gpu.zeros::<bool>(23).unwrap();
            let (front, seen) = (gpu.upload(&front).unwrap(), gpu.upload(&seen).unwrap());
            frontier_on(&gpu, &mut found, &front, &gpu.upload(&a).unwrap(), &seen).unwrap();
            assert_eq!(found.download().unwrap(), next, stringify!($format));
        })*};
    }
    frontiers!(Csr<bool>, Coo<bool>);
    let seen_on = gpu.upload(&seen).unwrap();
    macro_rules! rows {
        ($($format:ident),*) => {$({
            let a: $format<bool> = graph.convert().unwrap();
            let mut y = vec![false; 19];
            reached(&mut y, &a, &seen).unwrap();
            let mut found = gpu.zeros::<bool>(19).unwrap();
            reached_on(&gpu, &mut found, &gpu.upload(&a).unwrap(), &seen_on).unwrap();
            assert_eq!(found.download().unwrap(), y, stringify!($format));
            let (a, x): ($format<f64>, _) = (wide.convert().unwrap(), numbers(23, 24));
            let mut y = vec![0.0; 19];
            named(&mut y, &a, &x).unwrap();
            let mut found = gpu.zeros(19).unwrap();
            named_on(&gpu, &mut found, &gpu.upload(&a).unwrap(), &gpu.upload(&x).unwrap()).unwrap();
            assert_eq!(found.download().unwrap(), y, stringify!($format));
        })*};
    }
    rows!(Csr, Coo);
    let (x, z) = (numbers(23, 14), numbers(19, 15));
    macro_rules! affines {
        ($($format:ty),*) => {$({
            let a: $format = wide.convert().unwrap();
            let mut y = vec![0.0; 19];
            affine(&mut y, 2.0, &a, &x, -3.0, &z).unwrap();
            let mut found = gpu.zeros(19).unwrap();
            let (x, z) = (gpu.upload(&x).unwrap(), gpu.upload(&z).unwrap());
            affine_on(&gpu, &mut found, 2.0, &gpu.upload(&a).unwrap(), &x, -3.0, &z).unwrap();
            assert_eq!(found.download().unwrap(), y, stringify!($format));
        })*};
    }
    affines!(Csr<f64>, Cisr<f64, 3>);
}

#[test]
fn several_sparse_operands_and_three_dims() {
    let Some((gpu, _)) = stand_in::open() else { return };
    let (wide, other) = (elements([19, 23], 30, 11), elements([19, 23], 20, 12));
    macro_rules! differences {
        ($($left:ty, $right:ty);*) => {$({
            let a: $left = wide.convert().unwrap();
            let b: $right = other.convert().unwrap();
            let mut d = vec![0.0; 19 * 23];
            both(&mut d, &a, &b).unwrap();
            let mut found = gpu.upload(&vec![f64::NAN; d.len()]).unwrap();
            both_on(&gpu, &mut found, &gpu.upload(&a).unwrap(), &gpu.upload(&b).unwrap()).unwrap();
            assert_eq!(found.download().unwrap(), d, stringify!($left $right));
        })*};
    }
    differences!(Csr<f64>, Csr<f64>; Csr<f64>, Coo<f64>; Dcsr<f64>, Coo<f64>);
    let mut triplets = Triplets::new([5, 6, 7]);
    for (at, number) in numbers(5 * 6 * 7, 18).into_iter().enumerate() {
        if at % 3 == 0 && at / 42 != 2 {
            triplets.push([at / 42, at / 7 % 6, at % 7], number).unwrap();
        }
    }
    let tensor: Csf<f64> = triplets.convert().unwrap();
    let (b, c, mut m) = (numbers(6 * 4, 19), numbers(7 * 4, 20), numbers(5 * 4, 21));
    let mut found = gpu.upload(&m).unwrap();
    mttkrp(&mut m, &tensor, &b, &c).unwrap();
    let (tensor, b, c) = (
        gpu.upload(&tensor).unwrap(),
        gpu.upload(&b).unwrap(),
        gpu.upload(&c).unwrap(),
    );
    mttkrp_on(&gpu, &mut found, &tensor, &b, &c).unwrap();
    assert_eq!(found.download().unwrap(), m);
}

/// What elements cannot represent is the error of the processor, for coordinates and for literals.
#[test]
fn numbers_beyond_the_element_type() {
    let Some((gpu, _)) = stand_in::open() else { return };
    for (cols, fits) in [(128, true), (129, false)] {
        let a = Csr::<i8>::try_from_triplets([2, cols], [([0, 3], 2), ([1, cols - 1], 1)]).unwrap();
        let mut y = [0; 2];
        let expected = weighted(&mut y, &a);
        assert_eq!(expected.is_ok(), fits);
        let mut found = gpu.zeros(2).unwrap();
        let result = weighted_on(&gpu, &mut found, &gpu.upload(&a).unwrap());
        assert_eq!(result, expected.map_err(Error::Host));
        assert!(!fits || found.download().unwrap() == y);
    }
    let a = Csr::<i8>::try_from_triplets([2, 2], [([0, 1], 1)]).unwrap();
    let (mut y, mut found) = ([0; 2], gpu.zeros(2).unwrap());
    let (a_on, x_on) = (gpu.upload(&a).unwrap(), gpu.upload(&[1; 2]).unwrap());
    hundredfold(&mut y, &a, &[1; 2]).unwrap();
    hundredfold_on(&gpu, &mut found, &a_on, &x_on).unwrap();
    assert_eq!(found.download().unwrap(), y);
    let expected = thousandfold(&mut y, &a, &[1; 2]).unwrap_err();
    assert_eq!(expected.kind(), ErrorKind::Type);
    assert_eq!(
        thousandfold_on(&gpu, &mut found, &a_on, &x_on),
        Err(Error::Host(expected))
    );
}
