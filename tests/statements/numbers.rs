//! Special numbers. Under `min=` and `max=`, every number replaces NaN, also one that the output had before, in every
//! format: against folds over the elements. Literals that no element type value equals are refused.

use std::collections::BTreeMap;

use crate::common::Random;
use crate::common::formats::over_formats;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Scalar};

sparse_format! {
    /// Blocks of three rows, each with its diagonals.
    pub format Banded<const B: usize = 3> = |i, j| (rows: i / B, diag: j - i, lane: i % B) { merge(rows); trim(diag); }
    /// Columns in tuples with their values.
    pub format Tuples = |i, j| (row: i, col: j) { merge(row); trim(col); pack(col); }
    /// A vector.
    pub format Vector = |i| (at: i) { trim(at); }
}

over_formats! {
    A: [Csr Csc Coo Bcsr Dia BdiaCsr] [Dcsr Dcsc Dok Ell Csb Sell Jds C2sr Banded Tuples];
    [least: y[i] min= A[i, j] + x[j]]
    [relax: d[j] min= s[i] + A[i, j]]
    [greatest: C[i, n] max= A[i, j] * B[j, n]]
    [smallest: s min= A[i, j]]
}

sparse_kernel! {
    // One sum for each row in order, or one for all elements.
    fn lowest: v[i] min= A[i, j] where A: Csr | Csc | Coo | Ell, v: Vector;
    fn shifted: y[i] = 200 * A[i, j] * x[j] + 3 * x[i] where A: Csr;
    fn scaled: y[i] = 1e39 * A[i, j] * x[j] where A: Csr;
    fn shortest: C[i, j] min= A[i, k] + B[k, j] where A: Csr | Csc | Coo | Dia | Ell, B: Csr | Csc, C: Csr | Coo;
}

type Elements = BTreeMap<[usize; 2], f64>;

const COLUMNS: usize = 5;

/// Combines two numbers: NaN is replaced by the other one.
fn lesser(left: f64, right: f64) -> f64 {
    if left.is_nan() || right < left { right } else { left }
}

fn greater(left: f64, right: f64) -> f64 {
    -lesser(-left, -right)
}

/// Compares as text, in which all NaNs are equal.
fn text(values: &[f64]) -> Vec<String> {
    values
        .iter()
        .map(|value| {
            if value.is_nan() {
                "NaN".to_owned()
            } else {
                format!("{value:?}")
            }
        })
        .collect()
}

/// Numbers that are not zero, infinities, and NaN.
fn value(random: &mut Random) -> f64 {
    match random.below(32) {
        0 => f64::INFINITY,
        1 => f64::NEG_INFINITY,
        kind if kind < 12 => f64::NAN,
        kind => kind as f64 / 4.0 - 5.125,
    }
}

fn values(count: usize, random: &mut Random) -> Vec<f64> {
    (0..count).map(|_| value(random)).collect()
}

/// Returns the row with this number: empty, only NaN, full, or with some elements.
fn elements([rows, columns]: [usize; 2], random: &mut Random) -> Elements {
    let mut all = Elements::new();
    for at in (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])) {
        match at[0] % 5 {
            0 => {}
            1 if at[1] % 2 == 0 => drop(all.insert(at, f64::NAN)),
            2 => drop(all.insert(at, value(random))),
            // Only full rows have an element in column 3.
            3 | 4 if at[1] != 3 && random.below(3) == 0 => drop(all.insert(at, value(random))),
            _ => {}
        }
    }
    all
}

/// The expected results of the kernels.
struct Expected {
    least: Vec<f64>,
    relax: Vec<f64>,
    greatest: Vec<f64>,
    smallest: f64,
}

struct Case {
    shape: [usize; 2],
    elements: Elements,
    /// The contents of dense outputs before.
    before: [Vec<f64>; 3],
    x: Vec<f64>,
    s: Vec<f64>,
    b: Vec<f64>,
}

