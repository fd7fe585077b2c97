//! Kernels over tensors of three to five dims, against their definitions.

use crate::common::Random;
use crate::common::formats::over_formats;
use crate::common::random::{coordinates, elements, tensors};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets};

unisparse::sparse_format! {
    /// For these tests.
    pub format Ends = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x); trim(z); }
    /// For these tests.
    pub format Total = |i, j, k| (total: i + j + k, y: j, z: k) { merge(total); trim(total..=z); }
    /// For these tests.
    pub format Blocks3<const B: usize = 2> = |i, j, k| (i / B, j / B, k / B, i % B, j % B, k % B) { merge(0, 1, 2); trim(0..=2); }
    /// For these tests.
    pub format Fibers4 = |i, j, k, l| (a: i, b: j, c: k, d: l) { merge(a, b, c); trim(a..=d); }
    /// For these tests.
    pub format Mixed4 = |i, j, k, l| (a: l - i, b: j / 2, c: k, d: i, e: j % 2) { merge(a, b); trim(a..=c); }
    /// For these tests.
    pub format PaperA4 = |i, j, k, l| (i, j, k, l) { trim(1); trim(3); }
    /// For these tests.
    pub format Fibers5 = |i, j, k, l, m| (m, l, k, j, i) { merge(0, 1, 2, 3); trim(0..=4); }
    /// For these tests.
    pub format Skewed5 = |i, j, k, l, m| (i + m, j, k - l, l, i) { merge(0, 1); trim(0..=2); }
    /// For these tests.
    pub format Line = |i| (block: i / 4, lane: i % 4) { merge(block); trim(block); }
}

#[cfg(every_product)]
unisparse::sparse_format! {
    /// For these tests.
    pub format Coordinates3 = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); }
    /// For these tests.
    pub format PaperA3 = |i, j, k| (i, j, k) { trim(2); }
    /// For these tests.
    pub format LastFirst = |i, j, k| (z: k, x: i, y: j) { merge(z); trim(x..=y); }
    /// For these tests.
    pub format Halves = |i, j, k| (sum: i + j, difference: j - i, z: k) { merge(sum, difference); trim(sum..=difference); }
    /// For these tests.
    pub format Dense3 = |i, j, k| (x: i, y: j, z: k) {}
}

macro_rules! cubes {
    ($([$($statement:tt)*])*) => {
        over_formats! {
            X: [Csf Ends Total Blocks3] [Coordinates3 PaperA3 LastFirst Halves Dense3];
            $(
                /// For these tests.
                [$($statement)*]
            )*
        }
    };
}

cubes! {
    [mttkrp: M[i, r] += X[i, j, k] * B[j, r] * C[k, r]]
    [mttkrp_middle: M[j, r] = X[i, j, k] * A[i, r] * C[k, r]]
    [mttkrp_last: M[k, r] = X[i, j, k] * A[i, r] * B[j, r]]
    [ttv: Y[i, j] = X[i, j, k] * v[k]]
    [ttv_first: Y[j, k] = X[i, j, k] * v[i]]
    [ttv_twice: y[j] = X[i, j, k] * v[i] * w[k]]
    [ttm: Y[i, j, r] = X[i, j, k] * U[k, r]]
    [ttm_first: Y[r, j, k] = X[i, j, k] * U[r, i]]
    [sums: y[j] += X[i, j, k]]
    [unfolded: Y[k, i, j] = X[i, j, k]]
}

unisparse::sparse_kernel! {
    /// For these tests.
    pub fn mttkrp4: M[k, r] = X[i, j, k, l] * A[i, r] * B[j, r] * D[l, r] where X: Fibers4 | Mixed4 | PaperA4;
    /// For these tests.
    pub fn ttv4: Y[l, i] += X[i, j, k, l] * v[j] * w[k] where X: Fibers4 | Mixed4 | PaperA4;
    /// For these tests.
    pub fn ttv5: Y[m, k] = X[i, j, k, l, m] * u[i] * v[j] * w[l] where X: Fibers5 | Skewed5;
    /// For these tests.
    pub fn scale1: y[i] = alpha * X[i] * v[i] where X: Line;
}

/// `output[at(..)] = start + sum of value(..)` over all elements and, where open, `r`.
fn sums_of<const N: usize>(
    start: Vec<f64>,
    tensor: &Triplets<f64, N>,
    ranks: usize,
    term: impl Fn([usize; N], f64, usize) -> (usize, f64),
) -> Vec<f64> {
    let mut output = start;
    for (at, value) in elements(tensor) {
        for r in 0..ranks {
            let (place, term) = term(at, value, r);
            output[place] += term;
        }
    }
    output
}

macro_rules! equal {
    ($format:ident, $tensor:ident: $kernel:ident($len:expr, $before:literal, ($($operand:expr),*)), $ranks:expr, $term:expr) => {{
        let a: $format<f64> = $tensor.convert_within(Limit::none()).unwrap();
        let mut output = vec![3.0; $len];
        $kernel(&mut output, &a $(, $operand)*).unwrap();
        let expected = sums_of(vec![$before; $len], &$tensor, $ranks, $term);
        assert_eq!(output, expected, "{} of {} of {:?}", stringify!($kernel), stringify!($format), $tensor.iter().take(30).collect::<Vec<_>>());
    }};
}

