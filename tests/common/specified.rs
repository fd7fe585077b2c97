//! Formats whose declarations the tests parse independently.

use std::fmt::Debug;

use unisparse::{Error, Limit, SparseTensor, Triplets};

use super::parts::Parts;
use super::random::{Elements, elements, sort_by};
use super::reference::{Arrays, Reference};

pub type LevelArrays = Arrays;

/// A format under test, with its declaration as the tests understand it.
pub trait Specified<const N: usize>: SparseTensor<N, Scalar = f64> + Clone + PartialEq + Debug {
    fn reference() -> Reference<N>;
    fn arrays(&self) -> Vec<Arrays>;
    fn held_values(&self) -> &[f64];
    /// By `iter()`, not by the compiled traversal.
    fn by_iter(&self) -> Vec<([usize; N], f64)>;
    /// Rebuilds the tensor from its parts after a change.
    fn changed(self, change: &mut dyn FnMut(&mut dyn Parts)) -> Result<Self, Error>;
    /// `nnz`, `stored`, `bytes`.
    fn counts(&self) -> [usize; 3];
}

/// Evaluates the expressions of a map, written with or without the names of the levels.
macro_rules! expressions {
    ($($level:ident : $expression:expr),+) => { vec![$($expression),+] };
    ($($expression:expr),+) => { vec![$($expression),+] };
}

/// Parses a declaration independently: `specify! { Csr = |i, j| (row: i, col: j) { merge(row); trim(col); } }`.
macro_rules! specify {
    ($($name:ident $(<$(const $parameter:ident: usize = $value:tt),+>)? = |$($dim:ident),+| ($($map:tt)*) { $($mutations:tt)* })*) => {$(
        impl $(<$(const $parameter: usize),+>)? $crate::common::Specified<{ [$(stringify!($dim)),+].len() }>
            for $name<f64, $($($parameter),+)?>
        {
            fn reference() -> $crate::common::Reference<{ [$(stringify!($dim)),+].len() }> {
                $crate::common::Reference::new(
                    |[$($dim),+]: [$crate::common::Value; [$(stringify!($dim)),+].len()]| expressions!($($map)*),
                    {
                        $($(const $parameter: usize = $value;)+)?
                        |[$($dim),+]: [$crate::common::Value; [$(stringify!($dim)),+].len()]| expressions!($($map)*)
                    },
                    stringify!($($map)*),
                    stringify!($($mutations)*),
                )
            }
            fn arrays(&self) -> Vec<$crate::common::LevelArrays> {
                let levels = unisparse::__private::Tree::<{ [$(stringify!($dim)),+].len() }, _>::arrays(self);
                levels
                    .iter()
                    .map(|level| $crate::common::LevelArrays {
                        ptr: level.ptr.map(|array| (0..array.len()).map(|at| array.at(at)).collect()),
                        idx: level.idx.map(|array| (0..array.len()).map(|at| array.at(at)).collect()),
                    })
                    .collect()
            }
            fn held_values(&self) -> &[f64] {
                self.values()
            }
            fn by_iter(&self) -> Vec<([usize; [$(stringify!($dim)),+].len()], f64)> {
                self.iter().collect()
            }
            fn changed(
                self,
                change: &mut dyn FnMut(&mut dyn $crate::common::Parts),
            ) -> Result<Self, unisparse::Error> {
                let mut parts = self.into_parts();
                change(&mut parts);
                $crate::common::Call::call(Self::try_from_parts, parts)
            }
            fn counts(&self) -> [usize; 3] {
                [self.nnz(), self.stored(), self.bytes()]
            }
        }
    )*};
}

/// Declares formats, and parses their declarations independently.
macro_rules! declare {
    ($($name:ident $(<$(const $parameter:ident: usize = $value:tt),+>)? = |$($dim:ident),+| ($($map:tt)*) { $($mutations:tt)* })*) => {
        unisparse::sparse_format! {
            $(
                /// For these tests.
                pub format $name $(<$(const $parameter: usize = $value),+>)? = |$($dim),+| ($($map)*) { $($mutations)* }
            )*
        }
        specify! {
            $($name $(<$(const $parameter: usize = $value),+>)? = |$($dim),+| ($($map)*) { $($mutations)* })*
        }
    };
}

/// The stock formats of two dims, parsed independently.
macro_rules! specify_stock {
    () => {
        specify! {
            Coo = |i, j| (row: i, col: j) { trim(row..=col); }
            Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }
            Csc = |i, j| (col: j, row: i) { merge(col); trim(row); }
            Dcsr = |i, j| (row: i, col: j) { merge(row); trim(row..=col); }
            Dcsc = |i, j| (col: j, row: i) { merge(col); trim(col..=row); }
            Dia = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }
            DiaVariant = |i, j| (diag: j - i, col: j) { merge(diag); trim(diag); }
            Bcsr<const R: usize = 2, const C: usize = 2> =
                |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
            Bcsc<const R: usize = 2, const C: usize = 2> =
                |i, j| (bcol: j / C, brow: i / R, c: j % C, r: i % R) { merge(bcol, brow); trim(brow); }
            Csb<const B: usize = 64> =
                |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(r..=c); }
            Bdia<const B: usize = 64> =
                |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
            HiCoo<const B: usize = 128> =
                |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); }
        }
    };
}
pub(crate) use {declare, expressions, specify, specify_stock};

