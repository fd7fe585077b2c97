//! Operations, operators and constructors of all formats against the same over maps of elements.

use crate::common::Random;
use crate::common::random::some;
use unisparse::formats::*;
use unisparse::prelude::*;
use unisparse::{Complex, ErrorKind, Negate, Pattern};

sparse_format! {
    /// Skewed: no level is a dim, and two share both.
    format Skewed = |i, j| (sum: i + j, third: j / 3, skew: 2 * i - j) { merge(sum); trim(sum..=skew); }
    /// The transpose of `Skewed`, with its terms in another order.
    format Skewed2 = |i, j| (sum: j + i, third: i / 3, skew: 0 - i + 2 * j) { merge(sum); trim(sum..=skew); }
    /// Entries with holes: every column has one in each row.
    format Holes = |i, j| (row: i, col: j) { trim(col); }
    /// A slice per `k`, with rows from the last to the first.
    format Slices = |i, j, k| (k, back: 0 - i, j) { merge(k, back); trim(k..=j); }
    /// A list of numbers.
    format List = |i| (i) { trim(i); }
    /// Diagonals by `i - j`.
    format Antidia = |i, j| (diag: i - j, col: j) { merge(diag); trim(diag); }
}

type Elements<const N: usize> = crate::common::random::Elements<f64, N>;

fn of<const N: usize, F: SparseTensor<N, Scalar = f64>>(shape: [usize; N], elements: &Elements<N>) -> F {
    Triplets::try_from_triplets(shape, elements.clone())
        .unwrap()
        .convert()
        .unwrap()
}

/// Checks the elements that are not zero: formats with holes have no others.
fn same<const N: usize, F: SparseTensor<N, Scalar = f64>>(found: &F, shape: [usize; N], expected: &Elements<N>) {
    assert_eq!(found.shape(), shape, "{}", F::NAME);
    let found: Elements<N> = found.fiber([]).filter(|(_, value)| *value != 0.0).collect();
    let expected: Elements<N> = expected
        .iter()
        .map(|(at, value)| (*at, *value))
        .filter(|(_, v)| *v != 0.0)
        .collect();
    assert_eq!(found, expected, "{}", F::NAME);
}

fn at<const N: usize>(elements: &Elements<N>, at: [usize; N]) -> f64 {
    elements.get(&at).copied().unwrap_or(0.0)
}

fn sum<const N: usize>(left: &Elements<N>, alpha: f64, right: &Elements<N>, beta: f64) -> Elements<N> {
    let coordinates = left.keys().chain(right.keys());
    coordinates
        .map(|c| (*c, alpha * at(left, *c) + beta * at(right, *c)))
        .collect()
}

/// The right operands, and what is expected of all formats.
struct Case {
    shape: [usize; 2],
    a: Elements<2>,
    b: Elements<2>,
    tall: Elements<2>,
    x: Vec<f64>,
}

const TALL: usize = 5;

