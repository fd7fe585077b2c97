//! Tensors from parts: errors name what is wrong, accepted parts make valid tensors, nothing panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::random::tensors;
use crate::common::specified::{declare, expressions, multiply, specify, specify_stock};
use crate::common::{Random, Specified};
use unisparse::prelude::*;
use unisparse::{Error, ErrorKind, Triplets};

specify_stock!();

declare! {
    Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(anti..=diff); }
    AntiDense = |i, j| (anti: i + j, diff: j - i) {}
    DiagonalTiles = |i, j| ((j - i) / 4, i, (j - i) % 4) { merge(0); trim(0); }
    PaperA = |i, j| (row: i, col: j) { trim(col); }
    PaperABlocks = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(bcol); }
    PaperADiagonals = |i, j| (diag: j - i, row: i) { trim(row); }
    PaperATwice = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(c); }
    FixedLast = |i, j| (row: i, diag: j - i, col: j) { merge(row); trim(diag); }
    FromBelow = |i, j| (half: i / 2, row: i, col: j) { merge(half, row); trim(col); }
    Checkers = |i, j| (brow: i / 3, bcol: j / 2, r: i % 3, c: j % 2) { merge(brow, bcol, r); trim(bcol); trim(c); }
    Wide = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag..=row); index(diag: i64, row: u64); pointer(u64); }
}

/// Checks the kind, the array and the position of an error.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: ErrorKind, subject: &str, position: Option<usize>) {
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (kind, subject, position),
        "{error}"
    );
}

#[test]
fn wrong_lengths() {
    let v = vec![1.0; 3];
    refused(
        Csr::try_from_parts([2, 3], vec![0, 1], vec![0], vec![1.0]),
        ErrorKind::Length,
        "`row_ptr`",
        None,
    );
    refused(
        Csr::try_from_parts([2, 3], vec![], vec![], Vec::<f64>::new()),
        ErrorKind::Length,
        "`row_ptr`",
        None,
    );
    refused(
        Csr::try_from_parts([2, 3], vec![0, 1, 2, 3], vec![0, 1, 2], v.clone()),
        ErrorKind::Length,
        "`row_ptr`",
        None,
    );
    refused(
        Csr::try_from_parts([2, 3], vec![0, 1, 4], vec![0, 1, 2], v.clone()),
        ErrorKind::Length,
        "`col_idx`",
        None,
    );
    refused(
        Csr::try_from_parts([2, 3], vec![0, 1, 2], vec![0, 1, 2], v.clone()),
        ErrorKind::Length,
        "`col_idx`",
        None,
    );
    refused(
        Csr::try_from_parts([2, 3], vec![0, 1, 2], vec![0, 1], v.clone()),
        ErrorKind::Length,
        "`values`",
        None,
    );
    refused(
        Coo::try_from_parts([2, 3], vec![0, 1], vec![0, 1, 2], v.clone()),
        ErrorKind::Length,
        "`col_idx`",
        None,
    );
    refused(
        Coo::try_from_parts([2, 3], vec![0, 0, 1], vec![0, 1, 2], vec![1.0; 4]),
        ErrorKind::Length,
        "`values`",
        None,
    );
    refused(
        Dcsr::try_from_parts([2, 3], vec![0], vec![0, 1, 1], vec![0], vec![1.0]),
        ErrorKind::Length,
        "`row_ptr`",
        None,
    );
    refused(
        Dia::try_from_parts([2, 3], vec![0], v),
        ErrorKind::Length,
        "`values`",
        None,
    );
    refused(
        Bcsr::<f64, 2, 2>::try_from_parts([2, 3], vec![0, 1], vec![0], vec![1.0; 5]),
        ErrorKind::Length,
        "`values`",
        None,
    );
    refused(
        AntiDense::try_from_parts([2, 3], vec![1.0; 15]),
        ErrorKind::Length,
        "`values`",
        None,
    );
}

