//! Tensors of patterns and of narrow values in every stock format: arrays, conversions, other values in their places.

use unisparse::formats::*;
use unisparse::prelude::*;
use unisparse::{Encoded, ErrorKind, Narrow, Pattern};

use crate::{number, pattern, places, triplets};

unisparse::sparse_format! {
    /// Long rows compressed, the others as coordinates: no part has holes.
    pub hybrid Rows = Csr + Coo split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
    /// Where an element is depends on its value.
    pub format Largest = |i, j| (row: i, place, col: j)
        where {
            large = sum(value >= 5 => 1, _ => 0).group_by(i);
            place = enumerate(value >= 5 => 0, _ => large).group_by(i).traverse_by(j);
        } { merge(row); trim(place..=col); }
    convert Csr -> Rows;
}

const SHAPE: [usize; 2] = [23, 17];

macro_rules! each {
    ($check:ident: $($name:ident $(<$($parameter:literal),*>)?)*) => {
        $($check!($name $($($parameter)*)?);)*
    };
}

macro_rules! without_holes {
    ($check:ident) => {
        each!($check: Coo Csr Dcsc HiCoo<4> Jds C2sr<3> Cisr<2> Dok Rows);
        #[cfg(every_product)]
        each!($check: Csc Dcsr Csb<4> CisrPlus<2> Lil);
    };
}

macro_rules! with_holes {
    ($check:ident) => {
        each!($check: Dia Bcsr<2, 3> Bdia<4> Sell<2, 4> Bell<4> Serpens<4, 8, 2> BdiaCsr<4>);
        #[cfg(every_product)]
        each!($check: DiaVariant Bcsc<2, 2> Ell BellCoo<4>);
    };
}

#[test]
fn patterns_take_no_bytes_and_keep_their_places() {
    let places = places(SHAPE, 90, 1);
    let (patterns, numbers) = (pattern::<f64>(SHAPE, &places), triplets(SHAPE, &places, number));
    assert_eq!(size_of_val(patterns.values()), 0);
    macro_rules! check {
        ($name:ident $($parameter:literal)*) => {
            let a: $name<Pattern<f64>, $($parameter),*> = patterns.convert().unwrap();
            let full: $name<f64, $($parameter),*> = numbers.convert().unwrap();
            assert_eq!((a.nnz(), a.stored()), (full.nnz(), full.stored()));
            assert!(a.iter().map(|(at, _)| at).eq(full.iter().map(|(at, _)| at)), stringify!($name));
            // Tuples pad a number to the alignment of `f64`.
            assert!(a.bytes() + 8 * places.len() <= full.bytes(), stringify!($name));
            let estimate = patterns.estimate::<$name<Pattern<f64>, $($parameter),*>>().unwrap();
            assert_eq!(estimate.bytes(), a.bytes() as u128);
        };
    }
    without_holes!(check);
}

#[test]
fn every_format_of_patterns_converts_into_every_other() {
    let places = places(SHAPE, 90, 2);
    let patterns = pattern::<f64>(SHAPE, &places);
    macro_rules! check {
        ($name:ident $($parameter:literal)*) => {
            let a: $name<Pattern<f64>, $($parameter),*> = patterns.convert().unwrap();
            let rows: Csr<Pattern<f64>> = a.convert().unwrap();
            assert_eq!(rows, patterns.convert::<Csr<_>>().unwrap(), stringify!($name));
            assert_eq!(a, rows.convert().unwrap(), stringify!($name));
            assert_eq!(rows, a.clone().convert_into().unwrap(), stringify!($name));
            let columns: Dcsc<Pattern<f64>> = a.convert().unwrap();
            assert_eq!(a, columns.convert_into().unwrap(), stringify!($name));
            assert_eq!(a.drop_zeros().unwrap(), a, stringify!($name));
        };
    }
    without_holes!(check);
}

