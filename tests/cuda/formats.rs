//! Products over all stock formats, parts, hybrids and a format of our own.

use std::sync::atomic::Ordering;

use unisparse::cuda::{Element, Gpu};
use unisparse::kernels::{spmm, spmm_on, spmv, spmv_on};
use unisparse::prelude::*;
#[cfg(feature = "half")]
use unisparse::{bf16, f16};

use super::shapes::SHAPES;
use super::stand_in::{self, Counters};
use super::{as_elements, elements, numbers};

sparse_format! {
    /// Blocks of `B` rows, each with the diagonals that hold an element in it.
    pub format Banded<const B: usize = 64> =
        |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
}

/// Converts small integers to elements, and elements and results to numbers.
pub(super) trait Small: Element {
    fn of(number: f64) -> Self;
    fn number(self) -> f64;
    fn of_result(result: Self::Result) -> f64;
}

macro_rules! small {
    ($($element:ty: $of:expr, $number:expr, $of_result:expr;)*) => {$(
        impl Small for $element {
            fn of(number: f64) -> Self { $of(number) }
            fn number(self) -> f64 { $number(self) }
            fn of_result(result: Self::Result) -> f64 { $of_result(result) }
        }
    )*};
}

small! {
    f64: |number| number, |element| element, |result| result;
    f32: |number| number as f32, f64::from, f64::from;
    i32: |number| number as i32, f64::from, f64::from;
    i8: |number| number as i8, f64::from, f64::from;
    u64: |number: f64| number as i64 as u64, |element| element as i64 as f64, |result| result as i64 as f64;
}
#[cfg(feature = "half")]
small! {
    f16: f16::from_f64, f64::from, f64::from;
    bf16: bf16::from_f64, f64::from, f64::from;
}

fn of<T: Small>(numbers: &[f64]) -> Vec<T> {
    numbers.iter().copied().map(T::of).collect()
}

/// Multiplies in all orders of threads, and compares with the product of the processor.
fn products<A>(gpu: &Gpu, counters: &Counters, a: &A, ranks: usize, name: &str)
where
    A: spmv<Scalar: Stored<Value: Small>> + spmm + SparseTensorOnGpu,
{
    let [rows, cols] = a.shape();
    let on_gpu = a.upload(gpu);
    let x = of::<ValueOf<A, 2>>(&numbers(cols, 2));
    let b = of::<ValueOf<A, 2>>(&numbers(cols * ranks, 4));
    let [mut y, mut c] = [rows, rows * ranks].map(|len| of::<ValueOf<A, 2>>(&vec![7.0; len]));
    spmv(&mut y, a, &x).unwrap();
    spmm(&mut c, a, &b).unwrap();
    let (x, b) = (gpu.upload(&x).unwrap(), gpu.upload(&b).unwrap());
    for schedule in 0..3 {
        counters.schedule.store(schedule, Ordering::Relaxed);
        let mut found = gpu.zeros(rows).unwrap();
        spmv_on(gpu, &mut found, &on_gpu, &x).unwrap();
        same::<ValueOf<A, 2>>(
            &found.download().unwrap(),
            &y,
            &format!("{name}: spmv in schedule {schedule}"),
        );
        let mut found = gpu.zeros(rows * ranks).unwrap();
        spmm_on(gpu, &mut found, &on_gpu, &b).unwrap();
        same::<ValueOf<A, 2>>(
            &found.download().unwrap(),
            &c,
            &format!("{name}: spmm in schedule {schedule}"),
        );
    }
}

fn same<T: Small>(found: &[T::Result], expected: &[T], name: &str) {
    let found: Vec<f64> = found.iter().map(|&result| T::of_result(result)).collect();
    let expected: Vec<f64> = expected.iter().map(|&element| element.number()).collect();
    assert_eq!(found, expected, "{name}");
}

/// The upload of a tensor, for code that is generic over formats.
trait SparseTensorOnGpu: Sized {
    fn upload(&self, gpu: &Gpu) -> unisparse::cuda::Tensor<Self>;
}

impl<A: unisparse::cuda::Upload<Uploaded = unisparse::cuda::Tensor<A>>> SparseTensorOnGpu for A {
    fn upload(&self, gpu: &Gpu) -> unisparse::cuda::Tensor<A> {
        gpu.upload(self).unwrap()
    }
}

/// Multiplies a matrix in each of these formats.
macro_rules! each {
    ($gpu:ident $counters:ident $triplets:ident $ranks:ident: $($format:ty),* $(,)?) => {$(
        let a: $format = $triplets.convert().unwrap();
        products(&$gpu, &$counters, &a, $ranks, &format!("{} {:?}", stringify!($format), $triplets.shape()));
    )*};
}

