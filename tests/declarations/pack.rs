//! A packed format has the contents of the same format without `pack`, interleaved.

use crate::common::random::tensors;
use crate::common::specified::multiply;
use crate::common::{Call, Random};
use unisparse::__private::{Level, LevelArrays, Tree};
use unisparse::prelude::*;
use unisparse::{Error, ErrorKind, Triplets};

sparse_format! {
    pub format Ellpack = |i, j| (slot, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot); pack(col); }
    pub format Jagged = |i, j| (slot, rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot..=rank); pack(rank..=col); }
    pub format Chunks<const C: usize = 2, const SIGMA: usize = 4> =
        |i, j| (window: i / SIGMA, chunk: rank / C, slot, lane: rank % C, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).group_by(i / SIGMA).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(window, chunk, slot); trim(slot); pack(row..=col); }
    pub format Diagonals = |i, j| (diag: j - i, row: i) { trim(diag..=row); pack(0..=1); index(diag: i64); }
    pub format DiagonalsApart = |i, j| (diag: j - i, row: i) { trim(diag..=row); index(diag: i64); }
    pub format Slots = |i, j| (row: i, slot, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(row); trim(slot); pack(slot..=col); }
    pub format SlotsApart = |i, j| (row: i, slot, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(row); trim(slot); }
    pub format Blocks<const R: usize = 2> =
        |i, j| (brow: i / R, bcol: j / R, r: i % R, c: j % R) { merge(bcol); trim(brow..=c); pack(brow..=c); pointer(u64); }
    pub format BlocksApart<const R: usize = 2> =
        |i, j| (brow: i / R, bcol: j / R, r: i % R, c: j % R) { merge(bcol); trim(brow..=c); pointer(u64); }
    pub format Every = |i, j| (row: i, col: j) { trim(col); pack(row..=col); }
    pub format EveryApart = |i, j| (row: i, col: j) { trim(col); }
    pub format Fibers = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); pack(x..=z); }
    pub format Points = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); pack(x..=z); }
    pub format PointsInPairs = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); pack(x..=y); }
    pub format PointsInTwo = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); pack(x..=y); pack(z); }
    pub format PointsApart = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); }
}

sparse_kernel! {
    fn transposed: y[j] = A[i, j] * x[i] where A: Dok | Lil | Ellpack | Jagged | Chunks<2, 4> | Diagonals | Slots | Blocks<2> | Every;
    fn rank_one: y[i] += alpha * A[i, j] * u[i] * v[j] where A: Dok | Lil | Ellpack | Jagged | Chunks<2, 4> | Diagonals | Slots | Blocks<2> | Every;
}

/// A tensor array by array.
trait Arrays<const N: usize>: SparseTensor<N, Scalar = f64> + Clone + PartialEq {
    /// The `ptr` and the `idx` of each level.
    fn arrays(&self) -> Vec<[Option<Vec<i64>>; 2]>;
    /// The levels whose arrays leave out levels above, which `pack` repeats.
    fn once() -> Vec<usize>;
    fn by_iter(&self) -> Vec<([usize; N], f64)>;
    /// Rebuilds the tensor from its parts.
    fn rebuilt(self) -> Result<Self, Error>;
}

fn entries(levels: &[LevelArrays<'_>]) -> Vec<[Option<Vec<i64>>; 2]> {
    let read = |array: &dyn Fn(usize) -> i64, len: usize| (0..len).map(array).collect();
    let level = |level: &LevelArrays<'_>| {
        [level.ptr, level.idx].map(|array| array.map(|array| read(&|at| array.at(at), array.len())))
    };
    levels.iter().map(level).collect()
}

fn invariant(levels: &[Level]) -> Vec<usize> {
    let is_invariant = |&level: &usize| !levels[level].invariant_over.is_empty();
    (0..levels.len()).filter(is_invariant).collect()
}

macro_rules! arrays {
    ($($dims:literal: $($format:ty),+;)+) => {$($(
        impl Arrays<$dims> for $format {
            fn arrays(&self) -> Vec<[Option<Vec<i64>>; 2]> {
                entries(&Tree::<$dims, _>::arrays(self))
            }
            fn once() -> Vec<usize> {
                invariant(&<Self as Tree<$dims, _>>::LEVELS)
            }
            fn by_iter(&self) -> Vec<([usize; $dims], f64)> {
                self.iter().collect()
            }
            fn rebuilt(self) -> Result<Self, Error> {
                Call::call(Self::try_from_parts, self.into_parts())
            }
        }
    )+)+};
}

