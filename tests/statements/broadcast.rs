//! Terms without some of the output's indices, which are added at every coordinate of these. The oracle is loops over all
//! coordinates.

#![deny(deprecated)]

#[cfg(every_product)]
use unisparse::formats::Sell;
use unisparse::prelude::*;

use crate::common::Random;
use crate::common::formats::over_formats;

sparse_format! {
    /// Diagonals in blocks of rows: with holes, and rows that no loop goes through in order.
    pub format Slanted<const B: usize = 4> = |i, j| (diag: (j - i) / B, row: i, lane: (j - i) % B) { merge(diag); trim(diag); }
    /// The last row first.
    pub format Upward = |i, j| (up: -i, col: j) { merge(up); trim(up..=col); }
}

over_formats! {
    A: [Csr Bcsr BdiaCsr Upward] [Csc Coo Sell Slanted];
    [layer: H[b, i] = A[i, j] * X[b, j] + bias[i]]
    [layer_added: H[b, i] += 2 * q - A[i, j] * X[b, j] - bias[i]]
    [shifted: y[i] = A[i, j] * x[j] + q]
    [numbered: Y[i, j] = A[i, j] - i + 2]
    [framed: Y[i, j] += A[i, j] + r[i] - c[j] if m[j]]
    [beside_a_hole: Y[i, j] = r[i] + A[i, j] * c[j] if !m[i]]
    [diagonals: Y[i, j] = A[i, j] + A[j, j] + q]
    [least: Y[i, j] min= A[i, i] + c[j]]
    #[allow(deprecated)]
    [multiplied_out: y[i] = (A[i, j] + x[j]) * c[j]]
    #[allow(deprecated)]
    [rows: H[b, i] = A[i, j] + s[b]]
    #[allow(deprecated)]
    [total: y[i] += r[i] + A[j, k] * x[k]]
    #[allow(deprecated)]
    [greatest: H[b, i] max= A[i, j] * x[j] if s[b]]
}

sparse_kernel! {
    fn masked: Y[i, j] = A[i, j] + r[i] if !M[i, j] where A: Csr | Slanted, M: Csc | Bcsr;
    fn of_two: Y[i, j] = A[i, k] * B[k, j] + B[i, i] - 1 where A: Csr | Coo, B: Csr | Upward;
    fn bits: Y[i, j] |= A[i, j] & r[i] | c[j] where A: Csr | Dia;
    fn all_bits: Y[i, j] &= A[i, j] | c[j] where A: Csr | Dia;
}

/// A square matrix and dense operands.
struct Case {
    n: usize,
    batch: usize,
    a: Vec<Option<i64>>,
    x: Vec<i64>,
    r: Vec<i64>,
    c: Vec<i64>,
    s: Vec<i64>,
    batched: Vec<i64>,
}

const Q: i64 = 5;

fn numbers(count: usize, random: &mut Random) -> Vec<i64> {
    (0..count).map(|_| random.below(7) as i64 - 3).collect()
}

fn matrix(n: usize, percent: usize, random: &mut Random) -> Vec<Option<i64>> {
    let mut element = |_| (random.below(100) < percent).then(|| [-3, -2, -1, 1, 2, 4][random.below(6)]);
    (0..n * n).map(&mut element).collect()
}

fn triplets(n: usize, elements: &[Option<i64>]) -> Triplets<i64, 2> {
    let stored = elements.iter().enumerate();
    let stored = stored.filter_map(|(at, element)| Some(([at / n, at % n], (*element)?)));
    Triplets::try_from_triplets([n, n], stored).unwrap()
}

impl Case {
    fn new(n: usize, batch: usize, percent: usize) -> Self {
        let mut random = Random::new((1000 * n + 10 * batch + percent) as u64);
        Case {
            n,
            batch,
            a: matrix(n, percent, &mut random),
            x: numbers(n, &mut random),
            r: numbers(n, &mut random),
            c: numbers(n, &mut random),
            s: numbers(batch, &mut random),
            batched: numbers(batch * n, &mut random),
        }
    }

    /// An element, or zero.
    fn a(&self, i: usize, j: usize) -> i64 {
        self.a[i * self.n + j].unwrap_or(0)
    }