#[test]
fn wrong_pointers() {
    let parts = |ptr: Vec<u32>| Csr::try_from_parts([3, 3], ptr, vec![0, 1, 2], vec![1.0; 3]);
    refused(parts(vec![0, 2, 1, 3]), ErrorKind::Order, "`row_ptr`", Some(2));
    refused(parts(vec![1, 2, 2, 3]), ErrorKind::Order, "`row_ptr`", Some(0));
    refused(
        parts(vec![0, u32::MAX, u32::MAX, 3]),
        ErrorKind::Order,
        "`row_ptr`",
        Some(3),
    );
    refused(parts(vec![0, 0, 0, u32::MAX]), ErrorKind::Length, "`col_idx`", None);
    let wide = |ptr: Vec<u64>| Wide::try_from_parts([3, 3], vec![0], ptr, vec![0, 1, 2], vec![1.0; 3]);
    assert!(wide(vec![0, 3]).is_ok());
    for end in [u64::MAX, 1 << 63, (1 << 63) + 3, 1 << 32] {
        assert!(wide(vec![0, end]).is_err(), "{end}");
    }
}

#[test]
fn indices_outside_their_domain() {
    let csr = |col: Vec<u32>| Csr::try_from_parts([1, 3], vec![0, 2], col, vec![1.0; 2]);
    refused(csr(vec![0, 3]), ErrorKind::OutOfBounds, "`col_idx`", Some(1));
    refused(csr(vec![u32::MAX, 1]), ErrorKind::OutOfBounds, "`col_idx`", Some(0));
    let dia = |diag: Vec<i32>| Dia::try_from_parts([2, 3], diag, vec![0.0; 2]);
    refused(dia(vec![-2]), ErrorKind::OutOfBounds, "`diag_idx`", Some(0));
    refused(dia(vec![3]), ErrorKind::OutOfBounds, "`diag_idx`", Some(0));
    refused(dia(vec![i32::MIN]), ErrorKind::OutOfBounds, "`diag_idx`", Some(0));
    refused(
        Coo::try_from_parts([2, 0], vec![0], vec![0], vec![1.0]),
        ErrorKind::OutOfBounds,
        "`col_idx`",
        Some(0),
    );
    let bcsr = Bcsr::<f64, 2, 2>::try_from_parts([4, 3], vec![0, 1, 1], vec![2], vec![0.0; 4]);
    refused(bcsr, ErrorKind::OutOfBounds, "`bcol_idx`", Some(0));
    let hicoo = HiCoo::<f64, 2>::try_from_parts([4, 4], vec![0], vec![0], vec![0, 1], vec![2], vec![0], vec![1.0]);
    refused(hicoo, ErrorKind::OutOfBounds, "`r_idx`", Some(0));
    let far = Wide::try_from_parts([3, 3], vec![0], vec![0, 1], vec![u64::MAX], vec![1.0]);
    refused(far, ErrorKind::OutOfBounds, "`row_idx`", Some(0));
}

#[test]
fn entries_out_of_order() {
    let csr = |col: Vec<u32>| Csr::try_from_parts([2, 3], vec![0, 1, 3], col, vec![1.0; 3]);
    assert!(csr(vec![2, 0, 1]).is_ok());
    refused(csr(vec![2, 1, 0]), ErrorKind::Order, "`col_idx`", Some(2));
    refused(csr(vec![2, 1, 1]), ErrorKind::Order, "`col_idx`", Some(2));
    let coo = |row, col| Coo::try_from_parts([3, 3], row, col, vec![1.0; 3]);
    assert!(coo(vec![0, 0, 1], vec![0, 2, 1]).is_ok());
    refused(
        coo(vec![0, 2, 1], vec![0, 1, 2]),
        ErrorKind::Order,
        "`row_idx`",
        Some(2),
    );
    refused(
        coo(vec![0, 1, 1], vec![0, 2, 1]),
        ErrorKind::Order,
        "`col_idx`",
        Some(2),
    );
    refused(
        coo(vec![0, 1, 1], vec![0, 2, 2]),
        ErrorKind::Order,
        "`col_idx`",
        Some(2),
    );
    refused(
        Dia::try_from_parts([2, 3], vec![1, 0], vec![1.0; 4]),
        ErrorKind::Order,
        "`diag_idx`",
        Some(1),
    );
    let dcsr = Dcsr::try_from_parts([3, 3], vec![1, 1], vec![0, 1, 2], vec![0, 1], vec![1.0; 2]);
    refused(dcsr, ErrorKind::Order, "`row_idx`", Some(1));
}

