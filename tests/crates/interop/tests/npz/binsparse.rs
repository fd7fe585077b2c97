//! Files of Binsparse: ours read again, and by the reference implementation; files by hand, as others may write them; faults.

use super::{Four, Rows, Tiles, Vector, elements, python, run};
use proptest::prelude::{ProptestConfig, Strategy, any, prop, proptest};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::env;
use std::fs;
use std::io::Write;
use unisparse::io::{self, Binsparse, BinsparseFormat, BinsparseLevel, ReadErrorKind};
use unisparse::prelude::*;
use unisparse::proptest::tensors;
use unisparse::{Complex64, Pattern, f16};

use BinsparseLevel::{Dense, Sparse};

sparse_format! {
    format Slices = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(y..=z); }
    format Permuted = |i, j, k| (z: k, x: i, y: j) { merge(z); trim(z..=y); }
}

const NAMES: [&str; 10] = [
    "DMATR", "DMAT", "DMATC", "CSR", "CSC", "DCSR", "DCSC", "COOR", "COO", "COOC",
];

fn bytes<F: SparseTensor<N, Scalar = f64>, const N: usize>(a: &F, format: &BinsparseFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_binsparse_to(&mut bytes, a, format).unwrap();
    bytes
}

fn named(name: &str) -> BinsparseFormat {
    BinsparseFormat::named(name).unwrap()
}

/// All formats with the dims in this order.
fn formats(order: &[usize]) -> Vec<BinsparseFormat> {
    fn levels(dims: usize) -> Vec<Vec<BinsparseLevel>> {
        let mut all = if dims == 0 { vec![vec![]] } else { vec![] };
        for first in 1..=dims {
            for rest in levels(dims - first) {
                all.extend([Dense(first), Sparse(first)].map(|level| [&[level][..], &rest].concat()));
            }
        }
        all
    }
    let format = |levels| BinsparseFormat::new(levels, order).unwrap();
    levels(order.len()).into_iter().map(format).collect()
}

fn nonzero<const N: usize>(a: &impl Source<N, Scalar = f64>) -> Vec<([usize; N], f64)> {
    elements(a).into_iter().filter(|&(_, value)| value != 0.0).collect()
}

