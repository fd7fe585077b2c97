//! Kernels over tensors that store less than they compute with, against loops over dense matrices.

use unisparse::formats::*;
use unisparse::kernels::{add, hadamard, sddmm, spgemm, spmm, transpose};
use unisparse::prelude::*;
use unisparse::{Complex64, Narrow, Pattern, Stored};

use crate::common::random::Random;
use crate::common::sample::sample;
use crate::{dense, number, pattern, places, product, triplets};

type Ones = Pattern<f64>;
type Bytes = Narrow<u8, f64>;

unisparse::sparse_format! {
    /// Long rows compressed, the others as coordinates: no part has holes.
    pub hybrid Rows = Csr + Coo split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
}

sparse_kernel! {
    fn scaled: y[i] = alpha * A[i, j] * x[j] where A: Csr | Coo | Lil;
    fn total: s = A[i, j] where A: Csr | Csc | C2sr;
    fn triangles: s = L[i, j] * M[j, k] * N[i, k] where L: Csr, M: Csr | Csc, N: Csr | Dcsr;
    fn closed: C[i, j] = A[i, k] * B[k, j] if M[i, j] where A: Csr, B: Csr, M: Csr | Coo, C: Csr;
    fn open: C[i, j] = A[i, j] if !M[i, j] where A: Csr, M: Csr, C: Csr;
    fn hops: d[j] min= s[i] + A[i, j] where A: Csr | Csc;
    fn applied: C[i, j] = f64::hypot(A[i, j], B[i, j]) where A: Csr, B: Csr | Coo, C: Csr;
    fn same<T: Scalar>: C[i, j] = identity(A[i, j]) where A: Csr, C: Csr;
    fn merged: C[i, j] = A[i, j] - 2 * B[i, j] where A: Csr, B: Csr, C: Csr;
}

fn identity<T>(value: T) -> T {
    value
}

const SHAPE: [usize; 2] = [23, 17];

/// The elements of a result as a dense matrix, all of which a result must have stored.
fn filled<A: SparseTensor<2, Scalar = f64>>(a: &A) -> Vec<f64> {
    let [rows, cols] = a.shape();
    let mut all = vec![0.0; rows * cols];
    a.for_each(|[i, j], value| all[i * cols + j] = value);
    all
}

fn transposed(matrix: &[f64], [rows, cols]: [usize; 2]) -> Vec<f64> {
    (0..rows * cols)
        .map(|at| matrix[at % rows * cols + at / rows])
        .collect()
}

/// All kernels of one sparse operand, over one tensor whose elements are those of `expected`.
macro_rules! check_all {
    ($a:expr, $expected:expr, $text:expr) => {{
        let (a, expected, [rows, cols]) = (&$a, &$expected, SHAPE);
        let mut random = Random::new(7);
        let x = random.vector(cols);
        let mut y = vec![f64::NAN; rows];
        spmv(&mut y, a, &x).unwrap();
        assert_eq!(y, product(expected, &x, SHAPE), "{}", $text);
        let b = random.vector(cols * 5);
        let mut c = vec![f64::NAN; rows * 5];
        spmm(&mut c, a, &b).unwrap();
        assert_eq!(c, product(expected, &b, SHAPE), "{}", $text);
        let (p, q) = (random.vector(rows * 3), random.vector(3 * cols));
        let s: Csr<f64> = sddmm(a, &p, &q).unwrap();
        let samples = product(&p, &q, [rows, 3]);
        let samples: Vec<f64> = samples
            .iter()
            .zip(expected)
            .map(|(sample, value)| sample * value)
            .collect();
        assert_eq!(filled(&s), samples, "{}", $text);
        let t: Csc<f64> = transpose(a).unwrap();
        assert_eq!(filled(&t), transposed(expected, SHAPE), "{}", $text);
    }};
}

#[test]
fn patterns_in_every_format_without_holes() {
    for (count, seed) in [(0, 1), (1, 2), (90, 3), (2000, 4)] {
        let patterns: Triplets<Ones, 2> = pattern(SHAPE, &places(SHAPE, count, seed));
        let expected = dense(&patterns);
        macro_rules! check {
            ($($name:ident<$($parameter:literal),*>)*) => {$(
                let a: $name<Ones, $($parameter),*> = patterns.convert().unwrap();
                check_all!(a, expected, stringify!($name));
            )*};
        }
        check!(Coo<> Csr<> Dcsc<> HiCoo<4> Jds<> C2sr<3> Dok<>);
        #[cfg(every_product)]
        check!(Csc<> Dcsr<> Csb<4> Cisr<2> CisrPlus<2> Lil<>);
        let a: Rows<Ones> = patterns.convert().unwrap();
        let (mut y, x) = (vec![f64::NAN; SHAPE[0]], Random::new(8).vector(SHAPE[1]));
        spmv(&mut y, &a, &x).unwrap();
        assert_eq!(y, product(&expected, &x, SHAPE));
    }
}