fn check<A>(case: &Case)
where
    A: SparseTensor<2, Scalar = f64> + Clone + std::ops::Neg<Output = A> + std::ops::Mul<f64, Output = A>,
    for<'a> &'a A: std::ops::Add<&'a Coo<f64>, Output = A>
        + std::ops::Sub<&'a Csc<f64>, Output = A>
        + std::ops::Mul<&'a Csc<f64>, Output = A>
        + std::ops::Mul<&'a Vec<f64>, Output = Vec<f64>>
        + std::ops::Neg<Output = A>
        + std::ops::Mul<f64, Output = A>,
{
    let Case {
        shape,
        a: elements,
        b,
        tall,
        x,
    } = case;
    let (shape, [rows, columns]) = (*shape, *shape);
    let a: A = of(shape, elements);
    same(&(&a + &of::<2, Coo<f64>>(shape, b)), shape, &sum(elements, 1.0, b, 1.0));
    same(
        &(&a - &of::<2, Csc<f64>>(shape, b)),
        shape,
        &sum(elements, 1.0, b, -1.0),
    );
    same(&-&a, shape, &sum(elements, -1.0, b, 0.0));
    same(&(&a * 2.0), shape, &sum(elements, 2.0, b, 0.0));
    same(&(-a.clone() * 3.0), shape, &sum(elements, -3.0, b, 0.0));
    let mut product = Elements::new();
    for ([i, k], value) in elements {
        for ([_, j], other) in tall.range([*k, 0]..[k + 1, 0]) {
            *product.entry([*i, *j]).or_insert(0.0) += value * other;
        }
    }
    same(
        &(&a * &of::<2, Csc<f64>>([columns, TALL], tall)),
        [rows, TALL],
        &product,
    );
    let mut y = vec![0.0; rows];
    elements.iter().for_each(|([i, j], value)| y[*i] += value * x[*j]);
    assert_eq!(&a * x, y, "{}", A::NAME);

    let diagonal: Vec<f64> = (0..rows.min(columns)).map(|i| at(elements, [i, i])).collect();
    assert_eq!(a.trace().unwrap(), diagonal.iter().sum::<f64>());
    assert_eq!(a.diag().unwrap(), diagonal, "{}", A::NAME);
    let total = |dim: usize, line: usize| {
        elements
            .iter()
            .filter(|(at, _)| at[dim] == line)
            .map(|(_, v)| v)
            .sum::<f64>()
    };
    assert_eq!(
        a.row_sums().unwrap(),
        (0..rows).map(|i| total(0, i)).collect::<Vec<_>>()
    );
    assert_eq!(
        a.col_sums().unwrap(),
        (0..columns).map(|j| total(1, j)).collect::<Vec<_>>()
    );
    let squares = elements.values().map(|v| v * v).sum::<f64>();
    assert!((a.norm().unwrap() - squares.sqrt()).abs() <= 1e-14 * squares.sqrt());
    let inner = elements.iter().map(|(c, v)| v * at(b, *c)).sum::<f64>();
    assert_eq!(a.inner(&of::<2, Bcsr<f64, 2, 2>>(shape, b)).unwrap(), inner);

    let mut scaled = a.clone();
    scaled
        .scale_rows(&(0..rows).map(|i| i as f64 - 1.0).collect::<Vec<_>>())
        .unwrap();
    same(
        &scaled,
        shape,
        &elements
            .iter()
            .map(|([i, j], v)| ([*i, *j], v * (*i as f64 - 1.0)))
            .collect(),
    );
    let mut scaled = a.clone();
    scaled.scale_cols(&x.iter().map(|x| -x).collect::<Vec<_>>()).unwrap();
    same(
        &scaled,
        shape,
        &elements.iter().map(|([i, j], v)| ([*i, *j], v * -x[*j])).collect(),
    );
    for k in [-3, -1, 0, 2, isize::MAX, isize::MIN] {
        let offset = |[i, j]: [usize; 2]| j as i128 - i as i128;
        let half = |keep: &dyn Fn(i128) -> bool| {
            elements
                .iter()
                .map(|(c, v)| (*c, *v))
                .filter(|(c, _)| keep(offset(*c)))
                .collect()
        };
        same(&a.tril::<A>(k).unwrap(), shape, &half(&|offset| offset <= k as i128));
        same(
            &a.triu::<Ell<f64>>(k).unwrap(),
            shape,
            &half(&|offset| offset >= k as i128),
        );
    }
    check_places(&a, case);
}