/// Whether a format stores nothing but what a tensor holds.
fn is_exact(format: &BinsparseFormat) -> bool {
    matches!(format.levels().last(), None | Some(Sparse(_)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn matrices_are_read_as_written(a in tensors::<2, _>((-4i8..=4).prop_map(f64::from)).extents(0..=20)) {
        for name in NAMES {
            let read = Binsparse::<f64, 2>::parse(&bytes(&a, &named(name))[..]).unwrap();
            assert_eq!((read.format.name(), read.fill), (named(name).name(), None));
            assert_eq!(read.elements.shape(), a.shape());
            if is_exact(&read.format) {
                assert_eq!(elements(&read.elements), elements(&a), "{name}");
            } else {
                assert_eq!(read.elements.len(), a.shape()[0] * a.shape()[1], "{name}");
                assert_eq!(nonzero(&read.elements), nonzero(&a), "{name}");
            }
        }
    }

    #[test]
    fn tensors_are_read_as_written(a in tensors::<3, _>((-4i8..=4).prop_map(f64::from)).extents(0..=5).with_duplicates(), seed in 0..6usize) {
        let order = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]][seed];
        let sums: Csf<f64> = a.convert().unwrap();
        for format in formats(&order) {
            let read = Binsparse::<f64, 3>::parse(&bytes(&a, &format)[..]).unwrap();
            assert_eq!(read.format, format);
            assert_eq!(nonzero(&read.elements), nonzero(&sums), "{format:?}");
            assert!(!is_exact(&format) || elements(&read.elements) == elements(&sums), "{format:?}");
        }
    }

    #[test]
    fn files_with_faults_are_refused_or_read(seed in prop::collection::vec(any::<(usize, u8)>(), 1..6), kind in 0..8usize) {
        let a = Csf::try_from_triplets([4, 6, 2], [([0, 1, 0], 1.0), ([0, 5, 1], 2.0), ([3, 2, 0], 3.0)]).unwrap();
        let mut bytes = bytes(&a, &formats(&[1, 0, 2])[kind]);
        let length = bytes.len();
        seed.iter().for_each(|&(at, byte)| bytes[at % length] = byte);
        if let Ok(read) = io::parse_npz::<f64, 3, _>(&bytes[..]) {
            assert!(read.coordinates().iter().all(|at| at.iter().zip(read.shape()).all(|(at, extent)| *at < extent)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    // Archives that are whole, with descriptors and arrays that fit each other seldom.
    #[test]
    fn elements_that_are_read_are_inside_the_shape(
        shape in [0..4u64, 0..4u64],
        name in prop::sample::select(&NAMES[..]),
        structure in prop::sample::select(&["", "symmetric_lower", "skew_symmetric_upper", "hermitian_lower"][..]),
        stored in 0..4usize,
        values in prop::sample::select(&[("float64", "<f8"), ("iso[float64]", "<f8"), ("bint8", "|u1"), ("float64", "<U0"), ("float64", "<U2")][..]),
        arrays in prop::collection::vec(prop::collection::vec(0..4u64, 0..5), 3),
    ) {
        let structure = if structure.is_empty() { String::new() } else { format!(r#", "structure": "{structure}""#) };
        let descriptor = csr(stored, values.0, &structure)
            .replace("CSR", name)
            .replace("[3, 3]", &format!("{shape:?}"));
        let count = if values.0.starts_with("iso") { 1 } else { stored };
        let width = if values.1.starts_with("<U") { 8 } else { values.1[2..].parse().unwrap() };
        let bytes = by_hand(&descriptor, &[
            ("pointers_to_1", "<u8", u64s(&arrays[0])),
            ("indices_0", "<u8", u64s(&arrays[1])),
            ("indices_1", "<u8", u64s(&arrays[2])),
            ("values", values.1, vec![0; count * width]),
        ]);
        if let Ok(read) = io::parse_npz::<f64, 2, _>(&bytes[..]) {
            assert!(read.coordinates().iter().all(|at| at.iter().zip(read.shape()).all(|(at, extent)| *at < extent)));
            assert!(!values.1.starts_with("<U"), "text is no number");
        }
    }
}

#[test]
fn nearest_formats_follow_from_the_levels() {
    let nearest = |format: BinsparseFormat| (format.name(), format.levels().to_vec(), format.order().to_vec());
    assert_eq!(nearest(BinsparseFormat::nearest::<Csr<f64>>()).0, Some("CSR"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Rows<f64>>()).0, Some("CSR"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Csc<f64>>()).0, Some("CSC"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Dcsr<f64>>()).0, Some("DCSR"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Dcsc<f64>>()).0, Some("DCSC"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Coo<f64>>()).0, Some("COOR"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Triplets<f64, 2>>()).0, Some("COOR"));
    assert_eq!(nearest(BinsparseFormat::nearest::<Vector<f64>>()).0, Some("CVEC"));
    for others in [
        BinsparseFormat::nearest::<Dia<f64>>(),
        BinsparseFormat::nearest::<Tiles<f64>>(),
        BinsparseFormat::nearest::<Ell<f64>>(),
        BinsparseFormat::nearest::<BdiaCsr<f64>>(),
    ] {
        assert_eq!(others.name(), Some("COOR"));
    }
    let csf = (None, vec![Sparse(1); 3], vec![0, 1, 2]);
    assert_eq!(nearest(BinsparseFormat::nearest::<Csf<f64>>()), csf);
    let slices = (None, vec![Dense(1), Sparse(1), Sparse(1)], vec![0, 1, 2]);
    assert_eq!(nearest(BinsparseFormat::nearest::<Slices<f64>>()), slices);
    let permuted = (None, vec![Sparse(1), Sparse(2)], vec![2, 0, 1]);
    assert_eq!(nearest(BinsparseFormat::nearest::<Permuted<f64>>()), permuted);
    assert_eq!(BinsparseFormat::nearest::<Four<f64>>().levels(), [Sparse(4)]);
    assert_eq!(BinsparseFormat::new([Sparse(1), Dense(1)], [0, 0]), None);
    assert_eq!(BinsparseFormat::new([Sparse(0), Dense(1)], [0]), None);
    assert_eq!(BinsparseFormat::new([Sparse(usize::MAX), Dense(1)], [0]), None);
}

#[test]
fn names_of_files_choose_binsparse() {
    let path = env::temp_dir().join(format!("unisparse-by-name-{}.bsp.npz", std::process::id()));
    let a = Dcsc::try_from_triplets([3, 4], [([0, 1], 1.5), ([2, 1], 2.0), ([2, 3], -1.0)]).unwrap();
    io::write(&path, &a).unwrap();
    let file = Binsparse::<f64, 2>::parse(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(file.format.name(), Some("DCSC"));
    let read: Triplets<f64, 2> = io::read(&path).unwrap();
    assert_eq!(elements(&read), elements(&a));
    io::write_binsparse_as(&path, &a, &named("COOC")).unwrap();
    assert_eq!(
        io::read_npz::<f64, 2>(&path).unwrap().coordinates(),
        [[0, 1], [2, 1], [2, 3]]
    );
    fs::remove_file(path).unwrap();
}

/// A file with this descriptor and these arrays: the name, the type, and the bytes of the entries.
fn by_hand(descriptor: &str, arrays: &[(&str, &str, Vec<u8>)]) -> Vec<u8> {
    let text: Vec<u8> = descriptor
        .chars()
        .flat_map(|point| u32::from(point).to_le_bytes())
        .collect();
    let descr = format!("<U{}", descriptor.chars().count());
    let mut zip = ZipArchiveWriter::new(Vec::new());
    let mut array = |name: &str, descr: &str, bytes: &[u8], shape: &str| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let file = format!("{name}.npy");
        let (mut entry, config) = zip
            .new_file(&file)
            .compression_method(CompressionMethod::STORE)
            .start()
            .unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(b"\x93NUMPY\x01\x00").unwrap();
        writer.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        writer.write_all(header.as_bytes()).unwrap();
        writer.write_all(bytes).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    };
    array("binsparse", &descr, &text, "");
    for (name, descr, bytes) in arrays {
        let width: usize = descr[2..].parse().unwrap();
        let width = if descr.contains('U') { 4 * width } else { width };
        // Text without characters has as many entries as one says.
        let count = bytes.len().checked_div(width).unwrap_or(1 << 60);
        array(name, descr, bytes, &format!("{count},"));
    }
    zip.finish().unwrap()
}

fn u64s(entries: &[u64]) -> Vec<u8> {
    entries.iter().flat_map(|entry| entry.to_le_bytes()).collect()
}

fn f64s(entries: &[f64]) -> Vec<u8> {
    entries.iter().flat_map(|entry| entry.to_le_bytes()).collect()
}

/// A descriptor of a `CSR` matrix of 3 x 3 with these other members.
fn csr(stored: usize, values: &str, others: &str) -> String {
    format!(
        r#"{{"author": "ä", "binsparse": {{"version": "0.1", "format": "CSR", "shape": [3, 3], "number_of_stored_values": {stored},
            "data_types": {{"pointers_to_1": "uint64", "indices_1": "uint64", "values": "{values}"}} {others}}}}}"#
    )
}

fn of_csr(descriptor: &str, pointers: &[u64], indices: &[u64], descr: &str, values: Vec<u8>) -> Vec<u8> {
    let arrays = [
        ("pointers_to_1", "<u8", u64s(pointers)),
        ("indices_1", "<u8", u64s(indices)),
        ("values", descr, values),
    ];
    by_hand(descriptor, &arrays)
}

#[test]
fn triangles_get_their_other_half() {
    let file = |structure: &str, indices: &[u64]| {
        let descriptor = csr(3, "float64", &format!(r#", "structure": "{structure}""#));
        let bytes = of_csr(&descriptor, &[0, 1, 2, 3], indices, "<f8", f64s(&[1.0, 2.0, 3.0]));
        io::parse_npz::<f64, 2, _>(&bytes[..]).map(|read| elements(&read))
    };
    let half = |value| vec![([0, 0], 1.0), ([0, 1], value * 2.0), ([1, 0], 2.0), ([2, 2], 3.0)];
    assert_eq!(file("symmetric_lower", &[0, 0, 2]).unwrap(), half(1.0));
    assert_eq!(file("skew_symmetric_lower", &[0, 0, 2]).unwrap(), half(-1.0));
    let upper = vec![([0, 2], 1.0), ([1, 1], 2.0), ([2, 0], 1.0), ([2, 2], 3.0)];
    assert_eq!(file("symmetric_upper", &[2, 1, 2]).unwrap(), upper);
    assert_eq!(file("hermitian_upper", &[2, 1, 2]).unwrap(), upper);
    let wrong = file("symmetric_upper", &[2, 0, 2]).unwrap_err();
    assert_eq!(wrong.kind(), ReadErrorKind::Index);
    assert!(wrong.to_string().contains("the element in row 1, column 0"), "{wrong}");

    let descriptor = csr(2, "complex[float64]", r#", "structure": "hermitian_lower""#);
    let bytes = of_csr(&descriptor, &[0, 1, 1, 2], &[0, 1], "<f8", f64s(&[1.0, 0.0, 2.0, 3.0]));
    let read: Triplets<Complex64, 2> = io::parse_npz(&bytes[..]).unwrap();
    let read: Coo<Complex64> = read.convert().unwrap();
    let expected = [([0, 0], (1.0, 0.0)), ([1, 2], (2.0, -3.0)), ([2, 1], (2.0, 3.0))];
    let expected = expected.map(|(at, (real, imaginary))| (at, Complex64::new(real, imaginary)));
    assert!(read.iter().eq(expected));

    let descriptor = csr(1, "uint64", r#", "structure": "skew_symmetric_lower""#);
    let bytes = of_csr(&descriptor, &[0, 0, 1, 1], &[0], "<u8", u64s(&[7]));
    let wrong = io::parse_npz::<f64, 2, _>(&bytes[..]).unwrap_err();
    assert_eq!(wrong.kind(), ReadErrorKind::Range);
}

#[test]
fn values_of_all_kinds_are_read() {
    let read = |values: &str, descr: &str, bytes: Vec<u8>, others: &str, add: u64| {
        let pointers = [0, 2, 2, 3].map(|pointer| pointer + add);
        let indices = [0, 2, 1].map(|index| index + add);
        let file = of_csr(&csr(3, values, others), &pointers, &indices, descr, bytes);
        io::parse_npz::<f64, 2, _>(&file[..]).map(|read| read.values().to_vec())
    };
    assert_eq!(
        read("float64", "<f8", f64s(&[1.0, 2.0, 3.0]), "", 0).unwrap(),
        [1.0, 2.0, 3.0]
    );
    assert_eq!(read("iso[float64]", "<f8", f64s(&[7.0]), "", 0).unwrap(), [7.0; 3]);
    assert_eq!(read("bint8", "|u1", vec![1, 0, 5], "", 0).unwrap(), [1.0, 0.0, 1.0]);
    assert_eq!(read("iso[int8]", "|i1", vec![0xff], "", 0).unwrap(), [-1.0; 3]);
    let one = r#", "index_base": 1"#;
    assert_eq!(
        read("float64", "<f8", f64s(&[1.0, 2.0, 3.0]), one, 1).unwrap(),
        [1.0, 2.0, 3.0]
    );
    let error = read("float64", "<f8", f64s(&[1.0, 2.0, 3.0]), one, 0).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Index);
    let real = read("complex[float64]", "<f8", f64s(&[1.0, 0.0, 2.0, 0.0, 3.0, 0.0]), "", 0).unwrap();
    assert_eq!(real, [1.0, 2.0, 3.0]);
    let error = read("iso[complex[float64]]", "<f8", f64s(&[1.0, 2.0]), "", 0).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Range);
}

#[test]
fn fill_values_are_kept_or_refused() {
    let file = |value: f64| {
        let descriptor = csr(1, "float64", r#", "fill": true"#);
        let arrays = [
            ("pointers_to_1", "<u8", u64s(&[0, 1, 1, 1])),
            ("indices_1", "<u8", u64s(&[2])),
            ("values", "<f8", f64s(&[4.0])),
            ("fill_value", "<f8", f64s(&[value])),
        ];
        by_hand(&descriptor, &arrays)
    };
    assert_eq!(io::parse_npz::<f64, 2, _>(&file(0.0)[..]).unwrap().values(), [4.0]);
    let error = io::parse_npz::<f64, 2, _>(&file(f64::INFINITY)[..]).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Unsupported);
    assert!(error.to_string().contains("the fill value inf"), "{error}");
    let read = Binsparse::<f64, 2>::parse(&file(f64::INFINITY)[..]).unwrap();
    assert_eq!(read.fill, Some(f64::INFINITY));
    let mut again = Vec::new();
    read.write_to(&mut again).unwrap();
    assert_eq!(Binsparse::<f64, 2>::parse(&again[..]).unwrap(), read);

    // A pattern reads as one wherever it has an element: other fill values are none of it.
    let pattern = |fill: f64| {
        let descriptor = csr(1, "float64", r#", "fill": true"#);
        let arrays = [
            ("pointers_to_1", "<u8", u64s(&[0, 1, 1, 1])),
            ("indices_1", "<u8", u64s(&[2])),
            ("values", "<f8", f64s(&[1.0])),
            ("fill_value", "<f8", f64s(&[fill])),
        ];
        io::parse_npz::<Pattern<f64>, 2, _>(&by_hand(&descriptor, &arrays)[..])
    };
    assert_eq!(pattern(0.0).unwrap().coordinates(), [[0, 2]]);
    assert_eq!(pattern(2.0).unwrap_err().kind(), ReadErrorKind::Range);
}

#[test]
fn what_is_not_a_file_is_refused() {
    let read = |descriptor: &str, pointers: &[u64], indices: &[u64], count: usize| {
        let bytes = of_csr(descriptor, pointers, indices, "<f8", f64s(&vec![1.0; count]));
        let error = io::parse_npz::<f64, 2, _>(&bytes[..]).unwrap_err();
        (error.kind(), error.to_string())
    };
    let good = csr(2, "float64", "");
    let is = |(kind, text): (ReadErrorKind, String), expected, part: &str| {
        assert!(kind == expected && text.contains(part), "{kind:?}: {text}");
    };
    use ReadErrorKind::{Arity, Banner, Index, Size, Unsupported};
    is(read("{", &[0, 1, 2, 2], &[0, 1], 2), Banner, "expected JSON");
    is(read("{}", &[0, 1, 2, 2], &[0, 1], 2), Banner, "no `version`");
    is(
        read(&good.replace("0.1", "1.0"), &[0, 1, 2, 2], &[0, 1], 2),
        Unsupported,
        "version 1.0",
    );
    is(
        read(&good.replace("CSR", "BSR"), &[0, 1, 2, 2], &[0, 1], 2),
        Banner,
        "the `format` Text(\"BSR\")",
    );
    is(
        read(&good.replace("CSR", "CVEC"), &[0, 1, 2, 2], &[0, 1], 2),
        Banner,
        "2 dims",
    );
    is(
        read(&good.replace("[3, 3]", "[3, -3]"), &[0, 1, 2, 2], &[0, 1], 2),
        Banner,
        "the `shape` List(",
    );
    is(
        read(&good.replace("[3, 3]", "[3]"), &[0, 1, 2, 2], &[0, 1], 2),
        Banner,
        "1 dims",
    );
    is(
        read(&good.replace("\"float64\"", "\"float16\""), &[0, 1, 2, 2], &[0, 1], 2),
        Banner,
        "`data_types`",
    );
    is(
        read(
            &csr(2, "float64", r#", "structure": "lower""#),
            &[0, 1, 2, 2],
            &[0, 1],
            2,
        ),
        Banner,
        "`structure`",
    );
    // The other half of (0, 0) to (2, 1) would be outside of two columns.
    let wide = csr(2, "float64", r#", "structure": "symmetric_lower""#).replace("[3, 3]", "[3, 2]");
    is(read(&wide, &[0, 1, 1, 2], &[0, 1], 2), Banner, "a square matrix");
    is(
        read(&good, &[0, 1, 2], &[0, 1], 2),
        Size,
        "2 positions in the array `pointers_to_1`",
    );
    is(read(&good, &[0, 2, 1, 2], &[0, 1], 2), Index, "`pointers_to_1`");
    is(read(&good, &[0, 1, 2, 3], &[0, 1], 2), Index, "`pointers_to_1`");
    is(
        read(&good, &[0, 1, 2, 2], &[0, 3], 2),
        Index,
        "index 3 in position 1 of the array `indices_1`",
    );
    is(
        read(&good, &[0, 1, 2, 2], &[0, 1], 3),
        Size,
        "3 entries in the array `values`",
    );
    is(
        read(&csr(3, "float64", ""), &[0, 1, 2, 2], &[0, 1], 3),
        Size,
        "2 positions of the last level",
    );
    let bytes = of_csr(&good, &[0, 1, 2, 2], &[0, 1], "<f8", f64s(&[1.0; 2]));
    let error = io::parse_npz::<f64, 3, _>(&bytes[..]).unwrap_err();
    assert_eq!(error.kind(), Arity);
    // What takes all memory, if it is believed.
    let large = r#"{"binsparse": {"version": "0.1.0", "format": "DMATR", "shape": [1099511627776, 1048576],
        "number_of_stored_values": 1152921504606846976, "data_types": {"values": "iso[float64]"}}}"#;
    for (large, kind) in [(large, Size), (&large.replace("iso[float64]", "float64"), Size)] {
        let bytes = by_hand(large, &[("values", "<f8", f64s(&[1.0]))]);
        assert_eq!(io::parse_npz::<f64, 2, _>(&bytes[..]).unwrap_err().kind(), kind);
    }
    let empty = r#"{"binsparse": {"version": "0.1.0", "format": "DMATR", "shape": [1099511627776, 0],
        "number_of_stored_values": 0, "data_types": {"values": "float64"}}}"#;
    let read = io::parse_npz::<f64, 2, _>(&by_hand(empty, &[("values", "<f8", vec![])])[..]).unwrap();
    assert_eq!((read.shape(), read.len()), ([1 << 40, 0], 0));
    // Text is no number, not even without characters.
    let text = csr(1 << 60, "float64", "");
    for (descr, bytes) in [("<U0", vec![]), ("<U1", vec![0; 8])] {
        let bytes = of_csr(&text, &[0, 1, 2, 2], &[0, 1], descr, bytes);
        let kind = io::parse_npz::<f64, 2, _>(&bytes[..]).unwrap_err().kind();
        assert!([Unsupported, Size].contains(&kind), "{kind:?}");
    }
    // A file of scipy has no descriptor.
    let a = Csr::try_from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    let mut bytes = Vec::new();
    io::write_npz_to(&mut bytes, &a, io::NpzKind::Csr).unwrap();
    assert_eq!(
        Binsparse::<f64, 2>::parse(&bytes[..]).unwrap_err().kind(),
        ReadErrorKind::Missing
    );

    let message = |result: std::io::Result<()>| result.unwrap_err().to_string();
    let half = Csr::try_from_triplets([1, 1], [([0, 0], f16::ONE)]).unwrap();
    let refused = message(io::write_binsparse_to(&mut bytes, &half, &named("CSR")));
    assert_eq!(refused, "Binsparse has no elements of type f16");
    let refused = message(io::write_binsparse_to(&mut bytes, &a, &named("CVEC")));
    assert_eq!(refused, "the format is for 1 dims, the tensor has 2");
    let far: Triplets<f64, 2> = Triplets::try_from_triplets([1 << 40, 1 << 40], [([1 << 39, 0], 1.0)]).unwrap();
    for name in ["CSR", "CSC", "DMATR"] {
        let refused = message(io::write_binsparse_to(&mut bytes, &far, &named(name)));
        assert!(refused.contains("entries, of at most"), "{name}: {refused}");
    }
    assert_eq!(
        elements(
            &Binsparse::parse(&self::bytes(&far, &named("DCSR"))[..])
                .unwrap()
                .elements
        ),
        elements(&far)
    );
}

/// Reads what we wrote with the reference implementation, and writes the same files with it.
const REFERENCE: &str = r#"
import numpy as np, sys
from binsparse import load_binsparse, save_binsparse
expected = np.zeros((4, 6)); expected[0, 1] = 1.5; expected[0, 5] = 2; expected[3, 2] = 3; expected[2, 2] = 4
for name in ['DMATR', 'DMATC', 'CSR', 'CSC', 'DCSR', 'DCSC', 'COOR', 'COOC']:
    a = load_binsparse(name + '.npz')
    assert a.format == name and a.shape == (4, 6), name
    assert a.number_of_stored_values == (24 if name.startswith('DMAT') else 4), name
    save_binsparse(a, name + '-again.npz')
    if name in ['CSR', 'CSC', 'COOR']:
        from binsparse.conversions import to_scipy
        assert (to_scipy(a).toarray() == expected).all(), name
pattern = load_binsparse('pattern.npz')
assert pattern.values.tolist() == [1, 1, 1, 1] and pattern.values.strides == (0,), pattern
assert load_binsparse('complex.npz').values.dtype == 'complex128'
assert load_binsparse('bool.npz').values.dtype == 'bool'
four = load_binsparse('four.npz')
assert four.format == 'custom' and four.transpose is None and four.level.rank == 4
csf = load_binsparse('csf.npz')
assert csf.transpose == (2, 0, 1) and csf.level.level_desc == 'sparse' and csf.level.level.rank == 2
save_binsparse(csf, 'csf-again.npz')
"#;

#[test]
#[ignore = "needs an interpreter with scipy and binsparse, which `UNISPARSE_PYTHON` names"]
fn the_reference_implementation_reads_ours_and_we_its_files() {
    let folder = python("binsparse", "");
    let path = |name: &str| folder.join(format!("{name}.npz"));
    let a = [([0, 1], 1.5), ([0, 5], 2.0), ([2, 2], 4.0), ([3, 2], 3.0)];
    let a: Triplets<f64, 2> = Triplets::try_from_triplets([4, 6], a).unwrap();
    let names = ["DMATR", "DMATC", "CSR", "CSC", "DCSR", "DCSC", "COOR", "COOC"];
    for name in names {
        io::write_binsparse_as(path(name), &a, &named(name)).unwrap();
    }
    let coo = named("COOR");
    io::write_binsparse_as(path("pattern"), &a.clone().map(|_| Pattern::<f64>::new()), &coo).unwrap();
    io::write_binsparse_as(
        path("complex"),
        &a.clone().map(|value| Complex64::new(value, 1.0)),
        &coo,
    )
    .unwrap();
    io::write_binsparse_as(path("bool"), &a.clone().map(|value| value > 2.0), &coo).unwrap();
    let four = Four::try_from_triplets([2, 3, 4, 5], [([0, 2, 3, 1], 5.0), ([1, 0, 0, 4], 6.0)]).unwrap();
    io::write_binsparse(path("four"), &four).unwrap();
    let permuted =
        Permuted::try_from_triplets([2, 3, 4], [([0, 2, 3], 5.0), ([1, 0, 0], 6.0), ([1, 1, 3], 7.0)]).unwrap();
    io::write_binsparse(path("csf"), &permuted).unwrap();
    run(&env::var_os("UNISPARSE_PYTHON").unwrap(), &folder, REFERENCE);
    for name in names {
        let read = io::read_npz::<f64, 2>(path(&format!("{name}-again"))).unwrap();
        assert_eq!(nonzero(&read), elements(&a), "{name}");
    }
    let again = io::read_npz::<f64, 3>(path("csf-again")).unwrap();
    assert_eq!(elements(&again), elements(&permuted));
    fs::remove_dir_all(folder).unwrap();
}
