//! What kernels give by their definitions: sums over maps from coordinates to elements.

use unisparse::{Limit, Scalar, Source, SparseTensor, Stored, Triplets};

use crate::common::Random;
pub(crate) use crate::common::random::Elements;
use crate::common::random::coordinates;

/// Tensors of one operand to each of a kernel's cases.
pub(crate) type Tensors<const N: usize> = Vec<Triplets<i64, N>>;

/// An element type that holds small integers exactly.
pub(crate) trait Element: Scalar {
    fn of(number: i64) -> Self;
}

macro_rules! elements {
    ($($number:ty),*) => {$(
        impl Element for $number {
            fn of(number: i64) -> Self { number as $number }
        }
    )*};
}

elements!(f32, f64, i32, i64);

/// A tensor of the case in a format, of its element type.
pub(crate) fn made<F: SparseTensor<N, Scalar: Element>, const N: usize>(of: &Triplets<i64, N>) -> F {
    let of = of.clone().map(Element::of);
    of.convert_within(Limit::none()).unwrap()
}

/// The elements that a tensor stores: holes are not among them.
pub(crate) fn stored<S: Source<N>, const N: usize>(tensor: &S) -> Elements<S::Scalar, N> {
    let mut all = Elements::new();
    tensor.for_each(|at, value| assert!(all.insert(at, value).is_none(), "{at:?} twice"));
    all
}

/// A dense operand as a map, row by row.
pub(crate) fn dense<T: Scalar, const N: usize>(shape: [usize; N], values: &[T]) -> Elements<T, N> {
    coordinates(shape).into_iter().zip(values.iter().copied()).collect()
}

/// `C[c(..)] = A[a] * B[b]` wherever `c` says that both coordinates agree.
pub(crate) fn product<T: Scalar, const L: usize, const M: usize, const N: usize>(
    left: &Elements<T, L>,
    right: &Elements<T, M>,
    at: impl Fn([usize; L], [usize; M]) -> Option<[usize; N]>,
) -> Elements<T, N> {
    let mut sums = Elements::new();
    for (&a, &x) in left {
        for (&b, &y) in right {
            if let Some(at) = at(a, b) {
                add_at(&mut sums, at, x.times(y));
            }
        }
    }
    sums
}

/// The sum of two tensors, stored where either is.
pub(crate) fn sum<T: Scalar, const N: usize>(left: &Elements<T, N>, right: &Elements<T, N>) -> Elements<T, N> {
    let mut sums = left.clone();
    for (&at, &value) in right {
        add_at(&mut sums, at, value);
    }
    sums
}

/// Adds the elements up at other coordinates.
pub(crate) fn moved<T: Scalar, const M: usize, const N: usize>(
    of: &Elements<T, M>,
    to: impl Fn([usize; M]) -> [usize; N],
) -> Elements<T, N> {
    let mut sums = Elements::new();
    for (&at, &value) in of {
        add_at(&mut sums, to(at), value);
    }
    sums
}

pub(crate) fn add_at<T: Scalar, const N: usize>(sums: &mut Elements<T, N>, at: [usize; N], value: T) {
    sums.entry(at).and_modify(|sum| *sum = sum.plus(value)).or_insert(value);
}

/// `C[i, j] = A[i, k] * B[k, j]`
pub(crate) fn matrix_product<T: Scalar>(left: &Elements<T, 2>, right: &Elements<T, 2>) -> Elements<T, 2> {
    product(left, right, |[i, k], [l, j]| (k == l).then_some([i, j]))
}

/// `C[i, j] = A[i, j] * B[i, j]`
pub(crate) fn elementwise<T: Scalar, const N: usize>(left: &Elements<T, N>, right: &Elements<T, N>) -> Elements<T, N> {
    let both = left
        .iter()
        .filter_map(|(&at, &x)| right.get(&at).map(|&y| (at, x.times(y))));
    both.collect()
}

/// What a tensor of any format stores.
#[derive(PartialEq, Debug)]
pub(crate) struct Contents<T, const N: usize> {
    shape: [usize; N],
    pub(crate) elements: Elements<T, N>,
    nnz: usize,
    positions: usize,
}

