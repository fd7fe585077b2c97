//! Matrices of `faer`, `sprs` and `nalgebra-sparse`, and arrays of `ndarray`: into every kind of format and back, against what the
//! other library says of its own matrix; and the iterative solvers of `faer` over formats, against its own matrices.

use std::collections::BTreeMap;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::matrix_free::bicgstab::{BicgParams, bicgstab, bicgstab_scratch};
use faer::matrix_free::conjugate_gradient::{CgParams, conjugate_gradient, conjugate_gradient_scratch};
use faer::matrix_free::lsmr::{LsmrParams, lsmr, lsmr_scratch};
use faer::matrix_free::{BiLinOp, IdentityPrecond, LinOp};
use faer::sparse::{
    SparseColMat, SparseColMatRef, SparseRowMat, SparseRowMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef,
    SymbolicSparseRowMatRef, Triplet,
};
use faer::{Mat, MatRef, Par, c64};
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use ndarray::{Array1, Array2, Array3};
use sprs::{CsMat, CsMatI, CsMatView, TriMat};
use unisparse::interop::{AsLinOp, FromFormat};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Narrow};

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

/// A matrix of a grid with different coefficients, symmetric and positive definite.
fn grid(side: usize) -> Elements {
    let mut elements = Elements::new();
    let weight = |at: usize, to: usize| 1.0 + ((at * 7 + to * 7) % 5) as f64 / 4.0;
    for at in 0..side * side {
        let (row, col) = (at / side, at % side);
        let mut neighbours = Vec::new();
        if row > 0 {
            neighbours.push(at - side)
        }
        if row + 1 < side {
            neighbours.push(at + side)
        }
        if col > 0 {
            neighbours.push(at - 1)
        }
        if col + 1 < side {
            neighbours.push(at + 1)
        }
        let sum: f64 = neighbours.iter().map(|&to| weight(at, to)).sum();
        elements.insert([at, at], sum + 0.01 * (1 + at % 3) as f64);
        elements.extend(neighbours.iter().map(|&to| ([at, to], -weight(at, to))));
    }
    elements
}

fn right_sides(rows: usize) -> Mat<f64> {
    Mat::from_fn(rows, 2, |i, j| ((i * 13 + j * 5) % 17) as f64 / 16.0 - 0.5)
}

/// The solution and the number of iterations of the method of conjugate gradients.
fn cg(a: &impl LinOp<f64>, rhs: MatRef<'_, f64>) -> (Mat<f64>, usize) {
    let mut x = Mat::zeros(a.ncols(), rhs.ncols());
    let precond = IdentityPrecond { dim: a.nrows() };
    let mut memory = MemBuffer::new(conjugate_gradient_scratch(precond, a, rhs.ncols(), Par::Seq));
    let params = CgParams {
        rel_tolerance: 1e-11,
        max_iters: 2000,
        ..Default::default()
    };
    let info = conjugate_gradient(
        x.as_mut(),
        precond,
        a,
        rhs,
        params,
        |_| {},
        Par::Seq,
        MemStack::new(&mut memory),
    )
    .unwrap();
    (x, info.iter_count)
}

fn assert_close(found: &Mat<f64>, expected: &Mat<f64>, what: &str) {
    let error = (found - expected).norm_l2() / expected.norm_l2();
    assert!(error < 1e-8, "{what}: the solutions differ by {error}");
}

#[test]
fn conjugate_gradients_of_faer_run_over_every_format() {
    let elements = grid(20);
    let theirs = SparseColMat::<usize, f64>::try_new_from_triplets(400, 400, &faer_triplets(&elements)).unwrap();
    let rhs = right_sides(400);
    let (expected, iterations) = cg(&theirs, rhs.as_ref());
    assert!((20..400).contains(&iterations), "{iterations} iterations");
    assert!((&theirs * &expected - &rhs).norm_l2() < 1e-9 * rhs.norm_l2());
    macro_rules! each {
        ($($format:ty),*) => {$({
            let a = <$format>::try_from_triplets([400, 400], elements.clone()).unwrap();
            let (found, count) = cg(&AsLinOp(&a), rhs.as_ref());
            assert_close(&found, &expected, stringify!($format));
            assert!(count.abs_diff(iterations) <= 2, "{}: {count} iterations, not {iterations}", stringify!($format));
        })*};
    }
    each!(Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dia<f64>, Bcsr<f64, 3, 2>, Bdia<f64, 16>, Csb<f64, 8>, HiCoo<f64, 8>, Ell<f64>);
    each!(Sell<f64, 4, 16>, Jds<f64>, C2sr<f64, 3>, Lil<f64>, Anti<f64>, Narrow16);
    let hybrid = BdiaCsr::<f64, 16>::split(&Csr::try_from_triplets([400, 400], elements).unwrap(), 10).unwrap();
    assert_close(&cg(&AsLinOp(&hybrid), rhs.as_ref()).0, &expected, "BdiaCsr");
}

