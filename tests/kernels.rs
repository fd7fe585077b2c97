//! Matrix kernels over many formats and element types, against their definitions.

mod common;

use std::collections::HashMap;

use common::Random;
use common::random::{Elements, elements, tensors};
use unisparse::prelude::*;
use unisparse::{Complex64, ErrorKind, Triplets};

unisparse::sparse_format! {
    /// For these tests.
    pub format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); }
    /// For these tests.
    pub format AntiDense = |i, j| (anti: i + j, diff: j - i) {}
    /// For these tests.
    pub format DiagonalTiles = |i, j| ((j - i) / 4, i, (j - i) % 4) { merge(0); trim(0); }
    /// For these tests.
    pub format Skewed = |i, j| (row: i, skew: j + i / 2) { merge(row); trim(skew); }
    /// For these tests.
    pub format FromBelow = |i, j| (half: i / 2, row: i, col: j) { merge(half, row); trim(col); }
    /// For these tests.
    pub format FixedLast = |i, j| (row: i, diag: j - i, col: j) { merge(row); trim(diag); }
    /// For these tests.
    pub format PaperA = |i, j| (row: i, col: j) { trim(col); }
    /// For these tests.
    pub format PaperABlocks = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(bcol); }
    /// For these tests.
    pub format Uneven<const B: usize = 6> = |i, j| (i / B, (i % B) / 4, (i % B) % 4, j) { merge(0, 1, 2); trim(3); }
    /// For these tests.
    pub format TwoLevels =
        |i, j| (i / 16, j / 16, (i % 16) / 4, (j % 16) / 4, i % 4, j % 4) { merge(0, 1, 2); trim(1); trim(3); }
    /// For these tests.
    pub format BothDense = |i, j| (row: i, col: j) {}
}

