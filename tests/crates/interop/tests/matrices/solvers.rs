//! The iterative solvers of `faer` over formats, against its own matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::matrix_free::bicgstab::{BicgParams, bicgstab, bicgstab_scratch};
use faer::matrix_free::conjugate_gradient::{CgParams, conjugate_gradient, conjugate_gradient_scratch};
use faer::matrix_free::lsmr::{LsmrParams, lsmr, lsmr_scratch};
use faer::matrix_free::{BiLinOp, IdentityPrecond, LinOp};
use faer::sparse::SparseColMat;
use faer::{Mat, MatRef, Par, c64};
use unisparse::Narrow;
use unisparse::interop::AsLinOp;
use unisparse::prelude::*;

use super::{Anti, Elements, faer_triplets};

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
