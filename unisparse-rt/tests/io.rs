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

/// Files that are read and written by their names.
mod by_name {
    use std::cell::RefCell;
    use std::path::PathBuf;
    use std::rc::Rc;

    use unisparse_rt::io::{self, ReadErrorKind};
    use unisparse_rt::{Pattern, SparseTensor, Triplets, observe};

    /// A file of this test, removed at the end.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Self {
            Temporary(std::env::temp_dir().join(format!("unisparse-io-{}-{name}", std::process::id())))
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn matrix() -> Triplets<f64, 2> {
        Triplets::try_from_triplets([5, 7], [([0, 6], 0.1), ([1, 0], -3.0), ([1, 4], 1e300), ([3, 2], 7.5)]).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let a = matrix();
        for name in ["a.mtx", "b.MTX", "c.mtx.gz", "d.tns", "e.tns.gz"] {
            let file = Temporary::new(name);
            io::write(&file.0, &a).unwrap();
            assert_eq!(io::read::<f64, 2>(&file.0).unwrap(), a, "{name}");
            let starts = std::fs::read(&file.0).unwrap();
            assert_eq!(starts.starts_with(&[0x1f, 0x8b]), name.ends_with(".gz"), "{name}");
        }
        let pattern = a.clone().map(|_| 1.0_f32);
        for name in ["f.smtx", "g.smtx.gz"] {
            let file = Temporary::new(name);
            io::write(&file.0, &a).unwrap();
            assert_eq!(io::read::<f32, 2>(&file.0).unwrap(), pattern, "{name}");
        }
        let ones = a.map(|_| Pattern::<f64>::new());
        let file = Temporary::new("h.tns");
        io::write_tns(&file.0, &ones).unwrap();
        assert_eq!(
            io::read::<Pattern<f64>, 2>(&file.0).unwrap_err().kind(),
            ReadErrorKind::Range
        );
        assert_eq!(io::read::<i8, 2>(&file.0).unwrap().values(), [1; 4]);
    }

    #[test]
    fn tensors_keep_their_shape() {
        let text = |tensor: &Triplets<i32, 3>| {
            let mut text = Vec::new();
            io::write_tns_to(&mut text, tensor).unwrap();
            let read: Triplets<i32, 3> = io::parse_tns(text.as_slice()).unwrap();
            assert_eq!(&read, tensor);
            String::from_utf8(text).unwrap()
        };
        let full = Triplets::try_from_triplets([2, 1, 3], [([1, 0, 0], 5), ([0, 0, 2], -6)]).unwrap();
        assert_eq!(text(&full), "2 1 1 5\n1 1 3 -6\n");
        let wide = Triplets::try_from_triplets([2, 9, 3], [([1, 0, 0], 5)]).unwrap();
        assert_eq!(text(&wide), "3\n2 9 3\n2 1 1 5\n");
        assert_eq!(text(&Triplets::new([4, 4, 4])), "3\n4 4 4\n");
        let none: Triplets<i32, 3> = Triplets::new([4, 0, 4]);
        let error = io::write_tns_to(&mut Vec::new(), &none).unwrap_err();
        assert_eq!(error.to_string(), "no `.tns` file has the shape [4, 0, 4]");
        let complex = Triplets::try_from_triplets([1], [([0], unisparse_rt::Complex64::new(1.0, 2.0))]).unwrap();
        assert!(io::write_tns_to(&mut Vec::new(), &complex).is_err());
    }

    #[test]
    fn rows_of_patterns_are_in_order() {
        let text = |matrix: &Triplets<f64, 2>| {
            let mut text = Vec::new();
            io::write_smtx_to(&mut text, matrix).unwrap();
            let read: Triplets<f64, 2> = io::parse_smtx(text.as_slice()).unwrap();
            assert_eq!((read.shape(), read.len()), (matrix.shape(), matrix.len()));
            String::from_utf8(text).unwrap()
        };
        let unsorted = Triplets::try_from_triplets([3, 4], [([2, 1], 2.0), ([0, 3], 3.0), ([2, 0], 4.0)]).unwrap();
        assert_eq!(text(&unsorted), "3, 4, 3\n0 1 1 3\n3 0 1\n");
        text(&Triplets::new([3, 4]));
        text(&Triplets::new([0, 4]));
    }

