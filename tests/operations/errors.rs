//! Errors of assembly, and input at the limits that must not be an error.

use crate::common::random::sort_by;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets};

unisparse::sparse_format! {
    /// For these tests.
    pub format Narrow = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u8); }
    /// For these tests.
    pub format NarrowPointers = |i, j| (row: i, col: j) { merge(row); trim(col); pointer(u8); }
    /// For these tests.
    pub format NarrowDiagonals = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag..=row); index(diag: i8, row: u64); }
    /// For these tests.
    pub format NarrowHoles = |i, j| (row: i, col: j) { trim(col); index(row: u8); }
    /// For these tests.
    pub format WideCoo = |i, j| (row: i, col: j) { trim(row..=col); index(row: u64, col: u64); }
    /// For these tests.
    pub format WideDcsr = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u64, col: i64); }
    /// For these tests.
    pub format WideHiCoo<const B: usize = 128> =
        |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); index(brow: u64, bcol: u64, r: u8, c: u8); }
    /// For these tests.
    pub format BothDense = |i, j| (row: i, col: j) {}
    /// For these tests.
    pub format Cubes = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); index(x: u64, y: u64, z: u64); }
    /// For these tests.
    pub format Cells = |i, j, k| (x: i, y: j, z: k) {}
    /// For these tests.
    pub format PaperA = |i, j| (row: i, col: j) { trim(col); }
}

unisparse::sparse_kernel! {
    fn r#match: y[i] = A[i, j] * x[j] where A: Csr;
    fn contracted: Y[i, j] = T[i, j, k] * v[k] where T: Cells;
    fn product: C[i, j] = A[i, k] * B[k, j] where A: Csr, B: Csr, C: Csr;
    fn halved: B[i, j] = half(A[i, j]) where A: Csr, B: Csr;
}

fn half(value: f64) -> f64 {
    value / 2.0
}

