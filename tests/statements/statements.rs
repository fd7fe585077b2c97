//! Statements that read levels in unusual ways: at repeated indices, against their order, with indices as values, and in
//! long products. The oracle is sums over the elements.

#![deny(deprecated, unfulfilled_lint_expectations)]

use unisparse::formats::{Bell, Jds, Lil, Sell};
use unisparse::prelude::*;
use unisparse::{Complex64, ErrorKind, FromInteger};

sparse_format! {
    pub format Skewed = |i, j| (d: j - i, b: 2 * j - i) {}
    pub format SkewedRuns = |i, j| (d: j - i, b: 2 * j - i) { merge(d); trim(d..=b); }
    /// `a` is always zero, and the rows have one more coordinate than there are rows.
    pub format Even = |i, j| (a: (2 * j) % 2, b: i + (2 * j) % 2, c: j) { merge(a, b); trim(c); }
    pub format Even2 = |i, j| (b: i + (2 * j) % 2, c: j) { merge(b); trim(b..=c); }
    pub format Shifted = |i, j, k| (a: j - k, b: i + j - k, c: j) { merge(a, b); trim(c); }
    /// No level is constant where `i = j` unless `Q` is known, and none distinguishes `i` from `j`.
    pub format Leaning<const Q: usize> = |i, j| (l0: j - Q * i, l1: i + (Q - 1) * (j - Q * i)) { merge(l0); trim(l0); }
    /// The dense `l0` is zero where `i = j`, unless the matrix is empty.
    pub format Crossed = |i, j| (l0: i - j, l1: j + i, l2: j) { merge(l0); trim(l1); }
    /// `l2` is zero for neighbours of the diagonal, too.
    pub format Halves = |i, j, k| (l0: j + k, l1: i - k, l2: (i - j) / 2, l3: j + i, l4: k + (i - j) / 2) {
        merge(l0);
        trim(l1..=l4);
    }
    /// `j` is determined by the digit of `i` and a quotient that `i` makes known.
    pub format Digits = |i, j| (l0: (4 * i + 2 * j) % 2, l1: j / 2, l2: i % 2, l3: i + j - 2 * ((4 * i + 2 * j) % 2), l4: i) {
        merge(l2);
        trim(l1); trim(l3); trim(l4);
    }
    /// One more coordinate than there are columns; the additional positions are holes.
    pub format Wide = |i, j| (l0: (6 * j) % 2, l1: j + (6 * j) % 2, l2: i) { trim(l0); trim(l2); }
    /// Rows beyond the last one where `j` and `k` differ.
    pub format Past = |i, j, k| (b: i + (j - k) % 3, c: (j - k) % 3, j, k) { merge(b); trim(b..=k); }
}

sparse_kernel! {
    fn diagonal: y[i] += A[i, i] where A: Skewed | SkewedRuns | Even | Crossed | Leaning | Csr;
    fn product: y[i] = A[i, j] * x[j] where A: Skewed | SkewedRuns | Even | Even2 | Wide | Digits | Csr;
    fn products: Y[i, n] = A[i, j] * X[j, n] where A: Skewed | SkewedRuns | Even | Even2 | Csr;
    fn square: C[i, j] += A[i, k] * A[k, j] where A: Digits | Csr;
    fn inner_diagonal: y[i] += B[i, j, j] where B: Shifted | Past;
    fn outer_diagonal: y[j] += B[j, j, k] where B: Shifted | Past | Halves;
    fn inner_diagonals: Y[n, i] += B[i, j, j] * x[n] where B: Shifted | Past;
}

/// Much work, for which the loops run in pieces, and little work.
fn extents() -> [usize; 4] {
    [0, 1, 4, 400]
}

fn on_threads(run: impl Fn() + Send + Sync) {
    run();
    unisparse::set_reproducible(Some(5));
    run();
    unisparse::set_reproducible(None);
}

