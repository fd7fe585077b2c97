//! Products whose dense operands have the batch as the first dim, `H[b, o] = W[o, i] * X[b, i]`: the innermost loops read
//! them with a stride, or run over transposed copies where that pays. The oracle is sums over the elements.

use std::collections::BTreeMap;
use std::fmt::Debug;

use unisparse::FromInteger;
use unisparse::prelude::*;

use crate::common::Random;
use crate::common::formats::over_formats;

sparse_format! {
    /// Rows in pairs, from the last to the first.
    pub format Upward = |i, j| (pair: -(i / 2), half: i % 2, col: j) { merge(pair, half); trim(pair..=col); }
    /// Blocks of rows, each by its diagonals.
    pub format Lanes<const B: usize = 4> = |i, j| (rows: i / B, diag: j - i, lane: i % B) { merge(rows); trim(diag); }
}

over_formats! {
    W: [Csr Csc Bcsr BdiaCsr Lanes] [Coo Dcsr Dia Ell Sell HiCoo Upward];
    [batch: H[b, o] = W[o, i] * X[b, i]]
    [batch_added: H[b, o] += W[o, i] * X[b, i]]
    [batch_least: H[b, o] min= W[o, i] + X[b, i]]
    [deep: H[n, t, o] = s[n] * W[o, i] * X[n, t, i]]
    [between: H[n, o, t] = s[n] * W[o, i] * X[n, i, t]]
}

type Elements = BTreeMap<[usize; 2], i32>;

fn elements([rows, columns]: [usize; 2], percent: usize, seed: u64) -> Elements {
    let mut random = Random::new(seed);
    let all = (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
    let stored: Vec<_> = all.filter(|_| random.below(100) < percent).collect();
    stored
        .into_iter()
        .map(|at| (at, [-3, -2, -1, 1, 2, 4][random.below(6)]))
        .collect()
}

fn numbers(count: usize, seed: u64) -> Vec<i32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.below(8) as i32 - 3).collect()
}

/// Converts to the element type, in which all sums here are exact.
fn of<T: FromInteger>(numbers: &[i32]) -> Vec<T> {
    numbers.iter().map(|&number| T::from_integer(number.into())).collect()
}

/// Operands, and the expected results of the kernels.
struct Case {
    name: String,
    w: Elements,
    shape: [usize; 2],
    x: Vec<i32>,
    before: Vec<i32>,
    product: Vec<i32>,
    added: Vec<i32>,
    least: Vec<i32>,
    scale: [i32; 3],
    deep_x: Vec<i32>,
    deep: Vec<i32>,
    between_x: Vec<i32>,
    between: Vec<i32>,
}

impl Case {
    fn new([m, k]: [usize; 2], percent: usize, batch: usize) -> Self {
        let w = elements([m, k], percent, (m * 31 + k * 7 + batch) as u64);
        let (x, before) = (numbers(batch * k, 3), numbers(batch * m, 5));
        let (mut product, mut added, mut least) = (vec![0; batch * m], before.clone(), before.clone());
        for (&[o, i], &value) in &w {
            for b in 0..batch {
                product[b * m + o] += value * x[b * k + i];
                added[b * m + o] += value * x[b * k + i];
                least[b * m + o] = least[b * m + o].min(value + x[b * k + i]);
            }
        }
        let scale = [1, 2, -1];
        let (deep_x, mut deep) = (numbers(3 * batch * k, 9), vec![0; 3 * batch * m]);
        // The same numbers with the last two dims swapped.
        let (mut between_x, mut between) = (vec![0; 3 * batch * k], vec![0; 3 * batch * m]);
        for (n, t) in (0..3).flat_map(|n| (0..batch).map(move |t| (n, t))) {
            for i in 0..k {
                between_x[(n * k + i) * batch + t] = deep_x[(n * batch + t) * k + i];
            }
            for (&[o, i], &value) in &w {
                let term = scale[n] * value * deep_x[(n * batch + t) * k + i];
                deep[(n * batch + t) * m + o] += term;
                between[(n * m + o) * batch + t] += term;
            }
        }
        Case {
            name: format!("{m} x {k}, {batch}"),
            w,
            shape: [m, k],
            x,
            before,
            product,
            added,
            least,
            scale,
            deep_x,
            deep,
            between_x,
            between,
        }
    }

    fn triplets<T: FromInteger>(&self) -> Triplets<T, 2> {
        let all = self.w.iter().map(|(&at, &value)| (at, T::from_integer(value.into())));
        Triplets::try_from_triplets(self.shape, all).unwrap()
    }
}

