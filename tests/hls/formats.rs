//! Products over stock formats, and over formats that nobody has heard of.

use unisparse::hls::{Project, Summands};
use unisparse::prelude::*;
use unisparse::{Error, ErrorKind, Triplets};

use crate::over_formats::over_formats;
use crate::sample::sample;
use crate::{MADE, Simulated, matrices, numbers, simulate};

sparse_format! {
    /// Elements dealt to parts in turn, wherever their rows are.
    pub format Dealt<const P: usize = 3> = |i, j| (core: (i + j) % P, row: i, col: j)
        { merge(core, row); trim(row..=col); partition(core); }
    /// Blocks whose lengths are numbers of the declaration, with columns outside.
    pub format Tiles = |i, j| (bcol: j / 2, brow: i / 3, c: j % 2, r: i % 3) { merge(bcol, brow); trim(brow); }
}

#[cfg(every_product)]
sparse_format! {
    /// Diagonals in the other direction, each stored by row.
    pub format AntiDia = |i, j| (anti: i + j, row: i) { merge(anti); trim(anti); }
    /// Rows whose coordinates and values lie side by side.
    pub format Beside = |i, j| (row: i, col: j) { merge(row); trim(col); pack(col); }
    /// Columns with coordinates that can be negative.
    pub format Sheared = |i, j| (col: j, shear: i - 2 * j) { merge(col); trim(shear); }
    /// The first element of each row, then the second of each, of rows in classes.
    pub format Turns = |i, j| (turn, class: i % 4, row: i / 4, col: j)
        where { turn = enumerate(_ => 0).group_by(i).traverse_by(j); }
        { merge(turn, class); trim(turn..=row); }
}

over_formats! {
    A: [Csr Bcsr BellCoo Dealt Tiles] [Coo Csc Dcsr Dia Bdia Ell Sell Jds C2sr AntiDia Beside Sheared Turns];
    /// `y = Aᵀ x`
    #[target(hls)]
    [pub transposed: y[j] = A[i, j] * x[i]]
}

const RANKS: usize = 11;

fn product<A>(a: &A) -> Result<Project, Error>
where
    A: spmv<Scalar = f32> + SparseTensor<2, Scalar = f32> + Summands<Element = f32>,
{
    let [rows, cols] = a.shape();
    spmv_hls(&mut vec![f32::NAN; rows], a, &numbers(cols, 7))
}

fn products<A>(a: &A) -> Result<Project, Error>
where
    A: spmm<Scalar = f32> + SparseTensor<2, Scalar = f32> + Summands<Element = f32>,
{
    let [rows, cols] = a.shape();
    let b = numbers(cols * RANKS, 8);
    spmm_hls(&mut vec![f32::NAN; rows * RANKS], a, &b)
}

fn backwards<A>(a: &A) -> Result<Project, Error>
where
    A: transposed<Scalar = f32> + SparseTensor<2, Scalar = f32> + Summands<Element = f32>,
{
    let [rows, cols] = a.shape();
    transposed_hls(&mut vec![f32::NAN; cols], a, &numbers(rows, 9))
}

/// Adds the three products over a format.
fn add<'m, A>(kernels: &mut Vec<Simulated>, matrices: &'m [(String, Triplets<f32, 2>)], name: &str)
where
    A: spmv<Scalar = f32> + spmm + transposed,
    A: SparseTensor<2, Scalar = f32> + Summands<Element = f32>,
{
    // Real matrices that a format would pad beyond the limit are left out of its list.
    let converted = |(at, (matrix, triplets)): (usize, &'m (String, Triplets<f32, 2>))| match triplets.convert() {
        Ok(a) => Some((matrix, a)),
        Err(error) if error.kind() == ErrorKind::Limit && at >= MADE => None,
        Err(error) => panic!("{name} of {matrix}: {error}"),
    };
    let all: Vec<(&String, A)> = matrices.iter().enumerate().filter_map(converted).collect();
    let mut of = |kernel: &str, project: &dyn Fn(&A) -> Result<Project, Error>| {
        kernels.push(Simulated {
            name: format!("{kernel}_{name}"),
            calls: all.iter().map(|(matrix, a)| ((*matrix).clone(), project(a))).collect(),
        });
    };
    of("spmv", &product);
    of("spmm", &products);
    of("transposed", &backwards);
}

#[test]
fn products_over_stock_formats() {
    let (matrices, mut kernels) = (matrices(), Vec::new());
    macro_rules! each {
        ($($format:ident $(<$($constant:literal),*>)?),* $(,)?) => {
            $(add::<$format<f32 $(, $($constant),*)?>>(&mut kernels, &matrices, stringify!($format));)*
        };
    }
    each!(Csr, Bcsr<2, 3>, BellCoo<4>);
    #[cfg(every_product)]
    each!(Coo, Csc, Dcsr, Dia, Bdia<4>, Ell, Sell<2, 4>, Jds, C2sr<2>);
    // One or two of the three products over each format.
    simulate(&sample(kernels, 0, 2));
}

#[test]
fn products_over_other_formats() {
    let (matrices, mut kernels) = (matrices(), Vec::new());
    add::<Dealt<f32, 3>>(&mut kernels, &matrices, "Dealt");
    add::<Tiles<f32>>(&mut kernels, &matrices, "Tiles");
    #[cfg(every_product)]
    {
        add::<Sheared<f32>>(&mut kernels, &matrices, "Sheared");
        add::<AntiDia<f32>>(&mut kernels, &matrices, "AntiDia");
        add::<Beside<f32>>(&mut kernels, &matrices, "Beside");
        add::<Turns<f32>>(&mut kernels, &matrices, "Turns");
    }
    // One or two of the three products over each format.
    simulate(&sample(kernels, 0, 2));
}
