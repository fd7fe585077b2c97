//! Partitioned formats: the contents of each part, and the whole tensor.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

mod common;

use std::collections::BTreeSet;

use common::random::{Elements, elements, tensors};
use common::{Call, Random};
use unisparse::prelude::*;
use unisparse::{Error, ErrorKind, Triplets};

sparse_format! {
    /// One part for each row.
    pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); partition(row); }
    format Columns = |i, j| (col: j, row: i) { partition(col); }
    format StoredRows = |i, j| (row: i, col: j) { merge(row); trim(row..=col); partition(row); }
    format Bands<const B: usize = 2> =
        |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block, diag); trim(diag); partition(block); }
    format Diagonals<const B: usize = 2> =
        |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block, diag); trim(diag); partition(diag); }
    format Tiles<const R: usize = 2, const C: usize = 3> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); trim(c); partition(bcol); }
    format Slots = |i, j| (row: i, slot, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(row); trim(slot); partition(row); }
    format Chunks<const C: usize = 2> = |i, j| (chunk: rank / C, slot, lane: rank % C, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(chunk, slot); trim(slot); partition(chunk); }
    format JaggedSlots = |i, j| (slot, rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot..=rank); partition(slot); }
    format Ranked = |i, j| (rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(col); partition(rank); }
    format RankedRows = |i, j| (rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(col); partition(row); }
    format Lengths = |i, j| (bank: i % 2, len, row: i, col: j)
        where { len = sum(value != 0 => 1, _ => 0).group_by(i); } { merge(bank, len, row); trim(row..=col); partition(bank); }
    format Gaps<const P: usize = 2> = |i, j| (pe: i % P, slot, row: i, col: j)
        where { slot = slot(2).group_by(i % P).key(i).traverse_by(j, i); } { merge(pe, slot); pad(slot); partition(pe); }
    format Undivided = |i, j| (one: 1, row: i, col: j) { merge(row); trim(row..=col); partition(one); }
    format Twice = |i, j| (row: i, double: 2 * i, col: j) { merge(row); trim(col); partition(double); }
    format Slices = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); partition(x); }
    format Fibers = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); partition(y); }
    format Full = |i, j, k| (x: i, y: j, z: k) { merge(y); trim(y); trim(z); partition(y); }
    /// Lists of pairs in the parts.
    format Banks = |i, j| (bank: i % 2, row: i / 2, col: j)
        { merge(bank, row); trim(row..=col); partition(bank); pack(row..=col); }
    format BanksApart = |i, j| (bank: i % 2, row: i / 2, col: j) { merge(bank, row); trim(row..=col); partition(bank); }
    format BankedPoints = |i, j| (bank: i % 2, row: i, col: j)
        { merge(bank); trim(row..=col); partition(bank); pack(row..=col); }
    format BankedPointsApart = |i, j| (bank: i % 2, row: i, col: j) { merge(bank); trim(row..=col); partition(bank); }
    format UndividedPoints = |i, j| (one: 1, row: i, col: j) { trim(row..=col); partition(one); pack(one..=col); }
    /// Pairs above the cut, and pairs below it.
    format RankedLists = |i, j| (rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(rank); trim(col); partition(row); pack(rank..=col); }
    /// Pairs of one entry.
    format RankedPairs = |i, j| (rank, row: i, len, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(col); partition(rank); pack(row..=len); }
    format PackedSlots = |i, j| (slot, rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot..=rank); partition(slot); pack(rank..=row); pack(col); }
    format PackedFibers = |i, j, k| (x: i, y: j, z: k) { merge(y); trim(x..=z); partition(y); pack(x..=z); }
    format PackedAbove = |i, j, k| (x: i, y: j, z: k) { merge(y); trim(x..=z); partition(y); pack(x..=y); }
    format PackedSlices = |i, j, k| (x: i, y: j, z: k) { merge(x); trim(x..=z); partition(x); pack(y..=z); pointer(u64); }
    /// A hybrid of partitioned formats.
    pub hybrid Mixed = Rows + C2sr<3> split sum(value != 0 => 1, _ => 0).group_by(i) > 2;
    /// A hybrid of partitioned and packed formats.
    pub hybrid MixedPacked = Banks + BankedPoints split sum(value != 0 => 1, _ => 0).group_by(i) > 2;
}

sparse_kernel! {
    fn accumulated: y[i] += alpha * A[i, j] * x[j]
        where A: C2sr | C2srPart | Cisr<2> | CisrPart | Rows | RowsPart | Chunks | ChunksPart | Bands<3> | BandsPart<3> | Mixed
            | Banks | BanksPart | BankedPoints | BankedPointsPart | RankedLists | RankedListsPart | MixedPacked;
    fn affine: y[i] = z[i] + A[i, j] * x[j] where A: C2sr | C2srPart | Bands | Slots | Mixed | Banks | MixedPacked;
    fn transposed: y[j] = A[i, j] * x[i] where A: C2sr | C2srPart | Tiles | TilesPart | Gaps | JaggedSlots | Ranked
            | Banks | BankedPoints | RankedLists | PackedSlots;
    fn mttkrp: M[i, r] = X[i, j, k] * B[j, r] * C[k, r] where X: Slices | SlicesPart | Fibers | FibersPart | Full
            | PackedFibers | PackedSlices | PackedSlicesPart;
}

const SHAPES: [[usize; 2]; 7] = [[8, 8], [13, 5], [5, 13], [1, 9], [9, 1], [0, 4], [4, 0]];

