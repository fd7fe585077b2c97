//! Kernels with sparse results on real matrices, against the same operations of sprs and nalgebra-sparse.

use crate::common::Random;
use crate::common::data::shared;
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use unisparse::Triplets;
use unisparse::prelude::*;

sparse_kernel! {
    fn spgemm: C[i, j] = A[i, k] * B[k, j] where A: Csr | Coo | Csc | Bcsr, B: Csr | Dcsr | Lil, C: Csr | Csc;
    fn gram: C[i, j] = A[i, k] * A[j, k] where A: Csr, C: Csr;
    fn add: C[i, j] = A[i, j] + B[i, j] where A: Csr | Coo | Csc | Bcsr, B: Csr | Csc | Lil, C: Csr | Dcsr;
    fn difference: C[i, j] = 2 * A[i, j] - B[i, j] where A: Csr, B: Csr, C: Csr;
    fn hadamard: C[i, j] = A[i, j] * B[i, j] where A: Csr | Coo | Bcsr, B: Csr | Csc | Lil, C: Csr;
    fn sddmm: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: Csr | Csc | HiCoo, S: Csr | Coo;
    fn transposed: C[j, i] = A[i, j] where A: Csr | Coo, C: Csr;
}

/// Square matrices of every kind: bands, grids, power laws, circuits, blocks.
const MATRICES: [&str; 9] = [
    "paper/bwm2000.mtx.gz",
    "paper/cryg10000.mtx.gz",
    "graph/EPA.mtx.gz",
    "paper/p2p-Gnutella31.mtx.gz",
    "structured/Trefethen_2000.mtx.gz",
    "structured/pyamg-bar.mtx.gz",
    "circuit/ACTIVSg2000.mtx.gz",
    "graph/soc-sign-bitcoin-otc.mtx.gz",
    "graph/cage10.mtx.gz",
];

/// Matrices with fewer rows than columns.
const WIDE: [&str; 3] = ["rect/lp_e226.mtx.gz", "rect/lp_scsd1.mtx.gz", "rect/lp_blend.mtx.gz"];

/// A matrix without explicit zeros, because peers and formats with holes may keep or drop them.
fn read(name: &str) -> Option<Triplets<f64, 2>> {
    let all: Triplets<f64, 2> = unisparse::io::read_matrix_market(shared(&format!("data/{name}"))?).unwrap();
    let some = all.iter().filter(|&(_, value)| value != 0.0);
    Some(Triplets::try_from_triplets(all.shape(), some).unwrap())
}

fn matrices() -> impl Iterator<Item = (&'static str, Triplets<f64, 2>)> {
    MATRICES.into_iter().filter_map(|name| Some((name, read(name)?)))
}

fn to_sprs(of: &Triplets<f64, 2>) -> sprs::CsMat<f64> {
    let [rows, cols] = of.shape();
    let mut all = sprs::TriMat::new((rows, cols));
    of.iter().for_each(|([i, j], value)| all.add_triplet(i, j, value));
    all.to_csr()
}

fn to_nalgebra(of: &Triplets<f64, 2>) -> CsrMatrix<f64> {
    let [rows, cols] = of.shape();
    let mut all = CooMatrix::new(rows, cols);
    of.iter().for_each(|([i, j], value)| all.push(i, j, value));
    CsrMatrix::from(&all)
}

/// The elements of a matrix, row by row.
type Elements = Vec<([usize; 2], f64)>;

fn of_sprs(matrix: &sprs::CsMat<f64>) -> Elements {
    let mut all: Elements = matrix.iter().map(|(&value, (i, j))| ([i, j], value)).collect();
    all.sort_unstable_by_key(|&(at, _)| at);
    all
}

fn of_nalgebra(matrix: &CsrMatrix<f64>) -> Elements {
    let mut all: Elements = matrix.triplet_iter().map(|(i, j, &value)| ([i, j], value)).collect();
    all.sort_unstable_by_key(|&(at, _)| at);
    all
}

