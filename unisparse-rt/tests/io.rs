//! The readers and the writer: every feature, every kind of error with its place, and every file of
//! the shared data.

#[path = "io/errors.rs"]
mod errors;
#[path = "io/files.rs"]
mod files;
#[path = "../../tests/common/data.rs"]
mod files_beside;
#[cfg(feature = "half")]
#[path = "io/halves.rs"]
mod halves;
#[path = "io/sources.rs"]
mod sources;
#[path = "io/tensors_and_patterns.rs"]
mod tensors_and_patterns;

use num_complex::Complex;
use std::fmt::Debug;
use std::io::Write;
use std::path::{Path, PathBuf};
use unisparse_rt::io::ReadErrorKind::{self, *};
use unisparse_rt::io::{
    ReadError, ReadScalar, parse_matrix_market, parse_smtx, parse_tns, read_matrix_market, read_smtx, read_tns,
};
use unisparse_rt::{Scalar, Triplets};

type Complex64 = Complex<f64>;

fn mtx<T: ReadScalar>(text: &str) -> Result<Triplets<T, 2>, ReadError> {
    parse_matrix_market(text.as_bytes())
}

/// The entries of a matrix, in the order of the file.
fn entries<T: Scalar>(matrix: &Triplets<T, 2>) -> Vec<(usize, usize, T)> {
    matrix
        .iter()
        .map(|([row, column], value)| (row, column, value))
        .collect()
}