macro_rules! three_dims {
    ($($test:ident: $format:ident;)*) => {$(
        #[test]
        fn $test() {
            for (seed, shape) in [[3, 4, 5], [1, 1, 1], [6, 1, 2], [2, 5, 1], [7, 8, 6]].into_iter().enumerate() {
                for t in tensors(shape, seed as u64 + 1) {
                    let [l, m, n] = shape;
                    let ranks = 3;
                    let mut random = Random::new(seed as u64 + 1);
                    let mut vector = |len| random.vector(len);
                    let (a, b, c, u, v, w) = (vector(l * ranks), vector(m * ranks), vector(n * ranks), vector(ranks * l), vector(l), vector(n));
                    equal!($format, t: mttkrp(l * ranks, 3.0, (&b, &c)), ranks, |[i, j, k], x, r| (i * ranks + r, x * b[j * ranks + r] * c[k * ranks + r]));
                    equal!($format, t: mttkrp_middle(m * ranks, 0.0, (&a, &c)), ranks, |[i, j, k], x, r| (j * ranks + r, x * a[i * ranks + r] * c[k * ranks + r]));
                    equal!($format, t: mttkrp_last(n * ranks, 0.0, (&a, &b)), ranks, |[i, j, k], x, r| (k * ranks + r, x * a[i * ranks + r] * b[j * ranks + r]));
                    equal!($format, t: ttv(l * m, 0.0, (&w)), 1, |[i, j, k], x, _| (i * m + j, x * w[k]));
                    equal!($format, t: ttv_first(m * n, 0.0, (&v)), 1, |[i, j, k], x, _| (j * n + k, x * v[i]));
                    equal!($format, t: ttv_twice(m, 0.0, (&v, &w)), 1, |[i, j, k], x, _| (j, x * v[i] * w[k]));
                    equal!($format, t: ttm(l * m * ranks, 0.0, (&c)), ranks, |[i, j, k], x, r| ((i * m + j) * ranks + r, x * c[k * ranks + r]));
                    equal!($format, t: ttm_first(ranks * m * n, 0.0, (&u)), ranks, |[i, j, k], x, r| ((r * m + j) * n + k, x * u[r * l + i]));
                    equal!($format, t: sums(m, 3.0, ()), 1, |[_, j, _], x, _| (j, x));
                    equal!($format, t: unfolded(l * m * n, 0.0, ()), 1, |[i, j, k], x, _| ((k * l + i) * m + j, x));
                }
            }
        }
    )*};
}

three_dims! {
    csf: Csf;
    ends: Ends;
    total: Total;
    blocks: Blocks3;
}

#[cfg(every_product)]
three_dims! {
    coordinates3: Coordinates3;
    paper_a: PaperA3;
    last_first: LastFirst;
    halves: Halves;
    dense: Dense3;
}

#[test]
fn four_dims() {
    for (seed, shape) in [[2, 3, 4, 5], [1, 1, 1, 1], [4, 3, 2, 1], [3, 4, 3, 4]]
        .into_iter()
        .enumerate()
    {
        for t in tensors(shape, seed as u64 + 1) {
            let [l, m, n, o] = shape;
            let ranks = 2;
            let mut random = Random::new(seed as u64 + 5);
            let (a, b, d) = (
                random.vector(l * ranks),
                random.vector(m * ranks),
                random.vector(o * ranks),
            );
            let (v, w) = (random.vector(m), random.vector(n));
            macro_rules! each {
                ($($format:ident)*) => {$(
                    equal!($format, t: mttkrp4(n * ranks, 0.0, (&a, &b, &d)), ranks, |[i, j, k, l], x, r| {
                        (k * ranks + r, x * a[i * ranks + r] * b[j * ranks + r] * d[l * ranks + r])
                    });
                    equal!($format, t: ttv4(o * l, 3.0, (&v, &w)), 1, |[i, j, k, last], x, _| (last * l + i, x * v[j] * w[k]));
                )*};
            }
            each!(Fibers4 Mixed4 PaperA4);
        }
    }
}

#[test]
fn five_dims_and_one() {
    for (seed, shape) in [[2, 3, 2, 3, 2], [1, 1, 1, 1, 1], [3, 2, 4, 2, 3]]
        .into_iter()
        .enumerate()
    {
        for t in tensors(shape, seed as u64 + 1) {
            let mut random = Random::new(seed as u64 + 5);
            let (u, v, w) = (
                random.vector(shape[0]),
                random.vector(shape[1]),
                random.vector(shape[3]),
            );
            let len = shape[4] * shape[2];
            equal!(Fibers5, t: ttv5(len, 0.0, (&u, &v, &w)), 1, |[i, j, k, l, m], x, _| (m * shape[2] + k, x * u[i] * v[j] * w[l]));
            equal!(Skewed5, t: ttv5(len, 0.0, (&u, &v, &w)), 1, |[i, j, k, l, m], x, _| (m * shape[2] + k, x * u[i] * v[j] * w[l]));
        }
    }
    for t in tensors([30], 1) {
        let v = Random::new(9).vector(30);
        let line: Line<f64> = t.convert().unwrap();
        let mut y = vec![3.0; 30];
        scale1(&mut y, 2.0, &line, &v).unwrap();
        assert_eq!(y, sums_of(vec![0.0; 30], &t, 1, |[i], x, _| (i, 2.0 * x * v[i])));
    }
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let t = Random::new(3).triplets([3, 4, 5], 9);
    assert_eq!(coordinates(t.shape()).len(), 60);
    let x: Csf<f64> = t.convert().unwrap();
    let v = |len: usize| vec![1.0; len];
    for (result, operand) in [
        (ttv(&mut v(12), &x, &v(4)), "operand `v`"),
        (ttv(&mut v(11), &x, &v(5)), "operand `Y`"),
        (ttv_twice(&mut v(4), &x, &v(3), &v(4)), "operand `w`"),
        (sums(&mut v(3), &x), "operand `y`"),
        (unfolded(&mut v(59), &x), "operand `Y`"),
        (mttkrp(&mut v(6), &x, &v(8), &v(15)), "operand `C`"),
    ] {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.subject()), (ErrorKind::Shape, operand), "{error}");
    }
}