arrays! {
    2: Dok<f64>, Coo<f64>, Lil<f64>, Csr<f64>, Ellpack<f64>, Ell<f64>, Jagged<f64>, Jds<f64>, Chunks<f64>, Sell<f64, 2, 4>, Diagonals<f64>,
        DiagonalsApart<f64>, Slots<f64>, SlotsApart<f64>, Blocks<f64>, BlocksApart<f64>, Every<f64>, EveryApart<f64>, Keyed<f64>;
    3: Fibers<f64>, Csf<f64>, Points<f64>, PointsInPairs<f64>, PointsInTwo<f64>, PointsApart<f64>;
}

/// Compares one tensor with and without `pack`.
fn compare<Packed: Arrays<N>, Apart: Arrays<N>, const N: usize>(triplets: &Triplets<f64, N>) -> (Packed, Apart) {
    let what = format!("{} of {:?}: {triplets:?}", Packed::NAME, triplets.shape());
    let what = &what[..what.len().min(800)];
    let apart: Apart = triplets.convert_within(Limit::none()).unwrap();
    let packed: Packed = triplets.convert_within(Limit::none()).unwrap();
    let values = |tensor: &Apart| tensor.values().collect::<Vec<_>>();
    let (mut found, mut right) = (packed.arrays(), apart.arrays());
    for (level, (found, right)) in found.iter_mut().zip(&mut right).enumerate() {
        // A `pack` requires coordinates that are left out or repeated otherwise.
        if Apart::once().contains(&level) || right[1].is_none() {
            (found[1], right[1]) = (None, None);
        }
    }
    assert_eq!(found, right, "{what}");
    assert_eq!(packed.values().collect::<Vec<_>>(), values(&apart), "{what}");
    assert_eq!(packed.by_iter(), apart.by_iter(), "{what}");
    assert_eq!(
        (packed.nnz(), packed.stored(), packed.values().len()),
        (apart.nnz(), apart.stored(), apart.stored()),
        "{what}"
    );
    assert!(packed.bytes() >= apart.bytes() || !Apart::once().is_empty(), "{what}");
    let mut visited = Vec::new();
    packed.for_each(|at, value| visited.push((at, value)));
    assert_eq!(visited, packed.by_iter(), "{what}");

    let there = Apart::assemble(&packed, Limit::none()).unwrap();
    let back = Packed::assemble(&apart, Limit::none()).unwrap();
    assert_eq!(
        (there.arrays(), values(&there)),
        (apart.arrays(), values(&apart)),
        "{what}"
    );
    assert_eq!(back.arrays(), packed.arrays(), "{what}");
    assert!(there == apart && back == packed, "{what}");
    let rebuilt = packed
        .clone()
        .rebuilt()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(rebuilt == packed && rebuilt.arrays() == packed.arrays(), "{what}");
    (packed, apart)
}

const SHAPES: [[usize; 2]; 10] = [
    [5, 4],
    [1, 1],
    [1, 7],
    [7, 1],
    [0, 5],
    [5, 0],
    [0, 0],
    [12, 12],
    [3, 23],
    [33, 17],
];

macro_rules! matrices {
    ($($test:ident: $packed:ty, $apart:ty;)*) => {$(
        #[test]
        fn $test() {
            for (number, shape) in SHAPES.into_iter().enumerate() {
                for triplets in tensors(shape, number as u64 + 1) {
                    let (packed, _) = compare::<$packed, $apart, 2>(&triplets);
                    let mut random = Random::new(number as u64);
                    let (x, u) = (random.vector(shape[1]), random.vector(shape[0]));
                    let (mut y, mut z, mut w) = (vec![f64::NAN; shape[0]], vec![f64::NAN; shape[1]], vec![1.0; shape[0]]);
                    spmv(&mut y, &packed, &x).unwrap();
                    assert_eq!(y, multiply(&triplets, &x));
                    transposed(&mut z, &packed, &u).unwrap();
                    let transposed = triplets.iter().map(|([i, j], value)| ([j, i], value));
                    let transposed = Triplets::try_from_triplets([shape[1], shape[0]], transposed).unwrap();
                    assert_eq!(z, multiply(&transposed, &u));
                    rank_one(&mut w, 2.0, &packed, &u, &x).unwrap();
                    let expected: Vec<f64> = y.iter().zip(&u).map(|(y, u)| 1.0 + 2.0 * y * u).collect();
                    assert_eq!(w, expected);
                }
            }
        }
    )*};
}

