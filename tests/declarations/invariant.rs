//! Levels whose coordinates are invariant over levels above, which their arrays leave out: arrays by hand, conversions,
//! kernels, arrays from outside, parts, estimates.

use std::collections::BTreeMap;

use crate::common::Random;
use crate::common::random::Elements;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Limit, Source, SparseTensor};

sparse_format! {
    /// Jagged diagonals of chunks of `C` rows.
    format JaggedChunks<const C: usize = 2> = |i, j| (slot, chunk: rank / C, lane: rank % C, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(_ => 0).group_by(i).traverse_by(j);
        } { merge(slot, chunk); trim(slot..=chunk); }
    /// `Sell`, two digits of the row.
    format SellDigits = |i, j| (chunk: rank / 2, slot, lane: rank % 2, high: i / 3, low: i % 3, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(_ => 0).group_by(i).traverse_by(j);
        } { merge(chunk, slot); trim(slot); }
    /// Slices from the fullest to the emptiest, the slice of each rank below its elements.
    format Slices = |i, j, k| (rank, y: j, z: k, x: i)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank, y); trim(rank..=z); }
    /// Columns numbered by how few gaps they have, stored as diagonals of numbers and rows.
    format Fullest = |i, j| (place, number, col: j, row: i)
        where {
            gaps   = sum(value == 0 => 3, _ => 1).group_by(j);
            number = reorder(gaps, ascending).traverse_by(j);
            place  = enumerate(_ => 0).group_by(j).traverse_by(i);
        } { merge(place); trim(place); }
    /// `Sell`, a part for each window.
    format Windows = |i, j| (window: i / 4, chunk: rank / 2, slot, lane: rank % 2, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).group_by(i / 4).traverse_by(i);
            slot = enumerate(_ => 0).group_by(i).traverse_by(j);
        } { merge(window, chunk, slot); trim(slot); partition(window); }
    /// `Sell`, rows and columns side by side, windows from a number below zero.
    format Packed = |i, j| (window: i / 4 - 2, chunk: rank / 2, slot, lane: rank % 2, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).group_by(i / 4).traverse_by(i);
            slot = enumerate(_ => 0).group_by(i).traverse_by(j);
        } { merge(window, chunk, slot); trim(slot); pack(row..=col); }
    /// `Sell`, with rows of eight bits.
    format Short = |i, j| (window: i / 64, chunk: rank / 8, slot, lane: rank % 8, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).group_by(i / 64).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(window, chunk, slot); trim(slot); index(row: u8); }
    /// A level of digits, each stored once.
    format Digits = |i, j| (slot, rank, high: i / 3, low: i % 3, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(_ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot..=rank); }
    hybrid Chunked = JaggedChunks<4> + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
}

sparse_kernel! {
    fn product: y[i] = A[i, j] * x[j]
        where A: Sell | Jds | JaggedChunks | Fullest | Windows | WindowsPart | Packed | Digits | Chunked;
    fn transposed: y[j] = A[i, j] * x[i]
        where A: Sell | Jds | JaggedChunks | Fullest | Windows | Packed | Digits;
    fn columns: C[i, n] = A[i, j] * B[j, n] where A: Sell | Jds | JaggedChunks | Fullest | Windows | Packed | Digits;
    fn squares: C[i, j] = A[i, k] * B[k, j]
        where A: Sell | Jds | JaggedChunks | Fullest, B: Csr | Jds | Sell, C: Csr;
    fn sums: C[i, j] = A[i, j] + B[i, j] where A: Sell | Jds | JaggedChunks, B: Csr | Digits, C: Csr;
    fn along: y[i, j] = X[i, j, k] * v[k] where X: Slices;
}

/// The matrix of the paper.
fn paper() -> Triplets<f64, 2> {
    let elements = [
        ([0, 0], 1.0),
        ([1, 1], 2.0),
        ([2, 1], 3.0),
        ([2, 2], 4.0),
        ([2, 3], 5.0),
        ([4, 3], 6.0),
    ];
    Triplets::try_from_triplets([5, 4], elements).unwrap()
}

