//! One kernel over tensors of all shapes and kinds, in given formats, against its definition.

use core::any::Any;

use unisparse::{SparseTensor, Triplets};

use crate::oracle::{Contents, Elements, made, pairs, tensors};

/// Calls a generic function with every combination of one format from each list: `over!(check: [Csr Coo] [Dia]);`.
macro_rules! over {
    ($check:ident: $($lists:tt)*) => { over!(@ $check () $($lists)*) };
    (@ $check:ident ($($format:ident)*)) => { $check::<$(tensor!($format)),*>(); };
    (@ $check:ident $done:tt [$($format:ident)*] $($lists:tt)*) => { over!(@@ $check $done [$($format)*] [$($lists)*]) };
    (@@ $check:ident $done:tt [$($format:ident)*] $lists:tt) => { $( over!(@@@ $check $done $format $lists); )* };
    (@@@ $check:ident ($($done:ident)*) $format:ident [$($lists:tt)*]) => { over!(@ $check ($($done)* $format) $($lists)*) };
}
pub(crate) use over;

/// Declares kernels, each with a test that calls a generic function with combinations of formats: `every` lists the formats of
/// each operand, and the lines below it the combinations, which have every format of each operand. With
/// `RUSTFLAGS="--cfg every_product"` all combinations are compiled.
macro_rules! kernels {
    ($(
        $test:ident: $check:ident, $vis:vis $kernel:ident [$($statement:tt)*] {
            every $($operand:ident: $($format:ident)+),+;
            $($($of:ident: $($some:ident)+),+;)+
        }
    )*) => {$(
        #[cfg(every_product)]
        sparse_kernel! { $vis fn $kernel: $($statement)* where $($operand: $($format)|+),+; }
        #[cfg(not(every_product))]
        kernels!(@ $vis $kernel [$($statement)*] $([$($of: $($some)+),+])+);

        #[test]
        fn $test() {
            $crate::common::cover::covered(
                stringify!($kernel),
                &[$(&[$(stringify!($format)),+]),+],
                &[$(&[$(&[$(stringify!($some)),+]),+]),+],
            );
            #[cfg(every_product)]
            over!($check: $([$($format)+])+);
            #[cfg(not(every_product))]
            {$(
                over!($check: $([$($some)+])+);
            )+}
        }
    )*};
    (@ $vis:vis $kernel:ident [$($statement:tt)*] [$($first:ident: $($format:ident)+),+] $([$($of:ident: $($some:ident)+),+])*) => {
        sparse_kernel! {
            $vis fn $kernel: $($statement)* where $($first: $($format)|+),+;
            $(impl $kernel for $($of: $($some)|+),+;)*
        }
    };
}
pub(crate) use kernels;

/// A tensor of small integers in a format.
pub(crate) trait Integers<const N: usize>: SparseTensor<N, Scalar = i64> + 'static {}
impl<F: SparseTensor<N, Scalar = i64> + 'static, const N: usize> Integers<N> for F {}

/// A format as functions of tensors that are `Any`: what calls these is compiled once, and not for each format.
pub(crate) struct Format<const N: usize> {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&Triplets<i64, N>) -> Box<dyn Any>,
    pub(crate) contents: fn(&dyn Any) -> Contents<i64, N>,
    /// The contents of a tensor of these elements.
    pub(crate) expected: fn([usize; N], &Elements<i64, N>) -> Contents<i64, N>,
}

impl<const N: usize> Format<N> {
    pub(crate) fn of<F: Integers<N>>() -> Self {
        Format {
            name: F::NAME,
            make: |triplets| Box::new(made::<F, N>(triplets)),
            contents: |tensor| Contents::of(cast::<F>(tensor)),
            expected: Contents::expected::<F>,
        }
    }
}

/// A tensor of whose format only the caller knows.
pub(crate) fn cast<F: 'static>(tensor: &dyn Any) -> &F {
    tensor.downcast_ref().expect("a tensor of this format")
}