/// Checks what moves elements.
fn check_places<A: SparseTensor<2, Scalar = f64> + Clone>(a: &A, case: &Case) {
    let Case {
        shape, a: elements, b, ..
    } = case;
    let (shape, [rows, columns]) = (*shape, *shape);
    let moved = |place: &dyn Fn([usize; 2]) -> Option<[usize; 2]>| -> Elements<2> {
        elements
            .iter()
            .filter_map(|(at, value)| Some((place(*at)?, *value)))
            .collect()
    };
    let [height, width] = [rows / 3..rows - rows / 4, columns / 2..columns];
    let inside =
        |[i, j]: [usize; 2]| (height.contains(&i) && width.contains(&j)).then(|| [i - height.start, j - width.start]);
    same(
        &a.slice::<A>([height.clone(), width.clone()]).unwrap(),
        [height.len(), width.len()],
        &moved(&inside),
    );
    // The inverse of a rotation by two is one by as many less than all.
    let order: Vec<usize> = (0..rows).map(|i| (i + 2) % rows).collect();
    let reversed: Vec<usize> = (0..columns).rev().collect();
    let place = |[i, j]: [usize; 2]| Some([(i + 2 * rows - 2) % rows, columns - 1 - j]);
    if rows > 1 {
        same(&a.permute::<A>([&order, &reversed]).unwrap(), shape, &moved(&place));
    }
    let transposed = moved(&|[i, j]| Some([j, i]));
    same(&a.clone().into_transposed::<A>().unwrap(), [columns, rows], &transposed);
    same(
        &a.clone().into_transposed::<Dia<f64>>().unwrap(),
        [columns, rows],
        &transposed,
    );
    let corner = Elements::from([([0, 1], 2.0), ([1, 0], -1.0)]);
    let mut kron = Elements::new();
    for ([i, j], value) in elements {
        kron.extend(
            corner
                .iter()
                .map(|([k, l], other)| ([2 * i + k, 3 * j + l], value * other)),
        );
    }
    let corner: Csr<f64> = of([2, 3], &corner);
    same(&a.kron::<A, _>(&corner).unwrap(), [2 * rows, 3 * columns], &kron);
    let b: A = of(shape, b);
    let below: A = A::vstack(&[a, &b, a]).unwrap();
    let blocks: Elements<2> = below.fiber([]).collect();
    for (start, part) in [a, &b, a].into_iter().enumerate() {
        same(
            &below
                .slice::<A>([start * rows..(start + 1) * rows, 0..columns])
                .unwrap(),
            shape,
            &part.fiber([]).collect(),
        );
    }
    assert_eq!(blocks.len(), 2 * elements.len() + case.b.len());
    let beside: A = A::hstack(&[a, &b]).unwrap();
    same(
        &beside.slice::<A>([0..rows, columns..2 * columns]).unwrap(),
        shape,
        &case.b,
    );
    let square: A = A::block(&[&[Some(a), None], &[None, Some(&b)]]).unwrap();
    assert_eq!(
        (square.shape(), square.nnz()),
        ([2 * rows, 2 * columns], elements.len() + case.b.len())
    );
    same(
        &square.slice::<A>([rows..2 * rows, columns..2 * columns]).unwrap(),
        shape,
        &case.b,
    );
}

#[test]
fn matrices_of_all_formats() {
    for (shape, count) in [
        ([9, 7], 20),
        ([1, 12], 5),
        ([12, 1], 5),
        ([13, 17], 60),
        ([5, 6], 0),
        ([0, 4], 0),
        ([3, 0], 0),
    ] {
        let case = Case {
            shape,
            a: some(shape, count, 1 + count as u64),
            b: some(shape, count, 2 + count as u64),
            tall: some([shape[1], TALL], count, 3 + count as u64),
            x: Random::new(4).vector(shape[1]),
        };
        macro_rules! all {
            ($($format:ty),* $(,)?) => { $(check::<$format>(&case);)* };
        }
        all!(Csr<f64>, Dok<f64>, Dia<f64>, Bcsr<f64, 2, 3>, BdiaCsr<f64, 4>, Skewed<f64>);
        #[cfg(every_product)]
        all!(Csc<f64>, Ell<f64>, C2sr<f64, 3>, Holes<f64>);
    }
}

