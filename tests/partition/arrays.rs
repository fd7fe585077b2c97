//! The arrays of each part, written out.

use unisparse::prelude::*;

use crate::{
    Bands, Diagonals, Full, FullPart, JaggedSlots, Lengths, Ranked, RankedLists, RankedRows, Rows, RowsPart, Slots,
    SlotsPart, StoredRows, StoredRowsPart, example,
};

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
