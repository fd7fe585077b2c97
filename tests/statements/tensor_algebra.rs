//! Tensor algebra on real tensors of three to five dims, against loops over their elements.

#[path = "../../examples/cp_als.rs"]
#[allow(dead_code)]
mod cp_als;

use std::collections::BTreeMap;

use crate::common::Random;
use crate::common::data::shared;
use unisparse::Triplets;
use unisparse::prelude::*;

sparse_format! {
    /// Coordinates of three dims.
    format Coordinates3 = |i, j, k| (i, j, k) { trim(0..=2); }
    /// The last dim outermost.
    format LastFirst3 = |i, j, k| (k, j, i) { merge(0, 1); trim(0..=2); }
    /// Blocks of 64 with at least one element, and short coordinates within.
    format Tiles3 = |i, j, k| (a: i / 64, b: j / 64, c: k / 64, x: i % 64, y: j % 64, z: k % 64) { merge(a, b, c); trim(a..=z); index(x: u8, y: u8, z: u8); }
    /// Compressed fibers of four dims.
    format Fibers4 = |i, j, k, l| (i, j, k, l) { merge(0, 1, 2); trim(0..=3); }
    /// Coordinates of four dims.
    format Coordinates4 = |i, j, k, l| (i, j, k, l) { trim(0..=3); }
    /// The second dim outermost.
    format SecondFirst4 = |i, j, k, l| (j, i, l, k) { merge(0, 1, 2); trim(0..=3); }
    /// Compressed fibers of five dims.
    format Fibers5 = |i, j, k, l, m| (i, j, k, l, m) { merge(0, 1, 2, 3); trim(0..=4); }
    /// Coordinates of five dims.
    format Coordinates5 = |i, j, k, l, m| (i, j, k, l, m) { trim(0..=4); }
}

sparse_kernel! {
    fn mttkrp3: M[i, r] = X[i, j, k] * B[j, r] * C[k, r] where X: Csf | Coordinates3 | LastFirst3 | Tiles3;
    fn mttkrp3_last: M[k, r] += X[i, j, k] * A[i, r] * B[j, r] where X: Csf | Coordinates3 | LastFirst3 | Tiles3;
    fn ttv3: Y[i, j] = X[i, j, k] * v[k] where X: Csf | Coordinates3 | LastFirst3 | Tiles3, Y: Coo | Dcsr | Dcsc;
    fn ttv3_first: Y[j, k] = X[i, j, k] * v[i] where X: Csf | Coordinates3 | LastFirst3 | Tiles3, Y: Coo | Dcsr | Dcsc;
    fn ttm3: Y[i, j, r] = X[i, j, k] * U[k, r] where X: Csf | Coordinates3 | LastFirst3 | Tiles3, Y: Csf | Coordinates3;
    fn inner3: s = X[i, j, k] * Y[i, j, k] where X: Csf | Coordinates3, Y: Csf | LastFirst3 | Coordinates3;
    fn sum3: Z[i, j, k] = X[i, j, k] + Y[i, j, k] where X: Csf | Coordinates3, Y: Csf | Coordinates3 | LastFirst3, Z: Csf | LastFirst3;
    fn mttkrp4: M[i, r] = X[i, j, k, l] * B[j, r] * C[k, r] * D[l, r] where X: Fibers4 | Coordinates4 | SecondFirst4;
    fn ttv4: Y[i, j, k] = X[i, j, k, l] * v[l] where X: Fibers4 | Coordinates4 | SecondFirst4, Y: Csf | Coordinates3;
    fn mttkrp5: M[j, r] = X[i, j, k, l, m] * A[i, r] * C[k, r] * D[l, r] * E[m, r] where X: Fibers5 | Coordinates5;
    fn ttv5: Y[i, j, k, l] = X[i, j, k, l, m] * v[m] where X: Fibers5 | Coordinates5, Y: Fibers4 | SecondFirst4;
    fn matrix5: Y[i, j] = X[i, j, k, l, m] * u[k] * v[l] * w[m] where X: Fibers5 | Coordinates5, Y: Dcsr | Coo;
}

const RANKS: usize = 3;

fn read<const N: usize>(name: &str) -> Option<Triplets<f64, N>> {
    Some(unisparse::io::read_tns(shared(&format!("data/tensors/{name}.tns.gz"))?).unwrap())
}

fn random(len: usize, seed: u64) -> Vec<f64> {
    Random::new(seed)
        .vector(len)
        .into_iter()
        .map(|value| value - 4.7)
        .collect()
}

/// Sums with the magnitudes of their terms, which bound their rounding.
type Sums<const N: usize> = BTreeMap<[usize; N], (f64, f64)>;

