//! Kernels as C that read operands more than once, or formats of this file: against loops over dense matrices.

#[path = "c_kernels/compiler.rs"]
mod compiler;
#[path = "c_kernels/data.rs"]
mod data;
#[path = "c_kernels/members.rs"]
mod members;
#[path = "c_kernels/program.rs"]
mod program;
#[path = "c_kernels/results.rs"]
mod results;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "common/sample.rs"]
mod sample;

use data::{Case, Input, arrays, to_dense, to_sparse};
use sample::sample_by;
#[cfg(every_product)]
use unisparse::formats::CisrPlus;
use unisparse::formats::{C2sr, Cisr};
use unisparse::prelude::*;

sparse_format! {
    /// Rows distributed over two banks, each with its own arrays.
    pub format Bank = |i, j| (bank: i % 2, local: i / 2, col: j) { merge(bank, local); trim(col); partition(bank); }
    /// Bands of rows that contain elements, each with its own arrays.
    pub format Bands<const R: usize = 3> =
        |i, j| (band: i / R, col: j, row: i % R) { merge(band, col); trim(band..=row); partition(band); }
    /// Anti-diagonals, each with its own arrays.
    pub format Antidiagonals = |i, j| (anti: i + j, row: i) { merge(anti); trim(anti..=row); partition(anti); }
    /// Long rows in banks, short ones compressed.
    pub hybrid BankCsr = Bank + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
    /// Short rows in banks of two sizes, with equal names.
    pub hybrid Banks = C2sr<3> + C2sr<2> split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
    /// Rows from the last to the first, and columns with gaps.
    pub format Slanted = |i, j| (r: 5 - i, c: 2 * j + i) {}
    /// The same, with all levels trimmed.
    pub format SlantedStored = |i, j| (r: 5 - i, c: 2 * j + i) { trim(r..=c); }
    /// Diagonals of pairs of rows.
    pub format Paired = |i, j| (pair: i / 2, diag: j - i, half: i % 2) { merge(pair); trim(diag); }
}

sparse_kernel! {
    pub fn symmetric: t = A[i, j] * A[j, i] where A: _;
    pub fn squared: C[i, j] = A[i, k] * A[k, j] where A: _, C: Coo;
    pub fn gram: C[i, j] = A[i, k] * A[j, k] where A: _, C: Coo;
    pub fn triangles: t = A[i, j] * A[j, k] * A[k, i] where A: _;
    pub fn mirrored: C[i, j] = A[i, j] + A[j, i] where A: _, C: Coo;
    pub fn closed: C[i, j] = A[i, k] * A[k, j] if A[i, j] where A: _, C: Coo;
    pub fn doubled: y[i] += A[i, j] * A[i, k] where A: _;
    pub fn total: t = A[i, j] where A: _;
    pub fn diagonal: d[i] = A[i, i] where A: _;
    pub fn named: t = A[i, j] * A[j, i] * a_read0 * a_parts where A: _;
}

/// A kernel over one choice of formats as a function.
macro_rules! function {
    ($kernel:ident for $format:ident) => {
        unisparse::__private::__kernel_text! { {unisparse} function, $kernel, _: $format<f64> }
    };
}

/// The arrays of a tensor, one for each part that loops run over.
macro_rules! sent {
    (plain, $tensor:expr) => {
        vec![Input::Tensor(vec![arrays($tensor)])]
    };
    (cut, $tensor:expr) => {
        vec![Input::Tensor($tensor.parts().iter().map(arrays).collect())]
    };
    (hybrid $first:ident $second:ident, $tensor:expr) => {{
        let (first, second) = $tensor.parts();
        let mut inputs = sent!($first, first);
        inputs.extend(sent!($second, second));
        inputs
    }};
}

/// A dense matrix, with `None` where nothing is stored. The values are integers, so sums do not depend on the order.
struct Dense {
    extent: usize,
    stored: Vec<Option<f64>>,
}

impl Dense {
    /// A third of the elements; the middle row and the column after it are empty.
    fn random(extent: usize, mut state: u64) -> Self {
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 27
        };
        let at = |place: usize| [place / extent, place % extent];
        let empty = |[i, j]: [usize; 2]| i == extent / 2 || j == extent / 2 + 1;
        let stored = (0..extent * extent).map(|place| (next(), at(place)));
        let stored = stored.map(|(number, at)| (number < 9 && !empty(at)).then_some(number as f64 - 4.0));
        Dense {
            extent,
            stored: stored.collect(),
        }
    }

    fn at(&self, i: usize, j: usize) -> Option<f64> {
        self.stored[i * self.extent + j]
    }

    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let extent = self.extent;
        (0..extent).flat_map(move |i| (0..extent).map(move |j| [i, j]))
    }

    fn triplets(&self) -> Triplets<f64, 2> {
        let elements = self.pairs().filter_map(|[i, j]| Some(([i, j], self.at(i, j)?)));
        Triplets::try_from_triplets([self.extent; 2], elements).unwrap()
    }

    /// Sums a term over all coordinates of two indices; `None` if no element contributes.
    fn sum(&self, term: impl Fn(usize, usize) -> Option<f64>) -> Option<f64> {
        self.pairs()
            .filter_map(|[i, j]| term(i, j))
            .reduce(|sum, term| sum + term)
    }

    /// Returns the matrix of these elements.
    fn matrix(&self, element: impl Fn(usize, usize) -> Option<f64>) -> Coo<f64> {
        let elements = self.pairs().filter_map(|[i, j]| Some(([i, j], element(i, j)?)));
        let triplets: Triplets<f64, 2> = Triplets::try_from_triplets([self.extent; 2], elements).unwrap();
        triplets.convert().unwrap()
    }

    /// Sums over one index.
    fn along(&self, term: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        (0..self.extent).filter_map(term).reduce(|sum, term| sum + term)
    }
}