/// The matrix for which the arrays below are written out.
fn example() -> Triplets<f64, 2> {
    let rows = [(0, vec![1, 4]), (2, vec![0, 1, 5]), (3, vec![3]), (4, vec![0, 2])];
    let coordinates = rows
        .into_iter()
        .flat_map(|(i, row)| row.into_iter().map(move |j| [i, j]));
    let values = (1..).map(f64::from);
    Triplets::try_from_triplets([5, 6], coordinates.zip(values)).unwrap()
}

#[test]
fn rows_distributed_in_turn() {
    let a: C2sr<f64> = example().convert().unwrap();
    let [even, odd] = a.parts() else { panic!("{a:?}") };
    assert_eq!((even.prefix(), odd.prefix()), ([0], [1]));
    assert_eq!(even.local_ptr(), [0, 2, 5, 7]);
    assert_eq!(even.col_idx(), [1, 4, 0, 1, 5, 0, 2]);
    assert_eq!(even.values(), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0]);
    assert_eq!((odd.local_ptr(), odd.col_idx()), (&[0, 0, 1, 1][..], &[3][..]));
    assert_eq!((a.bank_size(), even.local_size(), a.nnz()), (2, 3, 8));
    assert_eq!(a.bytes(), even.bytes() + odd.bytes());
    assert_eq!(even.bytes(), 4 * (4 + 7) + 8 * 7);
}

#[test]
fn rows_distributed_by_length() {
    let a: Cisr<f64> = example().convert().unwrap();
    let [first, second] = a.parts() else { panic!("{a:?}") };
    assert_eq!(first.row_idx(), [0, 3, 4]);
    assert_eq!(
        (first.row_ptr(), first.col_idx()),
        (&[0, 2, 3, 5][..], &[1, 4, 3, 0, 2][..])
    );
    assert_eq!((second.row_idx(), second.row_ptr()), (&[2][..], &[0, 3][..]));
    let a: CisrPlus<f64> = example().convert().unwrap();
    let [first, second] = a.parts() else { panic!("{a:?}") };
    assert_eq!((first.row_idx(), first.row_ptr()), (&[2, 3][..], &[0, 3, 4][..]));
    assert_eq!(first.values(), [3.0, 4.0, 5.0, 6.0]);
    assert_eq!((second.row_idx(), second.row_ptr()), (&[0, 4][..], &[0, 2, 4][..]));
    assert_eq!(second.col_idx(), [1, 4, 0, 2]);
}

#[test]
fn the_list_of_each_node_is_an_array() {
    let lists = [vec![1, 4], vec![], vec![0, 1, 5], vec![3], vec![0, 2]];
    let a: Rows<f64> = example().convert().unwrap();
    assert!(
        a.parts()
            .iter()
            .map(RowsPart::col_idx)
            .eq(lists.iter().map(Vec::as_slice))
    );
    let a: StoredRows<f64> = example().convert().unwrap();
    assert_eq!(a.row_idx(), [0, 2, 3, 4]);
    let stored = lists.iter().filter(|list| !list.is_empty());
    assert!(
        a.parts()
            .iter()
            .map(StoredRowsPart::col_idx)
            .eq(stored.map(Vec::as_slice))
    );
    let a: Slots<f64> = example().convert().unwrap();
    assert!(a.parts().iter().map(SlotsPart::slot_size).eq([2, 0, 3, 1, 2]));
    assert!(
        a.parts()
            .iter()
            .map(SlotsPart::col_idx)
            .eq(lists.iter().map(Vec::as_slice))
    );
}

#[test]
fn dense_levels_below_the_cut() {
    let a: Bands<f64> = example().convert().unwrap();
    let [first, second, third] = a.parts() else {
        panic!("{a:?}")
    };
    assert_eq!(
        (first.diag_idx(), first.values()),
        (&[1, 4][..], &[1.0, 0.0, 2.0, 0.0][..])
    );
    assert_eq!(second.diag_idx(), [-2, -1, 0, 3]);
    assert_eq!(second.values(), [3.0, 0.0, 4.0, 0.0, 0.0, 6.0, 5.0, 0.0]);
    assert_eq!((third.diag_idx(), third.stored(), third.nnz()), (&[-4, -2][..], 4, 2));
    let a: Diagonals<f64> = example().convert().unwrap();
    assert_eq!(
        (a.block_ptr(), a.diag_idx()),
        (&[0, 2, 6, 8][..], &[1, 4, -2, -1, 0, 3, -4, -2][..])
    );
    let part = &a.parts()[4];
    assert_eq!((part.prefix(), part.values()), ([1, 0], &[0.0, 6.0][..]));
}

#[test]
fn aligned_and_measured_levels() {
    let a: JaggedSlots<f64> = example().convert().unwrap();
    assert_eq!(a.slot_size(), 3);
    let [first, _, third] = a.parts() else { panic!("{a:?}") };
    assert_eq!((first.rank_size(), first.row_idx()), (4, &[2, 0, 4, 3][..]));
    assert_eq!(
        (third.rank_size(), third.row_idx(), third.col_idx()),
        (1, &[2][..], &[5][..])
    );
    // The row of a rank is an entry of the part, or given with it.
    let a: Ranked<f64> = example().convert().unwrap();
    assert_eq!(
        (a.parts()[2].row_idx(), a.parts()[2].col_idx()),
        (&[4][..], &[0, 2][..])
    );
    let b: RankedRows<f64> = example().convert().unwrap();
    assert_eq!(b.row_idx(), [2, 0, 4, 3]);
    assert_eq!(b.parts()[2].prefix(), [2, 4]);
    let a: Lengths<f64> = example().convert().unwrap();
    assert!(a.parts().iter().all(|part| part.len_size() == 4));
    assert_eq!(a.parts()[0].len_ptr(), [0, 0, 0, 2, 3]);
    assert_eq!(
        (a.parts()[1].len_ptr(), a.parts()[1].row_idx()),
        (&[0, 0, 1, 1, 1][..], &[3][..])
    );
}