#[test]
fn nodes_of_trimmed_levels_without_elements() {
    let dcsr = Dcsr::try_from_parts([3, 3], vec![0, 2], vec![0, 1, 1], vec![0], vec![1.0]);
    refused(dcsr, ErrorKind::Structure, "`row_idx`", Some(1));
    let anti = Anti::try_from_parts([3, 3], vec![0, 1], vec![0, 0, 1], vec![1], vec![1.0]);
    refused(anti, ErrorKind::Structure, "`anti_idx`", Some(0));
    // There is no coordinate with i + j = 1 and j - i = 0.
    let anti = Anti::try_from_parts([3, 3], vec![1], vec![0, 1], vec![0], vec![0.0]);
    refused(anti, ErrorKind::Structure, "`anti_idx`", Some(0));
    // Row 4 of diagonal 2 is outside of a 5x4 matrix, and the diagonal has another entry.
    let paper_a = |row: Vec<u32>, values| PaperADiagonals::try_from_parts([2, 1], vec![-1, 0, 0], row, values);
    refused(
        paper_a(vec![1, 0, 1], vec![1.0, 1.0, 0.0]),
        ErrorKind::Structure,
        "`diag_idx`",
        Some(2),
    );
}

#[test]
fn levels_that_are_not_trimmed_leave_nothing_out() {
    let paper_a = |row: Vec<u32>, col: Vec<u32>| {
        let values = vec![0.0; row.len()];
        PaperA::try_from_parts([3, 2], row, col, values)
    };
    assert!(paper_a(vec![0, 1, 2], vec![0, 0, 1]).is_ok());
    refused(
        paper_a(vec![0, 2], vec![0, 0]),
        ErrorKind::Structure,
        "`row_idx`",
        Some(1),
    );
    refused(
        paper_a(vec![1, 2], vec![0, 0]),
        ErrorKind::Structure,
        "`row_idx`",
        Some(0),
    );
    refused(
        paper_a(vec![0, 1], vec![0, 0]),
        ErrorKind::Structure,
        "`row_idx`",
        Some(2),
    );
    refused(paper_a(vec![], vec![]), ErrorKind::Structure, "`row_idx`", Some(0));
    assert!(PaperA::try_from_parts([3, 0], vec![], vec![], Vec::<f64>::new()).is_ok());
}

/// A hole below a level that holds every coordinate has the lowest coordinates below it, not above it.
#[test]
fn holes_below_a_level_of_a_query_that_is_not_trimmed() {
    unisparse::sparse_format! {
        format Tallied = |i, j| (row: i, tall: tally, col: j) where {
            tally = sum(value > 2 => 1, _ => 0).group_by(j);
        } { trim(row); trim(col); }
    }
    let tensor = Tallied::try_from_triplets([2, 2], [([1, 0], 1.0), ([1, 1], 3.0)]).unwrap();
    let parts = tensor.clone().into_parts();
    assert_eq!(parts, ([2, 2], vec![1, 1], 2, vec![0, 1], vec![0, 1], vec![1.0, 3.0]));
    let (shape, rows, size, tallies, columns, values) = parts;
    assert_eq!(
        Tallied::try_from_parts(shape, rows, size, tallies, columns, values).unwrap(),
        tensor
    );
    // The first entry is a hole at the coordinate of the second.
    let tensor = Tallied::try_from_triplets([2, 2], [([1, 0], 3.0)]).unwrap();
    let (shape, rows, size, tallies, columns, values) = tensor.clone().into_parts();
    assert_eq!((&columns[..], &values[..]), (&[0, 0][..], &[0.0, 3.0][..]));
    assert_eq!(
        Tallied::try_from_parts(shape, rows, size, tallies, columns, values).unwrap(),
        tensor
    );
}

