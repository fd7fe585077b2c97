//! Operands that are read twice, also in partitioned formats; lookups in formats with padding, and products of
//! const parameters. The oracle is the same kernels over compressed rows.

use unisparse::formats::{C2sr, Dia, Sell, Serpens};
use unisparse::prelude::*;

use crate::common::Random;

sparse_format! {
    /// Rows distributed over two banks, each with its own arrays.
    pub format Bank = |i, j| (bank: i % 2, local: i / 2, col: j) { merge(bank, local); trim(col); partition(bank); }
    /// Columns by length in windows of five, in chunks of three lanes: all elements of a column are in one lane.
    pub format SlicedColumns = |i, j| (window: j / 5, chunk: rank / 3, slot, lane: rank % 3, col: j, row: i)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(j);
            rank = reorder(len, descending).group_by(j / 5).traverse_by(j);
            slot = enumerate(value == 0 => len, _ => 0).group_by(j).traverse_by(i);
        } { merge(window, chunk, slot); trim(slot); }
    /// The same lanes, with slots numbered in pairs of columns: a lane may start at any slot.
    pub format PairedColumns = |i, j| (window: j / 5, chunk: rank / 3, slot, lane: rank % 3, col: j, row: i)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(j);
            rank = reorder(len, descending).group_by(j / 5).traverse_by(j);
            slot = enumerate(value == 0 => len, _ => 0).group_by(j / 2).traverse_by(j, i);
        } { merge(window, chunk, slot); trim(slot); }
    /// Rows by windows of seven, each of which stores its coordinates.
    pub format Windowed = |i, j| (window: i / 7, row: i, col: j) { merge(window); trim(row..=col); }
    /// Tiles of tiles, whose sizes are products.
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
    fn sampled: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: Csr | Nested | Serpens, S: Csr;
    fn rows: C[i, n] = A[i, j] * B[n, j] where A: Csr | Bank | Dia;
    fn cube: y[i] += A[i, j] * W[k, i, l] * v[k] * W[j, k, l] where A: Csr | Nested;
    fn crossed: y[i] = A[i, j] * W[i, k, j] * W[j, k, i] * v[k] where A: Csr;
    fn columns: y[j] = A[i, j] * x[i] where A: Csr | SlicedColumns | PairedColumns;
    fn product: y[i] = A[i, j] * x[j] where A: Csr | Windowed | Sell | Nested;
    fn least: y[j] min= A[i, j] + x[i] where A: Csr | SlicedColumns | PairedColumns;
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
fn reads_of_one_operand_are_walked_separately() {
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

/// Dense operands that loops read with a stride: copied where there are enough elements, otherwise read in place.
#[test]
fn dense_operands_are_read_across_their_rows() {
    let mut source = Random::new(11);
    let numbers = |count: usize, source: &mut Random| (0..count).map(|_| source.below(7) as f64).collect::<Vec<_>>();
    for round in 0..40 {
        let (extent, other) = (1 + round % 9, [2, 5, 40][round % 3]);
        let mut a = random(&mut source, extent, |at| at as f64 - 4.5);
        if round % 4 == 0 {
            let few = a.iter().filter(|(at, _)| at[0] == 0 && at[1] < 2).collect::<Vec<_>>();
            a = Triplets::try_from_triplets([extent; 2], few).unwrap();
        }
        let elements: Vec<([usize; 2], f64)> = a.iter().collect();
        let (rows_of, nested, banks): (Csr<f64>, Nested<f64>, Bank<f64>) =
            (a.convert().unwrap(), a.convert().unwrap(), a.convert().unwrap());
        let (diagonals, scheduled): (Dia<f64>, Serpens<f64>) = (a.convert().unwrap(), a.convert().unwrap());

        let (p, q) = (
            numbers(extent * other, &mut source),
            numbers(other * extent, &mut source),
        );
        let product = |i: usize, j: usize| (0..other).map(|k| p[i * other + k] * q[k * extent + j]).sum::<f64>();
        let expected = elements.iter().map(|&(at, value)| (at, value * product(at[0], at[1])));
        let expected: Csr<f64> = Csr::try_from_triplets([extent; 2], expected.collect::<Vec<_>>()).unwrap();
        assert_eq!(sampled(&rows_of, &p, &q).unwrap(), expected);
        assert_eq!(sampled(&nested, &p, &q).unwrap(), expected);
        assert_eq!(sampled(&scheduled, &p, &q).unwrap(), expected);

        let b = numbers(other * extent, &mut source);
        let mut expected = vec![0.0; extent * other];
        for &([i, j], value) in &elements {
            (0..other).for_each(|n| expected[i * other + n] += value * b[n * extent + j]);
        }
        let (mut of_rows, mut of_banks, mut of_diagonals) = (
            vec![7.0; extent * other],
            vec![7.0; extent * other],
            vec![7.0; extent * other],
        );
        rows(&mut of_rows, &rows_of, &b).unwrap();
        rows(&mut of_banks, &banks, &b).unwrap();
        rows(&mut of_diagonals, &diagonals, &b).unwrap();
        assert_eq!((&of_rows, &of_banks, &of_diagonals), (&expected, &expected, &expected));

        let (w, v) = (
            numbers(extent * extent * extent, &mut source),
            numbers(extent, &mut source),
        );
        let mut expected = vec![1.0; extent];
        for &([i, j], value) in &elements {
            for [k, l] in (0..extent).flat_map(|k| (0..extent).map(move |l| [k, l])) {
                let at = |a: usize, b: usize| w[(a * extent + b) * extent + l];
                expected[i] += value * at(k, i) * v[k] * at(j, k);
            }
        }
        let (mut y, mut of_nested) = (vec![1.0; extent], vec![1.0; extent]);
        cube(&mut y, &rows_of, &w, &v).unwrap();
        cube(&mut of_nested, &nested, &w, &v).unwrap();
        assert_eq!((y, of_nested), (expected.clone(), expected));
    }
}

/// Coordinates that are invariant over the entries of a level are looked up once.
#[test]
fn sums_by_invariant_coordinates() {
    let mut source = Random::new(23);
    for round in 0..60 {
        let extent = 1 + round % 14;
        let a = random(&mut source, extent, |at| at as f64 - 4.5);
        let (rows, sliced, paired): (Csr<f64>, SlicedColumns<f64>, PairedColumns<f64>) =
            (a.convert().unwrap(), a.convert().unwrap(), a.convert().unwrap());
        let x: Vec<f64> = (0..extent).map(|_| source.below(9) as f64).collect();
        let run = |start: f64, kernel: &dyn Fn(&mut Vec<f64>)| {
            let mut y = vec![start; extent];
            kernel(&mut y);
            y
        };
        let expected = run(7.0, &|y| columns(y, &rows, &x).unwrap());
        assert_eq!(run(7.0, &|y| columns(y, &sliced, &x).unwrap()), expected);
        assert_eq!(run(7.0, &|y| columns(y, &paired, &x).unwrap()), expected);
        let expected = run(3.0, &|y| least(y, &rows, &x).unwrap());
        assert_eq!(run(3.0, &|y| least(y, &sliced, &x).unwrap()), expected);
        assert_eq!(run(3.0, &|y| least(y, &paired, &x).unwrap()), expected);
    }
}

/// Pieces for threads own the rows of their windows, whichever loops inside reach them.
#[test]
fn windows_own_their_part_of_the_output() {
    const EXTENT: usize = 3001;
    let mut source = Random::new(31);
    let mut places = std::collections::BTreeMap::new();
    for i in (0..EXTENT).filter(|i| i % 9 != 4) {
        for _ in 0..source.below(120) {
            places.insert([i, source.below(EXTENT)], 1.0 + source.below(5) as f64);
        }
    }
    let a = Triplets::try_from_triplets([EXTENT; 2], places).expect("inside the shape");
    let x: Vec<f64> = (0..EXTENT).map(|_| source.below(9) as f64).collect();
    let rows: Csr<f64> = a.convert().unwrap();
    let (windowed, lanes, nested): (Windowed<f64>, Sell<f64, 4, 60>, Nested<f64>) =
        (a.convert().unwrap(), a.convert().unwrap(), a.convert().unwrap());
    let (sliced, paired): (SlicedColumns<f64>, PairedColumns<f64>) = (a.convert().unwrap(), a.convert().unwrap());
    let run = |kernel: &dyn Fn(&mut Vec<f64>)| {
        let mut y = vec![7.0; EXTENT];
        kernel(&mut y);
        y
    };
    let (expected, of_transpose) = (
        run(&|y| product(y, &rows, &x).unwrap()),
        run(&|y| columns(y, &rows, &x).unwrap()),
    );
    for pieces in [None, Some(2), Some(7)] {
        unisparse::set_reproducible(pieces);
        assert_eq!(run(&|y| product(y, &rows, &x).unwrap()), expected);
        assert_eq!(run(&|y| product(y, &windowed, &x).unwrap()), expected);
        assert_eq!(run(&|y| product(y, &lanes, &x).unwrap()), expected);
        assert_eq!(run(&|y| product(y, &nested, &x).unwrap()), expected);
        assert_eq!(run(&|y| columns(y, &sliced, &x).unwrap()), of_transpose);
        assert_eq!(run(&|y| columns(y, &paired, &x).unwrap()), of_transpose);
    }
    unisparse::set_reproducible(None);
}

/// An empty nested slice has no extents of its own: two reads may require different shapes.
#[test]
fn slices_are_read_in_two_shapes() {
    let (rows, columns, depth) = (3, 5, 4);
    let at = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 - 4.0;
    let all = (0..rows).flat_map(|i| (0..columns).map(move |j| ([i, j], at(i, j))));
    let a: Csr<f64> = Csr::try_from_triplets([rows, columns], all).unwrap();
    let w: Vec<f64> = (0..rows * columns * depth).map(|at| (at * at % 17) as f64).collect();
    let v: Vec<f64> = (0..depth).map(|k| k as f64 + 1.0).collect();
    let mut y = vec![0.0; rows];
    crossed(&mut y, &a, &w, &v).unwrap();
    for (i, &found) in y.iter().enumerate() {
        let term = |j: usize, k: usize| w[(i * depth + k) * columns + j] * w[(j * depth + k) * rows + i] * v[k];
        let sum = |j: usize| (0..depth).map(|k| at(i, j) * term(j, k)).sum::<f64>();
        assert_eq!(found, (0..columns).map(sum).sum::<f64>());
    }
}

#[test]
fn the_elements_of_a_negated_mask_are_found_in_any_format() {
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
fn a_term_without_stored_operands_is_not_stored() {
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