impl<T: Stored, const N: usize> Contents<T, N> {
    pub(crate) fn of<F: SparseTensor<N, Scalar = T>>(tensor: &F) -> Self {
        Contents {
            shape: tensor.shape(),
            elements: stored(tensor),
            nnz: tensor.nnz(),
            positions: tensor.stored(),
        }
    }

    /// What a tensor of the elements stores.
    pub(crate) fn expected<F: SparseTensor<N, Scalar = T>>(shape: [usize; N], elements: &Elements<T, N>) -> Self {
        let triplets = elements.iter().map(|(&at, &value)| (at, value));
        let triplets = Triplets::try_from_triplets(shape, triplets).unwrap();
        let tensor: F = triplets.convert_within(Limit::none()).unwrap();
        Contents::of(&tensor)
    }

    /// Fails unless a result is as it should be.
    pub(crate) fn judge(&self, expected: &Self, result: &str, what: &dyn Fn() -> String) {
        assert_eq!(self, expected, "{} to {result}", what());
    }
}

/// Fails unless a sparse output stores the elements, as a tensor made of them stores them.
pub(crate) fn same<C: SparseTensor<N>, const N: usize>(
    shape: [usize; N],
    output: &C,
    expected: &Elements<C::Scalar, N>,
    what: impl Fn() -> String,
) {
    // Nothing here is compiled for each closure but the call.
    same_as(shape, output, expected, &what);
}

fn same_as<C: SparseTensor<N>, const N: usize>(
    shape: [usize; N],
    output: &C,
    expected: &Elements<C::Scalar, N>,
    what: &dyn Fn() -> String,
) {
    Contents::of(output).judge(&Contents::expected::<C>(shape, expected), C::NAME, what);
}

/// Fails unless a dense output holds the elements, and `rest` where there is none.
pub(crate) fn same_dense<T: Scalar, const N: usize>(
    shape: [usize; N],
    output: &[T],
    rest: T,
    expected: &Elements<T, N>,
    what: impl Fn() -> String,
) {
    same_dense_as(shape, output, rest, expected, &what);
}

fn same_dense_as<T: Scalar, const N: usize>(
    shape: [usize; N],
    output: &[T],
    rest: T,
    expected: &Elements<T, N>,
    what: &dyn Fn() -> String,
) {
    let all = coordinates(shape);
    let expected: Vec<T> = all.iter().map(|at| expected.get(at).copied().unwrap_or(rest)).collect();
    assert_eq!(output, expected, "{}", what());
}

/// Tensors of one shape: empty, at the corners, few, many, all elements. Values are small, of either sign, some zero.
pub(crate) fn tensors<const N: usize>(shape: [usize; N], seed: u64) -> Tensors<N> {
    let mut all = vec![Triplets::new(shape)];
    let places = coordinates(shape);
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
        return all;
    };
    all.push(Triplets::try_from_triplets(shape, [(first, 3)]).unwrap());
    all.push(Triplets::try_from_triplets(shape, [(last, -2)]).unwrap());
    let mut random = Random::new(seed);
    for density in [10, 4, 2, 1] {
        let mut triplets = Triplets::new(shape);
        for &at in &places {
            if random.below(density) == 0 {
                triplets.push(at, random.below(9) as i64 - 4).unwrap();
            }
        }
        all.push(triplets);
    }
    all
}

/// Tensors of two shapes, of every kind with another.
pub(crate) fn pairs<const M: usize, const N: usize>(
    left: [usize; M],
    right: [usize; N],
    seed: u64,
) -> Vec<(Triplets<i64, M>, Triplets<i64, N>)> {
    let (left, right) = (tensors(left, seed), tensors(right, seed + 1));
    let count = left.len().max(right.len());
    let pair = |at: usize, turn: usize| (left[at % left.len()].clone(), right[(at + turn) % right.len()].clone());
    (0..count).flat_map(|at| [pair(at, 0), pair(at, 2)]).collect()
}

/// Small numbers, as a dense operand.
pub(crate) fn numbers<T: Element>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len).map(|_| T::of(random.below(9) as i64 - 4)).collect()
}