#[test]
fn values_outside_the_matrix() {
    // Diagonal 1 of a 3x2 matrix ends after row 0, diagonal -2 starts at row 2.
    let dia = |diag, values| Dia::try_from_parts([3, 2], vec![diag], values);
    assert!(dia(1, vec![5.0, 0.0, 0.0]).is_ok());
    refused(dia(1, vec![5.0, 6.0, 0.0]), ErrorKind::Structure, "`values`", Some(1));
    refused(dia(-2, vec![0.0, 6.0, 1.0]), ErrorKind::Structure, "`values`", Some(1));
    refused(
        dia(-2, vec![f64::NAN, 0.0, 1.0]),
        ErrorKind::Structure,
        "`values`",
        Some(0),
    );
    // The padding of the last block row and column.
    let bcsr = |values| Bcsr::<f64, 2, 2>::try_from_parts([3, 3], vec![0, 1, 2], vec![1, 1], values);
    assert!(bcsr(vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]).is_ok());
    refused(
        bcsr(vec![1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ErrorKind::Structure,
        "`values`",
        Some(1),
    );
    refused(
        bcsr(vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 3.0, 0.0]),
        ErrorKind::Structure,
        "`values`",
        Some(6),
    );
    // i + j and j - i are both even or both odd.
    let mut values = vec![0.0; 9];
    values[1] = 4.0;
    assert!(AntiDense::try_from_parts([2, 2], values.clone()).is_ok());
    values.swap(1, 2);
    refused(
        AntiDense::try_from_parts([2, 2], values),
        ErrorKind::Structure,
        "`values`",
        Some(2),
    );
}