#[test]
fn messages_are_sentences() {
    let matrix = Triplets::try_from_triplets([3, 4], [([0, 1], 1.0), ([2, 3], 2.0)]).unwrap();
    let csr: Csr<f64> = matrix.convert().unwrap();
    let error = spmv(&mut [0.0; 3], &csr, &[1.0; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spmv: `x` has 3 elements, but `A` has 4 columns (index `j`)"
    );
    assert_eq!(
        (error.kernel(), error.subject(), error.found(), error.expected()),
        (Some("spmv"), "operand `x`", "3 elements", "4")
    );
    let message = |error: Error| error.to_string();
    assert_eq!(
        message(r#match(&mut [0.0; 2], &csr, &[1.0; 4]).unwrap_err()),
        "match: `y` has 2 elements, but `A` has 3 rows (index `i`)"
    );
    assert_eq!(
        message(product::<_, _, Csr<f64>>(&csr, &csr).unwrap_err()),
        "product: `B` has 3 rows, but `A` has 4 columns (index `k`)"
    );
    let cells: Cells<f64> = Triplets::new([2, 3, 4]).convert().unwrap();
    assert_eq!(
        message(contracted(&mut [0.0; 6], &cells, &[1.0; 5]).unwrap_err()),
        "contracted: `v` has 5 elements, but `T` has extent 4 in dim 2 (index `k`)"
    );
    assert_eq!(
        message(contracted(&mut [0.0; 5], &cells, &[1.0; 4]).unwrap_err()),
        "contracted: `Y` has 5 elements, but needs 2 x 3 = 6: `T` has extent 2 in dim 0 (index `i`), `T` has extent 3 in dim 1 (index `j`)"
    );
    let single = Csr::<f32>::try_from_parts([3, 4], vec![0; 4], vec![], vec![]).unwrap();
    assert_eq!(
        message(halved::<_, Csr<f32>>(&single).unwrap_err()),
        "halved: function `half`: found elements of type `f32`, expected `f64`"
    );

    assert_eq!(
        message(Csr::try_from_triplets([2, 2], [([0, 0], 1.0), ([2, 0], 1.0)]).unwrap_err()),
        "element 1: row 2 is outside 2 x 2"
    );
    assert_eq!(
        message(Triplets::new([2, 3, 4]).push([1, 2, 4], 1.0).unwrap_err()),
        "element 0: coordinate 4 in dim 2 is outside 2 x 3 x 4"
    );
    assert_eq!(
        message(Csr::try_from_parts([2, 4], vec![0, 2, 3], vec![0, 1], vec![1.0; 3]).unwrap_err()),
        "`col_idx`: found 2 entries, expected 3, as `row_ptr` ends at 3"
    );
    assert_eq!(
        message(Csr::try_from_parts([2, 4], vec![0, 2], vec![0, 1], vec![1.0; 2]).unwrap_err()),
        "`row_ptr`: found 2 entries, expected 3, one more than the positions of `row`"
    );
    let wide = Triplets::try_from_triplets([2, 1 << 40], [([1, 1 << 32], 1.0)]).unwrap();
    assert_eq!(
        message(wide.convert::<Csr<f64>>().unwrap_err()),
        "`col_idx`, position 0: found coordinate 4294967296 of a domain from 0 to 1099511627775, expected one that fits `u32` (a format of your own can say `index(col: u64)`)"
    );
    let large = Triplets::try_from_triplets([(1 << 62) + 2, 2], [([0, 0], 1.0)]).unwrap();
    assert_eq!(
        message(large.convert::<WideCoo<f64>>().unwrap_err()),
        "format `WideCoo`: found extent 4611686018427387906 of dim 0, expected at most 4611686018427387904"
    );

    let narrow: Csr<unisparse::Narrow<f32, f64>> = csr.map_values(|value| unisparse::Narrow::new(value as f32));
    let explained = narrow.explain().to_string();
    assert!(explained.contains("Csr<Narrow<f32, f64>>"), "{explained}");
}

#[test]
fn indices_that_do_not_fit_their_width() {
    let one = |shape, at| Triplets::try_from_triplets(shape, [([0, 0], 1.0), (at, 2.0)]).unwrap();
    assert!(one([2, 300], [1, 255]).convert::<Narrow<f64>>().is_ok());
    let error = one([2, 300], [1, 256]).convert::<Narrow<f64>>().unwrap_err();
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (ErrorKind::Overflow, "`col_idx`", Some(1))
    );
    assert!(
        error.to_string().contains("256") && error.to_string().contains("u8"),
        "{error}"
    );
    assert!(one([200, 200], [128, 0]).convert::<NarrowDiagonals<f64>>().is_ok());
    assert!(one([200, 200], [0, 127]).convert::<NarrowDiagonals<f64>>().is_ok());
    for at in [[129, 0], [0, 128]] {
        let error = one([200, 200], at).convert::<NarrowDiagonals<f64>>().unwrap_err();
        assert_eq!(
            (error.kind(), error.subject()),
            (ErrorKind::Overflow, "`diag_idx`"),
            "{error}"
        );
    }
    assert!(one([256, 2], [0, 1]).convert::<NarrowHoles<f64>>().is_ok());
    let error = one([257, 2], [0, 1]).convert::<NarrowHoles<f64>>().unwrap_err();
    assert_eq!(
        (error.kind(), error.subject()),
        (ErrorKind::Overflow, "`row_idx`"),
        "{error}"
    );
    // The default width is too narrow for a matrix of 2^40 columns.
    let error = one([2, 1 << 40], [1, 1 << 32]).convert::<Csr<f64>>().unwrap_err();
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (ErrorKind::Overflow, "`col_idx`", Some(1)),
        "{error}"
    );
    assert!(one([2, 1 << 40], [1, (1 << 32) - 1]).convert::<Csr<f64>>().is_ok());
}

#[test]
fn pointers_that_do_not_fit_their_width() {
    let full = |count: usize| Triplets::try_from_triplets([2, 300], (0..count).map(|at| ([0, at], 1.0))).unwrap();
    let fits: NarrowPointers<f64> = full(255).convert().unwrap();
    assert_eq!(fits.row_ptr(), [0, 255, 255]);
    let error = full(256).convert::<NarrowPointers<f64>>().unwrap_err();
    assert_eq!(
        (error.kind(), error.subject()),
        (ErrorKind::Overflow, "`row_ptr`"),
        "{error}"
    );
    assert!(
        error.to_string().contains("256") && error.to_string().contains("u8"),
        "{error}"
    );
    // A conversion of a matrix that no longer fits is refused too.
    let csr: Csr<f64> = full(256).convert().unwrap();
    assert_eq!(
        csr.convert::<NarrowPointers<f64>>().unwrap_err().kind(),
        ErrorKind::Overflow
    );
}