fn of_own<C: SparseTensor<2, Scalar = f64>>(matrix: &C) -> Elements {
    let mut all = Elements::new();
    matrix.for_each(|at, value| all.push((at, value)));
    all.sort_unstable_by_key(|&(at, _)| at);
    all
}

/// Checks that both have elements at the same coordinates, equal up to the rounding of sums of such magnitudes.
fn close(own: &Elements, theirs: &Elements, magnitudes: &Elements, what: &str) {
    assert_eq!(own.len(), theirs.len(), "{what}");
    assert_eq!(own.len(), magnitudes.len(), "{what}");
    for ((own, theirs), magnitude) in own.iter().zip(theirs).zip(magnitudes) {
        assert_eq!((own.0, own.0), (theirs.0, magnitude.0), "{what}");
        let room = 1e-13 * magnitude.1;
        assert!((own.1 - theirs.1).abs() <= room, "{what}: {own:?} {theirs:?}");
    }
}

fn magnitudes(of: &Triplets<f64, 2>) -> Triplets<f64, 2> {
    of.clone().map(f64::abs)
}

/// Returns the matrix with reversed rows: most elements at other coordinates, some at the same.
fn flipped(of: &Triplets<f64, 2>) -> Triplets<f64, 2> {
    let last = of.shape()[0] - 1;
    Triplets::try_from_triplets(
        of.shape(),
        of.iter().map(|([i, j], value)| ([last - i, j], value + 0.628)),
    )
    .unwrap()
}

#[test]
fn products() {
    for (name, matrix) in matrices() {
        let other = to_sprs(&matrix);
        let theirs = of_sprs(&(&other * &other));
        let absolute = to_sprs(&magnitudes(&matrix));
        let scale = of_sprs(&(&absolute * &absolute));
        let nalgebra = to_nalgebra(&matrix);
        close(
            &of_nalgebra(&(&nalgebra * &nalgebra)),
            &theirs,
            &scale,
            &format!("{name}: the peers"),
        );
        macro_rules! each {
            ($($left:ident * $right:ident => $output:ident;)*) => {$(
                let (a, b) = (matrix.convert::<$left<f64>>().unwrap(), matrix.convert::<$right<f64>>().unwrap());
                let c: $output<f64> = spgemm(&a, &b).unwrap();
                close(&of_own(&c), &theirs, &scale, &format!("{name}: {} * {}", stringify!($left), stringify!($right)));
            )*};
        }
        each! {
            Csr * Csr => Csr;
            Csr * Dcsr => Csc;
            Coo * Csr => Csr;
            Csc * Lil => Csr;
            Bcsr * Csr => Csr;
        }
    }
}

#[test]
fn products_with_the_transpose() {
    for name in WIDE {
        let Some(matrix) = read(name) else { continue };
        let (other, absolute) = (to_sprs(&matrix), to_sprs(&magnitudes(&matrix)));
        let theirs = of_sprs(&(&other * &other.transpose_view().to_csr()));
        let scale = of_sprs(&(&absolute * &absolute.transpose_view().to_csr()));
        let a: Csr<f64> = matrix.convert().unwrap();
        let transpose: Csr<f64> = transposed(&a).unwrap();
        close(
            &of_own(&transpose),
            &of_sprs(&other.transpose_view().to_csr()),
            &of_sprs(&absolute.transpose_view().to_csr()),
            name,
        );
        let transpose: Csr<f64> = transposed(&matrix.convert::<Coo<f64>>().unwrap()).unwrap();
        close(
            &of_own(&spgemm::<Csr<f64>, _, _>(&a, &transpose).unwrap()),
            &theirs,
            &scale,
            name,
        );
        close(&of_own(&gram::<Csr<f64>, _>(&a).unwrap()), &theirs, &scale, name);
    }
}