#[test]
fn tensors_of_other_dims() {
    let shape = [4, 5, 3];
    let (a, b) = (some(shape, 20, 1), some(shape, 20, 2));
    let (slices, fibers): (Slices<f64>, Csf<f64>) = (of(shape, &a), of(shape, &b));
    same(&(&slices + &fibers), shape, &sum(&a, 1.0, &b, 1.0));
    same(&(&fibers - &slices), shape, &sum(&b, 1.0, &a, -1.0));
    same(&(-slices.clone() * 2.0), shape, &sum(&a, -2.0, &b, 0.0));
    same(&(&fibers * 0.5), shape, &sum(&b, 0.5, &a, 0.0));
    same(
        &slices.axpby::<Csf<f64>, _>(3.0, -2.0, &fibers).unwrap(),
        shape,
        &sum(&a, 3.0, &b, -2.0),
    );
    assert_eq!(
        slices.inner(&fibers).unwrap(),
        a.iter().map(|(c, v)| v * at(&b, *c)).sum::<f64>()
    );
    let cut: Csf<f64> = slices.slice([1..3, 0..5, 2..3]).unwrap();
    let inside = a.iter().filter(|([i, _, k], _)| (1..3).contains(i) && *k == 2);
    same(
        &cut,
        [2, 5, 1],
        &inside.map(|([i, j, k], v)| ([i - 1, *j, k - 2], *v)).collect(),
    );
    let permuted: Slices<f64> = fibers.permute([&[3, 1, 0, 2], &[0, 1, 2, 3, 4], &[2, 0, 1]]).unwrap();
    let places = b
        .iter()
        .map(|([i, j, k], v)| ([[2, 1, 3, 0][*i], *j, [1, 2, 0][*k]], *v));
    same(&permuted, shape, &places.collect());
    let list = List::try_from_triplets([6], [([1], 2.0), ([4], 3.0)]).unwrap();
    let kron: List<f64> = list.kron(&list).unwrap();
    same(
        &kron,
        [36],
        &Elements::from([([7], 4.0), ([10], 6.0), ([25], 6.0), ([28], 9.0)]),
    );
    same(&(&list + &list), [6], &Elements::from([([1], 4.0), ([4], 6.0)]));
}

#[test]
fn arrays_of_a_transpose_stay_where_they_are() {
    let elements = some([9, 7], 30, 5);
    let rows: Csr<f64> = of([9, 7], &elements);
    let (columns, values) = (rows.col_idx().as_ptr(), rows.values().as_ptr());
    let transposed: Csc<f64> = rows.clone().into_transposed().unwrap();
    assert_eq!(transposed.row_idx(), rows.col_idx());
    let transposed: Csc<f64> = rows.into_transposed().unwrap();
    assert_eq!(
        (transposed.row_idx().as_ptr(), transposed.values().as_ptr()),
        (columns, values)
    );
    assert_eq!(transposed.shape(), [7, 9]);
    let back: Csr<f64> = transposed.into_transposed().unwrap();
    assert_eq!((back.col_idx().as_ptr(), back.values().as_ptr()), (columns, values));
    assert_eq!(back, of([9, 7], &elements));
    macro_rules! moved {
        ($($from:ty => $to:ty),*) => {$(
            let from: $from = of([9, 7], &elements);
            let (values, expected) = (from.values().as_ptr(), from.values().to_vec());
            let to: $to = from.into_transposed().unwrap();
            assert_eq!((to.values().as_ptr(), to.values()), (values, &expected[..]));
            same(&to, [7, 9], &elements.iter().map(|([i, j], v)| ([*j, *i], *v)).collect());
        )*};
    }
    moved!(
        Bcsr<f64, 2, 3> => Bcsc<f64, 3, 2>, Dcsc<f64> => Dcsr<f64>, Skewed<f64> => Skewed2<f64>, Skewed2<f64> => Skewed<f64>,
        Dia<f64> => Antidia<f64>, Antidia<f64> => Dia<f64>
    );
    // Other blocks are other levels.
    let blocks: Bcsr<f64, 2, 3> = of([9, 7], &elements);
    let other: Bcsc<f64, 2, 3> = blocks.into_transposed().unwrap();
    same(
        &other,
        [7, 9],
        &elements.iter().map(|([i, j], v)| ([*j, *i], *v)).collect(),
    );
}

