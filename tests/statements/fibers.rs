//! Sparse outputs: elements appended in the order of the loops, or unordered, as tensors of any format.

use std::collections::BTreeMap;

use crate::common::random::Random;
use unisparse::__private::{Fibers, InLoopOrder, Scattered, loop_order};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Index};

sparse_format! {
    /// One loop.
    pub format Loop = |i| (i) { trim(0); }
    /// Rows, then columns.
    pub format RowLoops = |i, j| (i, j) { merge(0); trim(0..=1); }
    /// Columns, then rows.
    pub format ColumnLoops = |i, j| (j, i) { merge(0); trim(0..=1); }
    /// All three dims in no order.
    pub format Points = |i, j, k| (i, j, k) { trim(0..=2); }
    /// The last dim outermost.
    pub format ThreeLoops = |i, j, k| (k, i, j) { merge(1); trim(0..=2); }
}

const LOOP: u64 = loop_order([0]);
const ROWS: u64 = loop_order([0, 1]);
const COLUMNS: u64 = loop_order([1, 0]);
const THREE: u64 = loop_order([2, 0, 1]);

type Elements<const N: usize> = BTreeMap<[usize; N], i64>;

/// Appends the elements, which are in the order of the loops, in this number of pieces.
fn appended<const N: usize, const ORDER: u64, I: Index>(
    shape: [usize; N],
    all: &Elements<N>,
    pieces: usize,
) -> Fibers<i64, N, ORDER, I> {
    let all: Vec<_> = all.iter().collect();
    let length = all.len().div_ceil(pieces).max(1);
    let chunks = all.chunks(length).map(|chunk| {
        let mut piece = Fibers::new(shape);
        chunk.iter().for_each(|&(&at, &value)| piece.append(at, value));
        piece
    });
    let mut parts: Vec<_> = chunks.collect();
    parts.push(Fibers::new(shape));
    Fibers::join(parts).unwrap()
}

fn is_made_of<C: SparseTensor<N, Scalar = i64>, const N: usize, const ORDER: u64>(
    shape: [usize; N],
    dims: [usize; N],
    loops: &Elements<N>,
    pieces: usize,
) {
    let logical = |at: &[usize; N]| {
        let mut logical = [0; N];
        dims.iter().zip(at).for_each(|(&dim, &at)| logical[dim] = at);
        logical
    };
    let made: C = appended::<N, ORDER, C::Coordinate>(shape, loops, pieces)
        .into_format(Limit::none())
        .unwrap();
    let mut expected = Triplets::new(shape);
    loops
        .iter()
        .for_each(|(at, &value)| expected.push(logical(at), value).unwrap());
    let expected: C = expected.convert_within(Limit::none()).unwrap();
    let elements = |tensor: &C| {
        let mut all = Vec::new();
        tensor.for_each(|at, value| all.push((at, value)));
        all
    };
    assert_eq!(elements(&made), elements(&expected), "{}", C::NAME);
    assert_eq!(
        (made.shape(), made.nnz(), made.stored()),
        (shape, expected.nnz(), expected.stored())
    );
}

#[test]
fn loops_are_stored_as_their_encoding_says() {
    assert_eq!(InLoopOrder::<f64, 1, LOOP>::KINDS, Loop::<f64>::KINDS);
    assert_eq!(InLoopOrder::<f64, 2, ROWS>::KINDS, RowLoops::<f64>::KINDS);
    assert_eq!(InLoopOrder::<f64, 3, THREE>::KINDS, ThreeLoops::<f64>::KINDS);
}

