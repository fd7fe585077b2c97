//! Formats of the maximum number of levels, stored in every way: a pass over entries reads up to sixteen `idx` arrays.

#[path = "common/random.rs"]
#[allow(dead_code, unreachable_pub)]
mod random;

use random::Elements;
use unisparse::prelude::*;

sparse_format! {
    /// Ten dims, no level merged.
    format Ten = |a, b, c, d, e, f, g, h, i, j| (a, b, c, d, e, f, g, h, i, j) { trim(0..=9); }
    /// As many dims as levels.
    format Sixteen = |a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p| (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) { trim(0..=15); }
    /// The same in tuples.
    format Tuples = |a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p| (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) { trim(0..=15); pack(0..=15); }

    /// The digits of rows and columns in tuples, one of them for each element.
    format Packed = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { trim(0..=15); pack(0..=15); }
    /// A tree.
    format Merged = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { merge(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14); trim(0..=15); }
    /// Dense blocks below lists.
    format DenseBelow = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { merge(11); trim(0..=11); }
    /// Entries of levels that are not trimmed may be holes.
    format Full = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { trim(2..=15); }
    /// Levels that the group of a query determines, with one entry per entry of a list.
    format Aligned = |i, j| (slot, l0: i / 4, l1: i / 2 % 2, l2: i % 2, l3: j / 2048, l4: j / 1024 % 2, l5: j / 512 % 2, l6: j / 256 % 2, l7: j / 128 % 2, l8: j / 64 % 2, l9: j / 32 % 2, l10: j / 16 % 2, l11: j / 8 % 2, l12: j / 4 % 2, l13: j / 2 % 2, l14: j % 2)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(slot, l0, l1, l2); trim(0..=15); }
    /// The digits of three coordinates.
    format Cube = |i, j, k| (l0: i / 16, l1: i / 8 % 2, l2: i / 4 % 2, l3: i / 2 % 2, l4: i % 2, l5: j / 16, l6: j / 8 % 2, l7: j / 4 % 2, l8: j / 2 % 2, l9: j % 2, l10: k / 32, l11: k / 16 % 2, l12: k / 8 % 2, l13: k / 4 % 2, l14: k / 2 % 2, l15: k % 2) { trim(0..=15); }
}

sparse_kernel! {
    impl unisparse::kernels::ttv for X: Cube, Y: Coo;
    /// A row vector times a matrix.
    fn transposed: y[j] = A[i, j] * x[i]
        where A: Packed | Merged | DenseBelow | Full | Aligned;
    /// Two operands of sixteen levels.
    fn dot: s = A[i, j] * B[i, j] where A: Packed | Merged, B: DenseBelow | Full;
}

// More combinations of what the formats above store, which take as long to compile.
#[cfg(every_product)]
sparse_format! {
    /// The digits of rows and columns, one entry of each for each element.
    format Copied = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { trim(0..=15); }
    /// Lists below a tree.
    format Half = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { merge(0, 1, 2, 3, 4, 5, 6, 7); trim(0..=15); }
    /// Lists below dense levels.
    format DenseAbove = |i, j| (l0: i / 128, l1: i / 64 % 2, l2: i / 32 % 2, l3: i / 16 % 2, l4: i / 8 % 2, l5: i / 4 % 2, l6: i / 2 % 2, l7: i % 2, l8: j / 128, l9: j / 64 % 2, l10: j / 32 % 2, l11: j / 16 % 2, l12: j / 8 % 2, l13: j / 4 % 2, l14: j / 2 % 2, l15: j % 2) { merge(0, 1, 2, 3, 4, 5, 6, 7); trim(8..=15); }
}

#[cfg(every_product)]
sparse_kernel! {
    impl transposed for Copied | Half | DenseAbove;
}

const SHAPE: [usize; 2] = [300, 260];

/// Elements in every fourth row.
fn elements() -> Elements<f64, 2> {
    (0..120)
        .map(|at| ([at * 37 % 75 * 4, at * 91 % 260], (at % 9) as f64 + 1.0))
        .collect()
}