#[test]
fn duplicates_by_every_policy() {
    let triplets =
        Triplets::try_from_triplets([3, 3], [([2, 1], 1.0), ([0, 2], 10.0), ([2, 1], 4.0), ([2, 1], 2.0)]).unwrap();
    macro_rules! each {
        ($($format:ty),*) => {$(
            for (policy, expected) in [(Duplicates::Sum, 7.0), (Duplicates::First, 1.0), (Duplicates::Last, 2.0)] {
                let tensor: $format = triplets.clone().duplicates(policy).convert().unwrap();
                let mut elements: Vec<_> = tensor.iter().collect();
                sort_by(&mut elements, &|at| at);
                assert_eq!(elements, [([0, 2], 10.0), ([2, 1], expected)], "{policy:?}");
            }
            let error = triplets.clone().duplicates(Duplicates::Reject).convert::<$format>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Duplicate);
            assert!(error.to_string().contains("[2, 1]"), "{error}");
        )*};
    }
    each!(
        Coo<f64>,
        Csr<f64>,
        Csc<f64>,
        Dia<f64>,
        Bcsr<f64>,
        Csb<f64>,
        HiCoo<f64>,
        WideCoo<f64>,
        BothDense<f64>,
        PaperA<f64>
    );
    // Duplicates are summed in the order in which they were pushed.
    let order = Triplets::try_from_triplets([1, 1], [1e16, 1.0, -1e16].map(|value| ([0, 0], value))).unwrap();
    assert_eq!(order.convert::<Coo<f64>>().unwrap().values(), [1e16 + 1.0 - 1e16]);
}

#[test]
fn coordinates_outside_the_shape() {
    let error = Csr::try_from_triplets([2, 3], [([0, 0], 1.0), ([0, 3], 1.0)]).unwrap_err();
    assert_eq!((error.kind(), error.position()), (ErrorKind::OutOfBounds, Some(1)));
    assert!(Coo::try_from_triplets([0, 3], [([0, 0], 1.0)]).is_err());
    let mut triplets = Triplets::new([2, 3]);
    assert!(triplets.push([usize::MAX, 0], 1.0).is_err());
    assert!(triplets.is_empty());
}

#[test]
fn huge_shapes_with_few_elements() {
    let side = 1usize << 40;
    let entries = [([0, 0], 1.0), ([5, side - 1], 2.0), ([side - 1, 7], 3.0)];
    let triplets = Triplets::try_from_triplets([side, side], [entries[2], entries[0], entries[1]]).unwrap();
    macro_rules! works {
        ($($format:ty),*) => {$(
            let tensor: $format = triplets.convert().unwrap();
            assert!(tensor.iter().eq(entries), "{}", stringify!($format));
            assert_eq!((tensor.nnz(), tensor.stored()), (3, 3));
            assert!(tensor.bytes() < 200);
            let coo: WideCoo<f64> = tensor.convert().unwrap();
            assert!(coo.iter().eq(entries) && coo.convert::<$format>().unwrap() == tensor);
        )*};
    }
    works!(WideCoo<f64>, WideDcsr<f64>, WideHiCoo<f64>);
    macro_rules! refused {
        ($($format:ty: $least:expr),*) => {$(
            let error = triplets.convert::<$format>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
            let bytes: u128 = error.found().split(' ').find_map(|word| word.parse().ok()).unwrap();
            assert!(bytes >= $least, "{error}");
        )*};
    }
    refused!(Csr<f64>: 4u128 << 40, Csc<f64>: 4u128 << 40, Bdia<f64>: 4u128 << 34, BothDense<f64>: 8u128 << 80, PaperA<f64>: 4u128 << 40);
    for error in [
        triplets.convert::<Dia<f64>>().unwrap_err(),
        triplets.convert::<Csb<f64>>().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Overflow, "{error}");
    }

    // Extents up to 2^40 with the default widths, if each index fits `u32`.
    let near = Triplets::try_from_triplets([side, side], [([0, 0], 1.0), ([77, 4_000_000_000], 2.0)]).unwrap();
    let coo: Coo<f64> = near.convert().unwrap();
    let dcsr: Dcsr<f64> = coo.convert().unwrap();
    let hicoo: HiCoo<f64> = dcsr.convert().unwrap();
    assert!(hicoo.iter().eq(coo.iter()) && coo.convert::<Csr<f64>>().is_err());

    // Keys of more bits than a machine word: three dims of 2^60.
    let side = 1usize << 60;
    let entries = [
        ([0, 1, 2], 1.0),
        ([5, side - 1, side - 3], 2.0),
        ([side - 1, 0, 7], 3.0),
        ([side - 1, 0, 8], 3.0),
    ];
    let mut cubes = Triplets::try_from_triplets([side; 3], entries.into_iter().rev()).unwrap();
    let tensor: Cubes<f64> = cubes.convert().unwrap();
    assert!(tensor.iter().eq(entries));
    cubes.push([5, side - 1, side - 3], 40.0).unwrap();
    let tensor: Cubes<f64> = cubes.convert().unwrap();
    assert_eq!(tensor.values(), [1.0, 42.0, 3.0, 3.0]);
    let error = cubes
        .duplicates(Duplicates::Reject)
        .convert::<Cubes<f64>>()
        .unwrap_err();
    assert!(
        error.to_string().contains(&format!("[5, {}, {}]", side - 1, side - 3)),
        "{error}"
    );

    // Sums of coordinates from 2^62 on do not fit 64 bits.
    let beyond = Triplets::try_from_triplets([usize::MAX, 2], [([0, 0], 1.0)]).unwrap();
    assert_eq!(
        beyond.convert::<WideCoo<f64>>().unwrap_err().kind(),
        ErrorKind::Overflow
    );
}