fn sums<const N: usize>(terms: impl Iterator<Item = ([usize; N], f64)>) -> Sums<N> {
    let mut all = Sums::new();
    for (at, term) in terms {
        let (sum, magnitude) = all.entry(at).or_default();
        *sum += term;
        *magnitude += term.abs();
    }
    all
}

fn close(own: f64, (sum, magnitude): (f64, f64), what: &str) {
    assert!((own - sum).abs() <= 1e-13 * magnitude, "{what}: {own} {sum}");
}

/// Checks that a sparse result stores the sums, and nothing else.
fn equal<Y: SparseTensor<N, Scalar = f64>, const N: usize>(own: &Y, expected: &Sums<N>, what: &str) {
    let mut count = 0;
    own.for_each(|at, value| {
        count += 1;
        close(value, expected[&at], what);
    });
    assert_eq!(count, expected.len(), "{what} to {}", Y::NAME);
}

/// Checks the rows of a dense result whose elements were `before`.
fn equal_rows(own: &[f64], before: f64, expected: &Sums<2>, what: &str) {
    for (place, &value) in own.iter().enumerate() {
        let (sum, magnitude) = expected
            .get(&[place / RANKS, place % RANKS])
            .copied()
            .unwrap_or_default();
        close(value, (sum + before, magnitude + before), what);
    }
}

fn ranks() -> core::ops::Range<usize> {
    0..RANKS
}

fn three(name: &str) {
    let Some(x) = read::<3>(name) else { return };
    let [l, m, n] = x.shape();
    let (a, b, c) = (random(l * RANKS, 1), random(m * RANKS, 2), random(n * RANKS, 3));
    let (u, v, w) = (random(n * RANKS, 4), random(l, 5), random(n, 6));
    let all = || x.iter();
    let first = sums(
        all()
            .flat_map(|([i, j, k], x)| ranks().map(move |r| ([i, r], x, j, k, r)))
            .map(|(at, x, j, k, r)| (at, x * b[j * RANKS + r] * c[k * RANKS + r])),
    );
    let last = sums(
        all()
            .flat_map(|([i, j, k], x)| ranks().map(move |r| ([k, r], x, i, j, r)))
            .map(|(at, x, i, j, r)| (at, x * a[i * RANKS + r] * b[j * RANKS + r])),
    );
    let along_last = sums(all().map(|([i, j, k], x)| ([i, j], x * w[k])));
    let along_first = sums(all().map(|([i, j, k], x)| ([j, k], x * v[i])));
    let by_matrix = sums(
        all()
            .flat_map(|([i, j, k], x)| ranks().map(move |r| ([i, j, r], x, k, r)))
            .map(|(at, x, k, r)| (at, x * u[k * RANKS + r])),
    );
    macro_rules! each {
        ($($format:ident)*) => {$({
            let what = format!("{name} {}", stringify!($format));
            let x: $format<f64> = x.convert().unwrap();
            let mut own = vec![f64::NAN; l * RANKS];
            mttkrp3(&mut own, &x, &b, &c).unwrap();
            equal_rows(&own, 0.0, &first, &what);
            let mut own = vec![2.0; n * RANKS];
            mttkrp3_last(&mut own, &x, &a, &b).unwrap();
            equal_rows(&own, 2.0, &last, &what);
            equal::<Coo<f64>, 2>(&ttv3(&x, &w).unwrap(), &along_last, &what);
            equal::<Dcsr<f64>, 2>(&ttv3(&x, &w).unwrap(), &along_last, &what);
            equal::<Dcsc<f64>, 2>(&ttv3(&x, &w).unwrap(), &along_last, &what);
            equal::<Coo<f64>, 2>(&ttv3_first(&x, &v).unwrap(), &along_first, &what);
            equal::<Dcsr<f64>, 2>(&ttv3_first(&x, &v).unwrap(), &along_first, &what);
            equal::<Csf<f64>, 3>(&ttm3(&x, &u).unwrap(), &by_matrix, &what);
            equal::<Coordinates3<f64>, 3>(&ttm3(&x, &u).unwrap(), &by_matrix, &what);
        })*};
    }
    each!(Csf Coordinates3 LastFirst3 Tiles3);

    // Another tensor, which stores some of the same elements.
    let other = |[i, j, k]: [usize; 3]| {
        if (i + j + k) % 3 == 0 {
            [i, j, k]
        } else {
            [l - 1 - i, j, k]
        }
    };
    let other = Triplets::try_from_triplets(x.shape(), x.iter().map(|(at, value)| (other(at), value - 0.25))).unwrap();
    let elements: BTreeMap<[usize; 3], f64> = sums(other.iter()).into_iter().map(|(at, (sum, _))| (at, sum)).collect();
    let products = sums(all().filter_map(|(at, x)| Some(([], x * elements.get(&at)?))));
    let both = sums(all().chain(elements.iter().map(|(&at, &value)| (at, value))));
    let (left, right): (Csf<f64>, Csf<f64>) = (x.convert().unwrap(), other.convert().unwrap());
    let (points, last_first): (Coordinates3<f64>, LastFirst3<f64>) = (x.convert().unwrap(), other.convert().unwrap());
    for own in [
        inner3(&left, &right).unwrap(),
        inner3(&points, &right).unwrap(),
        inner3(&left, &last_first).unwrap(),
        inner3(&points, &right.convert::<Coordinates3<f64>>().unwrap()).unwrap(),
    ] {
        close(own, products.get(&[]).copied().unwrap_or_default(), name);
    }
    equal::<Csf<f64>, 3>(&sum3(&left, &right).unwrap(), &both, name);
    equal::<LastFirst3<f64>, 3>(&sum3(&points, &last_first).unwrap(), &both, name);
}