    #[test]
    fn other_names_and_dims_are_errors() {
        let kind = |name: &str| io::read::<f64, 3>(name).unwrap_err().kind();
        assert_eq!(kind("a.csv"), ReadErrorKind::Unsupported);
        assert_eq!(kind("a"), ReadErrorKind::Unsupported);
        assert_eq!(kind("a.gz"), ReadErrorKind::Unsupported);
        assert_eq!(kind("a.mtx"), ReadErrorKind::Arity);
        assert_eq!(kind("missing.tns"), ReadErrorKind::Io);
        let error = io::read::<f64, 2>("a.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.csv: found another name, expected a name that ends in `.mtx`, `.tns` or `.smtx`, or with `.gz` after these, or in `.npz`"
        );
        let error = io::write("a.csv", &matrix()).unwrap_err();
        assert!(
            error.to_string().starts_with("a.csv: expected a name that ends in"),
            "{error}"
        );
        let cube: Triplets<f64, 3> = Triplets::new([1, 1, 1]);
        assert!(io::write("a.mtx", &cube).unwrap_err().to_string().contains("`.tns`"));
        assert!(!std::path::Path::new("a.mtx").exists() && !std::path::Path::new("a.csv").exists());
    }

    #[cfg(feature = "npz")]
    #[test]
    fn archives_are_read_and_written_by_name() {
        let (a, file) = (matrix(), Temporary::new("a.npz"));
        io::write(&file.0, &a).unwrap();
        assert_eq!(io::read::<f64, 2>(&file.0).unwrap(), a);
        assert_eq!(io::read_npz::<f64, 2>(&file.0).unwrap(), a);
        assert_eq!(io::read::<i32, 2>(&file.0).unwrap_err().kind(), ReadErrorKind::Range);
        let wide = a.map(|_| 1_u128);
        assert!(io::write(&file.0, &wide).unwrap_err().to_string().contains("u128"));
    }

    #[test]
    fn reading_and_writing_report_progress() {
        let all = (0..40_000_usize).map(|at| ([at / 200, at % 200], at as f64));
        let (a, file) = (
            Triplets::try_from_triplets([200, 200], all).unwrap(),
            Temporary::new("p.mtx"),
        );
        let seen = Rc::new(RefCell::new(Vec::new()));
        let reported = |work: &dyn Fn()| {
            let to = Rc::clone(&seen);
            observe(
                move |progress| to.borrow_mut().push((progress.step, progress.done, progress.total)),
                work,
            );
            seen.take()
        };
        let steps = reported(&|| io::write(&file.0, &a).unwrap());
        assert!(
            steps.len() >= 3
                && steps
                    .iter()
                    .all(|(step, done, total)| *step == "write a file" && done <= total),
            "{steps:?}"
        );
        let bytes = std::fs::metadata(&file.0).unwrap().len() as usize;
        let steps = reported(&|| assert_eq!(io::read::<f64, 2>(&file.0).unwrap(), a));
        assert!(
            steps.len() > 3 && steps.iter().all(|(step, ..)| *step == "read a file"),
            "{steps:?}"
        );
        assert!(steps.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{steps:?}");
        assert_eq!(
            steps.last().map(|&(_, done, total)| (done, total)),
            Some((bytes, bytes))
        );
    }

    #[test]
    fn triplets_are_a_tensor() {
        fn generic<A: SparseTensor<2, Scalar = f64>>(a: &A) -> (usize, Option<f64>, Triplets<f64, 2>) {
            (a.nnz(), a.get([1, 4]), a.convert().unwrap())
        }
        let mut a = matrix();
        assert_eq!(generic(&a), (4, Some(1e300), a.clone()));
        assert_eq!(a.fiber([1]).collect::<Vec<_>>(), [([1, 0], -3.0), ([1, 4], 1e300)]);
        a.push([0, 0], 1.0).unwrap();
        a.push([0, 6], 0.4).unwrap();
        let sorted: Triplets<f64, 2> = a.convert().unwrap();
        assert_eq!(sorted.coordinates(), [[0, 0], [0, 6], [1, 0], [1, 4], [3, 2]]);
        assert_eq!(sorted.values(), [1.0, 0.5, -3.0, 1e300, 7.5]);
        let estimate = Triplets::<f64, 2>::estimate_of(&a).unwrap();
        assert_eq!((estimate.stored(), estimate.bytes()), (5, sorted.bytes() as u128));
        assert!(Triplets::<f64, 2>::advise(&a).unwrap().seconds() >= 0.0);
        a.update(|[i, _], value| value * i as f64).unwrap();
        assert_eq!(a.values(), [0.0, -3.0, 1e300, 22.5, 0.0, 0.0]);
        assert!(Triplets::<f64, 2>::describe().to_string().contains("idx[usize]"));
    }
}

#[test]
fn a_file_in_a_missing_folder_is_named() {
    let path = std::env::temp_dir()
        .join(format!("unisparse-missing-{}", std::process::id()))
        .join("a.mtx");
    let a: Triplets<f64, 2> = Triplets::try_from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    let error = unisparse_rt::io::write(&path, &a).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(
        error.to_string().starts_with(&format!("{}: ", path.display())),
        "{error}"
    );
}
