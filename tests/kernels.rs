//! Matrix kernels over many formats and element types, against their definitions.

mod common;

use common::Random;
use common::random::{Elements, elements, tensors};
use unisparse::prelude::*;
use unisparse::{Complex64, ErrorKind, Triplets};

unisparse::sparse_format! {
    /// Of the tests.
    pub format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); }
    /// Of the tests.
    pub format AntiDense = |i, j| (anti: i + j, diff: j - i) {}
    /// Of the tests.
    pub format DiagonalTiles = |i, j| ((j - i) / 4, i, (j - i) % 4) { merge(0); trim(0); }
    /// Of the tests.
    pub format Skewed = |i, j| (row: i, skew: j + i / 2) { merge(row); trim(skew); }
    /// Of the tests.
    pub format FromBelow = |i, j| (half: i / 2, row: i, col: j) { merge(half, row); trim(col); }
    /// Of the tests.
    pub format FixedLast = |i, j| (row: i, diag: j - i, col: j) { merge(row); trim(diag); }
    /// Of the tests.
    pub format PaperA = |i, j| (row: i, col: j) { trim(col); }
    /// Of the tests.
    pub format PaperABlocks = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(bcol); }
    /// Of the tests.
    pub format Uneven<const B: usize = 6> = |i, j| (i / B, (i % B) / 4, (i % B) % 4, j) { merge(0, 1, 2); trim(3); }
    /// Of the tests.
    pub format TwoLevels =
        |i, j| (i / 16, j / 16, (i % 16) / 4, (j % 16) / 4, i % 4, j % 4) { merge(0, 1, 2); trim(1); trim(3); }
    /// Of the tests.
    pub format BothDense = |i, j| (row: i, col: j) {}
}

macro_rules! kernels {
    ($($name:ident: $($statement:tt)*);*) => {};
    (@ $([$($statement:tt)*])*) => {
        unisparse::sparse_kernel! {
            $(
                /// Of the tests.
                pub fn $($statement)* where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo
                    | Anti | AntiDense | DiagonalTiles | Skewed | FromBelow | FixedLast | PaperA | PaperABlocks | Uneven
                    | TwoLevels | BothDense;
            )*
        }
    };
}

kernels! { @
    [multiply: y[i] = A[i, j] * x[j]]
    [multiply_matrix: C[i, n] = A[i, j] * B[j, n]]
    [multiply_columns: C[n, i] = A[i, j] * B[n, j]]
    [multiply_weighted: y[i] = A[i, j] * x[j] * w[i] * x[j]]
    [transposed: y[j] = A[i, j] * x[i]]
    [transposed_matrix: C[j, n] = A[i, j] * B[i, n]]
    [scaled: y[i] = alpha * A[i, j] * x[j] + beta * z[i]]
    [scaled_transposed: y[j] = beta * z[j] + A[i, j] * alpha * x[i]]
    [row_sums: y[i] = A[i, j]]
    [column_sums: y[j] = A[i, j]]
    [add_product: y[i] += A[i, j] * x[j]]
    [add_transposed: y[j] += A[i, j] * x[i]]
    [add_dense: C[i, j] += A[i, j]]
    [dense: C[i, j] = A[i, j]]
    [dense_transposed: C[j, i] = A[i, j]]
    [sampled: C[i, j] = A[i, j] * P[i, k] * Q[k, j]]
    [outer: C[i, j, k] = A[i, j] * x[k]]
    [twice: y[i] = A[i, j] * x[j] + A[i, j] * w[j]]
}

/// A sparse matrix, and every kernel of this file over it.
macro_rules! any_kernel {
    ($($kernel:ident)*) => {
        trait Kernels: SparseTensor<2, Scalar: Scalar> $(+ $kernel)* {}
        impl<F: SparseTensor<2, Scalar: Scalar> $(+ $kernel)*> Kernels for F {}
    };
}

any_kernel! {
    multiply multiply_matrix multiply_columns multiply_weighted transposed transposed_matrix scaled scaled_transposed
    row_sums column_sums add_product add_transposed add_dense dense dense_transposed sampled outer twice
}

/// The output of a kernel by its definition: one term for each stored element and each value of the open index.
fn sums<T: Scalar>(start: Vec<T>, terms: impl Iterator<Item = (usize, T)>) -> Vec<T> {
    let mut sums = start;
    for (at, term) in terms {
        sums[at] = sums[at].plus(term);
    }
    sums
}