#[test]
fn nodes_without_children_are_parts() {
    let elements = [([1, 0, 2], 1.0), ([1, 2, 0], 2.0), ([3, 1, 1], 3.0)];
    let a = Full::try_from_triplets([4, 3, 3], elements).unwrap();
    assert_eq!((a.x_idx(), a.y_idx()), (&[0, 1, 1, 2, 3][..], &[0, 0, 2, 0, 1][..]));
    assert!(
        a.parts()
            .iter()
            .map(FullPart::z_idx)
            .eq([&[][..], &[2], &[0], &[], &[1]])
    );
}

/// The methods that a format and its parts have in common.
trait Cut<const N: usize>: SparseTensor<N, Scalar = f64> + PartialEq + std::fmt::Debug {
    /// The coordinates of the node, the elements by `iter` and by `for_each`, and in coordinate form, of each part.
    fn held(&self) -> Vec<(Vec<i64>, [Elements<f64, N>; 2])>;
    /// Rebuilds the tensor from its parts, with or without each of them.
    fn again(self) -> [Result<Self, Error>; 2];
    fn whole(&self) -> Elements<f64, N>;
}

fn visited<const N: usize>(source: &impl Source<N, Scalar = f64>) -> Elements<f64, N> {
    let mut all = Elements::new();
    source.for_each(|at, value| assert_eq!(all.insert(at, value), None));
    all
}

macro_rules! cut {
    ($($n:literal: $format:ident, $part:ident $(<$value:literal>)?, ($($upper:ident),*);)*) => {$(
        impl Cut<$n> for $format<f64 $(, $value)?> {
            fn held(&self) -> Vec<(Vec<i64>, [Elements<f64, $n>; 2])> {
                let held = |part: &$part<f64 $(, $value)?>| {
                    assert_eq!((part.shape(), part), (self.shape(), &part.clone()));
                    assert!(part.nnz() <= part.stored());
                    assert!(part.explain().to_string().contains(stringify!($part)));
                    (part.prefix().to_vec(), [part.iter().collect(), visited(part)])
                };
                self.parts().iter().map(held).collect()
            }
            fn again(self) -> [Result<Self, Error>; 2] {
                let whole = self.clone();
                let (shape, $($upper,)* parts) = self.into_parts();
                let again = |part: $part<f64 $(, $value)?>| {
                    Call::call($part::try_from_parts, part.into_parts())
                };
                let parts: Result<Vec<_>, Error> = parts.into_iter().map(again).collect();
                let whole = {
                    let (shape, $($upper,)* parts) = whole.into_parts();
                    Self::try_from_parts(shape, $($upper,)* parts)
                };
                [whole, parts.and_then(|parts| Self::try_from_parts(shape, $($upper,)* parts))]
            }
            fn whole(&self) -> Elements<f64, $n> {
                self.iter().collect()
            }
        }
    )*};
}

cut! {
    2: C2sr, C2srPart<2>, ();
    2: C2sr, C2srPart<3>, ();
    2: Cisr, CisrPart<2>, ();
    2: CisrPlus, CisrPlusPart<3>, ();
    2: Rows, RowsPart, ();
    2: StoredRows, StoredRowsPart, (row);
    2: Bands, BandsPart<3>, ();
    2: Diagonals, DiagonalsPart<2>, (ptr, diag);
    2: Slots, SlotsPart, ();
    2: Chunks, ChunksPart<2>, (chunks);
    2: JaggedSlots, JaggedSlotsPart, (size);
    2: Ranked, RankedPart, (ranks);
    2: RankedRows, RankedRowsPart, (ranks, row);
    2: Lengths, LengthsPart, ();
    2: Gaps, GapsPart<2>, ();
    2: Undivided, UndividedPart, ();
    2: Twice, TwicePart, ();
    3: Slices, SlicesPart, (x);
    3: Fibers, FibersPart, (x, ptr, y);
    3: Full, FullPart, (x, y);
    2: Banks, BanksPart, ();
    2: BankedPoints, BankedPointsPart, ();
    2: UndividedPoints, UndividedPointsPart, ();
    2: RankedLists, RankedListsPart, (rank);
    2: RankedPairs, RankedPairsPart, (size);
    2: PackedSlots, PackedSlotsPart, (size);
    3: PackedFibers, PackedFibersPart, (x);
    3: PackedAbove, PackedAbovePart, (x);
    3: PackedSlices, PackedSlicesPart, (x);
}