/// Returns some elements of a box, with values whose sums are exact.
fn elements<const N: usize>(shape: [usize; N], one_in: usize) -> Vec<([usize; N], f64)> {
    let size: usize = shape.iter().product();
    let coordinate = |mut number: usize| {
        let mut at = [0; N];
        for dim in (0..N).rev() {
            (at[dim], number) = (number % shape[dim], number / shape[dim]);
        }
        at
    };
    let kept = (0..size).filter(|number| number * 7 % 13 % one_in == 0);
    kept.map(|number| (coordinate(number), (number % 9) as f64 - 3.0))
        .collect()
}

macro_rules! check_matrix {
    ($n:expr, $elements:expr, $($format:ident: $($kernel:ident),*;)*) => {$(
        let a = $format::try_from_triplets([$n, $n], $elements.iter().copied()).unwrap();
        $($kernel(&a, $n, &$elements, stringify!($format));)*
    )*};
}

fn check_diagonal(a: &impl diagonal<Scalar = f64>, n: usize, elements: &[([usize; 2], f64)], name: &str) {
    let mut expected = vec![1.0; n];
    elements
        .iter()
        .filter(|([i, j], _)| i == j)
        .for_each(|([i, _], value)| expected[*i] += value);
    let mut y = vec![1.0; n];
    diagonal(&mut y, a).unwrap();
    assert_eq!(y, expected, "{name}, {n}");
}

fn check_product(a: &impl product<Scalar = f64>, n: usize, elements: &[([usize; 2], f64)], name: &str) {
    let x: Vec<f64> = (0..n).map(|j| (j % 5) as f64).collect();
    let mut expected = vec![0.0; n];
    elements
        .iter()
        .for_each(|([i, j], value)| expected[*i] += value * x[*j]);
    let mut y = vec![7.0; n];
    product(&mut y, a, &x).unwrap();
    assert_eq!(y, expected, "{name}, {n}");
}

fn check_products(a: &impl products<Scalar = f64>, n: usize, elements: &[([usize; 2], f64)], name: &str) {
    let x: Vec<f64> = (0..3 * n).map(|at| (at % 5) as f64).collect();
    let mut expected = vec![0.0; 3 * n];
    for ([i, j], value) in elements {
        (0..3).for_each(|k| expected[3 * i + k] += value * x[3 * j + k]);
    }
    let mut y = vec![7.0; 3 * n];
    products(&mut y, a, &x).unwrap();
    assert_eq!(y, expected, "{name}, {n}");
}

#[test]
fn levels_that_an_index_makes_constant() {
    on_threads(|| {
        for n in extents() {
            let elements = elements([n, n], 2);
            check_matrix! { n, elements,
                Skewed: check_diagonal, check_product, check_products;
                SkewedRuns: check_diagonal, check_product, check_products;
                Even: check_diagonal, check_product, check_products;
                Even2: check_product, check_products;
                Crossed: check_diagonal;
                Wide: check_product;
                Digits: check_product;
                Csr: check_diagonal, check_product, check_products;
            }
        }
    });
}

fn check_inner(
    a: &(impl inner_diagonal<Scalar = f64> + inner_diagonals<Scalar = f64>),
    n: usize,
    elements: &[([usize; 3], f64)],
) {
    let mut expected = vec![0.0; n];
    elements
        .iter()
        .filter(|([_, j, k], _)| j == k)
        .for_each(|([i, ..], value)| expected[*i] += value);
    let mut y = vec![0.0; n];
    inner_diagonal(&mut y, a).unwrap();
    assert_eq!(y, expected, "{n}");
    let mut y = vec![0.0; 2 * n];
    inner_diagonals(&mut y, a, &[1.0, 2.0]).unwrap();
    assert!(
        (0..2 * n).all(|at| y[at] == expected[at % n] * (1 + at / n) as f64),
        "{n}"
    );
}

