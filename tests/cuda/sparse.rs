//! Kernels with a sparse output: sums, products, sampled products, contractions, transposes, in any format.

use std::sync::atomic::Ordering;

use unisparse::cuda::{Error, Tensor};
use unisparse::kernels::{add, add_on, spgemm, spgemm_on, spmv, spmv_on};
use unisparse::prelude::*;

use super::formats::Small;
use super::shapes::SHAPES;
use super::stand_in;
use super::{as_elements, elements, numbers};

sparse_kernel! {
    #[target(cuda)]
    pub fn product: C[i, j] = A[i, k] * B[k, j] where A: Csr | Csc | Bcsr | Coo, B: Csr | Bcsr, C: _;
    #[target(cuda)]
    pub fn nearest: C[i, j] min= A[i, k] + B[k, j] where A: Csr | Csc, B: Csr, C: Csr | Coo;
    #[target(cuda)]
    pub fn common: C[i, j] = A[i, j] * B[i, j] where A: Csr | Dcsr | Coo, B: Csr | Dia, C: _;
    #[target(cuda)]
    pub fn sampled: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: Csr | Coo | Sell<2, 4> | Cisr<3> | BdiaCsr, S: _;
    #[target(cuda)]
    pub fn transposed: B[j, i] = A[i, j] where A: Csr | Sell<2, 4>, B: _;
    #[target(cuda)]
    pub fn contracted: D[i, l, k] = X[i, j, k] * B[j, l] where X: Csf, B: Csr, D: _;
}

/// Runs a kernel in all orders of threads, and compares what comes back with the result of the processor.
macro_rules! same {
    ($counters:ident, $result:ty, $on:expr, $expected:expr, $name:expr) => {{
        let expected: $result = $expected.unwrap();
        for schedule in 0..3 {
            $counters.schedule.store(schedule, Ordering::Relaxed);
            let found: Tensor<$result> = $on.unwrap();
            assert_eq!(
                found.download().unwrap(),
                expected,
                "{} to {} in schedule {schedule}",
                $name,
                stringify!($result)
            );
        }
    }};
}

#[test]
fn products_sums_and_samples() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    // The stand-in runs at most 128 workers: in the last shape, each has several rows.
    for (shape @ [rows, cols], ranks, percent) in SHAPES.into_iter().chain([([300, 9], 2, 20)]) {
        let (left, right) = (elements(shape, percent, 41), elements(shape, percent / 2, 42));
        let square = elements([cols, rows], percent, 45);
        macro_rules! two {
            ($kernel:ident $on:ident $right_of:ident: $($a:ty, $b:ty => $c:ty);* $(;)?) => {$({
                let (a, b): ($a, $b) = (left.convert().unwrap(), $right_of.convert().unwrap());
                let (a_on, b_on) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
                let name = format!("{} of {} and {}, {shape:?}", stringify!($kernel), stringify!($a), stringify!($b));
                same!(counters, $c, $on(&gpu, &a_on, &b_on), $kernel(&a, &b), name);
            })*};
        }
        two!(product product_on square: Csr<f64>, Csr<f64> => Csr<f64>; Csc<f64>, Csr<f64> => Csc<f64>;
            Bcsr<f64, 2, 3>, Csr<f64> => Bcsr<f64, 2, 2>; Coo<f64>, Bcsr<f64, 3, 2> => C2sr<f64, 2>);
        two!(nearest nearest_on square: Csr<f64>, Csr<f64> => Csr<f64>; Csc<f64>, Csr<f64> => Coo<f64>);
        two!(common common_on right: Csr<f64>, Csr<f64> => Dcsr<f64>; Dcsr<f64>, Dia<f64> => Dia<f64>;
            Coo<f64>, Csr<f64> => Sell<f64, 2, 4>);
        two!(spgemm spgemm_on square: Csr<f64>, Csr<f64> => Csr<f64>);
        two!(add add_on right: Csr<f64>, Csr<f64> => Csr<f64>; Csc<f64>, Coo<f64> => Coo<f64>);
        let (p, q) = (numbers(rows * ranks, 43), numbers(ranks * cols, 44));
        let (p_on, q_on) = (gpu.upload(&p).unwrap(), gpu.upload(&q).unwrap());
        macro_rules! one {
            ($($a:ty => $c:ty);* $(;)?) => {$({
                let a: $a = left.convert().unwrap();
                let a_on = gpu.upload(&a).unwrap();
                assert_eq!(a_on.download().unwrap(), a, "{} {shape:?}", stringify!($a));
                same!(counters, $c, sampled_on(&gpu, &a_on, &p_on, &q_on), sampled(&a, &p, &q), stringify!($a));
            })*};
        }
        one!(Csr<f64> => Csr<f64>; Coo<f64> => Lil<f64>; Cisr<f64, 3> => Cisr<f64, 3>;
            Sell<f64, 2, 4> => BdiaCsr<f64, 4>; BdiaCsr<f64, 4> => Bell<f64, 4>);
        let a: Csr<f64> = left.convert().unwrap();
        let a_on = gpu.upload(&a).unwrap();
        same!(
            counters,
            Csr<f64>,
            transposed_on(&gpu, &a_on),
            transposed(&a),
            "transposed Csr"
        );
        same!(
            counters,
            Csc<f64>,
            transposed_on(&gpu, &a_on),
            transposed(&a),
            "transposed Csr"
        );
        let a: Sell<f64, 2, 4> = left.convert().unwrap();
        let a_on = gpu.upload(&a).unwrap();
        same!(
            counters,
            Coo<f64>,
            transposed_on(&gpu, &a_on),
            transposed(&a),
            "transposed Sell"
        );
    }
}