macro_rules! in_every_format {
    ($gpu:ident $counters:ident $triplets:ident $ranks:ident $element:ty) => {
        each!($gpu $counters $triplets $ranks:
            Coo<$element>, Csr<$element>, Bcsr<$element, 2, 3>, Sell<$element, 2, 4>, C2sr<$element, 2>, BellCoo<$element, 4>,
            Banded<$element, 8>);
        // `tests/cuda_kernels.rs` has the kernels of all.
        #[cfg(every_product)]
        each!($gpu $counters $triplets $ranks:
            Dcsc<$element>, Dia<$element>, HiCoo<$element, 4>, Serpens<$element, 4, 8, 3>,
            Csc<$element>, Dcsr<$element>, DiaVariant<$element>, Bcsc<$element, 3, 2>, Csb<$element, 4>, Bdia<$element, 4>,
            Ell<$element>, Jds<$element>, Bell<$element, 4>, Cisr<$element, 3>, CisrPlus<$element, 2>, Dok<$element>,
            Lil<$element>, BdiaCsr<$element, 4>);
    };
}

#[test]
fn products_in_every_format() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    for (shape, ranks, percent) in SHAPES {
        let triplets = elements(shape, percent, 1);
        in_every_format!(gpu counters triplets ranks f64);
    }
}

/// Blocks of half precision are multiplied by the matrix instructions of a warp.
#[cfg(feature = "half")]
#[test]
fn products_of_dense_blocks() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let text = <Bcsr<f16, 16, 16> as spmm>::__DEVICE.kernels.text;
    assert!(text.contains("unisparse_multiply_value("), "{text}");
    for (shape, ranks) in [([40, 37], 19), ([16, 16], 16), ([5, 70], 33)] {
        let wide = elements(shape, 30, 1);
        macro_rules! of_elements {
            ($($element:ty),*) => {$({
                let triplets = as_elements(&wide, <$element as Small>::of);
                each!(gpu counters triplets ranks: Bcsr<$element, 16, 16>, Bcsr<$element, 8, 32>, Bell<$element, 16>);
            })*};
        }
        of_elements!(f16);
        #[cfg(every_product)]
        of_elements!(bf16, f32);
    }
}

/// Kernels of great tensors have positions of 64 bits.
#[test]
fn products_with_wide_positions() {
    let Some((gpu, counters)) = stand_in::open_wide() else {
        return;
    };
    let (triplets, ranks) = (elements([13, 17], 33, 1), 3);
    each!(gpu counters triplets ranks: Coo<f64>, Sell<f64, 2, 4>, BdiaCsr<f64, 4>);
    #[cfg(every_product)]
    each!(gpu counters triplets ranks: Csr<f64>, Bcsr<f64, 2, 3>, Cisr<f64, 3>, Lil<f64>);
}

#[test]
fn products_of_every_element_type() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let (wide, ranks) = (elements([13, 17], 33, 1), 3);
    macro_rules! of_elements {
        ($($element:ty),*) => {$({
            let triplets = as_elements(&wide, <$element as Small>::of);
            each!(gpu counters triplets ranks: Csr<$element>, Coo<$element>, Lil<$element>, Bcsr<$element, 2, 3>);
        })*};
    }
    of_elements!(f32, i8);
    #[cfg(feature = "half")]
    of_elements!(f16);
    #[cfg(every_product)]
    of_elements!(i32, u64);
    #[cfg(all(every_product, feature = "half"))]
    of_elements!(bf16);
}

#[test]
fn products_of_parts() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let triplets = elements([13, 17], 33, 1);
    let a: C2sr<f64, 2> = triplets.convert().unwrap();
    let b: Cisr<f64, 3> = triplets.convert().unwrap();
    a.parts()
        .iter()
        .for_each(|part| products(&gpu, &counters, part, 3, "a part of C2sr"));
    b.parts()
        .iter()
        .for_each(|part| products(&gpu, &counters, part, 3, "a part of Cisr"));
}

#[test]
fn stored_types_are_held_as_they_read() {
    let Some((gpu, counters)) = stand_in::open() else {
        return;
    };
    let triplets = elements([13, 17], 33, 1);
    let a: Csr<f64> = triplets.convert().unwrap();
    let pattern: Csr<unisparse::Pattern<f64>> = a.clone().map_values(|_| unisparse::Pattern::new());
    let narrow: Csr<unisparse::Narrow<f32, f64>> = a.map_values(|value| unisparse::Narrow::new(value as f32));
    products(&gpu, &counters, &pattern, 3, "a pattern");
    products(&gpu, &counters, &narrow, 3, "narrow values");
}