fn check_outer(a: &impl outer_diagonal<Scalar = f64>, n: usize, elements: &[([usize; 3], f64)]) {
    let mut expected = vec![0.0; n];
    elements
        .iter()
        .filter(|([i, j, _], _)| i == j)
        .for_each(|([_, j, _], value)| expected[*j] += value);
    let mut y = vec![0.0; n];
    outer_diagonal(&mut y, a).unwrap();
    assert_eq!(y, expected, "{n}");
}

#[test]
fn levels_that_need_not_be_constant() {
    for n in [0, 1, 4, 25] {
        let elements = elements([n, n], 2);
        let a = Leaning::<f64, 3>::try_from_triplets([n, n], elements.iter().copied()).unwrap();
        check_diagonal(&a, n, &elements, "Leaning");
    }
}

#[test]
fn quotients_of_known_coordinates_that_are_no_integers() {
    let elements = elements([25, 25], 3);
    let digits = Digits::try_from_triplets([25, 25], elements.iter().copied()).unwrap();
    let mut expected = vec![0.0; 25 * 25];
    for ([i, k], left) in &elements {
        for ([_, j], right) in elements.iter().filter(|([other, _], _)| other == k) {
            expected[i * 25 + j] += left * right;
        }
    }
    let mut c = vec![0.0; 25 * 25];
    square(&mut c, &digits).unwrap();
    assert_eq!(c, expected);
}

#[test]
fn dims_that_are_equal_only_where_the_levels_say_so() {
    on_threads(|| {
        for n in [0, 1, 4, 25] {
            let elements = elements([n; 3], 2);
            check_outer(
                &Shifted::try_from_triplets([n; 3], elements.iter().copied()).unwrap(),
                n,
                &elements,
            );
            check_outer(
                &Past::try_from_triplets([n; 3], elements.iter().copied()).unwrap(),
                n,
                &elements,
            );
            check_outer(
                &Halves::try_from_triplets([n; 3], elements.iter().copied()).unwrap(),
                n,
                &elements,
            );
        }
    });
}

#[test]
fn levels_that_two_equal_dims_make_constant() {
    on_threads(|| {
        for n in [1, 3, 60] {
            let elements = elements([n, n, n], 2);
            check_inner(
                &Shifted::try_from_triplets([n; 3], elements.iter().copied()).unwrap(),
                n,
                &elements,
            );
            check_inner(
                &Past::try_from_triplets([n; 3], elements.iter().copied()).unwrap(),
                n,
                &elements,
            );
        }
    });
}

sparse_kernel! {
    fn transposed: B[i, j] = A[j, i] where A: Ell | Sell | Jds | Bell | Csr;
    fn symmetrized: B[i, j] = A[i, j] + 2 * A[j, i] + C[i, j] where A: Ell | Jds, C: Ell | Csr;
}

#[test]
fn coordinates_that_are_looked_up_inside_of_the_innermost_loop() {
    let (given, square) = (elements([5, 3], 2), elements([4, 4], 2));
    macro_rules! check {
        ($($format:ty),*) => {$(
            let a = <$format>::try_from_triplets([5, 3], given.iter().copied()).unwrap();
            let (mut b, mut expected) = (vec![7.0; 15], vec![0.0; 15]);
            given.iter().for_each(|([j, i], value)| expected[i * 5 + j] = *value);
            transposed(&mut b, &a).unwrap();
            assert_eq!(b, expected);
        )*};
    }
    check!(Ell<f64>, Sell<f64, 2>, Jds<f64>, Bell<f64, 2>, Csr<f64>);
    let a = Ell::try_from_triplets([4, 4], square.iter().copied()).unwrap();
    let c: Csr<f64> = a.convert().unwrap();
    let (mut b, mut expected) = (vec![7.0; 16], vec![0.0; 16]);
    for ([i, j], value) in &square {
        expected[i * 4 + j] += 2.0 * value;
        expected[j * 4 + i] += 2.0 * value;
    }
    symmetrized(&mut b, &a, &c).unwrap();
    assert_eq!(b, expected);
    symmetrized(&mut b, &a, &a).unwrap();
    assert_eq!(b, expected);
}

fn weighted(value: f64, index: f64) -> f64 {
    value * 10.0 + index
}