sparse_format! { format Narrow16Of = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u16); } }
type Narrow16 = Narrow16Of<f64>;

#[test]
fn other_solvers_of_faer_run_over_formats() {
    let mut elements = grid(12);
    elements.insert([0, 143], 0.5);
    let theirs = SparseColMat::<usize, f64>::try_new_from_triplets(144, 144, &faer_triplets(&elements)).unwrap();
    let (rhs, precond) = (right_sides(144), IdentityPrecond { dim: 144 });
    let a = Bcsr::<f64, 2, 2>::try_from_triplets([144, 144], elements).unwrap();

    fn bicg(a: &impl LinOp<f64>, rhs: &Mat<f64>, precond: IdentityPrecond) -> Mat<f64> {
        let mut x = Mat::zeros(a.ncols(), rhs.ncols());
        let mut memory = MemBuffer::new(bicgstab_scratch(precond, precond, a, rhs.ncols(), Par::Seq));
        let params = BicgParams {
            rel_tolerance: 1e-11,
            max_iters: 2000,
            ..Default::default()
        };
        bicgstab(
            x.as_mut(),
            precond,
            precond,
            a,
            rhs.as_ref(),
            params,
            |_| {},
            Par::Seq,
            MemStack::new(&mut memory),
        )
        .unwrap();
        x
    }
    assert_close(
        &bicg(&AsLinOp(&a), &rhs, precond),
        &bicg(&theirs, &rhs, precond),
        "bicgstab",
    );

    fn least_squares(a: &impl BiLinOp<f64>, rhs: &Mat<f64>, precond: IdentityPrecond) -> Mat<f64> {
        let mut x = Mat::zeros(a.ncols(), rhs.ncols());
        // What faer computes is too little for several columns, also for its own matrices.
        let required = lsmr_scratch(precond, a, rhs.ncols(), Par::Seq);
        let mut memory = MemBuffer::new(required.and(required));
        let params = LsmrParams {
            rel_tolerance: 1e-11,
            max_iters: 5000,
            ..Default::default()
        };
        lsmr(
            x.as_mut(),
            precond,
            a,
            rhs.as_ref(),
            params,
            |_| {},
            Par::Seq,
            MemStack::new(&mut memory),
        )
        .unwrap();
        x
    }
    assert_close(
        &least_squares(&AsLinOp(&a), &rhs, precond),
        &least_squares(&theirs, &rhs, precond),
        "lsmr",
    );
}