/// Returns the node of each element, by an independent reading of the declaration.
fn check<F: Cut<N>, const N: usize>(
    triplets: &Triplets<f64, N>,
    nodes: impl Fn(&Elements<f64, N>) -> Box<dyn Fn([i64; N]) -> Vec<i64>>,
) -> F {
    let all = elements(triplets);
    let node = nodes(&all);
    let node = |at: &[usize; N]| node(at.map(|at| at as i64));
    let tensor: F = triplets.convert().unwrap();
    let held = tensor.held();
    assert!(held.iter().map(|(prefix, _)| prefix).is_sorted(), "{tensor:?}");
    let mut seen = BTreeSet::new();
    for (prefix, [by_iter, visited]) in &held {
        let of_node = all.iter().filter(|(at, _)| node(at) == *prefix);
        let of_node: Elements<f64, N> = of_node.map(|(&at, &value)| (at, value)).collect();
        assert_eq!(*by_iter, of_node, "{prefix:?} {tensor:?}");
        assert_eq!(visited, by_iter, "{prefix:?} {tensor:?}");
        // Several nodes without an element may have the same prefix, that of holes.
        assert!(of_node.is_empty() || seen.insert(prefix.clone()));
        seen.extend((!of_node.is_empty()).then(|| prefix.clone()));
    }
    let expected: BTreeSet<Vec<i64>> = all.keys().map(node).collect();
    assert_eq!(seen, expected, "{tensor:?}");
    assert_eq!((tensor.whole(), visited(&tensor)), (all.clone(), all.clone()));
    assert_eq!(
        (tensor.nnz(), tensor.stored()),
        (all.len(), SparseTensor::values(&tensor).count())
    );
    let text = format!("{tensor:?}");
    for again in tensor.again() {
        assert_eq!(format!("{:?}", again.unwrap()), text);
    }
    let tensor: F = triplets.convert().unwrap();
    assert!(
        F::describe().to_string().contains("one part for each position"),
        "{}",
        F::describe()
    );
    tensor
}

/// Returns the number of elements in each row.
fn lengths(all: &Elements<f64, 2>) -> impl Fn(i64) -> i64 + Clone + 'static {
    let all: Vec<[usize; 2]> = all.keys().copied().collect();
    move |i| all.iter().filter(|at| at[0] as i64 == i).count() as i64
}

/// Returns the rank of each row by length, longest first.
fn ranks(all: &Elements<f64, 2>) -> impl Fn(i64) -> i64 + 'static {
    let len = lengths(all);
    move |i| {
        let mut rows: Vec<i64> = (0..64).collect();
        rows.sort_by_key(|&i| (-len(i), i));
        rows.iter().position(|&row| row == i).unwrap() as i64
    }
}

/// Returns the bank of each row, distributed in the order of `key`.
fn banks(all: &Elements<f64, 2>, banks: usize, key: impl Fn(i64) -> i64) -> impl Fn(i64) -> i64 + 'static {
    let len = lengths(all);
    let mut rows: Vec<i64> = (0..64).filter(|&i| len(i) > 0).collect();
    rows.sort_by_key(|&i| key(i));
    let mut totals = vec![0; banks];
    let mut bank = std::collections::BTreeMap::new();
    for i in rows {
        let least = (0..banks).min_by_key(|&bank| totals[bank]).unwrap();
        totals[least] += len(i);
        bank.insert(i, least as i64);
    }
    move |i| bank[&i]
}

/// Returns the number of each element in its row.
fn places(all: &Elements<f64, 2>) -> impl Fn([i64; 2]) -> i64 + 'static {
    let all: Vec<[usize; 2]> = all.keys().copied().collect();
    move |[i, j]| all.iter().filter(|at| at[0] as i64 == i && (at[1] as i64) < j).count() as i64
}

#[test]
fn parts_have_the_elements_below_their_node() {
    for triplets in SHAPES.into_iter().flat_map(|shape| tensors(shape, 40)) {
        let t = &triplets;
        let direct = |node: fn([i64; 2]) -> Vec<i64>| {
            move |_: &Elements<f64, 2>| -> Box<dyn Fn([i64; 2]) -> Vec<i64>> { Box::new(node) }
        };
        check::<C2sr<f64, 2>, 2>(t, direct(|[i, _]| vec![i % 2]));
        check::<C2sr<f64, 3>, 2>(t, direct(|[i, _]| vec![i % 3]));
        check::<Rows<f64>, 2>(t, direct(|[i, _]| vec![i]));
        check::<StoredRows<f64>, 2>(t, direct(|[i, _]| vec![i]));
        check::<Bands<f64, 3>, 2>(t, direct(|[i, _]| vec![i / 3]));
        check::<Diagonals<f64, 2>, 2>(t, direct(|[i, j]| vec![i / 2, j - i]));
        check::<Slots<f64>, 2>(t, direct(|[i, _]| vec![i]));
        check::<Gaps<f64, 2>, 2>(t, direct(|[i, _]| vec![i % 2]));
        check::<Lengths<f64>, 2>(t, direct(|[i, _]| vec![i % 2]));
        check::<Undivided<f64>, 2>(t, direct(|_| vec![]));
        check::<UndividedPoints<f64>, 2>(t, direct(|_| vec![]));
        check::<Banks<f64>, 2>(t, direct(|[i, _]| vec![i % 2]));
        check::<BankedPoints<f64>, 2>(t, direct(|[i, _]| vec![i % 2]));
        check::<Twice<f64>, 2>(t, direct(|[i, _]| vec![i]));
        check::<Chunks<f64, 2>, 2>(t, |all| {
            let rank = ranks(all);
            Box::new(move |[i, _]| vec![rank(i) / 2])
        });
        check::<Ranked<f64>, 2>(t, |all| {
            let rank = ranks(all);
            Box::new(move |[i, _]| vec![rank(i)])
        });
        check::<RankedRows<f64>, 2>(t, |all| {
            let rank = ranks(all);
            Box::new(move |[i, _]| vec![rank(i), i])
        });
        check::<RankedLists<f64>, 2>(t, |all| {
            let rank = ranks(all);
            Box::new(move |[i, _]| vec![rank(i), i])
        });
        check::<RankedPairs<f64>, 2>(t, |all| {
            let rank = ranks(all);
            Box::new(move |[i, _]| vec![rank(i)])
        });
        check::<JaggedSlots<f64>, 2>(t, |all| {
            let place = places(all);
            Box::new(move |at| vec![place(at)])
        });
        check::<PackedSlots<f64>, 2>(t, |all| {
            let place = places(all);
            Box::new(move |at| vec![place(at)])
        });
        check::<Cisr<f64, 2>, 2>(t, |all| {
            let bank = banks(all, 2, |i| i);
            Box::new(move |[i, _]| vec![bank(i)])
        });
        check::<CisrPlus<f64, 3>, 2>(t, |all| {
            let bank = banks(all, 3, ranks(all));
            Box::new(move |[i, _]| vec![bank(i)])
        });
    }
}