#[test]
fn arrays_of_rows_stay_where_they_are() {
    let mut c = Fibers::<f64, 2, ROWS, u32>::new([4, 5]);
    for (at, value) in [
        ([0, 1], 1.0),
        ([0, 4], 2.0),
        ([2, 0], 3.0),
        ([2, 3], 4.0),
        ([3, 3], 5.0),
    ] {
        c.append(at, value);
    }
    let c = c.finish().unwrap();
    let (indices, values) = c.arrays();
    let before = (indices[1].as_ptr(), values.as_ptr(), values.len());
    let c: Csr<f64> = Csr::assemble_from(c, Limit::default()).unwrap();
    assert_eq!((c.col_idx().as_ptr(), c.values().as_ptr(), c.nnz()), before);
    assert_eq!(c.row_ptr(), [0, 2, 2, 4, 5]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let wide = [3, (1 << 32) + 1];
    let error = Fibers::<f64, 2, ROWS, u32>::new(wide).finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overflow);
    let scattered = Scattered::<f64, 2, u32>::new(wide).into_format::<Coo<f64>>(|a, _| a, Limit::default());
    assert_eq!(scattered.unwrap_err(), error);
    let mut outside = Fibers::<f64, 2, ROWS, u32>::new([2, 2]);
    outside.append([0, 2], 1.0);
    let error = outside.finish().unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::OutOfBounds, "`j_idx`"));
}

/// Returns tensors of this shape in the order of the loops: empty ones, and ones with increasing numbers of elements.
fn tensors<const N: usize>(shape: [usize; N]) -> impl Iterator<Item = (Elements<N>, usize)> {
    let cells: usize = shape.iter().product();
    (0..40).map(move |seed| {
        let mut random = Random::new(seed);
        let count = random.below(cells * seed as usize / 40 + 1);
        let element = |random: &mut Random| (shape.map(|extent| random.below(extent)), 1 + random.below(9) as i64);
        let all = (0..count).map(|_| element(&mut random)).collect();
        (all, 1 + seed as usize % 5)
    })
}

#[test]
fn vectors() {
    for (all, pieces) in tensors([40]) {
        is_made_of::<Loop<i64>, 1, LOOP>([40], [0], &all, pieces);
    }
}

#[test]
fn matrices() {
    for (all, pieces) in tensors([9, 9]) {
        is_made_of::<Csr<i64>, 2, ROWS>([9, 9], [0, 1], &all, pieces);
        is_made_of::<Dcsr<i64>, 2, ROWS>([9, 9], [0, 1], &all, pieces);
        is_made_of::<Coo<i64>, 2, ROWS>([9, 9], [0, 1], &all, pieces);
        is_made_of::<Csc<i64>, 2, COLUMNS>([9, 9], [1, 0], &all, pieces);
        is_made_of::<Csr<i64>, 2, COLUMNS>([9, 9], [1, 0], &all, pieces);
        is_made_of::<Dia<i64>, 2, ROWS>([9, 9], [0, 1], &all, pieces);
        is_made_of::<Ell<i64>, 2, ROWS>([9, 9], [0, 1], &all, pieces);
    }
}

#[test]
fn tensors_of_three_dimensions() {
    for (all, pieces) in tensors([6, 6, 6]) {
        is_made_of::<Csf<i64>, 3, THREE>([6, 6, 6], [2, 0, 1], &all, pieces);
        is_made_of::<ThreeLoops<i64>, 3, THREE>([6, 6, 6], [2, 0, 1], &all, pieces);
    }
}

#[test]
fn unordered_elements() {
    // Equal coordinates keep the order of their values. Coordinates of more than 64 bits have another sort.
    let combine = |sum: i64, value: i64| sum.wrapping_mul(3).wrapping_add(value);
    for (seed, shape) in (0..30).flat_map(|seed| [(seed, [6; 3]), (seed, [4_000_000_000; 3])]) {
        let mut random = Random::new(seed);
        let mut pieces: Vec<_> = (0..3).map(|_| Scattered::new(shape)).collect();
        let mut expected = Elements::new();
        for (number, piece) in pieces.iter_mut().enumerate() {
            for _ in 0..random.below(1 + 20 * number) {
                let (at, value) = ([(); 3].map(|()| random.below(6)), random.below(99) as i64);
                piece.add(at, value);
                expected
                    .entry(at)
                    .and_modify(|sum| *sum = combine(*sum, value))
                    .or_insert(value);
            }
        }
        let made: Points<i64> = Scattered::join(pieces)
            .unwrap()
            .into_format(combine, Limit::default())
            .unwrap();
        let mut found = Elements::new();
        made.for_each(|at, value| assert!(found.insert(at, value).is_none()));
        assert_eq!(found, expected);
    }
}