/// Generic functions, each of one kernel of two sparse operands with a sparse result.
macro_rules! of_two {
    ($($name:ident<$l:literal, $m:literal, $n:literal>: $kernel:ident over $shapes:expr, $expected:expr;)*) => {$(
        fn $name<A: Integers<$l> + $kernel<B, C>, B: Integers<$m>, C: Integers<$n>>() {
            let formats = (Format::<$l>::of::<A>(), Format::<$m>::of::<B>(), Format::<$n>::of::<C>());
            let run = |a: &dyn Any, b: &dyn Any| -> Box<dyn Any> {
                let c: C = $kernel(cast::<A>(a), cast::<B>(b)).unwrap();
                Box::new(c)
            };
            two(stringify!($kernel), &$shapes, formats, &run, &$expected);
        }
    )*};
}
pub(crate) use of_two;

/// Generic functions, each of one kernel of one sparse operand with a sparse result.
macro_rules! of_one {
    ($($name:ident<$m:literal, $n:literal>: $kernel:ident over $shapes:expr, $expected:expr;)*) => {$(
        fn $name<A: Integers<$m> + $kernel<C>, C: Integers<$n>>() {
            let formats = (Format::<$m>::of::<A>(), Format::<$n>::of::<C>());
            let run = |a: &dyn Any| -> Box<dyn Any> {
                let c: C = $kernel(cast::<A>(a)).unwrap();
                Box::new(c)
            };
            one(stringify!($kernel), &$shapes, formats, &run, &$expected);
        }
    )*};
}
pub(crate) use of_one;

/// A kernel of one sparse operand with a sparse result; shapes are of both.
pub(crate) fn one<const M: usize, const N: usize>(
    kernel: &str,
    shapes: &[([usize; M], [usize; N])],
    (a, c): (Format<M>, Format<N>),
    run: &dyn Fn(&dyn Any) -> Box<dyn Any>,
    expected: &dyn Fn(&Elements<i64, M>) -> Elements<i64, N>,
) {
    for (seed, &(shape, output)) in shapes.iter().enumerate() {
        for triplets in tensors(shape, seed as u64) {
            let tensor = (a.make)(&triplets);
            let expected = (c.expected)(output, &expected(&(a.contents)(&*tensor).elements));
            let what = || format!("{kernel} of {}: {triplets:?}", a.name);
            (c.contents)(&*run(&*tensor)).judge(&expected, c.name, &what);
        }
    }
}

/// A kernel of two tensors whose formats it knows.
type KernelOfTwo<'a> = dyn Fn(&dyn Any, &dyn Any) -> Box<dyn Any> + 'a;

/// What a kernel of two tensors gives by its definition.
type Definition<'a, const L: usize, const M: usize, const N: usize> =
    dyn Fn(&Elements<i64, L>, &Elements<i64, M>) -> Elements<i64, N> + 'a;

/// A kernel of two sparse operands with a sparse result; shapes are of all three.
pub(crate) fn two<const L: usize, const M: usize, const N: usize>(
    kernel: &str,
    shapes: &[([usize; L], [usize; M], [usize; N])],
    (a, b, c): (Format<L>, Format<M>, Format<N>),
    run: &KernelOfTwo<'_>,
    expected: &Definition<'_, L, M, N>,
) {
    for (seed, &(left, right, output)) in shapes.iter().enumerate() {
        for (left, right) in pairs(left, right, seed as u64) {
            let (first, second) = ((a.make)(&left), (b.make)(&right));
            let elements = ((a.contents)(&*first).elements, (b.contents)(&*second).elements);
            let expected = (c.expected)(output, &expected(&elements.0, &elements.1));
            let what = || format!("{kernel} of {} and {}: {:?}", a.name, b.name, (&left, &right));
            (c.contents)(&*run(&*first, &*second)).judge(&expected, c.name, &what);
        }
    }
}

/// Operands and result of one shape.
pub(crate) const fn equal_shapes<const N: usize>(shape: [usize; N]) -> ([usize; N], [usize; N], [usize; N]) {
    (shape, shape, shape)
}