macro_rules! kernels {
    ($($name:ident: $($statement:tt)*);*) => {};
    (@ $([$($statement:tt)*])*) => {
        unisparse::sparse_kernel! {
            $(
                /// For these tests.
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

/// The operands of all kernels for one matrix, and what each kernel gives by its definition. Nothing here depends on a format.
struct Given<T> {
    matrix: Triplets<T, 2>,
    alpha: T,
    beta: T,
    /// Vectors of as many numbers as there are columns, twice.
    x: [Vec<T>; 2],
    /// The same for rows.
    u: [Vec<T>; 2],
    /// Matrices of `K` rows or columns: of the columns, and of the rows.
    b: Vec<T>,
    c: Vec<T>,
    /// A vector of `K` numbers.
    t: Vec<T>,
    /// What an output holds before, and after.
    outputs: HashMap<&'static str, [Vec<T>; 2]>,
}

/// The extent of an index that the matrix has not.
const K: usize = 3;

impl<T: Scalar> Given<T> {
    fn new(matrix: Triplets<T, 2>, vector: &mut dyn FnMut(usize) -> Vec<T>) -> Self {
        let [m, n] = matrix.shape();
        let given = Given {
            alpha: vector(1)[0],
            beta: vector(1)[0],
            x: [vector(n), vector(n)],
            u: [vector(m), vector(m)],
            b: vector(n * K),
            c: vector(m * K),
            t: vector(K),
            outputs: HashMap::new(),
            matrix,
        };
        let outputs = given.outputs(vector);
        Given { outputs, ..given }
    }

    fn outputs(&self, vector: &mut dyn FnMut(usize) -> Vec<T>) -> HashMap<&'static str, [Vec<T>; 2]> {
        let Given {
            alpha, beta, b, c, t, ..
        } = self;
        let ([x, w], [z, u]) = (&self.x, &self.u);
        let [m, n] = self.matrix.shape();
        let elements: Elements<T, 2> = elements(&self.matrix);
        let all = || elements.iter().map(|(&[i, j], &value)| (i, j, value));
        let each = || all().flat_map(|(i, j, a)| (0..K).map(move |k| (i, j, k, a)));
        let mut outputs = HashMap::new();
        // Outputs have arbitrary contents before, which `=` must overwrite.
        let mut output =
            |kernel, len, start: &dyn Fn(Vec<T>) -> Vec<T>, terms: &mut dyn Iterator<Item = (usize, T)>| {
                let before = vector(len);
                let mut after = start(before.clone());
                terms.for_each(|(at, term)| after[at] = after[at].plus(term));
                outputs.insert(kernel, [before, after]);
            };
        let zero = |before: Vec<T>| vec![T::ZERO; before.len()];
        let kept = |before: Vec<T>| before;
        let product = |factors: &[T]| factors.iter().fold(T::ONE, |product, &factor| product.times(factor));
        output("multiply", m, &zero, &mut all().map(|(i, j, a)| (i, a.times(x[j]))));
        output(
            "multiply_weighted",
            m,
            &zero,
            &mut all().map(|(i, j, a)| (i, product(&[a, x[j], z[i], x[j]]))),
        );
        output("transposed", n, &zero, &mut all().map(|(i, j, a)| (j, a.times(u[i]))));
        output("row_sums", m, &zero, &mut all().map(|(i, _, a)| (i, a)));
        output("column_sums", n, &zero, &mut all().map(|(_, j, a)| (j, a)));
        output("add_product", m, &kept, &mut all().map(|(i, j, a)| (i, a.times(x[j]))));
        output(
            "add_transposed",
            n,
            &kept,
            &mut all().map(|(i, j, a)| (j, a.times(u[i]))),
        );
        output("add_dense", m * n, &kept, &mut all().map(|(i, j, a)| (i * n + j, a)));
        output("dense", m * n, &zero, &mut all().map(|(i, j, a)| (i * n + j, a)));
        output(
            "dense_transposed",
            m * n,
            &zero,
            &mut all().map(|(i, j, a)| (j * m + i, a)),
        );
        output(
            "twice",
            m,
            &zero,
            &mut all().map(|(i, j, a)| (i, a.times(x[j]).plus(a.times(w[j])))),
        );
        let shift = |by: &[T]| by.iter().map(|&by| beta.times(by)).collect::<Vec<T>>();
        output(
            "scaled",
            m,
            &|_| shift(z),
            &mut all().map(|(i, j, a)| (i, product(&[*alpha, a, x[j]]))),
        );
        output(
            "scaled_transposed",
            n,
            &|_| shift(w),
            &mut all().map(|(i, j, a)| (j, product(&[a, *alpha, u[i]]))),
        );
        output(
            "multiply_matrix",
            m * K,
            &zero,
            &mut each().map(|(i, j, r, a)| (i * K + r, a.times(b[j * K + r]))),
        );
        output(
            "multiply_columns",
            m * K,
            &zero,
            &mut each().map(|(i, j, r, a)| (r * m + i, a.times(b[r * n + j]))),
        );
        output(
            "transposed_matrix",
            n * K,
            &zero,
            &mut each().map(|(i, j, r, a)| (j * K + r, a.times(c[i * K + r]))),
        );
        output(
            "sampled",
            m * n,
            &zero,
            &mut each().map(|(i, j, r, a)| (i * n + j, product(&[a, c[i * K + r], b[r * n + j]]))),
        );
        output(
            "outer",
            m * n * K,
            &zero,
            &mut each().map(|(i, j, r, a)| ((i * n + j) * K + r, a.times(t[r]))),
        );
        outputs
    }

    /// Checks the output of a kernel, given its contents before.
    fn judge(&self, kernel: &str, format: &str, run: &mut dyn FnMut(&mut Vec<T>) -> Result<(), Error>) {
        let [before, after] = &self.outputs[kernel];
        let mut output = before.clone();
        let what = || {
            let some: Vec<_> = self.matrix.iter().take(40).collect();
            format!("{kernel} of {format} of shape {:?}: {some:?}", self.matrix.shape())
        };
        run(&mut output).unwrap_or_else(|error| panic!("{}: {error}", what()));
        assert_eq!(&output, after, "{}", what());
    }
}

fn check<F: Kernels<Scalar: Scalar>>(given: &Given<F::Scalar>) {
    let a: F = given.matrix.convert_within(Limit::none()).unwrap();
    let Given {
        alpha, beta, b, c, t, ..
    } = given;
    let ([x, w], [z, u]) = (&given.x, &given.u);
    macro_rules! judged {
        ($($kernel:ident($($before:expr),*; $($after:expr),*))*) => {
            $(given.judge(stringify!($kernel), F::NAME, &mut |y| $kernel(y, $($before,)* &a, $($after),*));)*
        };
    }
    judged! {
        multiply(; x)
        multiply_weighted(; x, z)
        transposed(; u)
        row_sums(;)
        column_sums(;)
        add_product(; x)
        add_transposed(; u)
        add_dense(;)
        dense(;)
        dense_transposed(;)
        twice(; x, w)
        scaled(*alpha; x, *beta, z)
        scaled_transposed(*beta, w; *alpha, u)
    }
    // An empty operand has no extent for an index that no other operand has.
    if given.matrix.shape().contains(&0) {
        return;
    }
    judged! {
        multiply_matrix(; b)
        multiply_columns(; b)
        transposed_matrix(; c)
        sampled(; c, b)
        outer(; t)
    }
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

/// Every kernel over the formats, of elements of one type.
macro_rules! formats {
    ($($test:ident<$element:ty>($last:expr, $value:expr): $($format:ident $(<$($argument:literal),+>)?),+;)*) => {$(
        #[test]
        fn $test() {
            for (number, shape) in SHAPES.into_iter().enumerate() {
                let mut random = Random::new(number as u64 + 77);
                let value: fn(f64) -> $element = $value;
                for matrix in tensors(shape, number as u64 + 1).into_iter().rev().take($last) {
                    let mut vector = |len| random.vector(len).into_iter().map(value).collect();
                    let given = Given::new(matrix.map(value), &mut vector);
                    $(check::<$format<$element $($(, $argument)+)?>>(&given);)+
                }
            }
        }
    )*};
}

const ALL: usize = usize::MAX;

formats! {
    // One or two formats of each kind; all with `RUSTFLAGS="--cfg every_product"`.
    coordinates<f64>(ALL, |value| value - 4.0): Coo, Csr, Dcsc, HiCoo<3>;
    diagonals<f64>(ALL, |value| value - 4.0): Dia, Bdia<3>;
    blocks<f64>(ALL, |value| value - 4.0): Bcsr<3, 4>, Csb<4>;
    tiles<f64>(ALL, |value| value - 4.0): DiagonalTiles, Uneven<9>;
    skews<f64>(ALL, |value| value - 4.0): AntiDense, Skewed;
    fixed<f64>(ALL, |value| value - 4.0): FromBelow, BothDense;
    holes<f64>(ALL, |value| value - 4.0): PaperABlocks;
    // Other elements.
    integers<i64>(ALL, |value| value as i64 - 4): Csr, Csc, Dia, TwoLevels;
    singles<f32>(2, |value| value as f32): Csc, Bcsr<3, 4>, HiCoo<3>;
    truth_values<bool>(2, |value| value > 6.0): Coo, DiaVariant, Bcsc, Anti;
    complex_numbers<Complex64>(2, |value| Complex64::new(value, 3.0 - value)): Csr, Dcsc, FixedLast, PaperA;
}

/// All elements over all formats.
#[cfg(every_product)]
mod every_product {
    use super::*;

    macro_rules! over_every_format {
        ($($test:ident<$element:ty>($last:expr, $value:expr);)*) => {
            formats! {$(
                $test<$element>($last, $value):
                    Coo, Csr, Csc, Dcsr, Dcsc, HiCoo, HiCoo<3>, Dia, DiaVariant, Bdia, Bdia<3>, Bcsr, Bcsr<3, 4>, Bcsc, Bcsc<2, 5>, Csb,
                    Csb<4>, DiagonalTiles, Uneven, Uneven<9>, TwoLevels, Anti, AntiDense, Skewed, FromBelow, FixedLast, BothDense,
                    PaperA, PaperABlocks;
            )*}
        };
    }

    over_every_format! {
        doubles<f64>(ALL, |value| value - 4.0);
        integers<i64>(ALL, |value| value as i64 - 4);
        singles<f32>(2, |value| value as f32);
        truth_values<bool>(2, |value| value > 6.0);
        complex_numbers<Complex64>(2, |value| Complex64::new(value, 3.0 - value));
    }
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