/// Checks all kernels over one matrix.
macro_rules! run {
    ($case:expr, $w:expr, $name:expr) => {{
        let (case, w) = ($case, $w);
        let name = format!("{}, {}", $name, case.name);
        let x = of(&case.x);
        let mut h = of(&case.before);
        batch(&mut h, &w, &x).unwrap();
        same(&h, &of(&case.product), "batch", &name);
        let mut h = of(&case.before);
        batch_added(&mut h, &w, &x).unwrap();
        same(&h, &of(&case.added), "batch_added", &name);
        let mut h = of(&case.before);
        batch_least(&mut h, &w, &x).unwrap();
        same(&h, &of(&case.least), "batch_least", &name);
        // An empty nested slice does not have the extents of its inner dims.
        if !case.x.is_empty() && !case.before.is_empty() {
            let (s, x) = (of(&case.scale), of(&case.deep_x));
            let mut h = of(&case.deep_x[..1]);
            h.resize(case.deep.len(), h[0]);
            deep(&mut h, &s, &w, &x).unwrap();
            same(&h, &of(&case.deep), "deep", &name);
            between(&mut h, &s, &w, &of(&case.between_x)).unwrap();
            same(&h, &of(&case.between), "between", &name);
        }
    }};
}

macro_rules! check {
    ($case:expr, $element:ty: $($format:ident $(<$($size:literal),*>)?),*) => {{
        let case = &$case;
        let triplets = case.triplets::<$element>();
        $({
            let w: $format<$element $($(, $size)*)?> = triplets.convert().unwrap();
            run!(case, w, concat!(stringify!($format), " of ", stringify!($element)));
        })*
    }};
}

fn check_every_format(case: &Case) {
    check!(case, f64: Csr, Csc, Bcsr<4, 4>, Lanes<3>);
    #[cfg(every_product)]
    check!(case, f64: Coo, Dcsr, Dia, Ell, Sell<4, 8>, HiCoo<2>, Upward);
    run!(
        case,
        BdiaCsr::<f64, 3>::split(&case.triplets(), 2).unwrap(),
        "BdiaCsr of f64"
    );
}

fn same<T: PartialEq + Debug>(found: &[T], expected: &[T], kernel: &str, case: &str) {
    let differs = (0..found.len()).find(|&at| found[at] != expected[at]);
    assert_eq!(found.len(), expected.len());
    if let Some(at) = differs {
        panic!("{kernel}, {case}: {:?} at {at}, not {:?}", found[at], expected[at]);
    }
}

/// No elements, one element, and extents around the lengths of tiles: 2, 8, 16, 32, 64.
const BATCHES: [usize; 9] = [0, 1, 2, 7, 8, 9, 33, 63, 65];
const SHAPES: [[usize; 2]; 6] = [[0, 3], [3, 0], [1, 1], [1, 9], [9, 1], [13, 10]];

#[test]
fn batches_of_every_length() {
    for (shape, batch) in SHAPES.into_iter().flat_map(|shape| BATCHES.map(|batch| (shape, batch))) {
        check_every_format(&Case::new(shape, 40, batch));
        check!(Case::new(shape, 15, batch), i64: Csr, Bcsr<2, 3>);
    }
}

/// Loops are divided among threads from about 130 000 products on.
#[test]
fn batches_on_several_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        for batch in [31, 64] {
            check_every_format(&Case::new([90, 130], 40, batch));
            // More elements of the output than products.
            check!(Case::new([4000, 50], 1, batch), f64: Csr, Csc);
        }
    });
}

#[cfg(feature = "half")]
#[test]
fn batches_of_halves() {
    #[cfg(every_product)]
    use unisparse::bf16;
    use unisparse::f16;
    for (shape, batch) in [([13, 10], 9), ([13, 10], 32), ([1, 1], 1)] {
        check!(Case::new(shape, 40, batch), f16: Csr, Bcsr<4, 4>);
        #[cfg(every_product)]
        check!(Case::new(shape, 40, batch), bf16: Csr, Bcsr<4, 4>, Dia);
    }
}

#[test]
fn floats_do_not_depend_on_the_threads() {
    let mut random = Random::new(1);
    let stored = elements([300, 400], 20, 7).into_keys();
    let stored: Vec<_> = stored.map(|at| (at, 1.0 / (1 + random.below(99)) as f64)).collect();
    let w: Csr<f64> = Csr::try_from_triplets([300, 400], stored).unwrap();
    let x: Vec<f64> = (0..64 * 400).map(|at| 1.0 / (at + 3) as f64).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut h = vec![0.0; 64 * 300];
        pool.install(|| batch(&mut h, &w, &x).unwrap());
        h
    };
    let one = run(1);
    for threads in [2, 3, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
