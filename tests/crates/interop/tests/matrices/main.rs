//! Matrices of `faer`, `sprs` and `nalgebra-sparse`, and arrays of `ndarray`: into every kind of format and back, against what the
//! other library says of its own matrix; and the iterative solvers of `faer` over formats, against its own matrices.

mod files;
mod refusals;
mod solvers;
mod strategies;

use std::collections::BTreeMap;

use faer::sparse::{
    SparseColMat, SparseColMatRef, SparseRowMat, SparseRowMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef,
    SymbolicSparseRowMatRef, Triplet,
};
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use ndarray::{Array1, Array2, Array3};
use sprs::{CsMat, CsMatI, CsMatView, TriMat};
use unisparse::ErrorKind;
use unisparse::interop::FromFormat;
use unisparse::prelude::*;

sparse_format! {
    format UsizeRows = |i, j| (line: i, place: j) { merge(line); trim(place); index(place: usize); pointer(usize); }
    format UsizeColumns = |i, j| (line: j, place: i) { merge(line); trim(place); index(place: usize); pointer(usize); }
    format NarrowRows = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u8); pointer(u16); }
    format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(anti..=diff); }
    format Dense = |i, j| (row: i, col: j) {}
    format Vector = |i| (at: i) { trim(at); }
    hybrid Mixed = Dia + Csr split sum(value != 0 => 1, _ => 0).group_by(j - i) > threshold;
}

type Elements = BTreeMap<[usize; 2], f64>;

/// Shapes with the borders of blocks and pieces, and elements in them: none, few, and all.
fn cases() -> Vec<([usize; 2], Elements)> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut cases = Vec::new();
    for shape in [
        [0, 0],
        [0, 3],
        [3, 0],
        [1, 1],
        [1, 9],
        [9, 1],
        [4, 4],
        [5, 7],
        [17, 15],
        [33, 64],
    ] {
        let all = shape[0] * shape[1];
        for count in [0, 1, all / 5, all] {
            let mut elements = Elements::new();
            for _ in 0..count {
                let at = [draw(shape[0].max(1)), draw(shape[1].max(1))];
                if all > 0 {
                    elements.insert(at, (draw(2000) as f64 - 1000.5) / 8.0);
                }
            }
            cases.push((shape, elements));
        }
    }
    cases
}

fn elements<A: SparseTensor<2, Scalar = f64>>(a: &A) -> Elements {
    let mut found = Elements::new();
    a.for_each(|at, value| assert!(found.insert(at, value).is_none(), "{} holds {at:?} twice", A::NAME));
    found
}

/// From a matrix, moved and borrowed, to a format and back, moved and borrowed.
struct RoundTrip<'a, O, B, S> {
    shape: [usize; 2],
    expected: &'a Elements,
    owned: O,
    borrowed: B,
    same: S,
}

impl<M, V, O: Fn() -> M, B: Fn() -> V, S: Fn(M)> RoundTrip<'_, O, B, S>
where
    M: IntoFormat<2, Scalar = f64> + FromFormat<f64, 2>,
    V: IntoFormat<2, Scalar = f64>,
{
    fn through<F: SparseTensor<2, Scalar = f64>>(&self) -> &Self {
        let a: F = (self.owned)().into_format().unwrap();
        assert_eq!((a.shape(), &elements(&a)), (self.shape, self.expected), "{}", F::NAME);
        let b: F = (self.borrowed)().into_format().unwrap();
        assert_eq!(&elements(&b), self.expected, "{}", F::NAME);
        (self.same)(a.to_foreign().unwrap());
        (self.same)(a.into_foreign().unwrap());
        self
    }

    /// Formats of all kinds.
    fn through_all(&self) {
        self.through_some()
            .through::<Coo<f64>>()
            .through::<Dcsr<f64>>()
            .through::<Dia<f64>>()
            .through::<C2sr<f64, 2>>();
        self.through::<Sell<f64, 2, 4>>()
            .through::<Lil<f64>>()
            .through::<NarrowRows<f64>>()
            .through::<Dense<f64>>();
        self.through::<Mixed<f64>>()
            .through::<Anti<f64>>()
            .through::<UsizeColumns<f64>>();
    }

    /// Formats that differ in their order of elements, one with the same arrays, one with blocks.
    fn through_some(&self) -> &Self {
        self.through::<Csr<f64>>()
            .through::<Csc<f64>>()
            .through::<UsizeRows<f64>>()
            .through::<Bcsr<f64, 2, 3>>()
    }
}

fn faer_triplets(elements: &Elements) -> Vec<Triplet<usize, usize, f64>> {
    elements
        .iter()
        .map(|(&[row, col], &val)| Triplet { row, col, val })
        .collect()
}