#[test]
fn all_products_of_a_linear_operator_are_those_of_faer() {
    let complex = |[i, j]: [usize; 2]| c64::new((i * 3 + j) as f64 - 4.0, (i + 2 * j) as f64 / 2.0 - 3.0);
    let coordinates = [[0, 1], [0, 4], [1, 0], [2, 2], [2, 3], [2, 4]];
    let dense = Mat::from_fn(3, 5, |i, j| {
        if coordinates.contains(&[i, j]) {
            complex([i, j])
        } else {
            c64::new(0.0, 0.0)
        }
    });
    let elements = coordinates.map(|at| (at, complex(at)));
    let (a, blocks) = (
        Csr::try_from_triplets([3, 5], elements).unwrap(),
        Bcsr::<c64, 2, 2>::try_from_triplets([3, 5], elements).unwrap(),
    );
    let stack = || MemStack::new(&mut []);
    let operand = |rows: usize| {
        Mat::from_fn(rows, 3, |i, j| {
            c64::new((i + j) as f64 - 1.5, (2 * i) as f64 - j as f64)
        })
    };
    let (wide, tall) = (operand(5), operand(3));
    for a in [&AsLinOp(&a) as &dyn BiLinOp<c64>, &AsLinOp(&blocks)] {
        // What `out` holds is overwritten.
        let mut out = Mat::from_fn(3, 3, |_, _| c64::new(99.0, 99.0));
        a.apply(out.as_mut(), wide.as_ref(), Par::Seq, stack());
        assert_eq!(out, &dense * &wide);
        a.conj_apply(out.as_mut(), wide.as_ref(), Par::Seq, stack());
        assert_eq!(out, dense.conjugate() * &wide);
        let mut out = Mat::from_fn(5, 3, |_, _| c64::new(99.0, 99.0));
        a.transpose_apply(out.as_mut(), tall.as_ref(), Par::Seq, stack());
        assert_eq!(out, dense.transpose() * &tall);
        a.adjoint_apply(out.as_mut(), tall.as_ref(), Par::Seq, stack());
        assert_eq!(out, dense.adjoint() * &tall);
        // Columns with gaps, and backwards.
        let mut out = Mat::<c64>::zeros(3, 3);
        a.apply(
            out.as_mut().transpose_mut(),
            wide.as_ref().reverse_cols(),
            Par::Seq,
            stack(),
        );
        assert_eq!(out.transpose(), &dense * wide.as_ref().reverse_cols());
        let mut out = Mat::<c64>::zeros(3, 3);
        let rows = wide.transpose().to_owned();
        a.apply(out.as_mut(), rows.transpose(), Par::Seq, stack());
        assert_eq!(out, &dense * &wide);
    }
    // Stored in half of the bytes, read as `f64`.
    let narrow = Csr::<Narrow<f32, f64>>::try_from_triplets([1, 2], [([0, 1], Narrow::new(1.5_f32))]).unwrap();
    let mut out = Mat::<f64>::zeros(1, 1);
    AsLinOp(&narrow).apply(out.as_mut(), faer::mat![[1.0], [2.0]].as_ref(), Par::Seq, stack());
    assert_eq!(out[(0, 0)], 3.0);
    assert_eq!(format!("{:?}", AsLinOp(&narrow)), "AsLinOp(Csr, 1 x 2)");
}

#[test]
fn repeated_triplets_are_combined_by_their_policy() {
    use unisparse::io::{self, NpzKind};
    let repeated = || Triplets::try_from_triplets([2, 2], [([0, 1], 1.0), ([0, 1], 2.0), ([1, 0], 4.0)]).unwrap();
    for (policy, expected) in [
        (Duplicates::Sum, 3.0),
        (Duplicates::First, 1.0),
        (Duplicates::Last, 2.0),
    ] {
        let triplets = repeated().duplicates(policy);
        let dense: Array2<f64> = triplets.to_foreign().unwrap();
        assert_eq!(dense, ndarray::array![[0.0, expected], [4.0, 0.0]]);
        let coo: CooMatrix<f64> = triplets.to_foreign().unwrap();
        let elements: Vec<_> = coo.triplet_iter().map(|(i, j, &value)| (i, j, value)).collect();
        assert_eq!(elements, [(0, 1, expected), (1, 0, 4.0)]);
        for kind in [NpzKind::Dia, NpzKind::Csr, NpzKind::Bsr([2, 2])] {
            let mut bytes = Vec::new();
            io::write_npz_to(&mut bytes, &triplets, kind).unwrap();
            let read: Csr<f64> = io::parse_npz::<f64, 2, _>(&bytes[..]).unwrap().convert().unwrap();
            assert_eq!(read.values(), [expected, 4.0], "{kind:?}");
        }
    }
    let refused = repeated().duplicates(Duplicates::Reject);
    assert_eq!(
        refused.to_foreign::<Array2<f64>>().unwrap_err().kind(),
        ErrorKind::Duplicate
    );
    assert_eq!(
        refused.to_foreign::<CooMatrix<f64>>().unwrap_err().kind(),
        ErrorKind::Duplicate
    );
    assert!(io::write_npz_to(&mut Vec::new(), &refused, NpzKind::Dia).is_err());
}