    /// The product of a row with a vector.
    fn row(&self, i: usize, x: &[i64]) -> i64 {
        (0..self.n).map(|j| self.a(i, j) * x[j]).sum()
    }

    /// Compares a kernel with its value at each coordinate; `old` is what the output holds before, 7.
    fn check(
        &self,
        what: &str,
        rows: usize,
        run: &dyn Fn(&mut [i64]) -> Result<(), Error>,
        value: &dyn Fn(usize, usize, i64) -> i64,
    ) {
        let mut found = vec![7; rows * self.n];
        run(&mut found).unwrap_or_else(|error| panic!("{what}: {error}"));
        let expected: Vec<i64> = (0..rows * self.n)
            .map(|at| value(at / self.n.max(1), at % self.n.max(1), 7))
            .collect();
        let Case { n, batch, a, .. } = self;
        assert!(found == expected, "{what}, {n} rows, batch of {batch}\n{a:?}");
    }
}

macro_rules! check_formats {
    ($case:expr, $($format:ident)*) => {$({
        let case: &Case = $case;
        let Case { n, batch, x, r, c, s, batched, .. } = case;
        let a: $format<i64> = triplets(*n, &case.a).convert().unwrap();
        let name = |kernel: &str| format!("{kernel} over {}", stringify!($format));
        let sums: Vec<i64> = (0..*n).map(|i| (0..*n).map(|j| case.a(i, j)).sum()).collect();
        let products: Vec<i64> = (0..*n).map(|i| case.row(i, x)).collect();
        let of_batch = |b: usize, i: usize| case.row(i, &batched[b * n..][..*n]);
        let all: i64 = products.iter().sum();
        let both: i64 = x.iter().zip(c).map(|(x, c)| x * c).sum();
        let factors: Vec<i64> = (0..*n).map(|i| case.row(i, c)).collect();

        case.check(&name("layer"), *batch, &|h| layer(h, &a, batched, r), &|b, i, _| of_batch(b, i) + r[i]);
        case.check(&name("layer_added"), *batch, &|h| layer_added(h, Q, &a, batched, r), &|b, i, old| {
            old + 2 * Q - of_batch(b, i) - r[i]
        });
        case.check(&name("shifted"), 1, &|y| shifted(y, &a, x, Q), &|_, i, _| products[i] + Q);
        case.check(&name("numbered"), *n, &|y| numbered(y, &a), &|i, j, _| case.a(i, j) - i as i64 + 2);
        case.check(&name("framed"), *n, &|y| framed(y, &a, r, c, x), &|i, j, old| {
            old + if x[j] == 0 { 0 } else { case.a(i, j) + r[i] - c[j] }
        });
        case.check(&name("beside_a_hole"), *n, &|y| beside_a_hole(y, r, &a, c, x), &|i, j, _| {
            if x[i] == 0 { r[i] + case.a(i, j) * c[j] } else { 0 }
        });
        case.check(&name("diagonals"), *n, &|y| diagonals(y, &a, Q), &|i, j, _| case.a(i, j) + case.a(j, j) + Q);
        case.check(&name("least"), *n, &|y| least(y, &a, c), &|i, j, old| {
            case.a[i * n + i].map_or(old, |diagonal| old.min(diagonal + c[j]))
        });
        case.check(&name("multiplied_out"), 1, &|y| multiplied_out(y, &a, x, c), &|_, i, _| factors[i] + both);
        case.check(&name("rows"), *batch, &|h| rows(h, &a, s), &|b, i, _| sums[i] + s[b]);
        case.check(&name("total"), 1, &|y| total(y, r, &a, x), &|_, i, old| old + r[i] + all);
        case.check(&name("greatest"), *batch, &|h| greatest(h, &a, x, s), &|b, i, old| {
            let stored = (0..*n).filter_map(|j| Some(case.a[i * n + j]? * x[j]));
            stored.filter(|_| s[b] != 0).fold(old, i64::max)
        });
    })*};
}

fn check_every_format(case: &Case) {
    check_formats!(case, Csr Bcsr BdiaCsr Upward);
    #[cfg(every_product)]
    check_formats!(case, Csc Coo Sell Slanted);
}

