//! Matrix formats found in no paper: storage by the rules, and every way to read it.

use crate::common::random::tensors;
use crate::common::specified::{check, declare, expressions, multiply, specify, specify_stock};
use crate::common::{Random, Specified};
use unisparse::prelude::*;

specify_stock!();

declare! {
    Mix = |i, j| (row: i, mix: 3 * i + j) { merge(row); trim(mix); }
    AntiTrimmed = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(anti..=diff); }
    AntiLines = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(anti); }
    DiagonalTiles = |i, j| ((j - i) / 4, i, (j - i) % 4) { merge(0); trim(0); }
    TwoLevelsSparse = |i, j| (i / 16, j / 16, (i % 16) / 4, (j % 16) / 4, i % 4, j % 4) { merge(0, 1, 3); trim(0..=1); trim(3..=5); }
    Skewed = |i, j| (row: i, skew: j + i / 2) { merge(row); trim(skew); }
    FromBelow = |i, j| (half: i / 2, row: i, col: j) { merge(half, row); trim(col); }
    FixedMiddle = |i, j| (row: i, twice: 2 * i, col: j) { merge(row, twice); trim(col); }
    FixedDiagonal = |i, j| (diag: j - i, row: i, col: j) { merge(diag); trim(diag); }
    DoubledTrimmed = |i, j| (twice: 2 * i, col: j) { merge(twice); trim(twice); }
    ShiftedDense = |i, j| (col: j - 3, row: i + 5) {}
    Uneven<const B: usize = 6> = |i, j| (i / B, (i % B) / 4, (i % B) % 4, j) { merge(0, 1, 2); trim(3); }
    UnevenDense<const B: usize = 6> = |i, j| (i / B, (i % B) / 4, (i % B) % 4, j) { merge(0); trim(0); }
    UnevenBlocks<const B: usize = 6> = |i, j| (i / B, j, (i % B) / 4, (i % B) % 4) { merge(0, 1); trim(1); }
    PaperABlocks = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(bcol); }
    PaperATwice = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(c); }
    BothDense = |i, j| (row: i, col: j) {}
    RowsOnlyUnmerged = |i, j| (row: i, col: j) { trim(row); }
    EveryOther = |i, j| (brow: i / 3, bcol: j / 2, r: i % 3, c: j % 2) { merge(brow, bcol, r); trim(brow); trim(r); }
    NarrowSigned = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag..=row); index(diag: i8, row: u16); pointer(u16); }
    Banks = |i, j| (bank: i % 3, local: i / 3, col: j) { merge(bank, local); trim(col); }
    BothTiled = |i, j| (tile: (j - i) / 2, row: i / 2, side: (j - i) % 2, r: i % 2) { merge(tile, row); trim(tile..=row); }
    Sheared = |i, j| (line: 2 * j + i, row: i) { merge(line); trim(line); }
}

// More of the same kinds.
#[cfg(every_product)]
declare! {
    MixDense = |i, j| (row: i, mix: 3 * i + j) {}
    MixCoordinates = |i, j| (mix: 3 * i + j, row: i) { trim(mix..=row); }
    Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); }
    AntiCoordinates = |i, j| (anti: i + j, diff: j - i) { trim(anti..=diff); }
    AntiDense = |i, j| (anti: i + j, diff: j - i) {}
    DiagonalTilesByRow = |i, j| (i, (j - i) / 4, (j - i) % 4) { merge(0, 1); trim(1); }
    DiagonalPairs = |i, j| (pair: (j - i) / 2, row: i, side: (j - i) % 2) { merge(pair, row); trim(pair..=row); }
    TwoLevels = |i, j| (i / 16, j / 16, (i % 16) / 4, (j % 16) / 4, i % 4, j % 4) { merge(0, 1, 2); trim(1); trim(3); }
    SkewedDense = |i, j| (row: i, skew: j + i / 2) {}
    FromBelowCoordinates = |i, j| (half: i / 2, row: i, col: j) { trim(half..=col); }
    FromBelowDense = |i, j| (half: i / 2, row: i, col: j) {}
    FixedLast = |i, j| (row: i, diag: j - i, col: j) { merge(row); trim(diag); }
    Doubled = |i, j| (twice: 2 * i, col: j) { merge(twice); trim(col); }
    DoubledDense = |i, j| (twice: 2 * i, col: j) {}
    Shifted = |i, j| (row: i + 5, col: j - 3) { merge(row); trim(col); }
    ShiftedCoordinates = |i, j| (row: i + 5, col: j - 3) { trim(row..=col); }
    PaperA = |i, j| (row: i, col: j) { trim(1..=1); }
    PaperAByColumn = |i, j| (col: j, row: i) { trim(row); }
    PaperAInner = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { merge(brow, bcol); trim(c); }
    PaperADiagonals = |i, j| (diag: j - i, row: i) { trim(row); }
    RowsOnly = |i, j| (row: i, col: j) { merge(row); trim(row); }
    BlockRows = |i, j| (brow: i / 3, bcol: j / 2, r: i % 3, c: j % 2) { merge(brow, bcol, r); trim(brow); trim(c); }
    Checkers = |i, j| (brow: i / 3, bcol: j / 2, r: i % 3, c: j % 2) { merge(brow, bcol, r); trim(bcol); trim(c); }
    Narrow = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u8); pointer(u64); }
    ByNumber = |i, j| (row: i, col: j) { merge(0); trim(0..=1); }
}