#[test]
fn constructors() {
    let eye: Ell<f64> = Ell::eye([3, 4]).unwrap();
    same(&eye, [3, 4], &(0..3).map(|i| ([i, i], 1.0)).collect());
    let band: Dia<f64> = Dia::diags(
        [3, 4],
        &[(-1, &[1.0, 2.0]), (1, &[3.0, 4.0, 5.0]), (0, &[6.0, 7.0, 8.0])],
    )
    .unwrap();
    let expected = [
        ([1, 0], 1.0),
        ([2, 1], 2.0),
        ([0, 1], 3.0),
        ([1, 2], 4.0),
        ([2, 3], 5.0),
        ([0, 0], 6.0),
        ([1, 1], 7.0),
        ([2, 2], 8.0),
    ];
    same(&band, [3, 4], &expected.into_iter().collect());
    let error = Csr::diags([3, 4], &[(-1, &[1.0])]).unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Length, "diagonal -1"));
    assert_eq!(
        Csr::<f64>::diags([3, 4], &[(isize::MAX, &[]), (isize::MIN, &[])])
            .unwrap()
            .nnz(),
        0
    );

    let random: Csr<f64> = Csr::random([30, 40], 300, 7).unwrap();
    assert_eq!((random.nnz(), &random), (300, &Csr::random([30, 40], 300, 7).unwrap()));
    assert_ne!(random, Csr::random([30, 40], 300, 8).unwrap());
    assert!(
        random
            .values()
            .iter()
            .all(|value| (0.0..1.0).contains(value) && *value > 0.0)
    );
    // Each quarter has about a quarter of the elements: the chance of fewer than 50 is below 10^-4.
    for (i, j) in [(0, 0), (0, 20), (15, 0), (15, 20)] {
        assert!((50..100).contains(&random.within([i..i + 15, j..j + 20]).count()));
    }
    assert_eq!(List::<f64>::random([5], 5, 1).unwrap().nnz(), 5);
    assert_eq!(
        Csr::<f64>::random([2, 2], 5, 1).unwrap_err().kind(),
        ErrorKind::Overflow
    );
    assert_eq!(Coo::<f64>::random([1 << 31, 1 << 31], 40, 1).unwrap().nnz(), 40);
}

#[test]
fn what_does_not_fit_is_refused() {
    let a: Csr<f64> = of([3, 4], &some([3, 4], 5, 1));
    let kind = |result: Result<Csr<f64>, Error>| result.unwrap_err().kind();
    let wide: Coo<f64> = Coo::eye([3, 5]).unwrap();
    assert_eq!(kind(a.axpby(1.0, 1.0, &wide)), ErrorKind::Shape);
    assert_eq!(a.inner(&wide).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(kind(a.matmul(&wide)), ErrorKind::Shape);
    assert_eq!(kind(a.slice([0..4, 0..1])), ErrorKind::OutOfBounds);
    assert_eq!(kind(a.permute([&[0, 1], &[0, 1, 2, 3]])), ErrorKind::Length);
    assert_eq!(kind(a.permute([&[0, 1, 1], &[0, 1, 2, 3]])), ErrorKind::Duplicate);
    assert_eq!(kind(a.permute([&[0, 1, 3], &[0, 1, 2, 3]])), ErrorKind::OutOfBounds);
    assert_eq!(a.clone().scale_rows(&[1.0; 4]).unwrap_err().kind(), ErrorKind::Length);
    assert_eq!(
        kind(Csr::vstack(&[&Coo::<f64>::eye([2, 2]).unwrap(), &wide])),
        ErrorKind::Shape
    );
    let beside: Result<Csr<f64>, Error> = Csr::vstack(&[&Coo::<f64>::eye([2, 2]).unwrap(), &wide]);
    assert_eq!(
        beside.unwrap_err().to_string(),
        "vstack: column 0 of the blocks: found [2, 5], expected blocks of one extent"
    );
    let scaled = a.clone().scale_rows(&[1.0]).unwrap_err();
    assert_eq!(scaled.found(), "1 factor");
    assert_eq!(kind(Csr::vstack::<Coo<f64>>(&[])), ErrorKind::Structure);
    assert_eq!(
        kind(Csr::block(&[&[Some(&a), None], &[Some(&a), None]])),
        ErrorKind::Structure
    );
    assert_eq!(kind(Csr::block(&[&[Some(&a)], &[]])), ErrorKind::Length);
    let huge: Coo<f64> = Coo::try_from_triplets([1 << 40, 1 << 40], []).unwrap();
    assert_eq!(huge.kron::<Coo<f64>, _>(&huge).unwrap_err().kind(), ErrorKind::Overflow);
    let greatest: Coo<f64> = Coo::try_from_triplets([1 << 62, 1 << 62], []).unwrap();
    assert_eq!(greatest.row_sums().unwrap_err().kind(), ErrorKind::Limit);
    let panic = std::panic::catch_unwind(|| &a + &wide).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("[3, 5]") && message.contains("[3, 4]"), "{message}");
}