#[test]
fn matrices_of_sixteen_levels() {
    let elements = elements();
    let triplets = Triplets::try_from_triplets(SHAPE, elements.clone()).unwrap();
    let x: Vec<f64> = (0..SHAPE[1]).map(|at| (at % 7) as f64).collect();
    let (mut y, mut by_column) = (vec![0.0; SHAPE[0]], vec![0.0; SHAPE[1]]);
    for (&[i, j], value) in &elements {
        y[i] += value * x[j];
        by_column[j] += value;
    }
    macro_rules! each {
        ($($format:ident)*) => {$(
            let made: $format<f64> = triplets.convert().unwrap();
            assert_eq!(made.iter().collect::<Elements<_, _>>(), elements, stringify!($format));
            let (mut found, mut of_transpose) = (vec![f64::NAN; SHAPE[0]], vec![f64::NAN; SHAPE[1]]);
            spmv(&mut found, &made, &x).unwrap();
            assert_eq!(found, y, stringify!($format));
            transposed(&mut of_transpose, &made, &[1.0; SHAPE[0]]).unwrap();
            assert_eq!(of_transpose, by_column, stringify!($format));
            let coo: Coo<f64> = made.convert().unwrap();
            assert!(coo.convert::<$format<f64>>().unwrap() == made, stringify!($format));
            assert_eq!(triplets.estimate::<$format<f64>>().unwrap().bytes(), made.bytes() as u128);
        )*};
    }
    each!(Packed Merged DenseBelow Full Aligned);
    #[cfg(every_product)]
    each!(Copied Half DenseAbove);
    let squares: f64 = elements.values().map(|value| value * value).sum();
    let (packed, merged) = (
        triplets.convert::<Packed<f64>>().unwrap(),
        triplets.convert::<Merged<f64>>().unwrap(),
    );
    let (below, full) = (
        triplets.convert::<DenseBelow<f64>>().unwrap(),
        triplets.convert::<Full<f64>>().unwrap(),
    );
    let dots = [
        dot(&packed, &below),
        dot(&packed, &full),
        dot(&merged, &below),
        dot(&merged, &full),
    ];
    assert_eq!(dots.map(Result::unwrap), [squares; 4]);
}

#[test]
fn as_many_dims_as_levels() {
    let at = |number: usize| -> [usize; 16] { std::array::from_fn(|dim| number * (dim + 3) % 5) };
    let elements: Elements<f64, 16> = (0..40).map(|number| (at(number), number as f64 + 1.0)).collect();
    let triplets = Triplets::try_from_triplets([5; 16], elements.clone()).unwrap();
    let sixteen: Sixteen<f64> = triplets.convert().unwrap();
    assert_eq!(sixteen.iter().collect::<Elements<_, _>>(), elements);
    let tuples: Tuples<f64> = sixteen.convert().unwrap();
    assert_eq!(tuples.iter().collect::<Elements<_, _>>(), elements);
    let ten = |number: usize| -> [usize; 10] { std::array::from_fn(|dim| at(number)[dim]) };
    let elements: Elements<f64, 10> = (0..5).map(|number| (ten(number), number as f64 + 1.0)).collect();
    let made = Ten::try_from_triplets([5; 10], elements.clone()).unwrap();
    assert_eq!(made.iter().collect::<Elements<_, _>>(), elements);
}

#[test]
fn a_tensor_of_sixteen_levels_times_a_vector() {
    let at = |number: usize| [number * 7 % 31, number * 11 % 29, number * 13 % 61];
    let elements: Elements<f64, 3> = (0..90).map(|number| (at(number), number as f64 + 1.0)).collect();
    let cube = Cube::try_from_triplets([31, 29, 61], elements.clone()).unwrap();
    let x: Vec<f64> = (0..61).map(|at| (at % 5) as f64).collect();
    let mut expected = Elements::new();
    for ([i, j, k], value) in &elements {
        *expected.entry([*i, *j]).or_insert(0.0) += value * x[*k];
    }
    let found: Coo<f64> = unisparse::kernels::ttv(&cube, &x).unwrap();
    assert_eq!(found.iter().collect::<Elements<_, _>>(), expected);
}