/// Some elements of a box, in no order; explicit zeros if `zeros`.
fn some([rows, cols]: [usize; 2], seed: u64, zeros: bool) -> Triplets<f64, 2> {
    let mut numbers = Random::new(seed);
    let mut random = |below: usize| numbers.below(below);
    let mut elements = BTreeMap::new();
    for _ in 0..if rows * cols == 0 { 0 } else { random(3 * rows + 2) } {
        // Few rows are long, some are empty.
        let longest = rows.min(1 + random(rows));
        let (i, j) = (random(longest), random(cols));
        let value = if zeros && random(5) == 0 {
            0.0
        } else {
            1.0 + random(9) as f64
        };
        elements.insert([random(rows).min(i), j], value);
    }
    Triplets::try_from_triplets([rows, cols], elements).unwrap()
}

const SHAPES: [[usize; 2]; 8] = [[5, 4], [9, 9], [1, 7], [7, 1], [40, 30], [3, 0], [0, 3], [130, 17]];

#[test]
fn arrays_by_hand() {
    let a = paper();
    // Rows 2, 0, 1, 4, 3, from the longest to the shortest.
    let jds: Jds<f64> = a.convert().unwrap();
    assert_eq!((jds.slot_size(), jds.slot_ptr()), (3, &[0, 4, 5, 6][..]));
    assert_eq!(
        (jds.row_idx(), jds.col_idx()),
        (&[2, 0, 1, 4][..], &[1, 0, 1, 3, 2, 3][..])
    );
    assert_eq!(jds.values(), [3.0, 1.0, 2.0, 6.0, 4.0, 5.0]);

    let sell: Sell<f64, 2, 4> = a.convert().unwrap();
    assert_eq!(sell.chunk_ptr(), [0, 3, 4, 5, 5]);
    assert_eq!(sell.row_idx(), [2, 0, 1, 0, 4, 0, 0, 0]);
    assert_eq!(sell.col_idx(), [1, 0, 2, 0, 3, 0, 1, 0, 3, 0]);

    let chunks: JaggedChunks<f64, 2> = a.convert().unwrap();
    assert_eq!((chunks.slot_size(), chunks.slot_ptr()), (3, &[0, 2, 3, 4][..]));
    assert_eq!(chunks.row_idx(), [2, 0, 1, 4]);
    assert_eq!(chunks.col_idx(), [1, 0, 1, 3, 2, 0, 3, 0]);
    assert_eq!(chunks.values(), [3.0, 1.0, 2.0, 6.0, 4.0, 0.0, 5.0, 0.0]);

    // Columns 1 and 3 have two elements each, 0 and 2 one.
    let fullest: Fullest<f64> = a.convert().unwrap();
    assert_eq!((fullest.place_size(), fullest.number_size()), (2, 4));
    assert_eq!(fullest.col_idx(), [1, 3, 0, 2]);
    assert_eq!(fullest.row_idx(), [1, 2, 0, 2, 2, 4, 0, 0]);
    assert_eq!(fullest.values(), [2.0, 5.0, 1.0, 4.0, 3.0, 6.0, 0.0, 0.0]);

    let windows: Windows<f64> = a.convert().unwrap();
    let rows: Vec<&[u32]> = windows.parts().iter().map(WindowsPart::row_idx).collect();
    assert_eq!(rows, [&[2, 0, 1, 0][..], &[4, 0, 0, 0][..]]);
    let packed: Packed<f64> = a.convert().unwrap();
    assert_eq!(packed.row_entries().len(), packed.stored());

    let digits: Digits<f64> = a.convert().unwrap();
    assert_eq!(
        (digits.high_idx(), digits.low_idx()),
        (&[0, 0, 0, 1][..], &[2, 0, 1, 1][..])
    );
}