/// Adds a matrix to itself and takes it away, in any format: what operators require of generic code.
fn twice_less_one<A>(a: &A) -> A
where
    for<'a> &'a A: std::ops::Add<&'a A, Output = A> + std::ops::Sub<&'a A, Output = A>,
{
    &(a + a) - a
}

#[test]
fn elements_of_other_types() {
    let complex = |re, im| Complex::<f32>::new(re, im);
    let a =
        Bcsr::<_, 2, 2>::try_from_triplets([2, 2], [([0, 1], complex(3.0, 4.0)), ([1, 1], complex(0.0, 1.0))]).unwrap();
    assert_eq!(twice_less_one::<Bcsr<_, 2, 2>>(&a), a);
    assert_eq!((&a * &a).get([0, 1]), Some(complex(-4.0, 3.0)));
    assert_eq!(
        &a * &[complex(1.0, 0.0), complex(0.0, 1.0)],
        [complex(-4.0, 3.0), complex(-1.0, 0.0)]
    );
    assert!((a.norm().unwrap() - 26.0_f64.sqrt()).abs() < 1e-14);
    let integers = Csr::try_from_parts([1, 2], vec![0, 2], vec![0, 1], vec![i8::MAX, -3]).unwrap();
    assert_eq!((&integers + &integers).values(), [-2, -6]);
    assert_eq!((&integers * 3).values(), [125, -9]);
    assert_eq!((-integers).values(), [i8::MAX.negated(), 3]);
    let edges = Csr::try_from_triplets(
        [2, 3],
        [([0, 1], Pattern::<f64>::default()), ([1, 0], Pattern::default())],
    )
    .unwrap();
    assert_eq!(edges.row_sums().unwrap(), [1.0, 1.0]);
    let reversed: Csc<Pattern<f64>> = edges.into_transposed().unwrap();
    assert_eq!(&reversed * &[1.0, 2.0], [2.0, 1.0, 0.0]);
    let great = Csr::try_from_triplets([1, 2], [([0, 0], 3e200), ([0, 1], 4e200)]).unwrap();
    assert!((great.norm().unwrap() / 5e200 - 1.0).abs() < 1e-14);
    let single = Csr::<f32>::try_from_parts([1, 1], vec![0, 1], vec![0], vec![2.0]).unwrap();
    assert_eq!((&single * 1.5).values(), [3.0]);
}

#[test]
fn pictures_of_where_elements_are() {
    let a: Csr<f64> = of(
        [4, 6],
        &Elements::from([([0, 0], 1.0), ([1, 1], 1.0), ([2, 5], 1.0), ([3, 4], 1.0)]),
    );
    // Dots 1, 5; none; dots 3 + 4 of the left and right column from above: rows 2 and 3.
    assert_eq!(a.spy().to_string(), "⠑⠀⡠");
    let svg = a.spy().svg();
    assert_eq!(svg.matches("<rect x=").count(), 4);
    assert!(
        svg.contains("<title>4 x 6, 4 elements</title>") && svg.contains("<rect x=\"5\" y=\"2\" width=\"1\""),
        "{svg}"
    );
    let empty: Csr<f64> = of([0, 5], &Elements::new());
    assert_eq!(
        (empty.spy().to_string(), empty.spy().svg().matches("<rect x=").count()),
        (String::new(), 0)
    );
    let long: Coo<f64> = of([1 << 32, 1 << 32], &Elements::from([([1 << 31, 0], 1.0)]));
    let text = long.spy().to_string();
    assert_eq!(text.lines().count(), 40);
    assert!(text.lines().all(|line| line.chars().count() == 80));
    let dots: u32 = text
        .chars()
        .filter(|c| *c != '\n')
        .map(|c| (u32::from(c) - 0x2800).count_ones())
        .sum();
    assert_eq!((dots, text.lines().nth(20).unwrap().chars().next()), (1, Some('⠁')));
}