#[test]
fn results_of_every_element_type_are_operands() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let (wide, other) = (elements([13, 17], 33, 1), elements([17, 11], 40, 2));
    macro_rules! of_elements {
        ($($element:ty),*) => {$({
            let of = <$element as Small>::of;
            let a: Csr<$element> = as_elements(&wide, of).convert().unwrap();
            let b: Csr<$element> = as_elements(&other, of).convert().unwrap();
            let (a_on, b_on) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
            same!(counters, Csr<$element>, product_on(&gpu, &a_on, &b_on), product(&a, &b), stringify!($element));
            // Without a trip to the host in between.
            let c_on: Tensor<Csr<$element>> = product_on(&gpu, &a_on, &b_on).unwrap();
            assert_eq!(c_on.shape(), [13, 11]);
            let c: Csr<$element> = product(&a, &b).unwrap();
            let x: Vec<$element> = numbers(11, 3).into_iter().map(of).collect();
            let mut y = vec![of(0.0); 13];
            spmv(&mut y, &c, &x).unwrap();
            let mut found = gpu.zeros(13).unwrap();
            spmv_on(&gpu, &mut found, &c_on, &gpu.upload(&x).unwrap()).unwrap();
            let found: Vec<f64> = found.download().unwrap().into_iter().map(<$element as Small>::of_result).collect();
            let expected: Vec<f64> = y.into_iter().map(Small::number).collect();
            assert_eq!(found, expected, stringify!($element));
        })*};
    }
    of_elements!(f32, u64);
    #[cfg(feature = "half")]
    of_elements!(unisparse::f16);
    #[cfg(every_product)]
    of_elements!(f64, i32);
    #[cfg(all(every_product, feature = "half"))]
    of_elements!(unisparse::bf16);
}

/// The device makes the arrays of formats whose levels are dims in the order of the elements: a launch compares the order,
/// another one moves to rows, and five make the columns and the pointers. The host makes those of blocks.
#[test]
fn arrays_are_made_on_the_device() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let a: Csr<f64> = elements([700, 17], 33, 1).convert().unwrap();
    let b: Csr<f64> = elements([17, 11], 40, 2).convert().unwrap();
    let (a_on, b_on) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
    let launches = |run: &dyn Fn()| {
        let before = counters.launches();
        run();
        counters.launches().zip(before).map(|(after, before)| after - before)
    };
    let rows = launches(&|| drop::<Tensor<Csr<f64>>>(product_on(&gpu, &a_on, &b_on).unwrap()));
    let blocks = launches(&|| drop::<Tensor<Bcsr<f64, 2, 2>>>(product_on(&gpu, &a_on, &b_on).unwrap()));
    assert_eq!(rows, blocks.map(|blocks| blocks + 7));
}

#[test]
fn results_with_wide_coordinates() {
    let Some((gpu, counters)) = stand_in::open_wide() else {
        return;
    };
    let a: Csr<f64> = elements([13, 17], 33, 1).convert().unwrap();
    let b: Csr<f64> = elements([17, 11], 40, 2).convert().unwrap();
    let (a_on, b_on) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
    same!(
        counters,
        Csr<f64>,
        product_on(&gpu, &a_on, &b_on),
        product(&a, &b),
        "Csr"
    );
    same!(counters, Csr<f64>, add_on(&gpu, &a_on, &a_on), add(&a, &a), "Csr");
}

#[test]
fn three_dims() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let mut triplets = Triplets::new([5, 6, 7]);
    for (at, number) in numbers(5 * 6 * 7, 46).into_iter().enumerate() {
        if at % 3 == 0 && at / 42 != 2 {
            triplets.push([at / 42, at / 7 % 6, at % 7], number).unwrap();
        }
    }
    let (x, b): (Csf<f64>, Csr<f64>) = (triplets.convert().unwrap(), elements([6, 9], 40, 47).convert().unwrap());
    let (x_on, b_on) = (gpu.upload(&x).unwrap(), gpu.upload(&b).unwrap());
    assert_eq!(x_on.download().unwrap(), x);
    same!(
        counters,
        Csf<f64>,
        contracted_on(&gpu, &x_on, &b_on),
        contracted(&x, &b),
        "Csf"
    );
}

#[test]
fn shapes_and_devices_are_compared() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let a: Csr<f64> = elements([13, 17], 33, 1).convert().unwrap();
    let (other, _) = stand_in::open().unwrap();
    let (a_on, a_there) = (gpu.upload(&a).unwrap(), other.upload(&a).unwrap());
    let before = (counters.launches(), counters.bytes.load(Ordering::Relaxed));
    let found: Result<Tensor<Csr<f64>>, Error> = product_on(&gpu, &a_on, &a_on);
    assert_eq!(
        found.unwrap_err(),
        Error::Host(product::<Csr<f64>, Csr<f64>, Csr<f64>>(&a, &a).unwrap_err())
    );
    let found: Result<Tensor<Csr<f64>>, Error> = add_on(&gpu, &a_on, &a_there);
    assert_eq!(found.unwrap_err(), Error::OtherDevice);
    assert_eq!((counters.launches(), counters.bytes.load(Ordering::Relaxed)), before);
}