sparse_kernel! {
    fn moments: c[i] = j * A[i, j] where A: Csr | Csc | Coo | Dia | Ell | Sell | Bcsr | Skewed | Lil;
    fn by_row: C[i, j] = i * A[i, j] where A: Csr | Csc | Dia | Ell, C: Csr;
    fn called: C[i, j] = weighted(A[i, j], j) where A: Csr | Ell, C: Coo;
    fn with_number: y[i] = A[i, j] * x[j] + i where A: Csr | Dia;
    fn all_numbers: s = A[i, j] * k * x[k] + i * j * B[i, j] where A: Csr, B: Csr | Dia;
    fn nearest: d[i] min= A[i, j] + j where A: Csr | Skewed;
    fn added: C[i, j] = j * (A[i, j] + B[i, j]) where A: Csr, B: Csr, C: Csr;
    fn dense_moments: y[i] += j * x[j] * A[i, j] if !m[i, j] where A: Csr | Dia;
    fn numbered: c[i] = j * A[i, j] where A: Csr;
}

#[test]
fn an_index_is_its_coordinate() {
    let given = elements([6, 7], 3);
    let a: Csr<f64> = Csr::try_from_triplets([6, 7], given.iter().copied()).unwrap();
    macro_rules! each {
        ($a:ident => $check:expr; $($format:ty),*) => {$(
            let $a: $format = a.convert().unwrap();
            $check;
        )*};
    }
    let mut expected = [0.0; 6];
    given
        .iter()
        .for_each(|([i, j], value)| expected[*i] += *j as f64 * value);
    each!(m => { let mut c = [9.0; 6]; moments(&mut c, &m).unwrap(); assert_eq!(c, expected) };
        Csr<f64>, Csc<f64>, Coo<f64>, Dia<f64>, Ell<f64>, Sell<f64, 2>, Bcsr<f64, 2, 3>, Skewed<f64>, Lil<f64>);
    let rows: Vec<_> = given
        .iter()
        .map(|&([i, j], value)| ([i, j], i as f64 * value))
        .collect();
    let rows = Csr::try_from_triplets([6, 7], rows).unwrap();
    let nonzero = |c: &Csr<f64>| c.iter().filter(|(_, value)| *value != 0.0).collect::<Vec<_>>();
    each!(m => { let c: Csr<f64> = by_row(&m).unwrap(); assert_eq!(nonzero(&c), nonzero(&rows)) };
        Csr<f64>, Csc<f64>, Dia<f64>, Ell<f64>);
    let c: Csr<f64> = by_row(&a).unwrap();
    assert_eq!(c.values().len(), given.len(), "the structure is that of the operand");
    let mut calls: Vec<_> = given
        .iter()
        .map(|&([i, j], value)| ([i, j], weighted(value, j as f64)))
        .collect();
    calls.sort_by_key(|(at, _)| *at);
    let c: Coo<f64> = called(&a).unwrap();
    assert_eq!(c.iter().collect::<Vec<_>>(), calls);
    let x: Vec<f64> = (0..7).map(|j| (j % 3) as f64).collect();
    let mut y: Vec<f64> = vec![9.0; 6];
    with_number(&mut y, &a, &x).unwrap();
    let mut expected: Vec<f64> = (0..6).map(|i| i as f64).collect();
    given.iter().for_each(|([i, j], value)| expected[*i] += value * x[*j]);
    assert_eq!(y, expected);
    let sum: f64 = given.iter().map(|(_, value)| value).sum();
    let weights: f64 = (0..7).map(|k| k as f64 * x[k]).sum();
    let both: f64 = given.iter().map(|([i, j], value)| (i * j) as f64 * value).sum();
    assert_eq!(all_numbers(&a, &x, &a).unwrap(), sum * weights + both);
    let mut d = [100.0; 6];
    nearest(&mut d, &a).unwrap();
    let mut expected = [100.0f64; 6];
    given
        .iter()
        .for_each(|([i, j], value)| expected[*i] = expected[*i].min(value + *j as f64));
    assert_eq!(d, expected);
    let c: Csr<f64> = added(&a, &rows).unwrap();
    let expected = given
        .iter()
        .map(|&([i, j], value)| ([i, j], (j * (1 + i)) as f64 * value));
    assert_eq!(c, Csr::try_from_triplets([6, 7], expected).unwrap());
    let mask: Vec<bool> = (0..42).map(|at| at % 4 == 0).collect();
    let (mut y, mut expected) = ([1.0; 6], [1.0; 6]);
    dense_moments(&mut y, &x, &a, &mask).unwrap();
    let kept = given.iter().filter(|([i, j], _)| (i * 7 + j) % 4 != 0);
    kept.for_each(|([i, j], value)| expected[*i] += *j as f64 * x[*j] * value);
    assert_eq!(y, expected);
}