#[test]
fn narrow_values_in_every_format() {
    let narrow = triplets(SHAPE, &places(SHAPE, 90, 5), |at| Bytes::new(number(at) as u8));
    let expected = dense(&narrow);
    macro_rules! check {
        ($($name:ident<$($parameter:literal),*>)*) => {$(
            let a: $name<Bytes, $($parameter),*> = narrow.convert().unwrap();
            check_all!(a, expected, stringify!($name));
        )*};
    }
    // Those without holes are read as those of patterns are, which are above.
    check!(HiCoo<4> Lil<>);
    check!(Dia<> Bcsr<2, 3> Bdia<4> Sell<2, 4> Serpens<4, 8, 2> BellCoo<4>);
    #[cfg(every_product)]
    check!(Coo<> Csr<> Csc<> Dcsr<> Dcsc<> Csb<4> Jds<> C2sr<3> Cisr<2> CisrPlus<2> Dok<>);
    #[cfg(every_product)]
    check!(DiaVariant<> Bcsc<2, 2> Ell<> Bell<4> BdiaCsr<4>);
}

/// What the two operands of a kernel store differs, and what comes out reads as both.
#[test]
fn operands_stored_in_different_ways() {
    let (left, right) = ([23, 17], [17, 23]);
    let (at, other) = (places(left, 90, 6), places(right, 80, 7));
    let (same, more) = (places(left, 90, 8), places(left, 60, 9));
    macro_rules! check {
        ($($a:ident<$stored_a:ty> $b:ident<$stored_b:ty>)*) => {$(
            let text = concat!(stringify!($a<$stored_a>), " ", stringify!($b<$stored_b>));
            let (one, two) = (<$stored_a as Made>::made(left, &at), <$stored_b as Made>::made(right, &other));
            let (a, b): ($a<$stored_a>, $b<$stored_b>) = (one.convert().unwrap(), two.convert().unwrap());
            let c: Csr<f64> = spgemm(&a, &b).unwrap();
            assert_eq!(filled(&c), product(&dense(&one), &dense(&two), left), "{text}");
            let (one, two) = (<$stored_a as Made>::made(left, &same), <$stored_b as Made>::made(left, &more));
            let (a, b): ($a<$stored_a>, $b<$stored_b>) = (one.convert().unwrap(), two.convert().unwrap());
            let pairs: Vec<(f64, f64)> = dense(&one).into_iter().zip(dense(&two)).collect();
            let c: Csr<f64> = add(&a, &b).unwrap();
            assert_eq!(filled(&c), pairs.iter().map(|(a, b)| a + b).collect::<Vec<_>>(), "{text}");
            let c: Dcsc<f64> = hadamard(&a, &b).unwrap();
            assert_eq!(filled(&c), pairs.iter().map(|(a, b)| a * b).collect::<Vec<_>>(), "{text}");
        )*};
    }
    check!(
        Csr<Ones> Csr<Ones>     Csr<Ones> Csr<f64>      Csr<f64> Csr<Ones>      Csr<Ones> Csr<Bytes>
        Csr<Bytes> Csc<Ones>    Csc<Ones> Csc<Ones>     Coo<Ones> Dcsr<f64>     Dcsc<f64> Coo<Ones>
        Dia<Bytes> Csr<Ones>    Csr<Ones> Ell<f64>      Bcsr<Bytes> Dcsr<Ones>  Csr<Bytes> Csr<Bytes>
    );
}

/// Elements at places.
trait Made: Stored<Value = f64> {
    fn made(shape: [usize; 2], at: &[[usize; 2]]) -> Triplets<Self, 2>;
}

impl Made for f64 {
    fn made(shape: [usize; 2], at: &[[usize; 2]]) -> Triplets<f64, 2> {
        triplets(shape, at, number)
    }
}

impl Made for Ones {
    fn made(shape: [usize; 2], at: &[[usize; 2]]) -> Triplets<Ones, 2> {
        pattern(shape, at)
    }
}

impl Made for Bytes {
    fn made(shape: [usize; 2], at: &[[usize; 2]]) -> Triplets<Bytes, 2> {
        triplets(shape, at, |at| Bytes::new(number(at) as u8))
    }
}