/// Checks that `text` reads as these entries in this shape.
#[track_caller]
fn reads<T: ReadScalar>(text: &str, shape: [usize; 2], expected: &[(usize, usize, T)]) {
    let matrix = mtx::<T>(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(matrix.shape(), shape, "{text:?}");
    assert_eq!(entries(&matrix), expected, "{text:?}");
}

/// Checks that a result is an error of this kind, at this line and column, with this message.
#[track_caller]
fn refused<V: Debug>(result: Result<V, ReadError>, kind: ReadErrorKind, [line, column]: [usize; 2], message: &str) {
    let error = result.expect_err(message);
    assert_eq!(error.to_string(), format!("line {line}, column {column}: {message}"));
    assert_eq!((error.kind(), error.line(), error.column()), (kind, line, column));
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A coordinate file of 3 rows and 3 columns with these lines behind its size line.
fn body(field: &str, symmetry: &str, count: usize, lines: &str) -> String {
    format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n3 3 {count}\n{lines}")
}

#[test]
fn coordinate_files() {
    reads(
        &body("real", "general", 2, "1 2 1.5\n3 1 -2\n"),
        [3, 3],
        &[(0, 1, 1.5), (2, 0, -2.0)],
    );
    reads(
        &body("pattern", "general", 2, "1 2\n3 1"),
        [3, 3],
        &[(0, 1, 1_u8), (2, 0, 1)],
    );
    reads(
        &body("complex", "general", 1, "1 2 3 -4\n"),
        [3, 3],
        &[(0, 1, Complex64::new(3.0, -4.0))],
    );
    for field in ["real", "double", "integer", "unsigned-integer", "REAL"] {
        reads(&body(field, "general", 1, "3 3 7\n"), [3, 3], &[(2, 2, 7_i64)]);
    }
    // Explicit zeros stay, and so do duplicates.
    let text = body("integer", "general", 3, "1 1 0\n2 2 5\n2 2 6\n");
    reads(&text, [3, 3], &[(0, 0, 0), (1, 1, 5), (1, 1, 6)]);
    reads::<f64>("%%MatrixMarket matrix coordinate real general\n0 7 0\n", [0, 7], &[]);
}

#[test]
fn symmetric_files() {
    let lower = "1 1 5\n3 1 2\n";
    reads(
        &body("real", "symmetric", 2, lower),
        [3, 3],
        &[(0, 0, 5.0), (2, 0, 2.0), (0, 2, 2.0)],
    );
    reads(
        &body("real", "skew-symmetric", 1, "3 1 2\n"),
        [3, 3],
        &[(2, 0, 2), (0, 2, -2)],
    );
    reads(
        &body("pattern", "symmetric", 1, "3 1\n"),
        [3, 3],
        &[(2, 0, true), (0, 2, true)],
    );
    // Above the diagonal it is the same; the diagonal is taken as it stands.
    reads(
        &body("real", "symmetric", 1, "1 3 2\n"),
        [3, 3],
        &[(0, 2, 2.0), (2, 0, 2.0)],
    );
    reads(&body("real", "skew-symmetric", 1, "2 2 30\n"), [3, 3], &[(1, 1, 30.0)]);
    let (z, real) = (Complex64::new(1.0, 2.0), Complex64::new(4.0, 0.0));
    let text = "2 1 1 2\n3 3 1 2\n";
    reads(
        &body("complex", "hermitian", 2, text),
        [3, 3],
        &[(1, 0, z), (0, 1, z.conj()), (2, 2, z)],
    );
    reads(
        &body("complex", "symmetric", 1, "2 1 1 2"),
        [3, 3],
        &[(1, 0, z), (0, 1, z)],
    );
    reads(
        &body("complex", "skew-symmetric", 1, "2 1 1 2"),
        [3, 3],
        &[(1, 0, z), (0, 1, -z)],
    );
    reads(
        &body("real", "hermitian", 1, "2 1 4"),
        [3, 3],
        &[(1, 0, real), (0, 1, real)],
    );
    reads(
        &body("real", "hermitian", 1, "2 1 4"),
        [3, 3],
        &[(1, 0, 4.0), (0, 1, 4.0)],
    );
}

#[test]
fn array_files() {
    let array = |rest: &str| format!("%%MatrixMarket matrix array {rest}");
    let text = array("real general\n2 3\n1\n2\n0\n-0.0\n5\n6\n");
    reads(&text, [2, 3], &[(0, 0, 1.0), (1, 0, 2.0), (0, 2, 5.0), (1, 2, 6.0)]);
    let text = array("integer symmetric\n2 2\n1\n2\n3\n");
    reads(&text, [2, 2], &[(0, 0, 1), (1, 0, 2), (0, 1, 2), (1, 1, 3)]);
    let text = array("integer skew-symmetric\n3 3\n1\n0\n3\n");
    reads(&text, [3, 3], &[(1, 0, 1), (0, 1, -1), (2, 1, 3), (1, 2, -3)]);
    let (real, z) = (Complex64::new(1.0, 0.0), Complex64::new(2.0, 3.0));
    let text = array("complex hermitian\n2 2\n1 0\n2 3\n0 0\n");
    reads(&text, [2, 2], &[(0, 0, real), (1, 0, z), (0, 1, z.conj())]);
    reads::<f64>(&array("real general\n0 18446744073709551615\n"), [0, usize::MAX], &[]);
    reads::<f64>(&array("real skew-symmetric\n1 1\n"), [1, 1], &[]);
}

#[test]
fn vectors_are_matrices_of_one_column() {
    let text = "%%MatrixMarket vector coordinate real general\n4 2\n1 101\n4 404\n";
    reads(text, [4, 1], &[(0, 0, 101.0), (3, 0, 404.0)]);
    reads(
        "%%MatrixMarket vector coordinate pattern general\n4 1\n2\n",
        [4, 1],
        &[(1, 0, 1.0)],
    );
    let text = "%%MatrixMarket vector array integer general\n3\n7\n0\n9\n";
    reads(text, [3, 1], &[(0, 0, 7), (2, 0, 9)]);
}

#[test]
fn free_layout() {
    let text = "\n \t%%matrixmarket  MATRIX\tCoordinate Real  General \r\n%c\r\n\r\n\t% c\r\n\
                \t3 +3  2 \r\n\r\n% c\r\n  1\t2 \x0c 7\r\n\r\n%\r\n +3 01 +8 \r\n \r\n% end";
    reads(text, [3, 3], &[(0, 1, 7.0), (2, 0, 8.0)]);
    reads(
        "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2",
        [1, 1],
        &[(0, 0, 2.0)],
    );
    // Lines may be longer than any buffer, only a word may not.
    let blanks = " ".repeat(200_000);
    let text = body(
        "real",
        "general",
        1,
        &format!("%{blanks}\n{blanks}1{blanks}2{blanks}7{blanks}"),
    );
    reads(&text, [3, 3], &[(0, 1, 7.0)]);
    let long = body("real", "general", 1, &format!("3 3 {}\n", "1".repeat(70_000)));
    let message = format!("found {}..., expected at most 64 KiB without a blank", "1".repeat(40));
    let error = mtx::<f64>(&long).unwrap_err();
    assert_eq!(error.to_string(), format!("line 3, column 5: {message}"));
    assert_eq!(error.kind(), TooLong);
}

#[test]
fn numbers() {
    fn one<T: ReadScalar>(number: &str) -> Result<T, ReadErrorKind> {
        mtx::<T>(&body("real", "general", 1, &format!("1 1 {number}")))
            .map(|matrix| matrix.values()[0])
            .map_err(|error| error.kind())
    }
    for (text, value) in [
        ("1e5", 1e5),
        ("1d5", 1e5),
        ("-1.5D-3", -1.5e-3),
        ("+3", 3.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("inf", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("1.7976931348623158e308", f64::MAX),
        ("1e-999", 0.0),
        ("0e99999999999", 0.0),
        ("0.1", 0.1),
    ] {
        assert_eq!(one(text), Ok(value), "{text}");
    }
    assert!(one::<f64>("NaN").unwrap().is_nan());
    assert_eq!(one("0.1"), Ok(0.1_f32));
    // What does not fit is refused, but for infinities that are spelled out.
    assert_eq!((one("-inf"), one("1e38")), (Ok(f32::NEG_INFINITY), Ok(1e38_f32)));
    for text in ["1e39", "-3.5D38", "340282356779733661637539395458142568448"] {
        assert_eq!(one::<f32>(text), Err(Range), "{text}");
        assert_eq!(one::<Complex<f32>>(text), Err(Range), "{text}");
    }
    for text in ["1e310", "-1E310", "1d99999999999", "1.7976931348623159e308"] {
        assert_eq!(one::<f64>(text), Err(Range), "{text}");
        assert_eq!(one::<Complex64>(text), Err(Range), "{text}");
    }

    assert_eq!(one("-128"), Ok(-128_i8));
    assert_eq!(one("-0"), Ok(0_u8));
    assert_eq!(one("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(one("-9223372036854775808.000"), Ok(i64::MIN));
    assert_eq!(one(&format!("{}.0", i128::MIN)), Ok(i128::MIN));
    assert_eq!(one("1.20e2"), Ok(120_i32));
    assert_eq!(one("1200d-2"), Ok(12_i32));
    assert_eq!(one(&format!("7.{}", "0".repeat(100))), Ok(7_u8));
    assert_eq!(one("0e-999999999"), Ok(0_u8));
    assert_eq!((one("0e99999999999"), one("-0.0d-99999999999")), (Ok(0_u8), Ok(0_i64)));
    assert_eq!(one(&format!("1{}e-60", "0".repeat(61))), Ok(10_u8));
    assert_eq!(one("0e99999999999"), Ok(false));
    for text in [
        "256",
        "-1",
        "1.5",
        "15e-1",
        "inf",
        "nan",
        "1e99999",
        "1e99999999999",
        "300.0",
    ] {
        assert_eq!(one::<u8>(text), Err(Range), "{text}");
    }
    assert_eq!(one::<i64>("9223372036854775808"), Err(Range));
    assert_eq!(one::<i64>("1.00000000000000000001"), Err(Range));
    assert_eq!((one("0"), one("1.0")), (Ok(false), Ok(true)));
    assert_eq!(one::<bool>("2"), Err(Range));
    assert_eq!(one("2.5"), Ok(Complex::new(2.5_f32, 0.0)));
    for text in ["one", "--1", "1e", "e", ".", "0x10", "1,5", "1_0", "\u{0}", "π"] {
        assert_eq!(one::<f64>(text), Err(Number), "{text}");
        assert_eq!(one::<i32>(text), Err(Number), "{text}");
    }
}