#[test]
fn parts_of_tensors() {
    for triplets in [[3, 4, 5], [6, 1, 2], [2, 0, 3]]
        .into_iter()
        .flat_map(|shape| tensors(shape, 30))
    {
        let slices = |_: &Elements<f64, 3>| -> Box<dyn Fn([i64; 3]) -> Vec<i64>> { Box::new(|[i, _, _]| vec![i]) };
        let fibers = |_: &Elements<f64, 3>| -> Box<dyn Fn([i64; 3]) -> Vec<i64>> { Box::new(|[i, j, _]| vec![i, j]) };
        let a: Slices<f64> = check(&triplets, slices);
        let b: Fibers<f64> = check(&triplets, fibers);
        let c: Full<f64> = check(&triplets, fibers);
        let packed: PackedFibers<f64> = check(&triplets, fibers);
        let packed_slices: PackedSlices<f64> = check(&triplets, slices);
        check::<PackedAbove<f64>, 3>(&triplets, fibers);
        let [n, p, q] = triplets.shape();
        let mut random = Random::new(5);
        let (y, z) = (random.vector(p * 2), random.vector(q * 2));
        let mut expected = vec![0.0; n * 2];
        for (&[i, j, k], value) in &elements(&triplets) {
            for r in 0..2 {
                expected[i * 2 + r] += value * y[j * 2 + r] * z[k * 2 + r];
            }
        }
        let mut m = vec![f64::NAN; n * 2];
        mttkrp(&mut m, &a, &y, &z).unwrap();
        assert_eq!(m, expected);
        mttkrp(&mut m, &b, &y, &z).unwrap();
        assert_eq!(m, expected);
        mttkrp(&mut m, &c, &y, &z).unwrap();
        assert_eq!(m, expected);
        mttkrp(&mut m, &packed, &y, &z).unwrap();
        assert_eq!(m, expected);
        mttkrp(&mut m, &packed_slices, &y, &z).unwrap();
        assert_eq!(m, expected);
        let mut sum = vec![0.0; n * 2];
        for part in a.parts() {
            mttkrp(&mut m, part, &y, &z).unwrap();
            sum.iter_mut().zip(&m).for_each(|(sum, m)| *sum += m);
        }
        assert_eq!(sum, expected);
        let mut sum = vec![0.0; n * 2];
        for part in packed_slices.parts() {
            mttkrp(&mut m, part, &y, &z).unwrap();
            sum.iter_mut().zip(&m).for_each(|(sum, m)| *sum += m);
        }
        assert_eq!(sum, expected);
    }
}

/// Returns the product of a matrix, or of its transpose, and a vector.
fn product(all: &Elements<f64, 2>, len: usize, x: &[f64], transposed: bool) -> Vec<f64> {
    let mut y = vec![0.0; len];
    for (&[i, j], value) in all {
        let (row, col) = if transposed { (j, i) } else { (i, j) };
        y[row] += value * x[col];
    }
    y
}

macro_rules! products {
    ($triplets:expr; $($format:ty),*) => {$({
        let (all, [n, p]) = (elements($triplets), $triplets.shape());
        let x = Random::new(3).vector(p);
        let a: $format = $triplets.convert().unwrap();
        let expected = product(&all, n, &x, false);
        let mut y = vec![f64::NAN; n];
        spmv(&mut y, &a, &x).unwrap();
        assert_eq!(y, expected, "{a:?}");
        let mut sum = vec![0.0; n];
        for part in a.parts() {
            spmv(&mut y, part, &x).unwrap();
            let of_part: Elements<f64, 2> = part.iter().collect();
            assert_eq!(y, product(&of_part, n, &x, false), "{part:?}");
            let converted: Csr<f64> = part.convert().unwrap();
            assert_eq!(visited(&converted), of_part);
            sum.iter_mut().zip(&y).for_each(|(sum, y)| *sum += y);
        }
        assert_eq!(sum, expected, "{a:?}");
    })*};
}

#[test]
fn the_products_of_the_parts_add_up() {
    for triplets in SHAPES.into_iter().flat_map(|shape| tensors(shape, 40)) {
        products!(&triplets; C2sr<f64>, C2sr<f64, 5>, Cisr<f64>, CisrPlus<f64, 3>, Rows<f64>, StoredRows<f64>, Bands<f64, 3>,
            Diagonals<f64>, Tiles<f64>, Slots<f64>, Chunks<f64, 3>, JaggedSlots<f64>, Ranked<f64>, RankedRows<f64>, Lengths<f64>,
            Gaps<f64, 3>, Undivided<f64>, Twice<f64>, Banks<f64>, BankedPoints<f64>, UndividedPoints<f64>, RankedLists<f64>,
            RankedPairs<f64>, PackedSlots<f64>);
    }
}

