//! Operands that are read twice, also where their tensors are cut apart; lookups in formats with padding and products of
//! const parameters. Against the same kernels over compressed rows.

use unisparse::formats::{C2sr, Serpens};
use unisparse::prelude::*;

mod common;

use common::Random;

sparse_format! {
    /// Rows dealt out to two banks, each in arrays of its own.
    pub format Bank = |i, j| (bank: i % 2, local: i / 2, col: j) { merge(bank, local); trim(col); partition(bank); }
    /// Tiles of tiles, of which the sizes are products.
    pub format Nested<const R: usize = 2, const C: usize = 3> =
        |i, j| (outer: i / R / C, col: j, middle: i / R % C, inner: i % R) { merge(outer); trim(col); }
}

sparse_kernel! {
    fn dot: s = A[i, j] * A[j, i] where A: Bank | Csr | C2sr;
    fn square: C[i, j] = A[i, k] * A[k, j] where A: Bank | Csr | C2sr | Nested, C: Csr;
    fn gram: C[i, j] = A[i, k] * A[j, k] where A: Bank | Csr | C2sr | Nested, C: Csr;
    fn triangles: s = A[i, j] * A[j, k] * A[k, i] where A: Bank | Csr | C2sr;
    fn own: C[i, j] = A[i, k] * A[k, j] if A[i, j] where A: Bank | Csr, C: Csr;
    fn shortest: C[i, j] min= A[i, k] + A[k, j] where A: Bank | Csr, C: Csr;
    fn guarded: C[i, j] = plus_one(A[i, j] + B[i, j] * D[i, j]) where A: Csr, B: Csc | Csr | Nested, D: Csr, C: Csr;
    fn outside: C[i, j] = A[i, j] if !M[i, j] where A: Csr, M: Csr | Serpens | Nested | Bank, C: Csr;
}

fn plus_one(x: f64) -> f64 {
    x + 1.0
}

fn random(random: &mut Random, extent: usize, value: impl Fn(usize) -> f64) -> Triplets<f64, 2> {
    let mut kept = Vec::new();
    for at in (0..extent).flat_map(|i| (0..extent).map(move |j| [i, j])) {
        if random.below(3) == 0 {
            kept.push((at, value(random.below(9))));
        }
    }
    Triplets::try_from_triplets([extent; 2], kept).expect("inside the shape")
}

#[test]
fn reads_of_one_operand_go_their_own_ways() {
    let mut source = Random::new(7);
    for round in 0..60 {
        let a = random(&mut source, 1 + round % 9, |at| at as f64 - 4.5);
        let rows: Csr<f64> = a.convert().unwrap();
        let (bank, cut, nested): (Bank<f64>, C2sr<f64, 3>, Nested<f64>) =
            (a.convert().unwrap(), a.convert().unwrap(), a.convert().unwrap());
        let total = dot(&rows).unwrap();
        assert_eq!((dot(&bank).unwrap(), dot(&cut).unwrap()), (total, total));
        let total = triangles(&rows).unwrap();
        assert_eq!((triangles(&bank).unwrap(), triangles(&cut).unwrap()), (total, total));
        let expected: Csr<f64> = square(&rows).unwrap();
        assert_eq!(expected, square(&bank).unwrap());
        assert_eq!(expected, square(&cut).unwrap());
        assert_eq!(expected, square(&nested).unwrap());
        let expected: Csr<f64> = gram(&rows).unwrap();
        assert_eq!(expected, gram(&bank).unwrap());
        assert_eq!(expected, gram(&cut).unwrap());
        assert_eq!(expected, gram(&nested).unwrap());
        let expected: Csr<f64> = own(&rows).unwrap();
        assert_eq!(expected, own(&bank).unwrap());
        let expected: Csr<f64> = shortest(&rows).unwrap();
        assert_eq!(expected, shortest(&bank).unwrap());
    }
}

#[test]
fn what_a_negated_mask_stores_is_found_in_any_format() {
    let mut source = Random::new(11);
    for round in 0..60 {
        let extent = 1 + round % 13;
        let a: Csr<f64> = random(&mut source, extent, |at| at as f64 + 1.0).convert().unwrap();
        let mask = random(&mut source, extent, |at| at as f64 + 1.0);
        let rows: Csr<f64> = mask.convert().unwrap();
        let expected: Csr<f64> = outside(&a, &rows).unwrap();
        assert_eq!(
            expected,
            outside(&a, &mask.convert::<Serpens<f64, 2, 2, 1>>().unwrap()).unwrap()
        );
        assert_eq!(
            expected,
            outside(&a, &mask.convert::<Serpens<f64, 2, 4, 2>>().unwrap()).unwrap()
        );
        assert_eq!(
            expected,
            outside(&a, &mask.convert::<Nested<f64, 2, 3>>().unwrap()).unwrap()
        );
        assert_eq!(
            expected,
            outside(&a, &mask.convert::<Nested<f64, 3, 2>>().unwrap()).unwrap()
        );
        assert_eq!(expected, outside(&a, &mask.convert::<Bank<f64>>().unwrap()).unwrap());
    }
}

#[test]
fn a_term_of_nothing_stored_is_not_stored() {
    let a: Csr<f64> = Csr::try_from_triplets([2, 2], [([0, 0], 1.0)]).unwrap();
    let b: Csr<f64> = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap();
    let d: Csr<f64> = Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 1], 5.0)]).unwrap();
    let expected = [([0, 0], 2.0), ([0, 1], 5.0)];
    macro_rules! stored_as {
        ($($format:ty),*) => {$(
            let factor: $format = b.convert().unwrap();
            let found: Csr<f64> = guarded(&a, &factor, &d).unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, stringify!($format));
        )*};
    }
    stored_as!(Csr<f64>, Csc<f64>, Nested<f64>);
}