#[test]
fn faer_matrices_become_any_format_and_come_back() {
    fn rows<I: faer::Index>(shape: [usize; 2], elements: &Elements) -> SparseRowMat<I, f64> {
        let triplets = faer_triplets(elements);
        let triplets: Vec<_> = triplets
            .iter()
            .map(|at| Triplet::new(I::truncate(at.row), I::truncate(at.col), at.val))
            .collect();
        SparseRowMat::try_new_from_triplets(shape[0], shape[1], &triplets).unwrap()
    }
    fn columns<I: faer::Index>(shape: [usize; 2], elements: &Elements) -> SparseColMat<I, f64> {
        let triplets = faer_triplets(elements);
        let triplets: Vec<_> = triplets
            .iter()
            .map(|at| Triplet::new(I::truncate(at.row), I::truncate(at.col), at.val))
            .collect();
        SparseColMat::try_new_from_triplets(shape[0], shape[1], &triplets).unwrap()
    }
    for (shape, expected) in &cases() {
        let m = rows::<u32>(*shape, expected);
        RoundTrip {
            shape: *shape,
            expected,
            owned: || m.clone(),
            borrowed: || m.as_ref(),
            same: |back: SparseRowMat<u32, f64>| {
                assert_eq!((back.symbolic().parts(), back.val()), (m.symbolic().parts(), m.val()));
            },
        }
        .through_all();
        let m = columns::<usize>(*shape, expected);
        RoundTrip {
            shape: *shape,
            expected,
            owned: || m.clone(),
            borrowed: || m.as_ref(),
            same: |back: SparseColMat<usize, f64>| {
                assert_eq!((back.symbolic().parts(), back.val()), (m.symbolic().parts(), m.val()));
            },
        }
        .through_some();
        let m = rows::<u64>(*shape, expected);
        assert_eq!(elements(&(&m).into_format::<Csc<f64>>().unwrap()), *expected);
        assert_eq!(elements(&m.into_format::<Csr<f64>>().unwrap()), *expected);
    }
}

#[test]
fn sprs_matrices_become_any_format_and_come_back() {
    for (shape, expected) in &cases() {
        let mut triplets = TriMat::new((shape[0], shape[1]));
        expected
            .iter()
            .for_each(|(&[i, j], &value)| triplets.add_triplet(i, j, value));
        for m in [triplets.to_csr::<usize>(), triplets.to_csc::<usize>()] {
            RoundTrip {
                shape: *shape,
                expected,
                owned: || m.clone(),
                borrowed: || m.view(),
                same: |back: CsMat<f64>| assert_eq!(back.to_csr(), m.to_csr()),
            }
            .through_some();
        }
        let m: CsMatI<f64, u32> = Csr::try_from_triplets(*shape, expected.clone())
            .unwrap()
            .to_foreign()
            .unwrap();
        assert_eq!(
            m.iter()
                .map(|(&value, (i, j))| ([i as usize, j as usize], value))
                .collect::<Elements>(),
            *expected
        );
    }
}

#[test]
fn slices_of_sprs_matrices_keep_their_own_rows() {
    let all = CsMat::new(
        (4, 3),
        vec![0, 2, 2, 3, 5],
        vec![0, 2, 1, 0, 1],
        vec![1.0, 2.0, 3.0, 4.0, 5.0],
    );
    let expected = Elements::from([([1, 1], 3.0), ([2, 0], 4.0), ([2, 1], 5.0)]);
    let slice: CsMatView<'_, f64> = all.slice_outer(1..4);
    let cut = slice.to_owned();
    assert_eq!(elements(&(&cut).into_format::<Coo<f64>>().unwrap()), expected);
    assert_eq!(elements(&slice.into_format::<Csr<f64>>().unwrap()), expected);
    assert_eq!(
        elements(&slice.to_owned().into_format::<Dcsc<f64>>().unwrap()),
        expected
    );
}

#[test]
fn nalgebra_matrices_become_any_format_and_come_back() {
    for (shape, expected) in &cases() {
        let mut triplets = CooMatrix::<f64>::new(shape[0], shape[1]);
        expected.iter().for_each(|(&[i, j], &value)| triplets.push(i, j, value));
        let m = CsrMatrix::from(&triplets);
        RoundTrip {
            shape: *shape,
            expected,
            owned: || m.clone(),
            borrowed: || &m,
            same: |back| assert_eq!(back, m),
        }
        .through_some();
        let m = CscMatrix::from(&triplets);
        RoundTrip {
            shape: *shape,
            expected,
            owned: || m.clone(),
            borrowed: || &m,
            same: |back| assert_eq!(back, m),
        }
        .through_some();
        let a: Dia<f64> = triplets.into_format().unwrap();
        assert_eq!(elements(&a), *expected);
        assert_eq!(
            CsrMatrix::from(&a.to_foreign::<CooMatrix<f64>>().unwrap()),
            CsrMatrix::from(&triplets)
        );
    }
    let twice = CooMatrix::try_from_triplets(2, 2, vec![1, 1], vec![0, 0], vec![1.0, 2.0]).unwrap();
    assert_eq!(
        elements(&twice.into_format::<Dia<f64>>().unwrap()),
        Elements::from([([1, 0], 3.0)])
    );
}