#[test]
fn elements_of_all_types_hold_coordinates_or_refuse_them() {
    fn one<T: FromInteger<Sum: FromInteger>>(columns: usize) -> Result<T, Error> {
        let a = Csr::try_from_parts([1, columns], vec![0, 1], vec![columns as u32 - 1], vec![T::ONE])?;
        let mut c = [T::ZERO];
        numbered(&mut c, &a)?;
        Ok(c[0])
    }
    assert_eq!(
        (one::<f32>(4).unwrap(), one::<u8>(256).unwrap(), one::<i8>(128).unwrap()),
        (3.0, 255, 127)
    );
    assert_eq!((one::<i64>(70_000).unwrap(), one::<u128>(9).unwrap()), (69_999, 8));
    assert_eq!(one::<Complex64>(5).unwrap(), Complex64::new(4.0, 0.0));
    for error in [one::<i8>(129).unwrap_err(), one::<u8>(257).map(|_| 0i8).unwrap_err()] {
        assert_eq!((error.kind(), error.subject()), (ErrorKind::Overflow, "index `j`"));
    }
    let error = one::<u16>(70_000).unwrap_err().to_string();
    assert!(
        error.contains("index `j`") && error.contains("70000") && error.contains("`u16`"),
        "{error}"
    );
}

sparse_kernel! {
    fn nine: s = (A[i, j] + B[i, j]) * (A[i, j] - B[i, j]) * (A[i, j] + 2 * B[i, j]) * (B[i, j] + 1) * (A[i, j] + 3)
        * (A[i, j] + B[i, j]) * (x[j] + A[i, j]) * (B[i, j] - x[j]) * (A[i, j] + B[i, j]) where A: Csr | Dia, B: Csr | Ell;
    fn nine_stored: C[i, j] = (A[i, j] + B[i, j]) * (A[i, j] - B[i, j]) * (A[i, j] + 2 * B[i, j]) * (A[i, j] + D[i, j])
        * (D[i, j] + B[i, j]) * (A[i, j] + D[i, j]) where A: Csr, B: Csr, D: Csr, C: Csr;
    fn nine_open: s = (x[i] + y[i]) * (y[j] + 1) * (x[j] + A[i, j]) * (A[i, j] + B[i, j]) * (A[i, j] + B[i, j])
        * (A[i, j] + B[i, j]) * (A[i, j] + B[i, j]) * (A[i, j] + B[i, j]) * (A[i, j] + B[i, j]) where A: Csr, B: Csr;
}

