//! Kernels over partitioned tensors and over their parts, with a naive product.

use unisparse::prelude::*;

use crate::common::Random;
use crate::common::random::{Elements, elements, tensors};
use crate::{
    Bands, BankedPoints, Banks, Chunks, Columns, Diagonals, Gaps, JaggedSlots, Lengths, Mixed, MixedPacked,
    PackedSlots, Ranked, RankedLists, RankedPairs, RankedRows, Rows, SHAPES, Slots, StoredRows, Tiles, Twice,
    Undivided, UndividedPoints, accumulated, affine, transposed, visited,
};

/// Returns the product of a matrix, or of its transpose, and a vector.
fn product(all: &Elements<f64, 2>, len: usize, x: &[f64], transposed: bool) -> Vec<f64> {
    let mut y = vec![0.0; len];
    for (&[i, j], value) in all {
        let (row, col) = if transposed { (j, i) } else { (i, j) };
        y[row] += value * x[col];
    }
    y
}

macro_rules! products {
    ($triplets:expr; $($format:ty),*) => {$({
        let (all, [n, p]) = (elements($triplets), $triplets.shape());
        let x = Random::new(3).vector(p);
        let a: $format = $triplets.convert().unwrap();
        let expected = product(&all, n, &x, false);
        let mut y = vec![f64::NAN; n];
        spmv(&mut y, &a, &x).unwrap();
        assert_eq!(y, expected, "{a:?}");
        let mut sum = vec![0.0; n];
        for part in a.parts() {
            spmv(&mut y, part, &x).unwrap();
            let of_part: Elements<f64, 2> = part.iter().collect();
            assert_eq!(y, product(&of_part, n, &x, false), "{part:?}");
            let converted: Csr<f64> = part.convert().unwrap();
            assert_eq!(visited(&converted), of_part);
            sum.iter_mut().zip(&y).for_each(|(sum, y)| *sum += y);
        }
        assert_eq!(sum, expected, "{a:?}");
    })*};
}

#[test]
fn the_products_of_the_parts_add_up() {
    for triplets in SHAPES.into_iter().flat_map(|shape| tensors(shape, 40)) {
        products!(&triplets; C2sr<f64>, C2sr<f64, 5>, Cisr<f64>, CisrPlus<f64, 3>, Rows<f64>, StoredRows<f64>, Bands<f64, 3>,
            Diagonals<f64>, Tiles<f64>, Slots<f64>, Chunks<f64, 3>, JaggedSlots<f64>, Ranked<f64>, RankedRows<f64>, Lengths<f64>,
            Gaps<f64, 3>, Undivided<f64>, Twice<f64>, Banks<f64>, BankedPoints<f64>, UndividedPoints<f64>, RankedLists<f64>,
            RankedPairs<f64>, PackedSlots<f64>);
    }
}

macro_rules! transposes {
    ($triplets:expr; $($format:ty),*) => {$({
        let (all, [n, p]) = (elements($triplets), $triplets.shape());
        let x = Random::new(4).vector(n);
        let a: $format = $triplets.convert().unwrap();
        let mut y = vec![f64::NAN; p];
        transposed(&mut y, &a, &x).unwrap();
        assert_eq!(y, product(&all, p, &x, true), "{a:?}");
    })*};
}

#[test]
fn kernels_over_parts() {
    for triplets in SHAPES.into_iter().flat_map(|shape| tensors(shape, 40)) {
        let (all, [n, p]) = (elements(&triplets), triplets.shape());
        let (x, z) = (Random::new(6).vector(p), Random::new(7).vector(n));
        let plus = |alpha: f64| -> Vec<f64> {
            let product = product(&all, n, &x, false);
            z.iter().zip(product).map(|(z, product)| z + alpha * product).collect()
        };
        transposes!(&triplets; C2sr<f64, 3>, Tiles<f64>, Tiles<f64, 3, 2>, Gaps<f64>, JaggedSlots<f64>, Ranked<f64>,
            Banks<f64>, BankedPoints<f64>, RankedLists<f64>, PackedSlots<f64>);
        let a: C2sr<f64, 3> = triplets.convert().unwrap();
        let mixed: Mixed<f64> = triplets.convert().unwrap();
        assert_eq!(visited(&mixed), all);
        let mut y = z.clone();
        accumulated(&mut y, 2.0, &a, &x).unwrap();
        assert_eq!(y, plus(2.0));
        let mut y = z.clone();
        a.parts()
            .iter()
            .for_each(|part| accumulated(&mut y, 2.0, part, &x).unwrap());
        assert_eq!(y, plus(2.0));
        let mut y = z.clone();
        accumulated(&mut y, 3.0, &mixed, &x).unwrap();
        assert_eq!(y, plus(3.0));
        let bands: Bands<f64, 3> = triplets.convert().unwrap();
        let mut y = z.clone();
        bands
            .parts()
            .iter()
            .for_each(|part| accumulated(&mut y, 2.0, part, &x).unwrap());
        assert_eq!(y, plus(2.0));
        affine(&mut y, &z, &a, &x).unwrap();
        assert_eq!(y, plus(1.0));
        affine(&mut y, &z, &mixed, &x).unwrap();
        assert_eq!(y, plus(1.0));
        let packed: MixedPacked<f64> = triplets.convert().unwrap();
        assert_eq!(visited(&packed), all);
        affine(&mut y, &z, &packed, &x).unwrap();
        assert_eq!(y, plus(1.0));
        let points: BankedPoints<f64> = triplets.convert().unwrap();
        let mut y = z.clone();
        points
            .parts()
            .iter()
            .for_each(|part| accumulated(&mut y, 2.0, part, &x).unwrap());
        assert_eq!(y, plus(2.0));
        let slots: Slots<f64> = triplets.convert().unwrap();
        affine(&mut y, &z, &slots, &x).unwrap();
        assert_eq!(y, plus(1.0));
    }
}

/// Threads divide the rows, whether there are more of them than parts or fewer: the loop over rows is around that over parts.
#[test]
fn rows_around_parts_are_divided() {
    for shape @ [rows, cols] in [[300, 20], [20, 300]] {
        let columns = 100;
        let mut random = Random::new(17);
        let triplets = random.triplets(shape, 3000);
        let (a, of_rows): (Columns<f64>, Csr<f64>) = (triplets.convert().unwrap(), triplets.convert().unwrap());
        let b = random.vector(cols * columns);
        let [mut found, mut expected] = [(); 2].map(|()| vec![7.0; rows * columns]);
        spmm(&mut found, &a, &b).unwrap();
        spmm(&mut expected, &of_rows, &b).unwrap();
        assert!(found == expected, "{shape:?}");
    }
}