#[test]
fn values_are_replaced_where_they_are() {
    let places = places(SHAPE, 90, 3);
    let numbers = triplets(SHAPE, &places, number);
    let halved = triplets(SHAPE, &places, |at| number(at) / 2.0);
    macro_rules! narrowed {
        ($name:ident $($parameter:literal)*) => {
            let a: $name<f64, $($parameter),*> = numbers.convert().unwrap();
            let narrow: $name<Narrow<f32, f64>, $($parameter),*> =
                a.clone().map_values(|value| Narrow::new(value as f32 / 2.0));
            let expected = halved.clone().map(|value| Narrow::<f32, f64>::new(value as f32));
            assert_eq!(narrow, expected.convert().unwrap(), stringify!($name));
            // Holes are where they were, and zero.
            let back = narrow.map_values(|value| f64::from(value.stored()) * 2.0);
            assert!(back.iter().eq(a.iter()), stringify!($name));
            assert_eq!((back.stored(), back.bytes()), (a.stored(), a.bytes()));
        };
    }
    without_holes!(narrowed);
    with_holes!(narrowed);
    let patterns = pattern::<f64>(SHAPE, &places);
    macro_rules! emptied {
        ($name:ident $($parameter:literal)*) => {
            let a: $name<f64, $($parameter),*> = numbers.convert().unwrap();
            let a = a.map_values(|_| Pattern::<f64>::new());
            assert_eq!(a, patterns.convert().unwrap(), stringify!($name));
        };
    }
    without_holes!(emptied);
}

#[test]
fn index_arrays_are_moved_where_values_are_replaced() {
    let a: Csr<f64> = triplets(SHAPE, &places(SHAPE, 90, 4), number).convert().unwrap();
    let (ptr, idx) = (a.row_ptr().as_ptr(), a.col_idx().as_ptr());
    let a = a.map_values(|_| Pattern::<f64>::new());
    assert_eq!((a.row_ptr().as_ptr(), a.col_idx().as_ptr()), (ptr, idx));
    assert_eq!(a.values().len(), a.nnz());
    let a: Dcsr<Pattern<f64>> = a.convert_into().unwrap();
    assert_eq!(a.col_idx().as_ptr(), idx);
}

#[test]
fn a_value_that_becomes_zero_becomes_a_hole() {
    let a: Dia<f64> = Triplets::try_from_triplets([2, 2], [([0, 0], 1.0), ([1, 1], 2.0)])
        .unwrap()
        .convert()
        .unwrap();
    let a = a.map_values(|value| value as i32 - 1);
    assert_eq!((a.nnz(), a.stored()), (1, 2));
}

#[test]
fn narrow_values_in_formats_with_holes() {
    let places = places(SHAPE, 60, 5);
    let narrow = triplets(SHAPE, &places, |at| Narrow::<u8, f64>::new(number(at) as u8));
    let numbers = triplets(SHAPE, &places, number);
    macro_rules! check {
        ($name:ident $($parameter:literal)*) => {
            let a: $name<Narrow<u8, f64>, $($parameter),*> = narrow.convert().unwrap();
            let full: $name<f64, $($parameter),*> = numbers.convert().unwrap();
            // The thresholds of a hybrid depend on the bytes of a value.
            let full = match <$name<f64, $($parameter),*>>::ENCODINGS.len() {
                1 => full,
                _ => a.clone().map_values(|value| f64::from(value.stored())),
            };
            assert_eq!((a.nnz(), a.stored()), (full.nnz(), full.stored()));
            assert_eq!(full.bytes() - a.bytes(), 7 * a.stored(), stringify!($name));
            let rows: Csr<Narrow<u8, f64>> = a.convert().unwrap();
            assert_eq!(rows, narrow.convert::<Csr<_>>().unwrap(), stringify!($name));
        };
    }
    with_holes!(check);
}

#[test]
fn arrays_from_outside_are_checked() {
    let ones = vec![Pattern::<f64>::new(); 3];
    let a = Csr::try_from_parts([2, 3], vec![0, 2, 3], vec![0, 2, 1], ones.clone()).unwrap();
    assert_eq!(a.into_parts().3.len(), 3);
    let refused = Csr::try_from_parts([2, 3], vec![0, 2, 2], vec![0, 2, 1], ones.clone());
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Length);
    let refused = Csr::try_from_parts([2, 3], vec![0, 2, 3], vec![2, 0, 1], ones);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Order);
}

#[test]
fn queries_compare_values_in_the_type_as_which_they_are_read() {
    let places = places(SHAPE, 90, 6);
    let narrow = triplets(SHAPE, &places, |at| Narrow::<u8, f64>::new(number(at) as u8));
    let (a, full): (Largest<Narrow<u8, f64>>, Largest<f64>) = (
        narrow.convert().unwrap(),
        triplets(SHAPE, &places, number).convert().unwrap(),
    );
    assert_eq!(a.place_idx(), full.place_idx());
    assert_eq!(a.col_idx(), full.col_idx());
    // Every one is less than five.
    let a: Largest<Pattern<f64>> = pattern(SHAPE, &places).convert().unwrap();
    let rows: Csr<Pattern<f64>> = a.convert().unwrap();
    assert_eq!(a.col_idx(), rows.col_idx());
}