fn check<F: Kernels>(matrix: &Triplets<F::Scalar, 2>, vector: &mut impl FnMut(usize) -> Vec<F::Scalar>) {
    let a: F = matrix.convert_within(Limit::none()).unwrap();
    let all: Elements<F::Scalar, 2> = elements(matrix);
    let all = || all.iter().map(|(&[i, j], &value)| (i, j, value));
    let [m, n] = matrix.shape();
    let k = 3;
    let (x, w, z, u, v) = (vector(n), vector(n), vector(m), vector(m), vector(n));
    let (alpha, beta) = (vector(1)[0], vector(1)[0]);
    let zeros = |len: usize| vec![F::Scalar::ZERO; len];
    let what = |kernel: &str| {
        format!(
            "{kernel} of {} of shape {:?}: {:?}",
            F::NAME,
            matrix.shape(),
            matrix.iter().take(40).collect::<Vec<_>>()
        )
    };
    // Outputs hold rubbish before, which `=` must not let through.
    macro_rules! equal {
        ($kernel:ident, $len:expr, ($($before:tt)*), ($($after:tt)*), $start:expr, $terms:expr) => {{
            let mut output = vector($len);
            let start: Option<Vec<F::Scalar>> = $start;
            let start = start.unwrap_or_else(|| output.clone());
            $kernel(&mut output, $($before)* &a, $($after)*).unwrap_or_else(|error| panic!("{}: {error}", what(stringify!($kernel))));
            assert_eq!(output, sums(start, $terms), "{}", what(stringify!($kernel)));
        }};
    }
    equal!(
        multiply,
        m,
        (),
        (&x),
        Some(zeros(m)),
        all().map(|(i, j, a)| (i, a.times(x[j])))
    );
    equal!(
        multiply_weighted,
        m,
        (),
        (&x, &z),
        Some(zeros(m)),
        all().map(|(i, j, a)| (i, a.times(x[j]).times(z[i]).times(x[j])))
    );
    equal!(
        transposed,
        n,
        (),
        (&u),
        Some(zeros(n)),
        all().map(|(i, j, a)| (j, a.times(u[i])))
    );
    equal!(row_sums, m, (), (), Some(zeros(m)), all().map(|(i, _, a)| (i, a)));
    equal!(column_sums, n, (), (), Some(zeros(n)), all().map(|(_, j, a)| (j, a)));
    equal!(
        add_product,
        m,
        (),
        (&x),
        None,
        all().map(|(i, j, a)| (i, a.times(x[j])))
    );
    equal!(
        add_transposed,
        n,
        (),
        (&u),
        None,
        all().map(|(i, j, a)| (j, a.times(u[i])))
    );
    equal!(add_dense, m * n, (), (), None, all().map(|(i, j, a)| (i * n + j, a)));
    equal!(
        dense,
        m * n,
        (),
        (),
        Some(zeros(m * n)),
        all().map(|(i, j, a)| (i * n + j, a))
    );
    equal!(
        dense_transposed,
        m * n,
        (),
        (),
        Some(zeros(m * n)),
        all().map(|(i, j, a)| (j * m + i, a))
    );
    equal!(
        twice,
        m,
        (),
        (&x, &w),
        Some(zeros(m)),
        all().map(|(i, j, a)| (i, a.times(x[j]).plus(a.times(w[j]))))
    );
    let shift = |z: &[F::Scalar]| Some(z.iter().map(|&z| beta.times(z)).collect::<Vec<_>>());
    equal!(
        scaled,
        m,
        (alpha,),
        (&x, beta, &z),
        shift(&z),
        all().map(|(i, j, a)| (i, alpha.times(a).times(x[j])))
    );
    equal!(
        scaled_transposed,
        n,
        (beta, &v,),
        (alpha, &u),
        shift(&v),
        all().map(|(i, j, a)| (j, a.times(alpha).times(u[i])))
    );
    // An empty operand cannot tell an extent that no other operand gives.
    if m == 0 || n == 0 {
        return;
    }
    let (b, c) = (vector(n * k), vector(m * k));
    let each = || all().flat_map(|(i, j, a)| (0..k).map(move |k| (i, j, k, a)));
    equal!(
        multiply_matrix,
        m * k,
        (),
        (&b),
        Some(zeros(m * k)),
        each().map(|(i, j, r, a)| (i * k + r, a.times(b[j * k + r])))
    );
    equal!(
        multiply_columns,
        m * k,
        (),
        (&b),
        Some(zeros(m * k)),
        each().map(|(i, j, r, a)| (r * m + i, a.times(b[r * n + j])))
    );
    equal!(
        transposed_matrix,
        n * k,
        (),
        (&c),
        Some(zeros(n * k)),
        each().map(|(i, j, r, a)| (j * k + r, a.times(c[i * k + r])))
    );
    equal!(
        sampled,
        m * n,
        (),
        (&c, &b),
        Some(zeros(m * n)),
        each().map(|(i, j, r, a)| (i * n + j, a.times(c[i * k + r]).times(b[r * n + j])))
    );
    let t = vector(k);
    equal!(
        outer,
        m * n * k,
        (),
        (&t),
        Some(zeros(m * n * k)),
        each().map(|(i, j, r, a)| ((i * n + j) * k + r, a.times(t[r])))
    );
}

const SHAPES: [[usize; 2]; 9] = [
    [5, 4],
    [1, 1],
    [1, 9],
    [9, 1],
    [0, 4],
    [4, 0],
    [13, 13],
    [40, 6],
    [6, 40],
];