fn four(name: &str) {
    let Some(x) = read::<4>(name) else { return };
    let shape = x.shape();
    let [b, c, d] = [1, 2, 3].map(|dim| random(shape[dim] * RANKS, dim as u64));
    let v = random(shape[3], 4);
    let first = x
        .iter()
        .flat_map(|([i, j, k, l], x)| ranks().map(move |r| ([i, r], x, j, k, l, r)));
    let first = sums(first.map(|(at, x, j, k, l, r)| (at, x * b[j * RANKS + r] * c[k * RANKS + r] * d[l * RANKS + r])));
    let along_last = sums(x.iter().map(|([i, j, k, l], x)| ([i, j, k], x * v[l])));
    macro_rules! each {
        ($($format:ident)*) => {$({
            let what = format!("{name} {}", stringify!($format));
            let x: $format<f64> = x.convert().unwrap();
            let mut own = vec![f64::NAN; shape[0] * RANKS];
            mttkrp4(&mut own, &x, &b, &c, &d).unwrap();
            equal_rows(&own, 0.0, &first, &what);
            equal::<Csf<f64>, 3>(&ttv4(&x, &v).unwrap(), &along_last, &what);
            equal::<Coordinates3<f64>, 3>(&ttv4(&x, &v).unwrap(), &along_last, &what);
        })*};
    }
    each!(Fibers4 Coordinates4 SecondFirst4);
}

fn five(name: &str) {
    let Some(x) = read::<5>(name) else { return };
    let shape = x.shape();
    let [a, c, d, e] = [0, 2, 3, 4].map(|dim| random(shape[dim] * RANKS, dim as u64));
    let [u, v, w] = [2, 3, 4].map(|dim| random(shape[dim], 7 + dim as u64));
    let second = x
        .iter()
        .flat_map(|([i, j, k, l, m], x)| ranks().map(move |r| ([j, r], x, [i, k, l, m].map(|at| at * RANKS + r))));
    let second = sums(second.map(|(at, x, [i, k, l, m])| (at, x * a[i] * c[k] * d[l] * e[m])));
    let along_last = sums(x.iter().map(|([i, j, k, l, m], x)| ([i, j, k, l], x * w[m])));
    let matrix = sums(x.iter().map(|([i, j, k, l, m], x)| ([i, j], x * u[k] * v[l] * w[m])));
    macro_rules! each {
        ($($format:ident)*) => {$({
            let what = format!("{name} {}", stringify!($format));
            let x: $format<f64> = x.convert().unwrap();
            let mut own = vec![f64::NAN; shape[1] * RANKS];
            mttkrp5(&mut own, &x, &a, &c, &d, &e).unwrap();
            equal_rows(&own, 0.0, &second, &what);
            equal::<Fibers4<f64>, 4>(&ttv5(&x, &w).unwrap(), &along_last, &what);
            equal::<SecondFirst4<f64>, 4>(&ttv5(&x, &w).unwrap(), &along_last, &what);
            equal::<Dcsr<f64>, 2>(&matrix5(&x, &u, &v, &w).unwrap(), &matrix, &what);
            equal::<Coo<f64>, 2>(&matrix5(&x, &u, &v, &w).unwrap(), &matrix, &what);
        })*};
    }
    each!(Fibers5 Coordinates5);
}

macro_rules! real {
    ($($test:ident: $check:ident($name:literal);)*) => {$(
        #[test]
        fn $test() {
            $check($name);
        }
    )*};
}