#[test]
fn dense_arrays_become_any_format_and_come_back() {
    for (shape, expected) in &cases() {
        let mut m = Array2::zeros(*shape);
        expected.iter().for_each(|(&at, &value)| m[at] = value);
        let a: Csr<f64> = m.into_format().unwrap();
        let b: Ell<f64> = m.view().into_format().unwrap();
        assert_eq!((elements(&a), elements(&b)), (expected.clone(), expected.clone()));
        assert_eq!(
            (
                a.to_foreign::<Array2<f64>>().unwrap(),
                b.into_foreign::<Array2<f64>>().unwrap()
            ),
            (m.clone(), m.clone())
        );
        // Views with other strides.
        let transposed: BTreeMap<_, _> = expected.iter().map(|(&[i, j], &value)| ([j, i], value)).collect();
        assert_eq!(elements(&m.t().into_format::<Csr<f64>>().unwrap()), transposed);
    }
    let cube = Array3::from_shape_fn([2, 3, 4], |(i, j, k)| {
        if (i + j + k) % 3 == 0 {
            1.0 + (i * 12 + j * 4 + k) as f64
        } else {
            0.0
        }
    });
    let a: Csf<f64> = cube.into_format().unwrap();
    assert_eq!(a.nnz(), 8);
    assert_eq!(a.to_foreign::<Array3<f64>>().unwrap(), cube);
    let line = Array1::from(vec![0.0, 5.0, 0.0]);
    let a: Vector<f64> = line.into_format().unwrap();
    assert_eq!(a.at_idx(), [1]);
    assert_eq!(a.into_foreign::<Array1<f64>>().unwrap(), line);
    let wide = Csr::try_from_triplets([1 << 20, 1 << 20], [([1, 2], 1.0)]).unwrap();
    let error = wide.to_foreign::<Array2<f64>>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(
        error.to_string(),
        "the array: found 8796093022208 bytes, expected at most 1073741824"
    );
}

#[test]
fn arrays_that_fit_are_moved_both_ways() {
    /// The addresses of the arrays.
    fn of<I, J, T>(ptr: &[I], idx: &[J], values: &[T]) -> [usize; 3] {
        [ptr.as_ptr().addr(), idx.as_ptr().addr(), values.as_ptr().addr()]
    }
    let all = (0..6).flat_map(|i| [([i, i], 1.0), ([i, (i + 2) % 6], 2.0)]);

    let a = Csr::try_from_triplets([6, 6], all.clone()).unwrap();
    let before = of(a.row_ptr(), a.col_idx(), a.values());
    let m: SparseRowMat<u32, f64> = a.into_foreign().unwrap();
    assert_eq!(of(m.row_ptr(), m.col_idx(), m.val()), before);
    let a: Csr<f64> = m.into_format().unwrap();
    assert_eq!(of(a.row_ptr(), a.col_idx(), a.values()), before);
    // The values are those of the rows, too, where other arrays differ.
    let a: Dcsr<f64> = a.convert_into().unwrap();
    let m: CsMatI<f64, u32> = a.into_foreign().unwrap();
    assert_eq!(m.data().as_ptr().addr(), before[2]);

    let a = Csc::try_from_triplets([6, 6], all.clone()).unwrap();
    let before = of(a.col_ptr(), a.row_idx(), a.values());
    let m: SparseColMat<u32, f64> = a.into_foreign().unwrap();
    assert_eq!(of(m.col_ptr(), m.row_idx(), m.val()), before);
    let a: Csc<f64> = m.into_format().unwrap();
    assert_eq!(of(a.col_ptr(), a.row_idx(), a.values()), before);

    let a = UsizeRows::try_from_triplets([6, 6], all.clone()).unwrap();
    let before = of(a.line_ptr(), a.place_idx(), a.values());
    let m: CsrMatrix<f64> = a.into_foreign().unwrap();
    assert_eq!(of(m.row_offsets(), m.col_indices(), m.values()), before);
    let m: CsMat<f64> = m.into_format::<UsizeRows<f64>>().unwrap().into_foreign().unwrap();
    assert!(m.is_csr());
    assert_eq!(of(m.proper_indptr().as_ref(), m.indices(), m.data()), before);

    let a = UsizeColumns::try_from_triplets([6, 6], all).unwrap();
    let before = of(a.line_ptr(), a.place_idx(), a.values());
    let m: CsMat<f64> = a.into_foreign().unwrap();
    assert!(m.is_csc());
    let m: CscMatrix<f64> = m.into_format::<UsizeColumns<f64>>().unwrap().into_foreign().unwrap();
    assert_eq!(of(m.col_offsets(), m.row_indices(), m.values()), before);
}