impl Case {
    fn new(shape: [usize; 2], seed: u64) -> Self {
        let mut random = Random::new(seed);
        let [rows, columns] = shape;
        Case {
            shape,
            elements: elements(shape, &mut random),
            before: [rows, columns, rows * COLUMNS].map(|count| values(count, &mut random)),
            x: values(columns, &mut random),
            s: values(rows, &mut random),
            b: values(columns * COLUMNS, &mut random),
        }
    }

    fn triplets(&self) -> Triplets<f64, 2> {
        Triplets::try_from_triplets(self.shape, self.elements.iter().map(|(&at, &value)| (at, value))).unwrap()
    }

    fn expected(&self) -> Expected {
        let [mut least, mut relax, mut greatest] = self.before.clone();
        let mut smallest = f64::INFINITY;
        for (&[i, j], &value) in &self.elements {
            least[i] = lesser(least[i], value + self.x[j]);
            relax[j] = lesser(relax[j], self.s[i] + value);
            smallest = lesser(smallest, value);
            for n in 0..COLUMNS {
                let place = &mut greatest[i * COLUMNS + n];
                *place = greater(*place, value * self.b[j * COLUMNS + n]);
            }
        }
        Expected {
            least,
            relax,
            greatest,
            smallest,
        }
    }
}

macro_rules! check {
    ($case:expr, $($format:ty),*) => {{
        let (case, triplets) = ($case, $case.triplets());
        let expected = case.expected();
        $({
            let name = format!("{} of {:?}", stringify!($format), case.shape);
            let a: $format = triplets.convert_within(unisparse::Limit::none()).unwrap();
            let [mut y, mut d, mut c] = case.before.clone();
            least(&mut y, &a, &case.x).unwrap();
            assert_eq!(text(&y), text(&expected.least), "least {name}, from {:?}", case.before[0]);
            relax(&mut d, &case.s, &a).unwrap();
            assert_eq!(text(&d), text(&expected.relax), "relax {name}, from {:?}", case.before[1]);
            greatest(&mut c, &a, &case.b).unwrap();
            assert_eq!(text(&c), text(&expected.greatest), "greatest {name}, from {:?}", case.before[2]);
            assert_eq!(text(&[smallest(&a).unwrap()]), text(&[expected.smallest]), "smallest {name}");
        })*
    }};
}

fn check_most(case: &Case) {
    check!(case, Csr<f64>, Csc<f64>, Coo<f64>, Bcsr<f64, 2, 3>);
}

#[test]
fn nan_gives_way_in_every_format() {
    for (seed, shape) in [[0, 3], [1, 1], [4, 4], [10, 3], [11, 40], [25, 17]]
        .into_iter()
        .enumerate()
    {
        let case = &Case::new(shape, seed as u64);
        check_most(case);
        check!(case, Dia<f64>, BdiaCsr<f64, 4>);
        #[cfg(every_product)]
        {
            check!(case, Dcsr<f64>, Dcsc<f64>, Dok<f64>, Ell<f64>, Csb<f64, 4>, Sell<f64, 2, 4>, Jds<f64>, C2sr<f64, 2>);
            check!(case, Banded<f64>, Tuples<f64>);
        }
    }
}

#[test]
fn nan_gives_way_in_pieces() {
    // Loops are divided among threads from about 130 000 elements on.
    let case = &Case::new([40, 9000], 7);
    for pieces in [None, Some(3)] {
        unisparse::set_reproducible(pieces);
        check_most(case);
    }
    unisparse::set_reproducible(None);
}

#[test]
fn a_total_of_nan_alone_is_the_identity() {
    let all = [[0, 0], [0, 1], [2, 1]].map(|at| (at, f64::NAN));
    let a: Csr<f64> = Triplets::try_from_triplets([3, 3], all).unwrap().convert().unwrap();
    let dense: Dia<f64> = a.convert().unwrap();
    assert_eq!(
        (smallest(&a).unwrap(), smallest(&dense).unwrap()),
        (f64::INFINITY, f64::INFINITY)
    );
    assert_eq!(
        smallest(&Csr::<f64>::try_from_triplets([3, 3], []).unwrap()).unwrap(),
        f64::INFINITY
    );
}