#[test]
fn extents_that_the_other_library_does_not_hold_are_errors() {
    let wide = Csr::try_from_triplets([2, 3_000_000_000], [([0, 0], 1.0)]).unwrap();
    let kinds = [
        wide.as_foreign::<SparseRowMatRef<'_, u32, f64>>().unwrap_err().kind(),
        wide.to_foreign::<SparseRowMat<u32, f64>>().unwrap_err().kind(),
        wide.clone()
            .into_foreign::<SparseRowMat<u32, f64>>()
            .unwrap_err()
            .kind(),
        Csr::try_from_triplets([2, 1 << 32], [([0, 0], 1.0)])
            .unwrap()
            .to_foreign::<CsMatI<f64, u32>>()
            .unwrap_err()
            .kind(),
        Triplets::<f64, 2>::new([0, usize::MAX])
            .to_foreign::<Array2<f64>>()
            .map(drop)
            .unwrap_err()
            .kind(),
        Triplets::<f64, 3>::new([0, 1 << 40, 1 << 40])
            .to_foreign::<Array3<f64>>()
            .unwrap_err()
            .kind(),
    ];
    use ErrorKind::{Limit, Overflow};
    assert_eq!(kinds, [Overflow, Overflow, Overflow, Overflow, Limit, Limit]);
}

#[test]
fn segments_of_faer_may_begin_and_end_inside_the_arrays() {
    let symbolic = SymbolicSparseRowMatRef::new_checked(1, 2, &[1_u32, 2], None, &[0, 1, 0]);
    let matrix = SparseRowMatRef::new(symbolic, &[9.0, 5.0, 7.0]);
    let read: Csr<f64> = matrix.into_format().unwrap();
    assert_eq!(read.iter().collect::<Vec<_>>(), [([0, 1], 5.0)]);
}

#[test]
fn files_are_read_and_written_by_name() {
    use unisparse::io::{self, ReadErrorKind};
    let folder = std::env::temp_dir().join(format!("unisparse-by-name-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let repeated = || Triplets::try_from_triplets([2, 3], [([1, 2], 1.0), ([0, 1], 4.0), ([1, 2], 2.0)]).unwrap();
    let expected: Csr<f64> = repeated().convert().unwrap();
    for name in ["a.mtx", "A.MTX.gz", "a.tns", "a.tns.gz", "a.npz"] {
        let path = folder.join(name);
        for _ in 0..2 {
            io::write(&path, &repeated()).unwrap();
            let read: Triplets<f64, 2> = io::read(&path).unwrap();
            assert_eq!(read.convert::<Csr<f64>>().unwrap(), expected, "{name}");
        }
    }
    for name in ["a.smtx", "a.smtx.gz"] {
        io::write(folder.join(name), &repeated()).unwrap();
        let read: Triplets<f64, 2> = io::read(folder.join(name)).unwrap();
        assert_eq!(
            read.convert::<Csr<f64>>().unwrap().col_idx(),
            expected.col_idx(),
            "{name}"
        );
    }
    let cube = Triplets::try_from_triplets([2, 3, 4], [([1, 2, 3], 0.5)]).unwrap();
    io::write(folder.join("cube.tns.gz"), &cube).unwrap();
    assert_eq!(io::read::<f64, 3>(folder.join("cube.tns.gz")).unwrap(), cube);
    let kind = |name: &str| io::read::<f64, 3>(folder.join(name)).unwrap_err().kind();
    assert_eq!(
        [kind("a.mtx"), kind("a.smtx"), kind("a.txt")],
        [ReadErrorKind::Arity, ReadErrorKind::Arity, ReadErrorKind::Unsupported]
    );
    assert_eq!(
        io::read::<usize, 2>(folder.join("a.npz")).unwrap_err().kind(),
        ReadErrorKind::Unsupported
    );

    // What is refused leaves the file as it was.
    let contents = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let before = ["a.mtx", "a.smtx", "a.tns", "a.npz"].map(contents);
    assert!(io::write(folder.join("a.mtx"), &cube).is_err());
    assert!(io::write(folder.join("a.smtx"), &repeated().duplicates(Duplicates::Reject)).is_err());
    assert!(io::write(folder.join("a.tns"), &Triplets::<f64, 2>::new([0, 3])).is_err());
    assert!(io::write(folder.join("a.npz"), &Triplets::<usize, 2>::new([2, 3])).is_err());
    assert_eq!(["a.mtx", "a.smtx", "a.tns", "a.npz"].map(contents), before);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 8, "no draft is left");
    std::fs::remove_dir_all(&folder).unwrap();
}
