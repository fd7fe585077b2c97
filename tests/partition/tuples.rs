//! Parts whose arrays are packed into tuples.

use unisparse::Triplets;
use unisparse::prelude::*;

use crate::common::random::tensors;
use crate::{
    BankedPoints, BankedPointsApart, Banks, BanksApart, PackedAbove, PackedFibers, PackedSlices, PackedSlots,
    RankedLists, RankedPairs, RankedPairsPart, SHAPES, example,
};

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