matrices! {
    dictionary: Dok<f64>, Coo<f64>;
    lists: Lil<f64>, Csr<f64>;
    ellpack: Ellpack<f64>, Ell<f64>;
    jagged: Jagged<f64>, Jds<f64>;
    chunks: Chunks<f64>, Sell<f64, 2, 4>;
    diagonals: Diagonals<f64>, DiagonalsApart<f64>;
    counted: Slots<f64>, SlotsApart<f64>;
    blocks: Blocks<f64>, BlocksApart<f64>;
    full: Every<f64>, EveryApart<f64>;
}

#[test]
fn three_dims() {
    for (number, shape) in [[3, 4, 5], [0, 2, 2], [2, 2, 0], [1, 1, 1], [6, 1, 7]]
        .into_iter()
        .enumerate()
    {
        for triplets in tensors(shape, number as u64 + 1) {
            compare::<Fibers<f64>, Csf<f64>, 3>(&triplets);
            compare::<Points<f64>, PointsApart<f64>, 3>(&triplets);
            compare::<PointsInPairs<f64>, PointsApart<f64>, 3>(&triplets);
            compare::<PointsInTwo<f64>, PointsApart<f64>, 3>(&triplets);
        }
    }
}

/// Returns three elements, one of them zero.
fn few<F: SparseTensor<2>>(value: impl Fn(i32) -> F::Scalar) -> F {
    let triplets = [([0, 3], value(1)), ([2, 0], value(0)), ([2, 1], value(3))];
    Triplets::try_from_triplets([3, 4], triplets)
        .unwrap()
        .convert()
        .unwrap()
}

#[test]
fn entries_and_lists() {
    let a: Dok<f32> = few(|value| value as f32);
    assert_eq!(a.row_entries(), [(0, 3, 1.0), (2, 0, 0.0), (2, 1, 3.0)]);
    assert_eq!((a.nnz(), a.stored(), a.bytes()), (3, 3, 36));
    assert_eq!(a.values().collect::<Vec<f32>>(), [1.0, 0.0, 3.0]);
    assert_eq!(a.drop_zeros().unwrap().nnz(), 2);

    let a: Lil<f64> = few(f64::from);
    assert_eq!(a.col_entries(), [(3, 1.0), (0, 0.0), (1, 3.0)]);
    assert_eq!((a.row_list(0), a.row_list(1)), (&[(3, 1.0)][..], &[][..]));
    assert_eq!(
        (a.row_list(2), a.row_ptr()),
        (&[(0, 0.0), (1, 3.0)][..], &[0, 1, 1, 3][..])
    );
    // Each tuple has four bytes of index and four of padding before the value.
    assert_eq!(a.bytes(), 4 * 4 + 3 * 16);
    assert!(a.explain().to_string().contains(" 64 B"), "{}", a.explain());

    let a: Dok<bool> = few(|value| value > 0);
    assert_eq!(a.row_entries(), [(0, 3, true), (2, 0, false), (2, 1, true)]);
    assert_eq!(a.bytes(), 3 * 12);
    let mut y = [false; 3];
    spmv(&mut y, &a, &[true; 4]).unwrap();
    assert_eq!(y, [true, false, true]);

    let a: Ellpack<f32> = few(|value| value as f32);
    assert_eq!(
        (a.slot_size(), a.col_entries()),
        (2, &[(3, 1.0), (0, 0.0), (0, 0.0), (0, 0.0), (0, 0.0), (1, 3.0)][..])
    );
    let triplets = [([0, 1, 2], 5.0), ([0, 1, 3], 6.0), ([2, 0, 0], 7.0)];
    let a = PointsInTwo::try_from_triplets([3, 2, 4], triplets).unwrap();
    assert_eq!(a.x_entries(), [(0, 1), (0, 1), (2, 0)]);
    assert_eq!(a.z_entries(), [(2, 5.0), (3, 6.0), (0, 7.0)]);
    let a = Fibers::try_from_triplets([3, 2, 4], triplets).unwrap();
    assert_eq!(
        (a.x_idx(), a.y_idx(), a.y_list(0)),
        (&[0, 2][..], &[1, 0][..], &[(2, 5.0), (3, 6.0)][..])
    );
}

