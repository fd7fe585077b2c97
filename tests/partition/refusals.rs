//! Parts that are not those of a tensor.

use unisparse::prelude::*;
use unisparse::{Error, ErrorKind, Triplets};

use crate::{BankedPoints, BankedPointsPart, Lengths, LengthsPart, PackedFibers, PackedFibersPart, Rows, example};

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

#[test]
fn parts_are_counted_before_memory_is_taken_for_their_nodes() {
    let none = Rows::<f64>::try_from_parts([1 << 40, 3], Vec::new());
    refused(none, ErrorKind::Length, "`parts`", None);
    let rows: Rows<f64> = example().convert().unwrap();
    let (shape, parts) = rows.into_parts();
    assert_eq!(Rows::try_from_parts(shape, parts).unwrap().parts().len(), shape[0]);
}
