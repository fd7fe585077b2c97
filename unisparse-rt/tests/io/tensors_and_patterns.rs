//! The formats `.tns` and `.smtx`.

use super::*;

#[test]
fn tns_files() {
    let text = "# c\n\n 1 2 3 0.5\n# c\n4 1\t1 -2\r\n";
    let tensor: Triplets<f64, 3> = parse_tns(text.as_bytes()).unwrap();
    assert_eq!(tensor.shape(), [4, 2, 3]);
    assert_eq!(tensor.coordinates(), [[0, 1, 2], [3, 0, 0]]);
    assert_eq!(tensor.values(), [0.5, -2.0]);
    let parti: Triplets<f64, 2> = parse_tns("2\n5 6\n1 2 7\n".as_bytes()).unwrap();
    assert_eq!((parti.shape(), entries(&parti)), ([5, 6], vec![(0, 1, 7.0)]));
    let sparten = "sptensor indices-start-at-zero\n2\n5 6\n1\n0 5 7\n";
    let sparten: Triplets<i32, 2> = parse_tns(sparten.as_bytes()).unwrap();
    assert_eq!((sparten.shape(), entries(&sparten)), ([5, 6], vec![(0, 5, 7)]));
    let none: Triplets<f64, 2> = parse_tns("sptensor\n2\n5 6\n0\n".as_bytes()).unwrap();
    assert_eq!((none.shape(), none.len()), ([5, 6], 0));
}

#[test]
#[rustfmt::skip]
fn tns_errors() {
    let case = |text: &str, kind, at, message: &str| refused(parse_tns::<u8, 3, _>(text.as_bytes()), kind, at, message);
    let arity = |found| format!("found {found} coordinates and a value, expected 3 coordinates and a value");
    case("# none\n", TooFew, [2, 1], "found the end of the file, expected an entry");
    case("1 1 1 1\n2 2 2 2 2\n", Arity, [2, 9], &arity(4));
    case("1 1 1 1\n2 2 2\n", Arity, [2, 6], &arity(2));
    // Another arity explains whatever else is wrong in the line.
    case("1 1 0.5\n", Arity, [1, 8], &arity(2));
    case("1 1 1 1 0.5 \n", Arity, [1, 9], &arity(4));
    case("0 1 1 1 1 0.5 \n", Arity, [1, 9], &arity(5));
    case("1 1 1 1\n2 2\n", Arity, [2, 4], &arity(1));
    case("1 1 1 1\n2 0 2 2\n", Index, [2, 3], "found coordinate 0, expected one of at least 1");
    case("1 1 1 1\n2 x 2 2\n", Number, [2, 3], "found coordinate x, expected one of at least 1");
    case("1 1 1 y\n", Number, [1, 7], "found value y, expected a whole number that fits u8");
    case("1 1 1 256\n", Range, [1, 7], "found value 256, expected a whole number that fits u8");
    let large = parse_tns::<f32, 3, _>("1 1 1 1\n1 2 1 1e39\n".as_bytes());
    refused(large, Range, [2, 7], "found value 1e39, expected a number that fits f32");
    case("4\n2 2 2 2\n", Arity, [1, 1], "found dim count 4, expected 3");
    case("x\n", Number, [1, 1], "found dim count x, expected a whole number");
    case("3\n2 2\n", Missing, [2, 4], "found the end of the line, expected an extent");
    case("3\n", Missing, [2, 1], "found the end of the file, expected the extents");
    case("3\n2 2 0\n", Size, [2, 5], "found extent 0, expected at least 1");
    case("3\n2 2 2 2\n", Trailing, [2, 7], "found 2, expected the end of the line");
    case("3\n2 2 2\n1 1 3 1\n", Index, [3, 5], "found coordinate 3, expected one from 1 to 2");
    case("sptensor x\n", Banner, [1, 10], "found x, expected indices-start-at-zero");
    case("sptensor\n3\n2 2 2\n2\n1 1 1 1\n", TooFew, [6, 1], "found the end of the file, expected entry 2 of 2");
    case("sptensor\n3\n2 2 2\n0\n1 1 1 1\n", TooMany, [5, 1], "found 1, expected the end of the file after the last entry");
}

#[test]
#[rustfmt::skip]
fn smtx_files_and_errors() {
    let parse = |text: &str| parse_smtx::<f32, _>(text.as_bytes());
    let pattern = parse("% c\n3,4 , 3\r\n0 2,2 3 \r\n1 3 0\r\n\r\n").unwrap();
    assert_eq!(pattern.shape(), [3, 4]);
    assert_eq!(entries(&pattern), [(0, 1, 1.0), (0, 3, 1.0), (2, 0, 1.0)]);
    assert_eq!(parse("2 2 0\n0 0 0\n\n").unwrap().shape(), [2, 2]);
    assert_eq!(parse("0 0 0\n0\n").unwrap().shape(), [0, 0]);

    let case = |text, kind, at, message| refused(parse(text), kind, at, message);
    case("", TooFew, [1, 1], "found the end of the file, expected the size line");
    case("2 3\n", Missing, [1, 4], "found the end of the line, expected the entry count");
    case("2 3 -1\n", Size, [1, 5], "found entry count -1, expected one that is not negative");
    case("2 0 1\n", Size, [1, 5], "found entry count 1, expected 0 in an empty matrix");
    case("2 3 2", TooFew, [1, 6], "found the end of the file, expected the row offsets");
    case("2 3 2\n1 1 2\n0 1\n", Index, [2, 1], "found row offset 1, expected 0");
    case("3 3 2\n0 2 1 2\n0 1\n", Index, [2, 5], "found row offset 1, expected 2");
    case("3 3 2\n0 1 0 2\n0 1\n", Index, [2, 5], "found row offset 0, expected one from 1 to 2");
    case("2 3 2\n0 1 1\n0 1\n", Index, [2, 5], "found row offset 1, expected 2");
    case("2 3 2\n0 1\n0 1\n", Missing, [2, 4], "found the end of the line, expected a row offset");
    case("2 3 2\n0 1 2 2\n0 1\n", Trailing, [2, 7], "found 2, expected the end of the line");
    case("2 3 2\n0 1 2\n", TooFew, [3, 1], "found the end of the file, expected the column indices");
    case("2 3 2\n0 1 2\n0\n", Missing, [3, 2], "found the end of the line, expected a column index");
    case("2 3 2\n0 1 2\n0 3\n", Index, [3, 3], "found column index 3, expected one from 0 to 2");
    case("2 3 2\n0 1 2\n0 1 2\n", Trailing, [3, 5], "found 2, expected the end of the line");
    case("2 3 2\n0 1 2\n0 1\n2\n", TooMany, [4, 1], "found 2, expected the end of the file after the last entry");
}
