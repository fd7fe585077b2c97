//! Files by their path, gzip, and writing.

use super::*;
use std::error::Error;
use std::io::Read;
use unisparse_rt::io::{WriteScalar, write_matrix_market, write_matrix_market_to};

#[test]
fn files_by_path() {
    let matrix: Triplets<f64, 2> = read_matrix_market(data("small.mtx")).unwrap();
    assert_eq!((matrix.shape(), matrix.len()), ([5, 4], 6));
    let tensor: Triplets<f64, 3> = read_tns(data("small.tns")).unwrap();
    assert_eq!((tensor.shape(), tensor.len()), ([3, 2, 4], 3));
    let pattern: Triplets<bool, 2> = read_smtx(data("small.smtx")).unwrap();
    assert_eq!(pattern.coordinates(), [[0, 1], [0, 3], [2, 0], [2, 2]]);

    let path = data("bad_index.mtx");
    let error = read_matrix_market::<f64>(&path).unwrap_err();
    let message = "4:3: found column index 4, expected one from 1 to 3";
    assert_eq!(error.to_string(), format!("{}:{message}", path.display()));
    assert_eq!(error.path(), Some(path.as_path()));
    assert_eq!((error.found(), error.expected()), ("column index 4", "one from 1 to 3"));

    let error = read_tns::<f64, 3>(data("no such file")).unwrap_err();
    assert_eq!((error.kind(), error.line(), error.column()), (Io, 0, 0));
    assert!(error.source().is_some());
    assert!(error.to_string().contains("no such file: "), "{error}");
}

/// One gzip member with this content.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_is_known_by_its_content() {
    let text = std::fs::read(data("small.mtx")).unwrap();
    let plain: Triplets<f64, 2> = parse_matrix_market(&text[..]).unwrap();
    let members = [gzip(&text[..60]), gzip(b""), gzip(&text[60..])].concat();
    assert_eq!(parse_matrix_market::<f64, _>(&members[..]).unwrap(), plain);
    // The name does not matter, nor does how few bytes come at a time.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gzip_without_saying_so.mtx");
    std::fs::write(&path, &members).unwrap();
    assert_eq!(read_matrix_market::<f64>(&path).unwrap(), plain);
    assert_eq!(parse_matrix_market::<f64, _>(OneByOne(&members)).unwrap(), plain);
    assert_eq!(parse_matrix_market::<f64, _>(OneByOne(&text)).unwrap(), plain);

    let tensor: Triplets<f64, 3> = parse_tns(&gzip(b"1 1 1 1\n")[..]).unwrap();
    assert_eq!(tensor.shape(), [1; 3]);
    let pattern: Triplets<f64, 2> = parse_smtx(&gzip(b"1 1 1\n0 1\n0\n")[..]).unwrap();
    assert_eq!(pattern.shape(), [1; 2]);

    let packed = gzip(&text);
    let error = parse_matrix_market::<f64, _>(&packed[..packed.len() / 2]).unwrap_err();
    assert_eq!(error.kind(), Io);
    assert!(error.line() > 0 && error.source().is_some(), "{error:?}");
}

/// A reader that gives a byte at a time.
struct OneByOne<'a>(&'a [u8]);

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn what_is_written_reads_back() {
    fn round_trip<T: ReadScalar + WriteScalar>(field: &str, values: &[T]) {
        let mut matrix = Triplets::new([2, values.len()]);
        for (column, &value) in values.iter().enumerate() {
            matrix.push([column % 2, column], value).unwrap();
        }
        let mut text = Vec::new();
        write_matrix_market_to(&mut text, &matrix).unwrap();
        let banner = format!(
            "%%MatrixMarket matrix coordinate {field} general\n2 {0} {0}\n",
            values.len()
        );
        assert!(text.starts_with(banner.as_bytes()));
        assert_eq!(parse_matrix_market::<T, _>(&text[..]).unwrap(), matrix);
    }
    round_trip(
        "real",
        &[
            0.1,
            -0.0,
            1e300,
            f64::MIN_POSITIVE,
            f64::NEG_INFINITY,
            5e-324,
            123456.75,
        ],
    );
    round_trip("real", &[0.1_f32, f32::MAX, f32::MIN_POSITIVE, 16777216.0]);
    round_trip("integer", &[i128::MIN, 0, i128::MAX]);
    round_trip("integer", &[u8::MAX, 0]);
    round_trip("integer", &[true, false]);
    round_trip(
        "complex",
        &[Complex64::new(0.1, -1e-9), Complex64::new(0.0, f64::INFINITY)],
    );
    #[cfg(feature = "half")]
    round_trip(
        "real",
        &[half::f16::MAX, half::f16::MIN_POSITIVE, half::f16::from_f64(0.1)],
    );
    #[cfg(feature = "half")]
    round_trip(
        "real",
        &[half::bf16::MAX, half::bf16::MIN_POSITIVE, half::bf16::from_f64(0.1)],
    );

    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("written.mtx");
    let matrix: Triplets<f64, 2> = read_matrix_market(data("small.mtx")).unwrap();
    write_matrix_market(&path, &matrix).unwrap();
    assert_eq!(read_matrix_market::<f64>(&path).unwrap(), matrix);
    assert!(write_matrix_market(path.join("not a directory"), &matrix).is_err());
}