#[test]
fn sums() {
    for (name, matrix) in matrices() {
        let right = flipped(&matrix);
        let (left_other, right_other) = (to_sprs(&matrix), to_sprs(&right));
        let theirs = of_sprs(&(&left_other + &right_other));
        let scale = of_sprs(&(&to_sprs(&magnitudes(&matrix)) + &to_sprs(&magnitudes(&right))));
        let nalgebra = &to_nalgebra(&matrix) + &to_nalgebra(&right);
        close(&of_nalgebra(&nalgebra), &theirs, &scale, &format!("{name}: the peers"));
        macro_rules! each {
            ($($left:ident + $right:ident => $output:ident;)*) => {$(
                let (a, b) = (matrix.convert::<$left<f64>>().unwrap(), right.convert::<$right<f64>>().unwrap());
                let c: $output<f64> = add(&a, &b).unwrap();
                close(&of_own(&c), &theirs, &scale, &format!("{name}: {} + {}", stringify!($left), stringify!($right)));
            )*};
        }
        each! {
            Csr + Csr => Csr;
            Csr + Lil => Dcsr;
            Coo + Csr => Csr;
            Csc + Csc => Csr;
            Csr + Csc => Csr;
            Bcsr + Csr => Csr;
        }
        let (a, b) = (
            matrix.convert::<Csr<f64>>().unwrap(),
            right.convert::<Csr<f64>>().unwrap(),
        );
        let twice = &(&left_other + &left_other) - &right_other;
        let scale: Elements = scale.iter().map(|&(at, value)| (at, 2.0 * value)).collect();
        close(
            &of_own(&difference::<Csr<f64>, _, _>(&a, &b).unwrap()),
            &of_sprs(&twice),
            &scale,
            name,
        );
    }
}

#[test]
fn products_by_element() {
    for (name, matrix) in matrices() {
        let right = flipped(&matrix);
        let (left_other, right_other) = (to_sprs(&matrix), to_sprs(&right));
        let theirs = of_sprs(&sprs::binop::csmat_binop(
            left_other.view(),
            right_other.view(),
            |x, y| x * y,
        ));
        let scale: Elements = theirs.iter().map(|&(at, value)| (at, value.abs())).collect();
        macro_rules! each {
            ($($left:ident * $right:ident;)*) => {$(
                let (a, b) = (matrix.convert::<$left<f64>>().unwrap(), right.convert::<$right<f64>>().unwrap());
                let c: Csr<f64> = hadamard(&a, &b).unwrap();
                close(&of_own(&c), &theirs, &scale, &format!("{name}: {} * {}", stringify!($left), stringify!($right)));
            )*};
        }
        each! {
            Csr * Csr;
            Csr * Csc;
            Coo * Lil;
            Bcsr * Csr;
        }
    }
}

#[test]
fn sampled_products() {
    let rank = 8;
    for (name, matrix) in matrices() {
        let [rows, cols] = matrix.shape();
        let mut random = Random::new(7);
        let mut factor = |len: usize| -> Vec<f64> { random.vector(len).into_iter().map(|value| value - 4.7).collect() };
        let (p, q) = (factor(rows * rank), factor(rank * cols));
        // sprs merges sparse and dense rows only in whole products, so the sampled product is computed element by element.
        let dot = |i: usize, j: usize, of: fn(f64) -> f64| -> f64 {
            (0..rank).map(|k| of(p[i * rank + k] * q[k * cols + j])).sum()
        };
        let sampled = |of: fn(f64) -> f64| -> Elements {
            let all = of_sprs(&to_sprs(&matrix)).into_iter();
            all.map(|([i, j], value)| ([i, j], of(value) * dot(i, j, of))).collect()
        };
        let (theirs, scale) = (sampled(|value| value), sampled(f64::abs));
        macro_rules! each {
            ($($format:ident => $output:ident;)*) => {$(
                let a: $format<f64> = matrix.convert().unwrap();
                let s: $output<f64> = sddmm(&a, &p, &q).unwrap();
                close(&of_own(&s), &theirs, &scale, &format!("{name}: {}", stringify!($format)));
            )*};
        }
        each! {
            Csr => Csr;
            Csc => Coo;
            HiCoo => Csr;
        }
    }
}