#[test]
fn a_level_below_the_elements_that_it_does_not_depend_on() {
    let elements = [([0, 1, 2], 1.0), ([2, 0, 0], 2.0), ([2, 0, 3], 3.0), ([2, 1, 1], 4.0)];
    let a: Slices<f64> = Triplets::try_from_triplets([3, 2, 4], elements)
        .unwrap()
        .convert()
        .unwrap();
    assert_eq!((a.rank_size(), a.x_idx()), (2, &[2, 0][..]));
    assert_eq!((a.rank_ptr(), a.y_idx()), (&[0, 2, 3][..], &[0, 1, 1][..]));
    assert_eq!((a.y_ptr(), a.z_idx()), (&[0, 2, 3, 4][..], &[0, 3, 1, 2][..]));
    assert_eq!(a.values(), [2.0, 3.0, 4.0, 1.0]);
    assert_eq!(a.bytes() as u128, a.estimate::<Slices<f64>>().unwrap().bytes());
    let mut y = [0.0; 6];
    along(&mut y, &a, &[1.0, 10.0, 100.0, 1000.0]).unwrap();
    assert_eq!(y, [0.0, 100.0, 0.0, 0.0, 3002.0, 40.0]);
    let again = Slices::try_from_parts(
        [3, 2, 4],
        2,
        a.rank_ptr().to_vec(),
        a.y_idx().to_vec(),
        a.y_ptr().to_vec(),
        a.z_idx().to_vec(),
        vec![2u32, 0],
        a.values().to_vec(),
    );
    assert_eq!(again.unwrap(), a);
}

/// Converts there and back, from triplets in two orders and from a tensor, and compares sizes and elements.
fn round_trip<F>(triplets: &Triplets<f64, 2>) -> F
where
    F: SparseTensor<2, Scalar = f64> + Source<2, Scalar = f64> + PartialEq + std::fmt::Debug,
{
    let coo: Coo<f64> = triplets.convert().unwrap();
    let reversed = reversed(&coo);
    let a: F = triplets.convert_within(Limit::none()).unwrap();
    assert_eq!(a, reversed.convert_within(Limit::none()).unwrap(), "{coo:?}");
    assert_eq!(a, coo.convert_within(Limit::none()).unwrap(), "{coo:?}");
    assert_eq!(
        SparseTensor::bytes(&a) as u128,
        coo.estimate::<F>().unwrap().bytes(),
        "{coo:?}"
    );
    let mut read: Vec<([usize; 2], f64)> = Vec::new();
    a.for_each(|at, value| read.push((at, value)));
    assert!(are_nonzeros_of(read, &coo), "{a:?} of {coo:?}");
    a
}

fn reversed(coo: &Coo<f64>) -> Triplets<f64, 2> {
    let mut reversed: Vec<([usize; 2], f64)> = coo.iter().collect();
    reversed.reverse();
    Triplets::try_from_triplets(coo.shape(), reversed).unwrap()
}

fn are_nonzeros_of(mut read: Vec<([usize; 2], f64)>, coo: &Coo<f64>) -> bool {
    read.sort_by_key(|(at, _)| *at);
    read.into_iter().eq(coo.iter().filter(|(_, value)| *value != 0.0))
}