#[test]
fn shapes_whose_positions_cannot_be_counted() {
    for shape in [[1 << 61; 3], [1 << 60, 1 << 60, 1 << 8], [1 << 62, 4, 1]] {
        let error = Cells::try_from_parts(shape, Vec::<f64>::new()).unwrap_err();
        assert_eq!(
            (error.kind(), error.subject()),
            (ErrorKind::Length, "`values`"),
            "{error}"
        );
        let triplets = Triplets::try_from_triplets(shape, [([0, 0, 0], 1.0)]).unwrap();
        assert!(matches!(
            triplets.convert::<Cells<f64>>().unwrap_err().kind(),
            ErrorKind::Limit | ErrorKind::Overflow
        ));
    }
    // No positions at all, below more rows than a loop could visit.
    let empty = BothDense::try_from_parts([1 << 40, 0], Vec::<f64>::new()).unwrap();
    assert_eq!((empty.nnz(), empty.iter().count()), (0, 0));
    assert!(empty == Triplets::new([1 << 40, 0]).convert().unwrap());
}

#[test]
fn unusual_values_survive_where_there_are_no_holes() {
    let values = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let entries: Vec<_> = values
        .into_iter()
        .enumerate()
        .map(|(at, value)| ([at % 3, at], value))
        .collect();
    let triplets = Triplets::try_from_triplets([3, 7], entries.iter().copied()).unwrap();
    let bits = |elements: &mut dyn Iterator<Item = ([usize; 2], f64)>| {
        let mut bits: Vec<([usize; 2], u64)> = elements.map(|(at, value)| (at, value.to_bits())).collect();
        bits.sort_unstable();
        bits
    };
    let expected = bits(&mut entries.iter().copied());
    macro_rules! each {
        ($($format:ty),*) => {$(
            let tensor: $format = triplets.convert().unwrap();
            assert_eq!((tensor.nnz(), tensor.stored()), (7, 7));
            assert_eq!(bits(&mut tensor.iter()), expected, "{}", stringify!($format));
            let back: Csc<f64> = tensor.convert().unwrap();
            assert_eq!(bits(&mut back.iter()), expected, "{}", stringify!($format));
        )*};
    }
    each!(
        Coo<f64>,
        Csr<f64>,
        Csc<f64>,
        Dcsr<f64>,
        Dcsc<f64>,
        Csb<f64>,
        HiCoo<f64>,
        Narrow<f64>,
        WideCoo<f64>,
        NarrowDiagonals<f64>
    );

    // In a format with holes, zeros are holes, and no other value is.
    let expected: Vec<_> = expected
        .into_iter()
        .filter(|element| f64::from_bits(element.1) != 0.0)
        .collect();
    macro_rules! each {
        ($($format:ty),*) => {$(
            let tensor: $format = triplets.convert().unwrap();
            assert_eq!(tensor.nnz(), 5);
            assert_eq!(bits(&mut tensor.iter()), expected, "{}", stringify!($format));
            let back: Csc<f64> = tensor.convert().unwrap();
            assert_eq!(bits(&mut back.iter()), expected, "{}", stringify!($format));
        )*};
    }
    each!(Dia<f64>, Bcsr<f64>, Bdia<f64>, BothDense<f64>, PaperA<f64>);
}
