//! Numbers of value maps that do not fit, and names that generated code uses.

use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets, sparse_format};

sparse_format! {
    pub format Constant = |i, j| (m: len % 4, row: i, col: j)
        where { len = sum(value != 0 => 4294967295 * 4294967295, _ => 0).group_by(i); }
        { merge(m, row); trim(row..=col); }
    pub format Parameter<const W: usize> = |i, j| (m: len % 8, row: i, col: j)
        where { len = sum(value != 0 => W, _ => 0).group_by(i); } { merge(m, row); trim(row..=col); }
    pub format Product<const W: usize> = |i, j| (m: weight % 8, row: i, col: j)
        where {
            len = sum(_ => 1).group_by(i);
            weight = sum(value != 0 => W * len, _ => 0).group_by(i);
        } { merge(m, row); trim(row..=col); }
    pub format First<const W: usize> = |i, j| (d: s / 8, row: i, col: j)
        where { s = enumerate(value != 0 => W, _ => 0).group_by(i).traverse_by(j); } { merge(d, row); trim(d..=col); }
    pub format Named = |i, j| (bank, row: i, col: j)
        where {
            value = sum(value > 1 => 1, _ => 0).group_by(i);
            bank = schedule(value, 4).traverse_by(i);
        } { merge(bank, row); trim(row..=col); }
    pub format Dims = |value, group| (slot, value, group)
        where { slot = enumerate(value > 1 => 0, _ => 0).group_by(value).traverse_by(group); } { merge(slot); trim(slot); }
}

fn triplets() -> Triplets<f64, 2> {
    let elements = [
        ([0, 0], 1.0),
        ([0, 2], 2.0),
        ([1, 1], 3.0),
        ([2, 0], 0.5),
        ([2, 2], 4.0),
        ([2, 3], -1.0),
    ];
    Triplets::try_from_triplets([3, 4], elements).unwrap()
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    macro_rules! refused {
        ($($format:ty),*) => {$(
            let error = triplets().convert::<$format>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Overflow, "{}: {error}", stringify!($format));
        )*};
    }
    refused!(
        Constant<f64>,
        Parameter<f64, { usize::MAX }>,
        Parameter<f64, { 1 << 62 }>,
        Product<f64, { usize::MAX }>,
        Product<f64, { 1 << 61 }>,
        First<f64, { usize::MAX }>,
        First<f64, { 1 << 63 }>
    );
    assert!(triplets().convert::<Parameter<f64, { 1 << 40 }>>().is_ok());
    assert!(triplets().convert::<Product<f64, 3>>().is_ok());
}

#[test]
fn names_of_generated_code_are_free() {
    let named: Named<f64> = triplets().convert().unwrap();
    let back: Coo<f64> = named.convert().unwrap();
    assert_eq!(back, triplets().convert().unwrap());
    // Rows with one large value each, in row order: one bank each.
    assert_eq!(named.row_idx(), [0, 1, 2]);
    let dims: Dims<f64> = triplets().convert().unwrap();
    let back: Coo<f64> = dims.convert().unwrap();
    assert_eq!(back, triplets().convert().unwrap());
}