/// Checks the properties of a tensor of any format: its storage follows the rules, and every way to
/// read it returns its elements. `Interchange` is a format to convert to and back.
pub fn check<F: Specified<N>, Interchange: Specified<N>, const N: usize>(triplets: &Triplets<f64, N>) -> F {
    let what = format!(
        "{} of {:?}: {:?}",
        F::NAME,
        triplets.shape(),
        triplets.iter().collect::<Vec<_>>()
    );
    let what = &what[..what.len().min(1200)];
    let expected: Elements<f64, N> = elements(triplets);
    let reference = F::reference();
    let tensor: F = triplets
        .convert_within(Limit::none())
        .unwrap_or_else(|error| panic!("{what}: {error}"));

    let (arrays, values) = reference.storage(triplets.shape(), &expected);
    assert_eq!(tensor.arrays(), arrays, "arrays of {what}");
    assert_eq!(tensor.held_values(), values, "values of {what}");
    assert_eq!(tensor.shape(), triplets.shape(), "{what}");
    let [nnz, stored, bytes] = tensor.counts();
    assert_eq!((nnz, stored), (expected.len(), values.len()), "counts of {what}");
    let entries = |array: &Option<Vec<i64>>| array.as_ref().map_or(0, Vec::len);
    let integers: usize = arrays
        .iter()
        .map(|level| entries(&level.ptr) + entries(&level.idx))
        .sum();
    assert!(
        (values.len() * 8 + integers..=values.len() * 8 + integers * 8).contains(&bytes),
        "{bytes} bytes of {what}"
    );

    let mut ordered: Vec<([usize; N], f64)> = expected.iter().map(|(&at, &value)| (at, value)).collect();
    sort_by(&mut ordered, &|at| reference.encode(at));
    let mut visited = Vec::new();
    tensor.for_each(|at, value| visited.push((at, value)));
    assert_eq!(visited, ordered, "for_each of {what}");
    assert_eq!(tensor.by_iter(), ordered, "iter of {what}");

    let interchange = Interchange::assemble(&tensor, Limit::none()).unwrap();
    let mut visited = Vec::new();
    interchange.for_each(|at, value| visited.push((at, value)));
    sort_by(&mut visited, &|at| at);
    assert!(visited.iter().copied().eq(expected), "conversion out of {what}");
    let back = F::assemble(&interchange, Limit::none()).unwrap();
    assert!(back == tensor, "conversion back of {what}");
    assert_eq!(back.arrays(), arrays, "conversion back of {what}");
    let direct = F::assemble(&tensor, Limit::none()).unwrap();
    assert_eq!(
        (direct.arrays(), direct.held_values()),
        (arrays.clone(), &values[..]),
        "conversion to itself of {what}"
    );

    let rebuilt = tensor
        .clone()
        .changed(&mut |_| {})
        .unwrap_or_else(|error| panic!("parts of {what}: {error}"));
    assert!(rebuilt == tensor, "parts of {what}");
    assert_eq!(
        (rebuilt.arrays(), rebuilt.held_values()),
        (arrays, &values[..]),
        "parts of {what}"
    );
    different(&tensor, triplets, what);
    tensor
}

/// Checks that a tensor of another shape, or with another element, is not equal.
fn different<F: Specified<N>, const N: usize>(tensor: &F, triplets: &Triplets<f64, N>, what: &str) {
    let Some(((&at, &value), rest)) = elements(triplets).iter().next().map(|first| (first, triplets.len())) else {
        return;
    };
    let mut more = triplets.clone();
    more.push(at, value).unwrap();
    assert_eq!(more.len(), rest + 1);
    let more: F = more.convert_within(Limit::none()).unwrap();
    assert!(more != *tensor, "unequal values of {what}");
    let mut larger = triplets.shape();
    larger[N - 1] += 1;
    let larger = Triplets::try_from_triplets(larger, triplets.iter()).unwrap();
    let larger: F = larger.convert_within(Limit::none()).unwrap();
    assert!(larger != *tensor, "unequal shapes of {what}");
}

/// Computes `spmv` by definition.
pub fn multiply(triplets: &Triplets<f64, 2>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; triplets.shape()[0]];
    for ([i, j], value) in triplets.iter() {
        y[i] += value * x[j];
    }
    y
}
