//! One kernel over tensors of all shapes and kinds, in given formats, against its definition.

use unisparse::SparseTensor;

use crate::oracle::{Elements, made, pairs, same, stored, tensors};

/// Calls a generic function with every combination of one format from each list: `over!(check: [Csr Coo] [Dia]);`.
macro_rules! over {
    ($check:ident: $($lists:tt)*) => { over!(@ $check () $($lists)*) };
    (@ $check:ident ($($format:ident)*)) => { $check::<$($format<i64>),*>(); };
    (@ $check:ident $done:tt [$($format:ident)*] $($lists:tt)*) => { over!(@@ $check $done [$($format)*] [$($lists)*]) };
    (@@ $check:ident $done:tt [$($format:ident)*] $lists:tt) => { $( over!(@@@ $check $done $format $lists); )* };
    (@@@ $check:ident ($($done:ident)*) $format:ident [$($lists:tt)*]) => { over!(@ $check ($($done)* $format) $($lists)*) };
}
pub(crate) use over;

/// A tensor of small integers in a format.
pub(crate) trait Integers<const N: usize>: SparseTensor<N, Scalar = i64> {}
impl<F: SparseTensor<N, Scalar = i64>, const N: usize> Integers<N> for F {}

/// Generic functions, each of one kernel of two sparse operands with a sparse result of as many dims.
macro_rules! of_two {
    ($($name:ident<$n:literal>: $kernel:ident over $shapes:expr, $expected:expr;)*) => {$(
        fn $name<A: Integers<$n> + $kernel<B, C>, B: Integers<$n>, C: Integers<$n>>() {
            two::<A, B, C, $n, $n, $n>(stringify!($kernel), &$shapes, |a, b| $kernel(a, b).unwrap(), $expected);
        }
    )*};
}
pub(crate) use of_two;

/// Generic functions, each of one kernel of one sparse operand with a sparse result of as many dims.
macro_rules! of_one {
    ($($name:ident<$n:literal>: $kernel:ident over $shapes:expr, $expected:expr;)*) => {$(
        fn $name<A: Integers<$n> + $kernel<C>, C: Integers<$n>>() {
            one::<A, C, $n, $n>(stringify!($kernel), &$shapes, |a| $kernel(a).unwrap(), $expected);
        }
    )*};
}
pub(crate) use of_one;

/// A kernel of one sparse operand with a sparse result; shapes are of both.
pub(crate) fn one<A: Integers<M>, C: Integers<N>, const M: usize, const N: usize>(
    kernel: &str,
    shapes: &[([usize; M], [usize; N])],
    run: impl Fn(&A) -> C,
    expected: impl Fn(&Elements<i64, M>) -> Elements<i64, N>,
) {
    for (seed, &(shape, output)) in shapes.iter().enumerate() {
        for tensor in tensors(shape, seed as u64) {
            let a: A = made(&tensor);
            let what = || format!("{kernel} of {}: {tensor:?}", A::NAME);
            same(output, &run(&a), &expected(&stored(&a)), what);
        }
    }
}

/// A kernel of two sparse operands with a sparse result; shapes are of all three.
pub(crate) fn two<A: Integers<L>, B: Integers<M>, C: Integers<N>, const L: usize, const M: usize, const N: usize>(
    kernel: &str,
    shapes: &[([usize; L], [usize; M], [usize; N])],
    run: impl Fn(&A, &B) -> C,
    expected: impl Fn(&Elements<i64, L>, &Elements<i64, M>) -> Elements<i64, N>,
) {
    for (seed, &(left, right, output)) in shapes.iter().enumerate() {
        for (left, right) in pairs(left, right, seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let what = || format!("{kernel} of {} and {}: {:?}", A::NAME, B::NAME, (&left, &right));
            same(output, &run(&a, &b), &expected(&stored(&a), &stored(&b)), what);
        }
    }
}

/// Operands and result of one shape.
pub(crate) const fn alike<const N: usize>(shape: [usize; N]) -> ([usize; N], [usize; N], [usize; N]) {
    (shape, shape, shape)
}
