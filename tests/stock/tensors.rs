//! Formats of one, three, four and five dims: their storage follows the rules, and every way to read it agrees.

use crate::common::Specified;
use crate::common::random::tensors;
use crate::common::specified::{check, declare, expressions, specify};
use unisparse::prelude::*;

specify! {
    Csf = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); }
}

declare! {
    Coordinates1 = |i| (at: i) { trim(at); }
    Blocks1 = |i| (block: i / 4, lane: i % 4) { merge(block); trim(block); }
    Strided1 = |i| (lane: i % 3, at: i / 3) { merge(lane); trim(at); }
    Mirrored1 = |i| (back: -3 * i + 2) { trim(back); }
    PaperA1 = |i| (block: i / 4, lane: i % 4) { trim(lane); }

    Coordinates3 = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); }
    PaperA3Middle = |i, j, k| (i, j, k) { merge(1); trim(1..=2); }
    PaperA3Two = |i, j, k| (i, j, k) { trim(1..=2); }
    Ends = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x); trim(z); }
    LastFirst = |i, j, k| (z: k, x: i, y: j) { merge(z); trim(x..=y); }
    Total = |i, j, k| (total: i + j + k, y: j, z: k) { merge(total); trim(total..=z); }
    Differences = |i, j, k| (p: j - i, q: k - j, x: i) { merge(p, q); trim(p..=q); }
    Blocks3<const B: usize = 2> = |i, j, k| (i / B, j / B, k / B, i % B, j % B, k % B) { merge(0, 1, 2); trim(0..=2); }
    HiCoo3<const B: usize = 2> = |i, j, k| (i / B, j / B, k / B, i % B, j % B, k % B) { merge(2); trim(0..=5); }

    Coordinates4 = |i, j, k, l| (i, j, k, l) { trim(0..=3); }
    Mixed4 = |i, j, k, l| (a: l - i, b: j / 2, c: k, d: i, e: j % 2) { merge(a, b); trim(a..=c); }
    PaperA4 = |i, j, k, l| (i, j, k, l) { trim(1); trim(3); }

    Coordinates5 = |i, j, k, l, m| (i, j, k, l, m) { trim(0..=4); }
    Fibers5 = |i, j, k, l, m| (m, l, k, j, i) { merge(0, 1, 2, 3); trim(0..=4); }
    Skewed5 = |i, j, k, l, m| (i + m, j, k - l, l, i) { merge(0, 1); trim(0..=2); }
}

// More of the same kinds.
#[cfg(every_product)]
declare! {
    Dense1 = |i| (at: i) {}
    Nested1 = |i| (i / 8, (i % 8) / 2, i % 2) { merge(0, 1); trim(0..=2); }
    PaperA3 = |i, j, k| (i, j, k) { trim(2); }
    PaperA3Merged = |i, j, k| (i, j, k) { merge(1); trim(2); }
    PaperA3Upper = |i, j, k| (i, j, k) { trim(1); }
    PaperA3Outer = |i, j, k| (i, j, k) { merge(0); trim(2); }
    DenseRows = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(z); }
    Outer = |i, j, k| (x: i, y: j, z: k) { merge(x); trim(x); }
    Halves = |i, j, k| (sum: i + j, difference: j - i, z: k) { merge(sum, difference); trim(sum..=difference); }
    Fibers4 = |i, j, k, l| (a: i, b: j, c: k, d: l) { merge(a, b, c); trim(a..=d); }
    Matrices4 = |i, j, k, l| (a: i, b: j, c: k, d: l) { merge(a, b); trim(a..=b); }
}

fn check_all<F: Specified<N>, Interchange: Specified<N>, const N: usize>(shapes: &[[usize; N]]) {
    for (number, &shape) in shapes.iter().enumerate() {
        let seed = number as u64 + 1;
        for triplets in tensors(shape, seed) {
            println!("{} of {shape:?}, seed {seed}", F::NAME);
            check::<F, Interchange, N>(&triplets);
        }
    }
}

/// Tests over formats of one kind; those in brackets only with `--cfg every_product`.
macro_rules! tests {
    ($($test:ident, $interchange:ident, $shapes:ident: $($format:ty),+ $([$($further:ty),+])?;)*) => {$(
        #[test]
        fn $test() {
            $(check_all::<$format, $interchange<f64>, _>(&$shapes);)+
            $(
                #[cfg(every_product)]
                {
                    $(check_all::<$further, $interchange<f64>, _>(&$shapes);)+
                }
            )?
        }
    )*};
}

const LINES: [[usize; 1]; 6] = [[1], [0], [2], [7], [8], [100]];
const CUBES: [[usize; 3]; 9] = [
    [3, 4, 5],
    [1, 1, 1],
    [1, 6, 2],
    [5, 1, 3],
    [4, 3, 1],
    [2, 0, 3],
    [0, 2, 3],
    [2, 3, 0],
    [9, 7, 8],
];
const FOURS: [[usize; 4]; 5] = [[2, 3, 4, 5], [1, 1, 1, 1], [5, 1, 2, 3], [3, 2, 0, 2], [4, 4, 4, 4]];
const FIVES: [[usize; 5]; 4] = [[2, 3, 2, 3, 2], [1, 2, 1, 2, 1], [3, 3, 3, 3, 3], [2, 2, 2, 2, 0]];

tests! {
    lines, Coordinates1, LINES: Blocks1<f64>, Strided1<f64>, Mirrored1<f64>, PaperA1<f64> [Coordinates1<f64>, Dense1<f64>, Nested1<f64>];
    fibers, Coordinates3, CUBES: Csf<f64>, Ends<f64>, LastFirst<f64> [Coordinates3<f64>, DenseRows<f64>, Outer<f64>];
    the_papers_format_a, Coordinates3, CUBES: PaperA3Middle<f64>, PaperA3Two<f64>
        [PaperA3<f64>, PaperA3Merged<f64>, PaperA3Upper<f64>, PaperA3Outer<f64>];
    sums_and_differences, Coordinates3, CUBES: Total<f64>, Differences<f64> [Halves<f64>];
    blocks, Coordinates3, CUBES: Blocks3<f64, 3>, HiCoo3<f64> [Blocks3<f64>, HiCoo3<f64, 4>];
    four_dims, Coordinates4, FOURS: Mixed4<f64>, PaperA4<f64> [Coordinates4<f64>, Fibers4<f64>, Matrices4<f64>];
    five_dims, Coordinates5, FIVES: Fibers5<f64>, Skewed5<f64> [Coordinates5<f64>];
}
