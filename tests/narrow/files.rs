//! Files of patterns, read into patterns; values, read into fewer bytes.

use unisparse::formats::Csr;
use unisparse::io::{parse_matrix_market, parse_smtx, write_matrix_market_to};
use unisparse::{Narrow, Pattern, Stored};

const EDGES: &str = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 3\n";
const VALUES: &str = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.1\n2 1 -3\n";

#[test]
fn a_pattern_file_is_read_into_patterns() {
    let edges = parse_matrix_market::<Pattern<f64>, _>(EDGES.as_bytes()).unwrap();
    assert_eq!(size_of_val(edges.values()), 0);
    let a: Csr<Pattern<f64>> = edges.convert().unwrap();
    assert_eq!((a.row_ptr(), a.col_idx()), (&[0, 1, 3, 5][..], &[1, 0, 2, 1, 2][..]));
    let ones: Csr<f64> = parse_matrix_market(EDGES.as_bytes()).unwrap().convert().unwrap();
    assert_eq!(a.clone().map_values(Stored::value), ones);
    let mut text = Vec::new();
    write_matrix_market_to(&mut text, &a).unwrap();
    let expected = "%%MatrixMarket matrix coordinate pattern general\n3 3 5\n1 2\n2 1\n2 3\n3 2\n3 3\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
    let read = parse_matrix_market::<Pattern<f64>, _>(expected.as_bytes()).unwrap();
    assert_eq!(a, read.convert().unwrap());
    let smtx = parse_smtx::<Pattern<bool>, _>("2, 3, 2\n0 1 2\n2 0\n".as_bytes()).unwrap();
    assert!(smtx.iter().map(|(at, _)| at).eq([[0, 2], [1, 0]]));
}

#[test]
fn values_are_no_pattern() {
    let refused = parse_matrix_market::<Pattern<f64>, _>(VALUES.as_bytes()).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("value 0.1") && text.contains("without values"), "{text}");
}

#[test]
fn values_are_read_into_fewer_bytes() {
    let values = parse_matrix_market::<Narrow<f32, f64>, _>(VALUES.as_bytes()).unwrap();
    assert_eq!(values.values(), [Narrow::new(0.1), Narrow::new(-3.0)]);
    let mut text = Vec::new();
    write_matrix_market_to(&mut text, &values).unwrap();
    let read = parse_matrix_market::<Narrow<f32, f64>, _>(&text[..]).unwrap();
    assert_eq!(read, values);
    let refused = parse_matrix_market::<Narrow<u8, f64>, _>(VALUES.as_bytes());
    assert!(refused.is_err());
    let ones = parse_matrix_market::<Narrow<u8, f64>, _>(EDGES.as_bytes()).unwrap();
    assert_eq!(ones.values()[0].value(), 1.0);
}
