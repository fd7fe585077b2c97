//! Each part has the elements below its node, and parts are joined to the tensor they were cut from.

use std::collections::BTreeSet;

use unisparse::prelude::*;
use unisparse::{Error, Triplets};

use crate::common::random::{Elements, elements, tensors};
use crate::common::{Call, Random};
use crate::{
    Bands, BandsPart, BankedPoints, BankedPointsPart, Banks, BanksPart, Chunks, ChunksPart, Diagonals, DiagonalsPart,
    Fibers, FibersPart, Full, FullPart, Gaps, GapsPart, JaggedSlots, JaggedSlotsPart, Lengths, LengthsPart,
    PackedAbove, PackedAbovePart, PackedFibers, PackedFibersPart, PackedSlices, PackedSlicesPart, PackedSlots,
    PackedSlotsPart, Ranked, RankedLists, RankedListsPart, RankedPairs, RankedPairsPart, RankedPart, RankedRows,
    RankedRowsPart, Rows, RowsPart, SHAPES, Slices, SlicesPart, Slots, SlotsPart, StoredRows, StoredRowsPart, Twice,
    TwicePart, Undivided, UndividedPart, UndividedPoints, UndividedPointsPart, mttkrp, visited,
};

/// The methods that a format and its parts have in common.
trait Cut<const N: usize>: SparseTensor<N, Scalar = f64> + PartialEq + std::fmt::Debug {
    /// The coordinates of the node, the elements by `iter` and by `for_each`, and in coordinate form, of each part.
    fn held(&self) -> Vec<(Vec<i64>, [Elements<f64, N>; 2])>;
    /// Rebuilds the tensor from its parts, with or without each of them.
    fn again(self) -> [Result<Self, Error>; 2];
    fn whole(&self) -> Elements<f64, N>;
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