#[test]
fn elements_of_sparse_outputs_are_nan_where_nothing_else_is() {
    let mut random = Random::new(3);
    let (left, right) = (elements([17, 12], &mut random), elements([12, 9], &mut random));
    let mut expected = Elements::new();
    for (&[i, k], &value) in &left {
        for (&[_, j], &other) in right.range([k, 0]..[k + 1, 0]) {
            let sum = value + other;
            expected
                .entry([i, j])
                .and_modify(|old| *old = lesser(*old, sum))
                .or_insert(sum);
        }
    }
    assert!(expected.values().any(|value| value.is_nan()) && expected.values().any(|value| !value.is_nan()));
    let made = |shape, of: &Elements| Triplets::try_from_triplets(shape, of.iter().map(|(&at, &v)| (at, v))).unwrap();
    let (left, right) = (made([17, 12], &left), made([12, 9], &right));
    macro_rules! each {
        ($($format:ident)*) => {$( each!($format Csr, $format Csc); )*};
        ($($a:ident $b:ident),*) => {$(
            let (a, b): ($a<f64>, $b<f64>) = (left.convert().unwrap(), right.convert().unwrap());
            let (csr, coo): (Csr<f64>, Coo<f64>) = (shortest(&a, &b).unwrap(), shortest(&a, &b).unwrap());
            for found in [csr.iter().collect::<Vec<_>>(), coo.iter().collect()] {
                let (places, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
                assert!(places.iter().eq(expected.keys()), "{} {}", stringify!($a), stringify!($b));
                let expected: Vec<f64> = expected.values().copied().collect();
                assert_eq!(text(&values), text(&expected), "{} {}", stringify!($a), stringify!($b));
            }
        )*};
    }
    each!(Csr Csc Coo Dia Ell);
}

#[test]
fn elements_of_sparse_vectors_are_nan_where_nothing_else_is() {
    let all = elements([17, 12], &mut Random::new(4));
    let mut expected: BTreeMap<usize, f64> = BTreeMap::new();
    for (&[i, _], &value) in &all {
        let place = expected.entry(i).or_insert(value);
        *place = lesser(*place, value);
    }
    assert!(expected[&1].is_nan() && expected.len() < 17);
    let triplets = Triplets::try_from_triplets([17, 12], all).unwrap();
    macro_rules! each {
        ($($format:ident)*) => {$(
            let v: Vector<f64> = lowest(&triplets.convert::<$format<f64>>().unwrap()).unwrap();
            let (places, values): (Vec<_>, Vec<_>) = v.iter().map(|([i], value)| (i, value)).unzip();
            assert!(places.iter().eq(expected.keys()), "{}", stringify!($format));
            let least: Vec<f64> = expected.values().copied().collect();
            assert_eq!(text(&values), text(&least), "{}", stringify!($format));
        )*};
    }
    each!(Csr Csc Coo Ell);
}

#[test]
fn literals_that_elements_cannot_hold_are_refused() {
    fn one<T: Scalar>(value: T) -> Csr<T> {
        Csr::try_from_parts([1, 1], vec![0, 1], vec![0], vec![value]).unwrap()
    }
    let mut y = [7_u8];
    shifted(&mut y, &one(1_u8), &[1]).unwrap();
    assert_eq!(y, [203]);
    let mut y = [7_i8];
    let error = shifted(&mut y, &one(1_i8), &[1]).unwrap_err();
    assert_eq!(
        (error.kind(), error.subject(), y),
        (ErrorKind::Type, "literal `200`", [7])
    );
    let mut y = [0.5_f64];
    scaled(&mut y, &one(2.0), &[0.5]).unwrap();
    assert_eq!(y, [1e39]);
    let error = scaled(&mut [0.5_f32], &one(2.0_f32), &[0.5]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "scaled: literal `1e39`: found elements of type `f32`, expected a type that holds this number"
    );
}