#[test]
fn the_results_of_large_work_do_not_depend_on_the_threads() {
    let shape = [3000, 2500];
    let at = places(shape, 200_000, 10);
    let (ones, bytes): (Triplets<Ones, 2>, Triplets<Bytes, 2>) = (Made::made(shape, &at), Made::made(shape, &at));
    let x = Random::new(11).vector(shape[1]);
    let (mut sums, mut weighed) = (vec![0.0; shape[0]], vec![0.0; shape[0]]);
    for &[i, j] in &at {
        sums[i] += x[j];
        weighed[i] += x[j] * number([i, j]);
    }
    for threads in sample([1, 4], 1, 2) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            macro_rules! check {
                ($name:ident) => {
                    let mut y = vec![f64::NAN; shape[0]];
                    spmv(&mut y, &ones.convert::<$name<Ones>>().unwrap(), &x).unwrap();
                    assert_eq!(y, sums);
                    spmv(&mut y, &bytes.convert::<$name<Bytes>>().unwrap(), &x).unwrap();
                    assert_eq!(y, weighed);
                };
            }
            check!(Csr);
            check!(Csc);
            check!(Coo);
            check!(Lil);
            check!(Jds);
            let a: Csr<Ones> = ones.convert().unwrap();
            let t: Csr<f64> = transpose(&a).unwrap();
            let c: Csr<f64> = spgemm(&a, &t).unwrap();
            // Paths of two edges: as many as pairs of elements in one column.
            let mut columns = vec![0u64; shape[1]];
            at.iter().for_each(|&[_, j]| columns[j] += 1);
            assert_eq!(total(&c).unwrap(), columns.iter().map(|&n| (n * n) as f64).sum::<f64>());
        });
    }
}

#[test]
fn one_value_for_all_elements_is_a_factor() {
    let at = places(SHAPE, 90, 12);
    let patterns: Triplets<Ones, 2> = pattern(SHAPE, &at);
    let (x, mut y) = (Random::new(13).vector(SHAPE[1]), vec![0.0; SHAPE[0]]);
    let expected: Vec<f64> = product(&dense(&patterns), &x, SHAPE)
        .iter()
        .map(|sum| 2.5 * sum)
        .collect();
    scaled(&mut y, 2.5, &patterns.convert::<Csr<Ones>>().unwrap(), &x).unwrap();
    assert_eq!(y, expected);
    scaled(&mut y, 2.5, &patterns.convert::<Lil<Ones>>().unwrap(), &x).unwrap();
    assert_eq!(y, expected);
    assert_eq!(
        total(&patterns.convert::<Csr<Ones>>().unwrap()).unwrap(),
        at.len() as f64
    );
    assert_eq!(
        total(&patterns.convert::<C2sr<Ones>>().unwrap()).unwrap(),
        at.len() as f64
    );
}

#[test]
fn products_and_sums_have_the_precision_of_the_type_as_which_values_are_read() {
    let tenth = Narrow::<f32, f64>::new(0.1);
    let row = (0..1000).map(|j| ([0, j], tenth));
    let a: Csr<Narrow<f32, f64>> = Triplets::try_from_triplets([1, 1000], row).unwrap().convert().unwrap();
    let (x, mut y) = (vec![1.0 / 3.0; 1000], [0.0]);
    spmv(&mut y, &a, &x).unwrap();
    let expected = 1000.0 * f64::from(0.1f32) / 3.0;
    assert!((y[0] - expected).abs() < 1e-12 * expected, "{} {expected}", y[0]);
    // In single precision it would be off by more.
    assert!((f64::from(0.1f32 * (1.0f32 / 3.0) * 1000.0) - expected).abs() > 1e-9 * expected);
}

#[test]
fn real_elements_multiply_complex_ones() {
    let a: Csr<Narrow<f64, Complex64>> =
        Triplets::try_from_triplets([2, 2], [([0, 1], Narrow::new(2.0)), ([1, 0], Narrow::new(-1.0))])
            .unwrap()
            .convert()
            .unwrap();
    let x = [Complex64::new(1.0, 2.0), Complex64::new(0.0, 3.0)];
    let mut y = [Complex64::default(); 2];
    spmv(&mut y, &a, &x).unwrap();
    assert_eq!(y, [Complex64::new(0.0, 6.0), Complex64::new(-1.0, -2.0)]);
}

#[test]
fn masks_are_patterns() {
    let shape = [20, 20];
    let (at, mask) = (places(shape, 120, 14), places(shape, 90, 15));
    let (numbers, mask) = (triplets(shape, &at, number), pattern::<bool>(shape, &mask));
    let a: Csr<f64> = numbers.convert().unwrap();
    let is_in = |at: usize| mask.coordinates().contains(&[at / 20, at % 20]);
    let masked = |values: Vec<f64>, kept: bool| -> Vec<f64> {
        let values = values.into_iter().enumerate();
        values
            .map(|(at, value)| if is_in(at) == kept { value } else { 0.0 })
            .collect()
    };
    let square = product(&dense(&numbers), &dense(&numbers), shape);
    let c: Csr<f64> = closed(&a, &a, &mask.convert::<Csr<Pattern<bool>>>().unwrap()).unwrap();
    assert_eq!(filled(&c), masked(square.clone(), true));
    let c: Csr<f64> = closed(&a, &a, &mask.convert::<Coo<Pattern<bool>>>().unwrap()).unwrap();
    assert_eq!(filled(&c), masked(square, true));
    let c: Csr<f64> = open(&a, &mask.convert::<Csr<Pattern<bool>>>().unwrap()).unwrap();
    assert_eq!(filled(&c), masked(dense(&numbers), false));
}