const SHAPES: [[usize; 2]; 15] = [
    [5, 4],
    [1, 1],
    [1, 7],
    [7, 1],
    [0, 5],
    [5, 0],
    [0, 0],
    [2, 2],
    [3, 3],
    [23, 3],
    [3, 23],
    [12, 12],
    [17, 33],
    [33, 17],
    [2, 40],
];

/// Nothing but calls here, as this is compiled for each format.
fn check_all<F: Specified<2>, Interchange: Specified<2>>(spmv: fn(&mut [f64], &F, &[f64])) {
    for (number, shape) in SHAPES.into_iter().enumerate() {
        let seed = number as u64 + 1;
        for triplets in tensors(shape, seed) {
            println!("{} of {shape:?}, seed {seed}", F::NAME);
            let tensor = check::<F, Interchange, 2>(&triplets);
            judge(F::NAME, seed, &triplets, &mut |y, x| spmv(y, &tensor, x));
        }
    }
}

fn judge(format: &str, seed: u64, triplets: &Triplets<f64, 2>, spmv: &mut dyn FnMut(&mut [f64], &[f64])) {
    let shape = triplets.shape();
    let x = Random::new(seed).vector(shape[1]);
    let mut y = vec![f64::NAN; shape[0]];
    spmv(&mut y, &x);
    assert_eq!(
        y,
        multiply(triplets, &x),
        "spmv of {format} of shape {shape:?}, seed {seed}"
    );
}

/// Tests over formats of one kind; those in brackets only with `--cfg every_product`.
macro_rules! tests {
    ($($test:ident by $interchange:ident: $($format:ty),+ $([$($further:ty),+])?;)*) => {$(
        #[test]
        fn $test() {
            $(check_all::<$format, $interchange<f64>>(|y, a, x| spmv(y, a, x).unwrap());)+
            $(
                #[cfg(every_product)]
                {
                    $(check_all::<$further, $interchange<f64>>(|y, a, x| spmv(y, a, x).unwrap());)+
                }
            )?
        }
    )*};
}

// Each format is converted to rows' coordinates or to columns, and back: `tests/crates/generated` draws more sources.
tests! {
    stock_formats by Coo: Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>;
    stock_blocks by Csc: Bcsr<f64, 3, 2>, Bcsc<f64, 3, 4>, Csb<f64, 3>, Bdia<f64, 3>, HiCoo<f64, 5>
        [Bcsr<f64>, Bcsr<f64, 1, 1>, Bcsc<f64>, Csb<f64>, Bdia<f64>, HiCoo<f64>];
    mixed by Coo: Mix<f64>, Sheared<f64> [MixDense<f64>, MixCoordinates<f64>];
    antidiagonals by Csc: AntiTrimmed<f64>, AntiLines<f64> [Anti<f64>, AntiCoordinates<f64>, AntiDense<f64>];
    tiled_diagonals by Coo: DiagonalTiles<f64>, BothTiled<f64> [DiagonalTilesByRow<f64>, DiagonalPairs<f64>];
    two_levels_of_tiles by Csc: TwoLevelsSparse<f64> [TwoLevels<f64>];
    skewed by Coo: Skewed<f64> [SkewedDense<f64>];
    levels_fixed_by_one_below by Csc: FromBelow<f64> [FromBelowCoordinates<f64>, FromBelowDense<f64>];
    fixed_levels by Coo: FixedMiddle<f64>, FixedDiagonal<f64> [FixedLast<f64>];
    scaled by Csc: DoubledTrimmed<f64> [Doubled<f64>, DoubledDense<f64>];
    shifted by Coo: ShiftedDense<f64> [Shifted<f64>, ShiftedCoordinates<f64>];
    tiles_that_do_not_divide by Csc: Uneven<f64>, UnevenDense<f64, 7>, UnevenBlocks<f64, 9>
        [Uneven<f64, 5>, Uneven<f64, 4>, Uneven<f64, 1>, UnevenDense<f64>, UnevenBlocks<f64>];
    the_papers_format_a by Coo: PaperABlocks<f64>, PaperATwice<f64> [PaperA<f64>, PaperAByColumn<f64>, PaperAInner<f64>, PaperADiagonals<f64>];
    few_mutations by Csc: BothDense<f64>, RowsOnlyUnmerged<f64> [RowsOnly<f64>, ByNumber<f64>];
    several_trims by Coo: EveryOther<f64>, Banks<f64> [BlockRows<f64>, Checkers<f64>];
    widths by Csc: NarrowSigned<f64> [Narrow<f64>];
}