#[test]
fn shapes_too_large_for_their_arrays() {
    let huge = usize::MAX;
    assert!(Csr::try_from_parts([huge, 3], vec![0, 1], vec![0], vec![1.0]).is_err());
    assert!(Csr::try_from_parts([1 << 62, 3], vec![0, 1], vec![0], vec![1.0]).is_err());
    assert!(Dia::try_from_parts([1 << 61, 1 << 61], vec![0], vec![1.0]).is_err());
    assert!(AntiDense::try_from_parts([1 << 61, 1 << 61], vec![1.0]).is_err());
    assert!(Coo::try_from_parts([1 << 40, 1 << 40], vec![7], vec![8], vec![1.0]).is_ok());
    let error = Coo::try_from_parts([huge, huge], vec![7], vec![8], vec![1.0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overflow);
}

/// Checks that accepted parts read the same in every way, and equal the assembly of their elements.
fn consistent<F: Specified<2>>(tensor: &F, spmv: fn(&mut [f64], &F, &[f64])) {
    let elements = tensor.by_iter();
    let mut visited = Vec::new();
    tensor.for_each(|at, value| visited.push((at, value)));
    assert_eq!(visited, elements);
    let triplets = Triplets::try_from_triplets(tensor.shape(), elements.iter().copied()).unwrap();
    let rebuilt: F = triplets
        .clone()
        .duplicates(Duplicates::Reject)
        .convert_within(Limit::none())
        .unwrap();
    assert!(rebuilt == *tensor);
    if tensor.held_values().iter().all(|&value| value != 0.0) {
        assert_eq!(rebuilt.arrays(), tensor.arrays());
    }
    let coo: Coo<f64> = Coo::assemble(tensor, Limit::none()).unwrap();
    assert_eq!(coo.nnz(), elements.len());
    let x: Vec<f64> = (0..tensor.shape()[1]).map(|at| at as f64 + 1.0).collect();
    let mut y = vec![f64::NAN; tensor.shape()[0]];
    spmv(&mut y, tensor, &x);
    assert_eq!(y, multiply(&triplets, &x));
}

/// Changes the parts of tensors at random. Returns the numbers of refused and accepted results.
fn mutate<F: Specified<2>>(spmv: fn(&mut [f64], &F, &[f64])) -> [usize; 2] {
    let mut outcomes = [0; 2];
    for (number, shape) in [[5, 4], [4, 7], [9, 3], [1, 1], [0, 2]].into_iter().enumerate() {
        for triplets in tensors(shape, number as u64 + 1) {
            let tensor: F = triplets.convert_within(Limit::none()).unwrap();
            for seed in 0..60 {
                let what = format!(
                    "{} of {shape:?}, seed {seed}: {:?}",
                    F::NAME,
                    triplets.iter().collect::<Vec<_>>()
                );
                let mut random = Random::new(seed);
                let attempt = catch_unwind(AssertUnwindSafe(|| {
                    let changed = tensor.clone().changed(&mut |parts| {
                        for _ in 0..=random.below(2) {
                            change(parts, &mut random);
                        }
                    });
                    changed.map(|tensor| consistent(&tensor, spmv)).is_ok()
                }));
                outcomes[usize::from(attempt.unwrap_or_else(|_| panic!("{what}")))] += 1;
            }
        }
    }
    outcomes
}

fn change(parts: &mut dyn crate::common::Parts, random: &mut Random) {
    if random.below(12) == 0 {
        let shape = parts.shape();
        let dim = random.below(shape.len());
        shape[dim] = if random.below(2) == 0 {
            shape[dim] + 1
        } else {
            shape[dim].saturating_sub(1)
        };
        return;
    }
    let mut arrays = parts.arrays();
    let number = random.below(arrays.len());
    let array = &mut arrays[number];
    let len = array.len();
    match random.below(8) {
        0 => array.truncate(len.saturating_sub(1)),
        1 => array.push(random.below(4) as i64),
        _ if len == 0 => {}
        2 => array.set(random.below(len), [0, -1, 127, i64::MAX, i64::MIN][random.below(5)]),
        3 => {
            let (left, right) = (random.below(len), random.below(len));
            let kept = array.get(left);
            array.set(left, array.get(right));
            array.set(right, kept);
        }
        4 => array.set(random.below(len), 0),
        _ => {
            let at = random.below(len);
            array.set(at, array.get(at).wrapping_add(random.below(5) as i64 - 2));
        }
    }
}

/// Tests over formats of one kind; those in brackets only with `--cfg every_product`.
macro_rules! mutations {
    ($($test:ident: $($format:ty),+ $([$($further:ty),+])?;)*) => {$(
        #[test]
        fn $test() {
            $(mutations!(@ $format);)+
            $(
                #[cfg(every_product)]
                {
                    $(mutations!(@ $further);)+
                }
            )?
        }
    )*};
    (@ $format:ty) => {
        let [refused, accepted] = mutate::<$format>(|y, a, x| spmv(y, a, x).unwrap());
        println!("{}: {refused} refused, {accepted} accepted", stringify!($format));
        assert!(accepted > 50 && (refused > 50 || stringify!($format).starts_with("AntiDense")), "{}", stringify!($format));
    };
}

mutations! {
    changed_compressed: Coo<f64>, Csr<f64>, Dcsc<f64>, Wide<f64> [Csc<f64>, Dcsr<f64>];
    changed_diagonals: Dia<f64>, Bdia<f64, 2>, AntiDense<f64> [DiaVariant<f64>, Anti<f64>, DiagonalTiles<f64>];
    changed_blocks: Bcsr<f64, 3, 2>, HiCoo<f64, 2>, Checkers<f64> [Bcsr<f64>, Bcsc<f64>, Csb<f64, 2>];
    changed_holes: PaperABlocks<f64>, PaperATwice<f64> [PaperA<f64>, PaperADiagonals<f64>];
    changed_fixed: FixedLast<f64>, FromBelow<f64>;
}