#[test]
fn terms_are_added_at_every_coordinate_of_the_indices_that_they_lack() {
    for (n, batch, percent) in [(0, 3, 50), (1, 1, 100), (3, 0, 50), (5, 4, 0), (7, 2, 40), (9, 5, 100)] {
        check_every_format(&Case::new(n, batch, percent));
    }
}

#[test]
fn on_several_threads_too() {
    unisparse::set_reproducible(Some(5));
    check_every_format(&Case::new(180, 30, 20));
    unisparse::set_reproducible(None);
}

/// Checks a kernel over pairs of formats.
macro_rules! check_pairs {
    ($case:expr, $other:expr, $kernel:ident, [$($left:ident $right:ident),*], |$y:ident, $a:ident, $b:ident| $run:expr, $value:expr) => {$({
        let $a: $left<i64> = triplets($case.n, &$case.a).convert().unwrap();
        let $b: $right<i64> = triplets($case.n, $other).convert().unwrap();
        let name = stringify!($kernel over $left and $right);
        $case.check(name, $case.n, &|$y| $run, &$value);
    })*};
}

#[test]
fn beside_several_sparse_operands() {
    for (n, percent) in [(1, 100), (6, 50), (120, 20)] {
        let case = Case::new(n, 1, percent);
        let other = matrix(n, percent, &mut Random::new(n as u64));
        let of_other = |i: usize, j: usize| other[i * n + j].unwrap_or(0);
        check_pairs!(
            case, &other, masked, [Csr Csc, Csr Bcsr, Slanted Csc, Slanted Bcsr],
            |y, a, b| masked(y, &a, &case.r, &b),
            |i, j, _| if of_other(i, j) == 0 { case.a(i, j) + case.r[i] } else { 0 }
        );
        check_pairs!(
            case, &other, of_two, [Csr Csr, Csr Upward, Coo Csr, Coo Upward],
            |y, a, b| of_two(y, &a, &b),
            |i, j, _| (0..n).map(|k| case.a(i, k) * of_other(k, j)).sum::<i64>() + of_other(i, i) - 1
        );
    }
}

#[test]
fn with_bits() {
    let case = Case::new(6, 1, 50);
    let is_set = |numbers: &[i64]| -> Vec<bool> { numbers.iter().map(|&number| number > 0).collect() };
    let (r, c) = (is_set(&case.r), is_set(&case.c));
    let stored = case.a.iter().enumerate();
    let stored = stored.filter_map(|(at, element)| Some(([at / 6, at % 6], (*element)? > 0)));
    let a = Triplets::try_from_triplets([6, 6], stored).unwrap();
    let (csr, dia): (Csr<bool>, Dia<bool>) = (a.convert().unwrap(), a.convert().unwrap());
    for start in [false, true] {
        let (mut found, mut of_dia) = (vec![start; 36], vec![start; 36]);
        bits(&mut found, &csr, &r, &c).unwrap();
        bits(&mut of_dia, &dia, &r, &c).unwrap();
        let expected = (0..36).map(|at| start | (case.a[at].is_some_and(|value| value > 0) & r[at / 6]) | c[at % 6]);
        assert!(found == expected.collect::<Vec<_>>() && of_dia == found);

        let (mut found, mut of_dia) = (vec![start; 36], vec![start; 36]);
        all_bits(&mut found, &csr, &c).unwrap();
        all_bits(&mut of_dia, &dia, &c).unwrap();
        let expected = (0..36).map(|at| start & (case.a[at].is_some_and(|value| value > 0) | c[at % 6]));
        assert!(found == expected.collect::<Vec<_>>() && of_dia == found);
    }
}

#[test]
fn extents_that_only_the_output_and_a_mask_have() {
    sparse_kernel! {
        fn repeated: H[b, i] = A[i, j] * X[b, j] + bias[i] where A: Csr;
    }
    let a = Csr::try_from_triplets([2, 2], [([0, 1], 3)]).unwrap();
    let mut h = [0; 6];
    repeated(&mut h, &a, &[1, 2, 3, 4, 5, 6], &[10, 20]).unwrap();
    assert_eq!(h, [16, 20, 22, 20, 28, 20]);
    let error = repeated(&mut h, &a, &[1, 2, 3, 4, 5, 6], &[10, 20, 30]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "repeated: `bias` has 3 elements, but `A` has 2 rows (index `i`)"
    );
}