macro_rules! transposes {
    ($triplets:expr; $($format:ty),*) => {$({
        let (all, [n, p]) = (elements($triplets), $triplets.shape());
        let x = Random::new(4).vector(n);
        let a: $format = $triplets.convert().unwrap();
        let mut y = vec![f64::NAN; p];
        transposed(&mut y, &a, &x).unwrap();
        assert_eq!(y, product(&all, p, &x, true), "{a:?}");
    })*};
}

#[test]
fn kernels_over_parts() {
    for triplets in SHAPES.into_iter().flat_map(|shape| tensors(shape, 40)) {
        let (all, [n, p]) = (elements(&triplets), triplets.shape());
        let (x, z) = (Random::new(6).vector(p), Random::new(7).vector(n));
        let plus = |alpha: f64| -> Vec<f64> {
            let product = product(&all, n, &x, false);
            z.iter().zip(product).map(|(z, product)| z + alpha * product).collect()
        };
        transposes!(&triplets; C2sr<f64, 3>, Tiles<f64>, Tiles<f64, 3, 2>, Gaps<f64>, JaggedSlots<f64>, Ranked<f64>,
            Banks<f64>, BankedPoints<f64>, RankedLists<f64>, PackedSlots<f64>);
        let a: C2sr<f64, 3> = triplets.convert().unwrap();
        let mixed: Mixed<f64> = triplets.convert().unwrap();
        assert_eq!(visited(&mixed), all);
        let mut y = z.clone();
        accumulated(&mut y, 2.0, &a, &x).unwrap();
        assert_eq!(y, plus(2.0));
        let mut y = z.clone();
        a.parts()
            .iter()
            .for_each(|part| accumulated(&mut y, 2.0, part, &x).unwrap());
        assert_eq!(y, plus(2.0));
        let mut y = z.clone();
        accumulated(&mut y, 3.0, &mixed, &x).unwrap();
        assert_eq!(y, plus(3.0));
        let bands: Bands<f64, 3> = triplets.convert().unwrap();
        let mut y = z.clone();
        bands
            .parts()
            .iter()
            .for_each(|part| accumulated(&mut y, 2.0, part, &x).unwrap());
        assert_eq!(y, plus(2.0));
        affine(&mut y, &z, &a, &x).unwrap();
        assert_eq!(y, plus(1.0));
        affine(&mut y, &z, &mixed, &x).unwrap();
        assert_eq!(y, plus(1.0));
        let packed: MixedPacked<f64> = triplets.convert().unwrap();
        assert_eq!(visited(&packed), all);
        affine(&mut y, &z, &packed, &x).unwrap();
        assert_eq!(y, plus(1.0));
        let points: BankedPoints<f64> = triplets.convert().unwrap();
        let mut y = z.clone();
        points
            .parts()
            .iter()
            .for_each(|part| accumulated(&mut y, 2.0, part, &x).unwrap());
        assert_eq!(y, plus(2.0));
        let slots: Slots<f64> = triplets.convert().unwrap();
        affine(&mut y, &z, &slots, &x).unwrap();
        assert_eq!(y, plus(1.0));
    }
}

#[test]
fn parts_of_tuples() {
    let a: BankedPoints<f64> = example().convert().unwrap();
    let [even, odd] = a.parts() else { panic!("{a:?}") };
    let [first, third] = [&even.row_entries()[..2], odd.row_entries()];
    assert_eq!((first, third), (&[(0, 1, 1.0), (0, 4, 2.0)][..], &[(3, 3, 6.0)][..]));
    assert!(even.values().eq([1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0]));
    // Each tuple takes sixteen bytes.
    assert_eq!((a.bank_size(), a.nnz(), a.bytes()), (2, 8, 8 * 16));

    let a: Banks<f64> = example().convert().unwrap();
    let [even, odd] = a.parts() else { panic!("{a:?}") };
    assert_eq!((even.row_idx(), even.row_ptr()), (&[0, 1, 2][..], &[0, 2, 5, 7][..]));
    assert_eq!(even.row_list(1), [(0, 3.0), (1, 4.0), (5, 5.0)]);
    assert_eq!((odd.row_idx(), odd.col_entries()), (&[1][..], &[(3, 6.0)][..]));

    // The arrays above the cut stay in the whole tensor.
    let a: RankedLists<f64> = example().convert().unwrap();
    assert_eq!(a.rank_entries(), [(0, 2), (1, 0), (2, 4), (3, 3)]);
    assert_eq!(
        (a.parts()[1].prefix(), a.parts()[1].col_entries()),
        ([1, 0], &[(1, 1.0), (4, 2.0)][..])
    );
    let a: RankedPairs<f64> = example().convert().unwrap();
    assert!(
        a.parts()
            .iter()
            .map(RankedPairsPart::row_entries)
            .eq([[(2, 3)], [(0, 2)], [(4, 2)], [(3, 1)]])
    );
    let a: PackedSlots<f64> = example().convert().unwrap();
    let part = &a.parts()[1];
    assert_eq!(part.rank_entries(), [(0, 2), (1, 0), (2, 4)]);
    assert_eq!(part.col_entries(), [(1, 4.0), (4, 2.0), (2, 8.0)]);

    let elements = [([1, 0, 2], 1.0), ([1, 2, 0], 2.0), ([1, 2, 1], 3.0), ([3, 1, 1], 4.0)];
    let a = PackedFibers::try_from_triplets([4, 3, 3], elements).unwrap();
    assert_eq!(a.x_entries(), [(1, 0), (1, 2), (3, 1)]);
    assert_eq!(a.parts()[1].z_entries(), [(0, 2.0), (1, 3.0)]);
    let a = PackedAbove::try_from_triplets([4, 3, 3], elements).unwrap();
    assert_eq!(
        (a.x_entries()[2], a.parts()[2].z_idx(), a.parts()[2].values()),
        ((3, 1), &[1][..], &[4.0][..])
    );
    let a = PackedSlices::try_from_triplets([4, 3, 3], elements).unwrap();
    assert_eq!(a.parts()[0].y_entries(), [(0, 2, 1.0), (2, 0, 2.0), (2, 1, 3.0)]);
}