#[test]
fn conversions_and_kernels() {
    for (number, shape) in SHAPES.into_iter().cycle().take(80).enumerate() {
        let triplets = some(shape, number as u64, false);
        let csr: Csr<f64> = triplets.convert().unwrap();
        let x: Vec<f64> = (0..shape[1]).map(|j| 1.0 + j as f64).collect();
        let along: Vec<f64> = (0..shape[0]).map(|i| 2.0 + i as f64).collect();
        let dense: Vec<f64> = (0..shape[1] * 3).map(|at| (at % 7) as f64).collect();
        let (mut y, mut across, mut all) = (vec![0.0; shape[0]], vec![0.0; shape[1]], vec![0.0; shape[0] * 3]);
        for ([i, j], value) in csr.iter() {
            y[i] += value * x[j];
            across[j] += value * along[i];
            (0..3).for_each(|n| all[3 * i + n] += value * dense[3 * j + n]);
        }
        macro_rules! each {
            ($($format:ty),*) => {$({
                let a: $format = round_trip(&triplets);
                let what = format!("{a:?}");
                let (mut found, mut back, mut found_all) =
                    (vec![9.0; y.len()], vec![9.0; across.len()], vec![9.0; all.len()]);
                product(&mut found, &a, &x).unwrap();
                assert_eq!(found, y, "{what}");
                transposed(&mut back, &a, &along).unwrap();
                assert_eq!(back, across, "{what}");
                columns(&mut found_all, &a, &dense).unwrap();
                assert_eq!(found_all, all, "{what}");
            })*};
        }
        each!(Sell<f64>, Sell<f64, 2, 4>, Sell<f64, 3, 9>, Jds<f64>, JaggedChunks<f64, 2>, JaggedChunks<f64, 5>);
        each!(Fullest<f64>, Windows<f64>, Packed<f64>, Digits<f64>);
        let mut found = vec![9.0; y.len()];
        product(&mut found, &triplets.convert::<Chunked<f64>>().unwrap(), &x).unwrap();
        assert_eq!(found, y);
        let windows: Windows<f64> = triplets.convert().unwrap();
        let mut of_parts = vec![0.0; y.len()];
        for part in windows.parts() {
            product(&mut found, part, &x).unwrap();
            of_parts.iter_mut().zip(&found).for_each(|(sum, part)| *sum += part);
        }
        assert_eq!(of_parts, y);
    }
}

#[test]
fn sparse_results() {
    for (number, size) in [4, 9, 33].into_iter().cycle().take(12).enumerate() {
        let (left, right) = (
            some([size; 2], number as u64, false),
            some([size; 2], 99 + number as u64, false),
        );
        let (a, b): (Csr<f64>, Csr<f64>) = (left.convert().unwrap(), right.convert().unwrap());
        let (mut wanted, mut total) = (Elements::new(), Elements::new());
        for ([i, k], left) in a.iter() {
            *total.entry([i, k]).or_insert(0.0) += left;
            for ([_, j], right) in b.iter().filter(|(at, _)| at[0] == k) {
                *wanted.entry([i, j]).or_insert(0.0) += left * right;
            }
        }
        b.iter()
            .for_each(|(at, value)| *total.entry(at).or_insert(0.0) += value);
        // A hole is a zero element of the result.
        let elements = |c: Csr<f64>| c.drop_zeros().unwrap().iter().collect::<Elements<_, _>>();
        macro_rules! each {
            ($($left:ty),*; $right:ty) => {$({
                let (a, b): ($left, $right) = (left.convert().unwrap(), right.convert().unwrap());
                assert_eq!(elements(squares(&a, &b).unwrap()), wanted, "{a:?} {b:?}");
            })*};
        }
        each!(Sell<f64, 2, 4>, Jds<f64>, JaggedChunks<f64, 2>, Fullest<f64>; Csr<f64>);
        each!(Sell<f64, 2, 4>, Jds<f64>, JaggedChunks<f64, 2>, Fullest<f64>; Jds<f64>);
        each!(Sell<f64, 2, 4>, Jds<f64>, JaggedChunks<f64, 2>, Fullest<f64>; Sell<f64, 4, 8>);
        macro_rules! add {
            ($($left:ty),*; $right:ty) => {$({
                let (a, b): ($left, $right) = (left.convert().unwrap(), right.convert().unwrap());
                assert_eq!(elements(sums(&a, &b).unwrap()), total, "{a:?} {b:?}");
            })*};
        }
        add!(Sell<f64, 2, 4>, Jds<f64>, JaggedChunks<f64, 2>; Csr<f64>);
        add!(Sell<f64, 2, 4>, Jds<f64>, JaggedChunks<f64, 2>; Digits<f64>);
    }
}