#[test]
fn triangles_of_a_graph_are_counted() {
    let size = 30;
    let edges: Vec<[usize; 2]> = places([size; 2], 250, 16).into_iter().filter(|[i, j]| i > j).collect();
    let is_edge = |i: usize, j: usize| edges.contains(&[i, j]);
    let mut expected = 0;
    for i in 0..size {
        for j in 0..i {
            expected += (0..j)
                .filter(|&k| is_edge(i, j) && is_edge(j, k) && is_edge(i, k))
                .count() as u64;
        }
    }
    assert!(expected > 0);
    let lower: Csr<Pattern<u64>> = pattern([size; 2], &edges).convert().unwrap();
    assert_eq!(triangles(&lower, &lower, &lower).unwrap(), expected);
    let columns: Csc<Pattern<u64>> = lower.convert().unwrap();
    let rows: Dcsr<u64> = lower.clone().map_values(Stored::value).convert().unwrap();
    assert_eq!(triangles(&lower, &columns, &rows).unwrap(), expected);
}

#[test]
fn steps_to_each_node_are_counted() {
    let size = 60;
    let edges = places([size; 2], 110, 17);
    let mut steps = vec![u32::MAX; size];
    let mut queue = std::collections::VecDeque::from([0]);
    steps[0] = 0;
    while let Some(node) = queue.pop_front() {
        for &[_, to] in edges.iter().filter(|[from, _]| *from == node) {
            if steps[to] == u32::MAX {
                steps[to] = steps[node] + 1;
                queue.push_back(to);
            }
        }
    }
    // Far enough from the greatest number that nothing wraps around.
    let far = 1 << 30;
    let expected: Vec<u32> = steps.iter().map(|&steps| steps.min(far)).collect();
    let rows: Csr<Pattern<u32>> = pattern([size; 2], &edges).convert().unwrap();
    let columns: Csc<Pattern<u32>> = rows.convert().unwrap();
    for by_rows in [true, false] {
        let mut distance = vec![far; size];
        distance[0] = 0;
        for _ in 0..size {
            let before = distance.clone();
            if by_rows {
                hops(&mut distance, &before, &rows).unwrap();
            } else {
                hops(&mut distance, &before, &columns).unwrap();
            }
        }
        assert_eq!(distance, expected);
    }
}

#[test]
fn functions_take_the_type_as_which_values_are_read() {
    let (at, other) = (places(SHAPE, 90, 18), places(SHAPE, 90, 19));
    let (ones, bytes): (Triplets<Ones, 2>, Triplets<Bytes, 2>) = (Made::made(SHAPE, &at), Made::made(SHAPE, &other));
    let (a, b): (Csr<Ones>, Coo<Bytes>) = (ones.convert().unwrap(), bytes.convert().unwrap());
    let c: Csr<f64> = applied(&a, &b).unwrap();
    let both = dense(&ones).into_iter().zip(dense(&bytes));
    let expected: Vec<f64> = both
        .clone()
        .map(|(a, b)| if a * b == 0.0 { 0.0 } else { f64::hypot(a, b) })
        .collect();
    assert_eq!(filled(&c), expected);
    let c: Csr<f64> = same(&a).unwrap();
    assert_eq!(filled(&c), dense(&ones));
    let c: Csr<f64> = merged(&a, &bytes.convert::<Csr<_>>().unwrap()).unwrap();
    assert_eq!(filled(&c), both.map(|(a, b)| a - 2.0 * b).collect::<Vec<_>>());
}

/// Code that is generic over scalars is as it was.
#[test]
fn generic_code_over_scalars_compiles_unchanged() {
    fn generic<T: Scalar>(triplets: &Triplets<T, 2>, x: &[T]) -> Result<Vec<T>, Error> {
        let (a, d): (Csr<T>, Dia<T>) = (triplets.convert()?, triplets.convert()?);
        let c: Csr<T> = spgemm(&a, &d)?;
        let mut y = vec![T::ZERO; x.len()];
        spmv(&mut y, &c, x)?;
        Ok(y)
    }
    let triplets = Triplets::try_from_triplets([2, 2], [([0, 1], 2), ([1, 0], 3)]).unwrap();
    assert_eq!(generic(&triplets, &[1, 10]).unwrap(), [6, 60]);
}