#[test]
fn packed_parts_have_the_contents_of_parts_without_pack() {
    for triplets in SHAPES.into_iter().flat_map(|shape| tensors(shape, 40)) {
        let (packed, apart): (Banks<f64>, BanksApart<f64>) = (triplets.convert().unwrap(), triplets.convert().unwrap());
        for (packed, apart) in packed.parts().iter().zip(apart.parts()) {
            let pairs = apart.col_idx().iter().copied().zip(apart.values().iter().copied());
            assert!(packed.col_entries().iter().copied().eq(pairs));
            assert_eq!((packed.row_idx(), packed.row_ptr()), (apart.row_idx(), apart.row_ptr()));
        }
        let (packed, apart): (BankedPoints<f64>, BankedPointsApart<f64>) =
            (triplets.convert().unwrap(), triplets.convert().unwrap());
        assert_eq!(
            (packed.parts().len(), packed.stored()),
            (apart.parts().len(), apart.stored())
        );
        for (packed, apart) in packed.parts().iter().zip(apart.parts()) {
            let entries = apart.row_idx().iter().zip(apart.col_idx()).zip(apart.values());
            let entries = entries.map(|((&row, &col), &value)| (row, col, value));
            assert!(packed.row_entries().iter().copied().eq(entries));
            assert!(packed.iter().eq(apart.iter()));
        }
    }
}

#[test]
fn the_padding_of_tuples_counts() {
    let triplets = example();
    let bytes = triplets.convert::<BankedPointsApart<f64>>().unwrap().bytes();
    let packed: BankedPoints<f64> = triplets.convert().unwrap();
    assert_eq!(packed.bytes(), bytes);
    let single = Triplets::try_from_triplets([5, 6], example().iter().map(|(at, value)| (at, value as f32))).unwrap();
    let (packed, apart): (Banks<f64>, BanksApart<f64>) = (triplets.convert().unwrap(), triplets.convert().unwrap());
    assert_eq!(packed.bytes(), apart.bytes() + 4 * 8);
    let (packed, apart): (Banks<f32>, BanksApart<f32>) = (single.convert().unwrap(), single.convert().unwrap());
    assert_eq!(packed.bytes(), apart.bytes());
    // Between the bytes of the tuples and those of separate arrays.
    let least = |fits: &dyn Fn(u128) -> bool| (0..4096).find(|&bytes| fits(bytes)).unwrap();
    let packed = least(&|bytes| triplets.convert_within::<Banks<f64>>(Limit::bytes(bytes)).is_ok());
    let apart = least(&|bytes| triplets.convert_within::<BanksApart<f64>>(Limit::bytes(bytes)).is_ok());
    assert_eq!(packed, apart + 4 * 8);
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: ErrorKind, subject: &str, position: Option<usize>) {
    let error = result.unwrap_err();
    let found = (error.kind(), error.subject(), error.position());
    assert_eq!(found, (kind, subject, position), "{error}");
}

#[test]
fn parts_that_do_not_fit() {
    let a: C2sr<f64> = example().convert().unwrap();
    let (shape, parts) = a.into_parts();
    let [even, odd] = [parts[0].clone(), parts[1].clone()];
    let whole =
        |parts: &[&C2srPart<f64>]| C2sr::try_from_parts(shape, parts.iter().map(|&part| part.clone()).collect());
    assert!(whole(&[&even, &odd]).is_ok());
    refused(whole(&[&even]), ErrorKind::Length, "`parts`", None);
    refused(whole(&[&even, &odd, &odd]), ErrorKind::Length, "`parts`", None);
    refused(whole(&[&odd, &even]), ErrorKind::Structure, "`parts`", Some(0));
    refused(whole(&[&even, &even]), ErrorKind::Structure, "`parts`", Some(1));
    let other: C2sr<f64> = Triplets::new([5, 7]).convert().unwrap();
    refused(whole(&[&even, &other.parts()[1]]), ErrorKind::Shape, "`parts`", Some(1));

    let part = |prefix, ptr: &[u32], idx: &[u32]| {
        C2srPart::<f64>::try_from_parts(shape, [prefix], ptr.to_vec(), idx.to_vec(), vec![1.0; idx.len()])
    };
    assert!(part(1, &[0, 0, 1, 1], &[3]).is_ok());
    refused(
        part(2, &[0, 0, 1, 1], &[3]),
        ErrorKind::OutOfBounds,
        "`prefix`",
        Some(0),
    );
    refused(part(1, &[0, 0, 1], &[3]), ErrorKind::Length, "`local_ptr`", None);
    refused(
        part(1, &[0, 0, 1, 1], &[6]),
        ErrorKind::OutOfBounds,
        "`col_idx`",
        Some(0),
    );
    refused(part(1, &[0, 2, 2, 2], &[3, 3]), ErrorKind::Order, "`col_idx`", Some(1));
    // Row 5 is outside the shape.
    refused(part(1, &[0, 0, 0, 1], &[3]), ErrorKind::Structure, "`values`", Some(0));
}

