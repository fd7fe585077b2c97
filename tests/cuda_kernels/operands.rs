//! The operands of the products of matrices, and the calls of these products.

use unisparse::Triplets;

use crate::shapes::SHAPES;
use crate::skewed::{elements, numbers};

/// The operands of the products of one matrix.
pub(crate) struct Operands {
    pub(crate) triplets: Triplets<f64, 2>,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) ranks: usize,
    pub(crate) x: Vec<f64>,
    pub(crate) s: Vec<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) p: Vec<f64>,
    pub(crate) q: Vec<f64>,
}

pub(crate) fn operands() -> Vec<Operands> {
    let of_shape = |([rows, cols], ranks, percent): ([usize; 2], usize, usize)| Operands {
        triplets: elements([rows, cols], percent, 1),
        rows,
        cols,
        ranks,
        x: numbers(cols, 2),
        s: numbers(rows, 3),
        b: numbers(cols * ranks, 4),
        p: numbers(rows * ranks, 5),
        q: numbers(ranks * cols, 6),
    };
    SHAPES.map(of_shape).into()
}

/// Appends the calls of the products of one matrix in one format with dense operands, for one element type.
macro_rules! products_of {
    (($element:ident $of:ident $of_matrix:ident $calls:ident) $kind:ident $format:ident [$($constant:literal),*]) => {{
        let Operands { rows, cols, ranks, x, s, b, p, q, .. } = $of_matrix;
        let (rows, cols, ranks) = (*rows, *cols, *ranks);
        let a: $format<f64, $($constant),*> = $of_matrix.triplets.convert().unwrap();
        let constants: &[usize] = &[$($constant),*];
        let mut add = |kernels: Kernels, others: &[&[f64]], extents: &[usize], after: &[f64]| {
            let mut inputs = sent!($kind, &a, $of);
            let cast = |other: &&[f64]| dense(&other.iter().map(|&number| $of(number)).collect::<Vec<$element>>());
            inputs.extend(others.iter().map(cast));
            $calls.push(call(kernels, inputs, (extents, constants), (&vec![7.0; after.len()], after), $of));
        };
        let mut y = vec![0.0; rows];
        spmv(&mut y, &a, x).unwrap();
        add(kernels!($element impl unisparse::kernels::spmv for $format;), &[x], &[rows, cols], &y);
        let mut y = vec![0.0; cols];
        scattered(&mut y, &a, s).unwrap();
        add(kernels!($element impl scattered for $format;), &[s], &[cols, rows], &y);
        let mut c = vec![0.0; rows * ranks];
        spmm(&mut c, &a, b).unwrap();
        add(kernels!($element impl unisparse::kernels::spmm for $format;), &[b], &[rows, ranks, cols], &c);
        let mut d = vec![0.0; rows * cols];
        sampled(&mut d, &a, p, q).unwrap();
        add(kernels!($element impl sampled for $format;), &[p, q], &[rows, cols, ranks], &d);
    }};
}