real! {
    splatt_med: three("splatt-med");
    kinship: three("kg-kinship");
    nations: three("kg-nations");
    wordnet: three("kg-WN18RR");
    aminoacid: three("aminoacid");
    splatt_med4: four("splatt-med4");
    wiki_people_3: four("KG_WikiPeople_3");
    icews: four("tkg-ICEWS18-valid-test");
    splatt_med5: five("splatt-med5");
    wiki_people_4: five("KG_WikiPeople_4");
    jf17k: five("KG_JF17K_4");
}

/// Returns `M[d, r]` of one dim, computed from the triplets.
fn plain_mttkrp(x: &Triplets<f64, 3>, dim: usize, factors: &cp_als::Factors) -> Vec<f64> {
    let mut m = vec![0.0; x.shape()[dim] * cp_als::RANK];
    for (at, value) in x.iter() {
        for r in 0..cp_als::RANK {
            let others = (0..3)
                .filter(|&other| other != dim)
                .map(|other| factors[other][at[other] * cp_als::RANK + r]);
            m[at[dim] * cp_als::RANK + r] += value * others.product::<f64>();
        }
    }
    m
}

/// Returns `1 - ‖X - M‖ / ‖X‖`: element by element where `X` stores them, and by the norm of `M` elsewhere.
fn fit_of(x: &Triplets<f64, 3>, factors: &cp_als::Factors) -> f64 {
    let model = |at: [usize; 3]| -> f64 {
        (0..cp_als::RANK)
            .map(|r| {
                (0..3)
                    .map(|dim| factors[dim][at[dim] * cp_als::RANK + r])
                    .product::<f64>()
            })
            .sum()
    };
    let mut norm = 0.0;
    for r in 0..cp_als::RANK {
        for s in 0..cp_als::RANK {
            let dot = |factor: &Vec<f64>| -> f64 { factor.chunks_exact(cp_als::RANK).map(|row| row[r] * row[s]).sum() };
            norm += factors.iter().map(dot).product::<f64>();
        }
    }
    let square: f64 = x.values().iter().map(|value| value * value).sum();
    let missed: f64 = x
        .iter()
        .map(|(at, value)| (value - model(at)).powi(2) - model(at).powi(2))
        .sum();
    1.0 - ((missed + norm).max(0.0) / square).sqrt()
}

sparse_kernel! {
    fn als_a: M[i, r] = X[i, j, k] * B[j, r] * C[k, r] where X: Csf | Coordinates3;
    fn als_b: M[j, r] = X[i, j, k] * A[i, r] * C[k, r] where X: Csf | Coordinates3;
    fn als_c: M[k, r] = X[i, j, k] * A[i, r] * B[j, r] where X: Csf | Coordinates3;
    fn square: s = X[i, j, k] * X[i, j, k] where X: Csf | Coordinates3;
}

#[test]
fn alternating_least_squares() {
    let Some(x) = read::<3>("splatt-med") else { return };
    let plain_square: f64 = x.values().iter().map(|value| value * value).sum();
    let mut plain = (cp_als::start(x.shape()), Vec::new());
    for _ in 0..4 {
        let mttkrp = |dim: usize, factors: &cp_als::Factors| Ok::<_, Error>(plain_mttkrp(&x, dim, factors));
        plain
            .1
            .push(cp_als::improve(&mut plain.0, plain_square, mttkrp).unwrap());
    }
    assert!(
        plain.1.is_sorted_by(|before, after| before < after) && plain.1[0] > 0.0,
        "{:?}",
        plain.1
    );
    assert!((fit_of(&x, &plain.0) - plain.1[3]).abs() < 1e-9, "{:?}", plain.1);

    macro_rules! each {
        ($($format:ident)*) => {$({
            let tensor: $format<f64> = x.convert().unwrap();
            let mttkrp = |dim: usize, [a, b, c]: &cp_als::Factors| {
                let mut m = vec![f64::NAN; x.shape()[dim] * cp_als::RANK];
                match dim {
                    0 => als_a(&mut m, &tensor, b, c)?,
                    1 => als_b(&mut m, &tensor, a, c)?,
                    _ => als_c(&mut m, &tensor, a, b)?,
                }
                Ok::<_, Error>(m)
            };
            let norm = square(&tensor).unwrap();
            close(norm, (plain_square, plain_square), stringify!($format));
            let mut factors = cp_als::start(x.shape());
            for fit in &plain.1 {
                let own = cp_als::improve(&mut factors, norm, mttkrp).unwrap();
                assert!((own - fit).abs() <= 1e-9, "{}: {own} {fit}", stringify!($format));
            }
        })*};
    }
    each!(Csf Coordinates3);
}