#[test]
fn views_borrow_arrays_that_fit_and_name_those_that_do_not() {
    let a = Csr::try_from_triplets([2, 3], [([0, 2], 1.0), ([1, 0], 2.0)]).unwrap();
    let view: SparseRowMatRef<'_, u32, f64> = a.as_foreign().unwrap();
    assert_eq!(
        (view.row_ptr(), view.col_idx(), view.val()),
        (a.row_ptr(), a.col_idx(), a.values())
    );
    assert_eq!(view.col_idx().as_ptr(), a.col_idx().as_ptr());
    let view: sprs::CsMatViewI<'_, f64, u32> = a.as_foreign().unwrap();
    assert_eq!(view.data().as_ptr(), a.values().as_ptr());
    let b: Csc<f64> = a.convert().unwrap();
    let view: SparseColMatRef<'_, u32, f64> = b.as_foreign().unwrap();
    assert_eq!(view.row_idx().as_ptr(), b.row_idx().as_ptr());
    assert!(b.as_foreign::<sprs::CsMatViewI<'_, f64, u32>>().unwrap().is_csc());

    let refused = |error: unisparse::Error| {
        assert_eq!(error.kind(), ErrorKind::Structure);
        error.to_string()
    };
    let error = refused(b.as_foreign::<SparseRowMatRef<'_, u32, f64>>().unwrap_err());
    assert_eq!(
        error,
        "format `Csc`: found arrays of another layout, expected compressed rows with `u32` indices (`to_foreign` converts)"
    );
    refused(a.as_foreign::<SparseRowMatRef<'_, u64, f64>>().unwrap_err());
    let packed: Lil<f64> = a.convert().unwrap();
    refused(packed.as_foreign::<SparseRowMatRef<'_, u32, f64>>().unwrap_err());
    let no_rows: Dcsr<f64> = a.convert().unwrap();
    refused(no_rows.as_foreign::<SparseRowMatRef<'_, u32, f64>>().unwrap_err());
}

#[test]
fn unsorted_repeated_and_scattered_entries_are_assembled() {
    let (ptr, idx, values) = ([0_u32, 3, 4], [2_u32, 0, 2, 1], [1.0, 2.0, 4.0, 8.0]);
    let expected = Elements::from([([0, 0], 2.0), ([0, 2], 5.0), ([1, 1], 8.0)]);
    let symbolic = SymbolicSparseRowMatRef::new_unsorted_checked(2, 3, &ptr, None, &idx);
    let m = SparseRowMatRef::new(symbolic, &values);
    assert_eq!(elements(&m.into_format::<Csr<f64>>().unwrap()), expected);
    assert_eq!(elements(&m.into_format::<Bcsr<f64, 2, 2>>().unwrap()), expected);

    // Column 0 has one entry of two places, column 1 two of three.
    let (ptr, counts, idx) = ([0_usize, 2, 5], [1_usize, 2], [1_usize, 9, 0, 2, 9]);
    let symbolic = SymbolicSparseColMatRef::new_checked(3, 2, &ptr, Some(&counts), &idx);
    let m = SparseColMatRef::new(symbolic, &[1.0, -1.0, 2.0, 3.0, -1.0]);
    let expected = Elements::from([([1, 0], 1.0), ([0, 1], 2.0), ([2, 1], 3.0)]);
    assert_eq!(elements(&m.into_format::<Coo<f64>>().unwrap()), expected);
    let symbolic = SymbolicSparseColMat::new_checked(3, 2, ptr.to_vec(), Some(counts.to_vec()), idx.to_vec());
    let m = SparseColMat::new(symbolic, m.val().to_vec());
    assert_eq!(elements(&m.into_format::<Csc<f64>>().unwrap()), expected);
}

#[test]
fn indices_that_do_not_fit_a_format_are_errors() {
    let m = CsrMatrix::try_from_csr_data(1, 300, vec![0, 1], vec![299], vec![1.0]).unwrap();
    let error = m.into_format::<NarrowRows<f64>>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overflow);
    assert!(
        error
            .to_string()
            .starts_with("`col_idx`, position 0: found coordinate 299"),
        "{error}"
    );
}