#[test]
fn long_products_of_sums() {
    let n = 6;
    let (of_a, of_b, of_d) = (elements([n, n], 2), elements([n, n], 3), elements([n, n], 5));
    let dense = |elements: &[([usize; 2], f64)]| {
        let mut all = vec![None; n * n];
        elements
            .iter()
            .for_each(|([i, j], value)| all[i * n + j] = Some(*value));
        all
    };
    let (a, b, d) = (dense(&of_a), dense(&of_b), dense(&of_d));
    let csr = |elements: &[([usize; 2], f64)]| Csr::try_from_triplets([n, n], elements.iter().copied()).unwrap();
    let [x, y] = [3, 2].map(|size| (0..n).map(|j| (j % size) as f64).collect::<Vec<f64>>());
    let (csr_a, csr_b, csr_d) = (csr(&of_a), csr(&of_b), csr(&of_d));
    let (mut expected, mut open, mut stored) = (0.0, 0.0, Vec::new());
    for at in 0..n * n {
        let (i, j) = (at / n, at % n);
        let [va, vb, vd] = [a[at], b[at], d[at]].map(|value| value.unwrap_or(0.0));
        let same = (va + vb) * (va - vb) * (va + 2.0 * vb);
        expected += same * (vb + 1.0) * (va + 3.0) * (va + vb) * (x[j] + va) * (vb - x[j]) * (va + vb);
        open += (x[i] + y[i]) * (y[j] + 1.0) * (x[j] + va) * (va + vb).powi(6);
        // Each sum of two operands has a term.
        if [a[at], b[at], d[at]].iter().flatten().count() >= 2 {
            stored.push(([i, j], same * (va + vd) * (vd + vb) * (va + vd)));
        }
    }
    let dia: Dia<f64> = csr_a.convert().unwrap();
    let ell: Ell<f64> = csr_b.convert().unwrap();
    assert_eq!(nine(&csr_a, &csr_b, &x).unwrap(), expected);
    assert_eq!(nine(&dia, &ell, &x).unwrap(), expected);
    assert_eq!(nine_open(&x, &y, &csr_a, &csr_b).unwrap(), open);
    let c: Csr<f64> = nine_stored(&csr_a, &csr_b, &csr_d).unwrap();
    assert_eq!(c, Csr::try_from_triplets([n, n], stored).unwrap());
}

fn relu(value: f64) -> f64 {
    value.max(0.0)
}

fn squared(value: f64) -> f64 {
    value * value
}

sparse_kernel! {
    #[expect(deprecated)]
    fn summed_calls: y[i] = relu(A[i, j] * x[j]) where A: Csr;
    #[expect(deprecated)]
    fn norm: s = 2 * squared(A[i, j] * A[i, j] + 1) where A: Csr;
    // The compiler warns of none of these.
    fn of_elements: y[i] = relu(A[i, j]) + squared(A[i, j] - B[i, j]) where A: Csr, B: Csr;
    fn of_products: C[i, j] = relu(A[i, j] * x[j]) where A: Csr, C: Csr;
    fn scaled: s = squared(alpha * A[i, j] * 2) where A: Csr;
    fn outer: s = squared(x[i] * y[j]) * A[i, j] where A: Csr;
    fn of_semiring: d[j] min= relu(s[i] * A[i, j]) where A: Csr;
}

#[test]
fn calls_are_summed_as_the_warning_says() {
    let a = Csr::try_from_triplets([2, 2], [([0, 0], 1.0), ([0, 1], -3.0), ([1, 1], -1.0)]).unwrap();
    let mut y = [7.0; 2];
    summed_calls(&mut y, &a, &[1.0, 1.0]).unwrap();
    assert_eq!(y, [1.0, 0.0]); // the sum of row 0 is -2
    assert_eq!(norm(&a).unwrap(), 2.0 * (4.0 + 100.0 + 4.0 + 1.0));
    of_elements(&mut y, &a, &a).unwrap();
    assert_eq!(y, [1.0, 0.0]);
    let c: Csr<f64> = of_products(&a, &[2.0, 1.0]).unwrap();
    assert_eq!(c.values(), [2.0, 0.0, 0.0]);
    assert_eq!(scaled(0.5, &a).unwrap(), 11.0);
    assert_eq!(outer(&[1.0, 2.0], &[1.0, 2.0], &a).unwrap(), 1.0 - 12.0 - 16.0);
    let mut d = [0.5; 2];
    of_semiring(&mut d, &[1.0, 1.0], &a).unwrap();
    assert_eq!(d, [0.5, 0.0]);
}
