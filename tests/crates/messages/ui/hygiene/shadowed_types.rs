//! Types of the user do not stand in for ours.
#![deny(warnings, unused)]

/// The entries of `A`, and a product with them.
mod expected {
    pub(crate) const ENTRIES: [([usize; 2], f64); 4] = [([0, 1], 2.0), ([1, 0], 3.0), ([2, 2], 5.0), ([4, 3], 7.0)];
    pub(crate) const X: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
    pub(crate) const Y: [f64; 5] = [20.0, 3.0, 500.0, 0.0, 7000.0];

    pub(crate) fn tensor<F: ::unisparse::SparseTensor<2, Scalar = f64>>() -> F {
        ::unisparse::Triplets::try_from_triplets([5, 4], ENTRIES).unwrap().convert().unwrap()
    }
}

/// Types, modules and macros called like those that generated code needs.
mod shadowed {
    #![allow(non_camel_case_types, dead_code)]

    pub(crate) struct usize;
    pub(crate) struct u8;
    pub(crate) struct u32;
    pub(crate) struct i32;
    pub(crate) struct i64;
    pub(crate) struct i128;
    pub(crate) struct bool;
    pub(crate) struct str;
    pub(crate) struct T;
    pub(crate) struct Vec;
    pub(crate) struct Option;
    pub(crate) struct Some;
    pub(crate) struct None;
    pub(crate) struct Result;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) struct String;
    pub(crate) struct Sparse;
    pub(crate) struct Kind;
    pub(crate) struct Level;
    pub(crate) trait Fn {}
    pub(crate) trait Clone {}
    pub(crate) trait Iterator {}
    pub(crate) mod core {}
    pub(crate) mod std {}
    pub(crate) mod alloc {}
    pub(crate) mod unisparse {}

    ::unisparse::sparse_format! {
        /// Skewed, banded, blocked: every kind of level.
        pub format Skew<const B: usize = 2> = |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
        /// Rows.
        pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
        /// Half of the positions are holes.
        pub format Diamond = |i, j| (anti: i + j, diff: j - i) { merge(anti); }
        /// All short.
        pub format Short<const B: usize = 128> =
            |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); index(r: u8, c: u8); }
    }

    ::unisparse::sparse_kernel! {
        pub fn product: y[i] = alpha * A[i, j] * x[j] where A: Skew | Rows | Diamond | Short;
        pub fn product_and_sum: y[i] += A[i, j] * x[j] + beta * z[i] where A: Skew<2> | Rows;
    }
}

fn main() {
    use expected::{X, Y, tensor};
    use shadowed::{Diamond, Rows, Short, Skew, product, product_and_sum};

    let mut y = vec![-1.0; 5];
    product(&mut y, 1.0, &tensor::<Skew<f64>>(), &X).unwrap();
    assert_eq!(y, Y);
    product(&mut y, 1.0, &tensor::<Rows<f64>>(), &X).unwrap();
    assert_eq!(y, Y);
    product(&mut y, 1.0, &tensor::<Diamond<f64>>(), &X).unwrap();
    assert_eq!(y, Y);
    product(&mut y, 1.0, &tensor::<Short<f64>>(), &X).unwrap();
    assert_eq!(y, Y);
    product_and_sum(&mut y, &tensor::<Rows<f64>>(), &X, 0.0, &Y).unwrap();
    assert_eq!(y, Y.map(|value| 2.0 * value));
}