#[test]
fn a_limit_counts_what_tuples_take() {
    let triplets = Triplets::try_from_triplets([3, 4], [([0, 3], 1.0), ([2, 0], 2.0)]).unwrap();
    assert!(triplets.convert_within::<Lil<f64>>(Limit::bytes(48)).is_ok());
    let error = triplets.convert_within::<Lil<f64>>(Limit::bytes(47)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
#[should_panic(expected = "out of bounds")]
fn a_list_past_the_last_is_refused() {
    let _ = few::<Lil<f64>>(f64::from).row_list(3);
}

#[test]
fn what_levels_say() {
    let text = Lil::<f64>::describe().to_string();
    assert!(
        text.contains("ptr u32, idx u32") && text.contains("packed into `col_entries`"),
        "{text}"
    );
    assert!(format!("{:?}", few::<Lil<f64>>(f64::from)).contains("[(3, 1.0), (0, 0.0), (1, 3.0)]"));
}

macro_rules! keyed {
    ($name:ident, $level:ident) => {
        sparse_format! { format $name = |i, j| ($level: i, values: j) { trim($level..=values); pack($level..=values); } }
    };
}
keyed!(Keyed, at);

#[test]
fn names_of_declarations_made_by_macros() {
    let a = Keyed::try_from_triplets([2, 2], [([1, 0], 2.5)]).unwrap();
    assert_eq!(a.at_entries(), [(1, 0, 2.5)]);
    assert_eq!(a.clone().rebuilt().unwrap().into_parts(), ([2, 2], vec![(1, 0, 2.5)]));
}

/// Checks the kind, the array and the position of an error.
#[track_caller]
fn refused<T>(result: Result<T, Error>, kind: ErrorKind, subject: &str, position: Option<usize>) {
    let error = result.err().expect("an error");
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (kind, subject, position),
        "{error}"
    );
}

#[test]
fn wrong_parts() {
    let dok = |entries: &[(u32, u32, f64)]| Dok::try_from_parts([3, 4], entries.to_vec());
    assert!(dok(&[(0, 3, 1.0), (2, 0, 0.0)]).is_ok() && dok(&[]).is_ok());
    refused(
        dok(&[(0, 3, 1.0), (1, 4, 1.0)]),
        ErrorKind::OutOfBounds,
        "`col_idx`",
        Some(1),
    );
    refused(dok(&[(3, 0, 1.0)]), ErrorKind::OutOfBounds, "`row_idx`", Some(0));
    refused(dok(&[(u32::MAX, 0, 1.0)]), ErrorKind::OutOfBounds, "`row_idx`", Some(0));
    refused(dok(&[(1, 1, 1.0), (0, 2, 1.0)]), ErrorKind::Order, "`row_idx`", Some(1));
    refused(dok(&[(1, 1, 1.0), (1, 1, 1.0)]), ErrorKind::Order, "`col_idx`", Some(1));
    let lil = |ptr: &[u32], entries: &[(u32, f64)]| Lil::try_from_parts([2, 4], ptr.to_vec(), entries.to_vec());
    assert!(lil(&[0, 1, 2], &[(3, 1.0), (0, 2.0)]).is_ok());
    refused(lil(&[0, 1], &[(3, 1.0)]), ErrorKind::Length, "`row_ptr`", None);
    refused(lil(&[0, 1, 2], &[(3, 1.0)]), ErrorKind::Length, "`col_idx`", None);
    refused(lil(&[0, 2, 1], &[(3, 1.0)]), ErrorKind::Order, "`row_ptr`", Some(2));
    refused(
        lil(&[0, 2, 2], &[(3, 1.0), (0, 1.0)]),
        ErrorKind::Order,
        "`col_idx`",
        Some(1),
    );
    let ell = |size, entries: &[(u32, f64)]| Ellpack::try_from_parts([2, 2], size, entries.to_vec());
    assert!(ell(1, &[(1, 1.0), (0, 2.0)]).is_ok());
    refused(
        ell(1, &[(1, 1.0), (2, 2.0)]),
        ErrorKind::OutOfBounds,
        "`col_idx`",
        Some(1),
    );
    refused(ell(2, &[(1, 1.0), (0, 2.0)]), ErrorKind::Length, "`col_idx`", None);
    refused(
        Every::try_from_parts([2, 2], vec![(0, 1, 1.0)]),
        ErrorKind::Structure,
        "`row_idx`",
        Some(1),
    );
}