#[test]
fn parts_of_queries_that_do_not_fit() {
    // Both rows are valid, but in the wrong banks.
    let part = |bank, rows: &[u32], ptr: &[u32], cols: &[u32]| {
        CisrPart::<f64>::try_from_parts(
            [5, 6],
            [bank],
            rows.to_vec(),
            ptr.to_vec(),
            cols.to_vec(),
            vec![1.0; cols.len()],
        )
    };
    let first = part(0, &[0, 3, 4], &[0, 2, 3, 5], &[1, 4, 3, 0, 2]).unwrap();
    let second = part(1, &[2], &[0, 3], &[0, 1, 5]).unwrap();
    assert!(Cisr::try_from_parts([5, 6], vec![first, second]).is_ok());
    let first = part(0, &[0, 3], &[0, 2, 3], &[1, 4, 3]).unwrap();
    let second = part(1, &[2, 4], &[0, 3, 5], &[0, 1, 5, 0, 2]).unwrap();
    let moved = Cisr::try_from_parts([5, 6], vec![first, second]);
    assert_eq!(moved.unwrap_err().kind(), ErrorKind::Structure);
    // All parts have the size of the level in the whole tensor.
    let a: Lengths<f64> = example().convert().unwrap();
    let (shape, mut parts) = a.into_parts();
    let (_, prefix, _, mut len, row, ptr, col, values) = parts.remove(1).into_parts();
    len.push(1);
    let longer = LengthsPart::try_from_parts(shape, prefix, 5, len, row, ptr, col, values).unwrap();
    parts.push(longer);
    refused(
        Lengths::try_from_parts(shape, parts),
        ErrorKind::Structure,
        "`parts`",
        Some(1),
    );
}

#[test]
fn tuples_that_do_not_fit() {
    let points = |bank, entries: &[(u32, u32, f64)]| BankedPointsPart::try_from_parts([5, 6], [bank], entries.to_vec());
    refused(points(1, &[(3, 6, 1.0)]), ErrorKind::OutOfBounds, "`col_idx`", Some(0));
    refused(points(1, &[(5, 0, 1.0)]), ErrorKind::OutOfBounds, "`row_idx`", Some(0));
    refused(
        points(1, &[(3, 1, 1.0), (1, 2, 1.0)]),
        ErrorKind::Order,
        "`row_idx`",
        Some(1),
    );
    // Row 3 belongs to the other bank.
    assert!(points(0, &[(3, 1, 1.0)]).is_err());
    let [even, odd] = [points(0, &[(0, 1, 1.0)]).unwrap(), points(1, &[(3, 1, 1.0)]).unwrap()];
    assert!(BankedPoints::try_from_parts([5, 6], vec![even.clone(), odd.clone()]).is_ok());
    assert!(BankedPoints::try_from_parts([5, 6], vec![odd, even]).is_err());
    let fiber = |prefix, entries: &[(u32, f64)]| PackedFibersPart::try_from_parts([4, 3, 3], prefix, entries.to_vec());
    let parts = || vec![fiber([1, 0], &[(2, 1.0)]).unwrap(), fiber([3, 1], &[(0, 2.0)]).unwrap()];
    let whole = |upper: &[(u32, u32)]| PackedFibers::try_from_parts([4, 3, 3], upper.to_vec(), parts());
    assert!(whole(&[(1, 0), (3, 1)]).is_ok());
    refused(whole(&[(1, 0), (3, 3)]), ErrorKind::OutOfBounds, "`y_idx`", Some(1));
    refused(whole(&[(1, 0), (2, 1)]), ErrorKind::Structure, "`parts`", Some(1));
    refused(whole(&[(1, 0)]), ErrorKind::Length, "`parts`", None);
}

/// Threads divide the rows, whether there are more of them than parts or fewer: the loop over rows is around that over parts.
#[test]
fn rows_around_parts_are_divided() {
    for shape @ [rows, cols] in [[300, 20], [20, 300]] {
        let columns = 100;
        let mut random = Random::new(17);
        let triplets = random.triplets(shape, 3000);
        let (a, of_rows): (Columns<f64>, Csr<f64>) = (triplets.convert().unwrap(), triplets.convert().unwrap());
        let b = random.vector(cols * columns);
        let [mut found, mut expected] = [(); 2].map(|()| vec![7.0; rows * columns]);
        spmm(&mut found, &a, &b).unwrap();
        spmm(&mut expected, &of_rows, &b).unwrap();
        assert!(found == expected, "{shape:?}");
    }
}

#[test]
fn tables() {
    let a: C2sr<f64> = example().convert().unwrap();
    let explained = a.explain().to_string();
    assert!(
        explained.contains("ptr[8] u32, idx[8] u32") && explained.contains("in 2 parts"),
        "{explained}"
    );
    let part = a.parts()[0].explain().to_string();
    assert!(
        part.starts_with("C2srPart<f64, BANKS=2>") && part.contains("ptr[4] u32, idx[7] u32"),
        "{part}"
    );
    assert!(C2srPart::<f64>::describe().to_string().contains("given"));
    let packed: RankedLists<f64> = example().convert().unwrap();
    let table = RankedLists::<f64>::describe().to_string();
    assert!(table.contains("packed into `rank_entries`"), "{table}");
    assert!(table.contains("packed into `col_entries` with the values"), "{table}");
    assert!(
        packed.explain().to_string().contains("idx[8] u32"),
        "{}",
        packed.explain()
    );
    assert!(packed.drop_zeros().unwrap() == packed);
    assert!(a.drop_zeros().unwrap() == a);
    let back: Csr<f64> = a.convert().unwrap();
    assert!(back == example().convert().unwrap());
}