/// Compiles and calls every other function, and all of them at night.
fn check(name: &str, cases: Vec<Case>) {
    let cases = sample_by(cases, 0, 2, |case| case.function.name);
    if let Some(different) = program::run(name, &cases, "") {
        assert!(different.is_empty(), "{name}: {different:?}");
    }
}

#[test]
fn a_partitioned_operand_is_read_more_than_once() {
    let mut cases = Vec::new();
    for extent in [1, 7, 12] {
        let dense = Dense::random(extent, extent as u64);
        let (triplets, at) = (dense.triplets(), |i, j| dense.at(i, j));
        let product = |i: usize, j: usize| dense.along(|k| Some(at(i, k)? * at(k, j)?));
        let symmetric = dense.sum(|i, j| Some(at(i, j)? * at(j, i)?)).unwrap_or(0.0);
        let triangles = dense.sum(|i, j| Some(product(i, j)? * at(j, i)?)).unwrap_or(0.0);
        let squared = dense.matrix(product);
        let gram = dense.matrix(|i, j| dense.along(|k| Some(at(i, k)? * at(j, k)?)));
        let closed = dense.matrix(|i, j| product(i, j).filter(|_| at(i, j).is_some_and(|mask| mask != 0.0)));
        let mirrored = dense.matrix(|i, j| match (at(i, j), at(j, i)) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0)),
        });
        let row = |i: usize| dense.along(|j| at(i, j)).unwrap_or(0.0);
        let doubled: Vec<f64> = (0..extent).map(|i| 2.0 + row(i) * row(i)).collect();
        macro_rules! of {
            ($a:expr, $format:ident [$($constant:literal),*], $($kind:tt)*) => {{
                let a = $a;
                let constants: &[usize] = &[$($constant),*];
                let (inputs, dims) = (|| sent!($($kind)*, &a), [extent; 3]);
                let totals = [
                    (function!(symmetric for $format), 2, symmetric),
                    (function!(triangles for $format), 3, triangles),
                ];
                for (function, indices, total) in totals {
                    cases.push(to_dense(function, inputs(), (&dims[..indices], constants), &[0.0], &[total]));
                }
                let matrices = [
                    (function!(squared for $format), 3, &squared),
                    (function!(gram for $format), 3, &gram),
                    (function!(closed for $format), 3, &closed),
                    (function!(mirrored for $format), 2, &mirrored),
                ];
                for (function, indices, matrix) in matrices {
                    cases.push(to_sparse(function, inputs(), (&dims[..indices], constants), matrix));
                }
                let function = function!(doubled for $format);
                cases.push(to_dense(function, inputs(), (&dims, constants), &vec![2.0; extent], &doubled));
            }};
        }
        of!(triplets.convert::<C2sr<f64, 2>>().unwrap(), C2sr[2], cut);
        of!(triplets.convert::<Cisr<f64, 3>>().unwrap(), Cisr[3], cut);
        of!(triplets.convert::<Antidiagonals<f64>>().unwrap(), Antidiagonals [], cut);
        of!(Banks::<f64>::split(&triplets, 3).unwrap(), Banks [], hybrid cut cut);
        #[cfg(every_product)]
        {
            of!(triplets.convert::<CisrPlus<f64, 2>>().unwrap(), CisrPlus[2], cut);
            of!(triplets.convert::<Bank<f64>>().unwrap(), Bank [], cut);
            of!(triplets.convert::<Bands<f64, 3>>().unwrap(), Bands[3], cut);
            of!(BankCsr::<f64>::split(&triplets, 3).unwrap(), BankCsr [], hybrid cut plain);
        }
    }
    check("read_twice", cases);
}

#[test]
fn operands_may_have_the_names_of_printed_variables() {
    let dense = Dense::random(7, 7);
    let at = |i, j| dense.at(i, j);
    let symmetric = dense.sum(|i, j| Some(at(i, j)? * at(j, i)?)).unwrap();
    let a: C2sr<f64, 2> = dense.triplets().convert().unwrap();
    let mut inputs = sent!(cut, &a);
    inputs.extend([data::scalar(3.0), data::scalar(5.0)]);
    let expected = [15.0 * symmetric];
    let function = function!(named for C2sr);
    check(
        "read_named",
        vec![to_dense(function, inputs, (&[7, 7], &[2]), &[0.0], &expected)],
    );
}

#[test]
fn formats_whose_coordinates_are_not_all_needed() {
    let dense = Dense::random(6, 6);
    let at = |i, j| dense.at(i, j);
    let total = dense.sum(at).unwrap();
    let diagonal: Vec<f64> = (0..6).map(|i| at(i, i).unwrap_or(0.0)).collect();
    let mut cases = Vec::new();
    macro_rules! of {
        ($($format:ident)*) => {$({
            let a: $format<f64> = dense.triplets().convert().unwrap();
            let function = function!(total for $format);
            cases.push(to_dense(function, sent!(plain, &a), (&[6, 6], &[]), &[0.0], &[total]));
            let function = function!(diagonal for $format);
            cases.push(to_dense(function, sent!(plain, &a), (&[6], &[]), &[f64::NAN; 6], &diagonal));
        })*};
    }
    of!(Slanted SlantedStored Paired);
    check("not_all_needed", cases);
}