#[test]
fn arrays_from_outside_with_explicit_zeros() {
    for number in 0..200 {
        let shape = SHAPES[number % SHAPES.len()];
        let triplets = some(shape, 7 + number as u64, true);
        let sell: Sell<f64, 2, 4> = triplets.convert_within(Limit::none()).unwrap();
        let (shape, size, ptr, rows, cols, values) = sell.clone().into_parts();
        // A zero in the first row and column is a hole or an element, which can be all the difference.
        let ambiguous = triplets.iter().any(|(at, value)| at == [0, 0] && value == 0.0);
        let again = Sell::<f64, 2, 4>::try_from_parts(shape, size, ptr, rows, cols, values);
        assert!(
            again.as_ref().is_ok_and(|again| *again == sell) || ambiguous,
            "{sell:?} {again:?}"
        );
        let digits: SellDigits<f64> = triplets.convert_within(Limit::none()).unwrap();
        assert!(is_taken(&digits) || ambiguous, "{digits:?}");
        let windows: Windows<f64> = triplets.convert_within(Limit::none()).unwrap();
        let (shape, parts) = windows.clone().into_parts();
        let again = Windows::<f64>::try_from_parts(shape, parts);
        assert!(
            again.as_ref().is_ok_and(|again| *again == windows) || ambiguous,
            "{windows:?} {again:?}"
        );
        let jds: Jds<f64> = triplets.convert().unwrap();
        let (shape, size, ptr, rows, cols, values) = jds.clone().into_parts();
        assert_eq!(Jds::try_from_parts(shape, size, ptr, rows, cols, values).unwrap(), jds);
    }
}

/// Whether a tensor's arrays are taken as that tensor.
fn is_taken(digits: &SellDigits<f64>) -> bool {
    let (shape, size, ptr, high, low, cols, values) = digits.clone().into_parts();
    let again = SellDigits::try_from_parts(shape, size, ptr, high, low, cols, values);
    again.is_ok_and(|again| again == *digits)
}

#[test]
fn a_zero_is_an_element_if_any_digit_of_its_row_is_not_the_lowest() {
    for row in 1..4 {
        let zero = Triplets::try_from_triplets([4, 3], [([row, 0], 0.0)]).unwrap();
        assert!(is_taken(&zero.convert_within(Limit::none()).unwrap()), "row {row}");
    }
}

#[test]
fn wrong_arrays_are_refused() {
    let jds: Jds<f64> = paper().convert().unwrap();
    let (shape, size, ptr, rows, cols, values) = jds.into_parts();
    let check = |ptr: &[u32], rows: &[u32], cols: &[u32]| {
        let parts = Jds::try_from_parts(shape, size, ptr.to_vec(), rows.to_vec(), cols.to_vec(), values.clone());
        let error = parts.unwrap_err();
        (error.kind(), error.subject().to_owned())
    };
    let named = |kind, name: &str| (kind, format!("`{name}`"));
    assert_eq!(check(&ptr, &rows[..3], &cols), named(ErrorKind::Length, "row_idx"));
    assert_eq!(
        check(&ptr, &[2, 0, 1, 4, 3], &cols),
        named(ErrorKind::Length, "row_idx")
    );
    assert_eq!(
        check(&ptr, &[2, 0, 1, 5], &cols),
        named(ErrorKind::OutOfBounds, "row_idx")
    );
    // Ranks of equal rows are in the order of the rows, and two ranks are not one row.
    assert_eq!(
        check(&ptr, &[2, 1, 0, 4], &cols),
        named(ErrorKind::Structure, "row_idx")
    );
    assert_eq!(check(&ptr, &[2, 0, 0, 4], &cols).0, ErrorKind::Structure);
    // A second diagonal that is longer than the first.
    assert_eq!(check(&[0, 2, 5, 6], &rows, &cols), named(ErrorKind::Length, "row_idx"));
}

#[test]
fn a_coordinate_that_does_not_fit_has_its_place_in_the_array() {
    let diagonal = |rows: usize| Triplets::try_from_triplets([rows, rows], (0..rows).map(|i| ([i, i], 1.0))).unwrap();
    assert_eq!(diagonal(256).convert::<Short<f64>>().unwrap().row_idx()[255], 255);
    let error = diagonal(300)
        .convert::<Csr<f64>>()
        .unwrap()
        .convert::<Short<f64>>()
        .unwrap_err();
    let found = (error.kind(), error.subject(), error.position());
    assert_eq!(found, (ErrorKind::Overflow, "`row_idx`", Some(256)), "{error}");
}
