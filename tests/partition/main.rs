//! Partitioned formats: the contents of each part, and the whole tensor.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;

mod arrays;
mod kernels;
mod nodes;
mod refusals;
mod tuples;

use common::random::Elements;
use unisparse::Triplets;
use unisparse::prelude::*;

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

/// Returns what `for_each` visits, each element once.
fn visited<const N: usize>(source: &impl Source<N, Scalar = f64>) -> Elements<f64, N> {
    let mut all = Elements::new();
    source.for_each(|at, value| assert_eq!(all.insert(at, value), None));
    all
}
