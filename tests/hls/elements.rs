//! Other element types, statements and outputs.

use unisparse::prelude::*;
use unisparse::{ErrorKind, Scalar, Triplets};

use crate::sample::sample;
use crate::{Simulated, matrix, simulate};

sparse_kernel! {
    /// The shortest way over one more edge.
    #[target(hls)]
    pub fn relax: d[j] min= s[i] + A[i, j] where A: Csr | Bcsr;
    /// The greatest element.
    #[target(hls)]
    pub fn greatest: t max= A[i, j] where A: Csr | Dia;
    /// The vertices that are one edge away.
    #[target(hls)]
    pub fn frontier: next[j] |= front[i] & A[i, j] where A: Csr | Ell;
    /// A product with scalars and a second vector.
    #[target(hls)]
    pub fn affine: y[i] = alpha * A[i, j] * x[j] + 2 * beta * z[i] where A: Csr | C2sr;
    /// A layer for several inputs, with terms that are the same for all of them.
    #[target(hls)]
    pub fn layer: H[b, i] = A[i, j] * X[b, j] + z[i] - alpha where A: Csr | C2sr;
    /// A product sampled at the elements of a matrix, summed by rows.
    #[target(hls)]
    pub fn sampled: y[i] = A[i, j] * P[i, k] * Q[k, j] where A: Csr | Sell;
}

/// Returns the matrix with other elements.
fn of<T: Scalar>(triplets: &Triplets<f32, 2>, number: impl Fn(f32) -> T) -> Triplets<T, 2> {
    let mut own = Triplets::new(triplets.shape());
    triplets.for_each(|coordinate, value| own.push(coordinate, number(value)).unwrap());
    own
}

#[test]
fn other_elements_and_statements() {
    let triplets = matrix([23, 31], 40, 11);
    let [rows, cols] = triplets.shape();
    let mut kernels = Vec::new();
    let mut add = |name: &str, project| {
        kernels.push(Simulated {
            name: name.to_owned(),
            calls: vec![("usual".to_owned(), project)],
        });
    };
    macro_rules! spmv_of {
        ($element:ty, $number:expr) => {{
            let a: Csr<$element> = of(&triplets, $number).convert().unwrap();
            let x: Vec<$element> = crate::numbers(cols, 12).into_iter().map($number).collect();
            let mut y = vec![<$element>::default(); rows];
            add(concat!("spmv_", stringify!($element)), spmv_hls(&mut y, &a, &x));
        }};
    }
    spmv_of!(f64, |number: f32| f64::from(number) * 1.1);
    spmv_of!(i8, |number: f32| number as i8);
    spmv_of!(u16, |number: f32| (number * 100.0) as i32 as u16);
    spmv_of!(i32, |number: f32| (number * 1e7) as i32);
    spmv_of!(u64, |number: f32| number.to_bits().into());
    spmv_of!(bool, |number: f32| number > 20.0);

    let a: Csr<f32> = triplets.convert().unwrap();
    let blocks: Bcsr<f32, 2, 3> = triplets.convert().unwrap();
    let (mut s, mut d) = (crate::numbers(rows, 13), crate::numbers(cols, 14));
    (s[2], d[5], d[7]) = (f32::NAN, f32::NAN, f32::NAN);
    add("relax_rows", relax_hls(&mut d.clone(), &s, &a));
    add("relax_blocks", relax_hls(&mut d, &s, &blocks));
    add("greatest", greatest_hls(&a));
    let dia: Dia<i16> = of(&triplets, |number| number as i16 - 1000).convert().unwrap();
    add("greatest_of_diagonals", greatest_hls(&dia));
    let graph = of(&triplets, |_| true);
    let front: Vec<bool> = (0..rows).map(|i| i % 5 == 0).collect();
    let rows_of: Csr<bool> = graph.convert().unwrap();
    let slots: Ell<bool> = graph.convert().unwrap();
    add("frontier_rows", frontier_hls(&mut vec![false; cols], &front, &rows_of));
    add("frontier_slots", frontier_hls(&mut vec![false; cols], &front, &slots));
    let (x, z) = (crate::numbers(cols, 15), crate::numbers(rows, 16));
    let banks: C2sr<f32, 2> = triplets.convert().unwrap();
    add("affine_rows", affine_hls(&mut vec![0.0; rows], 2.5, &a, &x, -0.5, &z));
    add(
        "affine_banks",
        affine_hls(&mut vec![0.0; rows], 2.5, &banks, &x, -0.5, &z),
    );
    let inputs = crate::numbers(3 * cols, 20);
    add("layer_rows", layer_hls(&mut vec![0.0; 3 * rows], &a, &inputs, &z, 2.5));
    add(
        "layer_banks",
        layer_hls(&mut vec![0.0; 3 * rows], &banks, &inputs, &z, 2.5),
    );
    let (p, q) = (crate::numbers(rows * 9, 17), crate::numbers(9 * cols, 18));
    let chunks: Sell<f32, 2, 4> = triplets.convert().unwrap();
    add("sampled_rows", sampled_hls(&mut vec![0.0; rows], &a, &p, &q));
    add("sampled_chunks", sampled_hls(&mut vec![0.0; rows], &chunks, &p, &q));
    // Each statement, over every other format.
    simulate(&sample(kernels, 1, 2));
}

/// What a project says about its function does not depend on the operands.
#[test]
fn a_project_names_its_function() {
    let a: Csr<f32> = matrix([4, 4], 50, 19).convert().unwrap();
    let project = spmv_hls(&mut [0.0; 4], &a, &[1.0; 4]).unwrap();
    assert_eq!(project.name(), "spmv_csr");
    assert!(
        project
            .text()
            .contains("for (size_t row = 0, row_end = i_extent; row < row_end; row++) {")
    );
    let error = spmv_hls(&mut [0.0; 3], &a, &[1.0; 4]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
}