macro_rules! formats {
    ($($test:ident: $($format:ident $(<$($argument:literal),+>)?),+;)*) => {$(
        #[test]
        fn $test() {
            for (number, shape) in SHAPES.into_iter().enumerate() {
                let mut random = Random::new(number as u64 + 77);
                for matrix in tensors(shape, number as u64 + 1) {
                    $(
                        check::<$format<f64 $($(, $argument)+)?>>(&matrix, &mut |len| random.vector(len));
                        check::<$format<i64 $($(, $argument)+)?>>(
                            &matrix.clone().map(|value| value as i64 - 12),
                            &mut |len| random.vector(len).into_iter().map(|value| value as i64 - 4).collect(),
                        );
                    )+
                }
                // The other element types where there is something to add up.
                for matrix in tensors(shape, number as u64 + 1).into_iter().rev().take(2) {
                    $(
                        check::<$format<f32 $($(, $argument)+)?>>(
                            &matrix.clone().map(|value| value as f32),
                            &mut |len| random.vector(len).into_iter().map(|value| value as f32).collect(),
                        );
                        check::<$format<bool $($(, $argument)+)?>>(
                            &matrix.clone().map(|_| true),
                            &mut |len| random.vector(len).into_iter().map(|value| value > 6.0).collect(),
                        );
                        check::<$format<Complex64 $($(, $argument)+)?>>(
                            &matrix.clone().map(|value| Complex64::new(value, value - 5.0)),
                            &mut |len| random.vector(len).into_iter().map(|value| Complex64::new(3.0 - value, value)).collect(),
                        );
                    )+
                }
            }
        }
    )*};
}

formats! {
    coordinates: Coo, Csr, Csc, Dcsr, Dcsc, HiCoo, HiCoo<3>;
    diagonals: Dia, DiaVariant, Bdia, Bdia<3>;
    blocks: Bcsr, Bcsr<3, 4>, Bcsc, Bcsc<2, 5>, Csb, Csb<4>;
    tiles: DiagonalTiles, Uneven, Uneven<9>, TwoLevels;
    skews: Anti, AntiDense, Skewed;
    fixed: FromBelow, FixedLast, BothDense;
    holes: PaperA, PaperABlocks;
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let matrix = Random::new(3).triplets([4, 3], 6);
    macro_rules! refused {
        ($($operand:literal: $call:expr;)*) => {$(
            let error = $call.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Shape, "{error}");
            assert_eq!(error.subject(), concat!("operand `", $operand, "`"), "{}", stringify!($call));
        )*};
    }
    macro_rules! each {
        ($($format:ty),*) => {$(
            let a: $format = matrix.convert().unwrap();
            let v = |len: usize| vec![1.0; len];
            refused! {
                "y": multiply(&mut v(3), &a, &v(3));
                "x": multiply(&mut v(4), &a, &v(4));
                "x": multiply(&mut v(4), &a, &v(0));
                "x": transposed(&mut v(3), &a, &v(3));
                "y": transposed(&mut v(4), &a, &v(4));
                "y": row_sums(&mut v(5), &a);
                "y": column_sums(&mut v(2), &a);
                "C": dense(&mut v(11), &a);
                "z": scaled(&mut v(4), 1.0, &a, &v(3), 1.0, &v(3));
                "x": scaled(&mut v(4), 1.0, &a, &v(2), 1.0, &v(4));
                "w": multiply_weighted(&mut v(4), &a, &v(3), &v(5));
            }
            for (c, b) in [(8, 9), (7, 6), (8, 5)] {
                let error = multiply_matrix(&mut v(c), &a, &v(b)).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Shape);
                assert!(["operand `C`", "operand `B`"].contains(&error.subject()), "{error}");
            }
            let mut untouched = v(4);
            assert!(multiply(&mut untouched, &a, &v(9)).is_err());
            assert_eq!(untouched, v(4));
        )*};
    }
    each!(
        Coo<f64>,
        Csr<f64>,
        Csc<f64>,
        Dia<f64>,
        Bcsr<f64>,
        HiCoo<f64>,
        AntiDense<f64>,
        PaperA<f64>
    );
}

#[test]
fn slices_vectors_and_arrays_are_operands() {
    let a: Csr<f64> = Triplets::try_from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])
        .unwrap()
        .convert()
        .unwrap();
    let mut array = [9.0; 2];
    multiply(&mut array, &a, &[1.0, 10.0, 100.0]).unwrap();
    let mut vector = vec![9.0; 2];
    multiply(&mut vector, &a, &vec![1.0, 10.0, 100.0]).unwrap();
    let mut long = [9.0; 4];
    multiply(&mut long[1..3], &a, &&[0.0, 1.0, 10.0, 100.0][1..]).unwrap();
    assert_eq!(
        (array, &vector[..], long),
        ([20.0, 300.0], &[20.0, 300.0][..], [9.0, 20.0, 300.0, 9.0])
    );
}
