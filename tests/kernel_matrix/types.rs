//! Element types: floats, integers, Booleans, complex numbers, semirings of the user's, and halves, whose sums are `f32`.

use unisparse::prelude::*;
use unisparse::{Complex64, Negate, Ordered};

use crate::common::MinPlus;
use crate::formats::*;
use crate::oracle::{
    Element, Elements, elementwise, made, matrix_product, numbers, pairs, product, same, same_dense, stored, sum,
};

/// Kernels of two matrices, over the formats that the tests combine.
macro_rules! of_pairs {
    ($($kernel:ident [$($statement:tt)*])*) => {
        sparse_kernel! {$(
            fn $kernel: $($statement)* where A: Csr | Csc | Bcsr, B: Csr, C: Csr;
            impl $kernel for A: Csr, B: Coo, C: Csc;
            impl $kernel for A: Dia, B: Cisr, C: Csr;
            impl $kernel for A: Dia, B: Coo, C: Csc;
        )*}
    };
}

of_pairs! {
    multiply [C[i, j] = A[i, k] * B[k, j]]
    add [C[i, j] = A[i, j] + B[i, j]]
    both [C[i, j] = A[i, j] * B[i, j]]
}

sparse_kernel! {
    fn dot: s = A[i, j] * B[i, j] where A: Csr | Csc | Bcsr | Dia, B: Csr;
    impl dot for A: Csr, B: Coo;
    impl dot for A: Dia, B: Cisr;
    fn apply: y[i] = A[i, j] * x[j] where A: Csr | Csc | Bcsr | Dia;
    fn update: y[i] += A[i, j] * x[j] where A: Csr | Csc | Bcsr | Dia;
    fn subtract: C[i, j] = -A[i, j] - B[i, j] where A: Csr | Dia, B: Csr | Coo, C: Csr;
    fn least: s min= A[i, j] where A: Csr | Dia;
    fn greatest: y[i] max= A[i, j] where A: Csr | Dia;
    fn any: y[i] |= A[i, j] & x[j] where A: Csr | Dia;
    fn every: y[i] &= A[i, j] | B[i, j] where A: Csr | Dia, B: Csr;
}

/// The likeliest way: the greater of two chances, one chance after another.
#[derive(Clone, Copy, PartialEq, Debug)]
struct MaxTimes(u64);

impl Scalar for MaxTimes {
    type Sum = Self;
    const ZERO: Self = MaxTimes(0);
    const ONE: Self = MaxTimes(1);
    fn plus(self, other: Self) -> Self {
        MaxTimes(self.0.max(other.0))
    }
    fn times(self, other: Self) -> Self {
        MaxTimes(self.0 * other.0)
    }
}

impl Element for bool {
    fn of(number: i64) -> Self {
        number > 0
    }
}

impl Element for Complex64 {
    fn of(number: i64) -> Self {
        Complex64::new(number as f64, (number * number % 5) as f64 - 2.0)
    }
}

impl Element for MinPlus {
    fn of(number: i64) -> Self {
        if number == 0 {
            Self::ZERO
        } else {
            MinPlus(number as f64)
        }
    }
}

impl Element for MaxTimes {
    fn of(number: i64) -> Self {
        MaxTimes(number.unsigned_abs())
    }
}

const EXTENTS: [[usize; 3]; 4] = [[0, 3, 2], [1, 1, 1], [5, 7, 6], [8, 4, 9]];

fn two<A, B, C, T>()
where
    T: Element,
    A: SparseTensor<2, Scalar = T> + multiply<B, C> + add<B, C> + both<B, C> + dot<B>,
    B: SparseTensor<2, Scalar = T>,
    C: SparseTensor<2, Scalar = T>,
{
    for (seed, [m, k, n]) in EXTENTS.into_iter().enumerate() {
        let what = || format!("{} {} of {}", A::NAME, B::NAME, core::any::type_name::<T>());
        for (left, right) in pairs([m, k], [k, n], seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            same(
                [m, n],
                &multiply(&a, &b).unwrap() as &C,
                &matrix_product(&stored(&a), &stored(&b)),
                what,
            );
        }
        for (left, right) in pairs([m, n], [m, n], seed as u64) {
            let (a, b): (A, B) = (made(&left), made(&right));
            let (first, second) = (stored(&a), stored(&b));
            let products = elementwise(&first, &second);
            same([m, n], &add(&a, &b).unwrap() as &C, &sum(&first, &second), what);
            same([m, n], &both(&a, &b).unwrap() as &C, &products, what);
            let total = products.values().fold(T::ZERO, |sum, &value| sum.plus(value));
            assert_eq!(dot(&a, &b).unwrap(), total, "{}", what());
        }
    }
}

fn one<A, T>()
where
    T: Element,
    A: SparseTensor<2, Scalar = T> + apply + update,
{
    for (seed, [m, n, _]) in EXTENTS.into_iter().enumerate() {
        for tensor in crate::oracle::tensors([m, n], seed as u64) {
            let a: A = made(&tensor);
            let what = || format!("{} of {}: {tensor:?}", A::NAME, core::any::type_name::<T>());
            let (x, before): (Vec<T>, Vec<T>) = (numbers(n, 1), numbers(m, 2));
            let x_elements: Elements<T, 1> = crate::oracle::dense([n], &x);
            let image = product(&stored(&a), &x_elements, |[i, j], [k]| (j == k).then_some([i]));
            let mut own = before.clone();
            apply(&mut own, &a, &x).unwrap();
            same_dense([m], &own, T::ZERO, &image, what);
            let mut own = before.clone();
            update(&mut own, &a, &x).unwrap();
            let updated = sum(&crate::oracle::dense([m], &before), &image);
            same_dense([m], &own, T::ZERO, &updated, what);
        }
    }
}

/// Each type over rows, and over formats of another kind; with `--cfg every_product` over all.
macro_rules! types {
    ($($test:ident: $element:ty, [$($one:ident)*], [$(($($two:ident)*))*];)*) => {$(
        #[test]
        fn $test() {
            one::<Csr<$element>, $element>();
            $(one::<$one<$element>, $element>();)*
            two::<Csr<$element>, Csr<$element>, Csr<$element>, $element>();
            $(two::<$($two<$element>,)* $element>();)*
            #[cfg(every_product)]
            {
                one::<Csc<$element>, $element>();
                one::<Blocks<$element>, $element>();
                one::<Dia<$element>, $element>();
                two::<Csr<$element>, Coo<$element>, Csc<$element>, $element>();
                two::<Csc<$element>, Csr<$element>, Csr<$element>, $element>();
                two::<Blocks<$element>, Csr<$element>, Csr<$element>, $element>();
                two::<Dia<$element>, Scheduled<$element>, Csr<$element>, $element>();
            }
        }
    )*};
}

types! {
    single: f32, [Csc], [(Csr Coo Csc) (Blocks Csr Csr)];
    booleans: bool, [Dia], [(Csc Csr Csr)];
    complex: Complex64, [Csc], [(Dia Scheduled Csr)];
    likeliest: MaxTimes, [Blocks], [(Csr Coo Csc)];
}

// Types as those above: each takes as long to compile as ten formats.
#[cfg(every_product)]
types! {
    double: f64, [Csc Blocks Dia], [(Csr Coo Csc) (Csc Csr Csr) (Blocks Csr Csr) (Dia Scheduled Csr)];
    integers: i32, [Blocks], [(Blocks Csr Csr)];
    shortest: MinPlus, [Dia], [(Dia Scheduled Csr)];
}

fn ordered<T: Element<Sum = T> + Ordered>() {
    for (seed, [m, n, _]) in EXTENTS.into_iter().enumerate() {
        for tensor in crate::oracle::tensors([m, n], seed as u64) {
            let (rows, diagonals): (Csr<T>, Dia<T>) = (made(&tensor), made(&tensor));
            let smallest = |all: Elements<T, 2>| all.values().fold(T::GREATEST, |least, &value| least.lesser(value));
            assert_eq!(least(&rows).unwrap(), smallest(stored(&rows)), "{tensor:?}");
            assert_eq!(least(&diagonals).unwrap(), smallest(stored(&diagonals)), "{tensor:?}");
            let before: Vec<T> = numbers(m, 2);
            let largest = |all: Elements<T, 2>| {
                let mut rows = before.clone();
                all.iter()
                    .for_each(|([i, _], &value)| rows[*i] = rows[*i].greater(value));
                rows
            };
            let mut own = before.clone();
            greatest(&mut own, &rows).unwrap();
            assert_eq!(own, largest(stored(&rows)), "{tensor:?}");
            let mut own = before.clone();
            greatest(&mut own, &diagonals).unwrap();
            assert_eq!(own, largest(stored(&diagonals)), "{tensor:?}");
        }
    }
}

fn signed<T: Element<Sum = T> + Negate>() {
    for (left, right) in pairs([6, 5], [6, 5], 3) {
        let minus = |all: Elements<T, 2>| -> Elements<T, 2> {
            all.into_iter().map(|(at, value)| (at, value.negated())).collect()
        };
        let (a, b): (Csr<T>, Csr<T>) = (made(&left), made(&right));
        let (diagonals, points): (Dia<T>, Coo<T>) = (made(&left), made(&right));
        let what = || format!("{left:?} {right:?}");
        let c: Csr<T> = subtract(&a, &b).unwrap();
        same([6, 5], &c, &sum(&minus(stored(&a)), &minus(stored(&b))), what);
        let c: Csr<T> = subtract(&diagonals, &points).unwrap();
        same(
            [6, 5],
            &c,
            &sum(&minus(stored(&diagonals)), &minus(stored(&points))),
            what,
        );
    }
}

#[test]
fn order_and_sign() {
    ordered::<f32>();
    ordered::<bool>();
    ordered::<i64>();
    #[cfg(every_product)]
    ordered::<f64>();
    signed::<f32>();
    signed::<i64>();
    signed::<Complex64>();
}

#[test]
fn bits_of_booleans() {
    for (left, right) in pairs([6, 5], [6, 5], 3) {
        let (a, diagonals, b): (Csr<bool>, Dia<bool>, Csr<bool>) = (made(&left), made(&left), made(&right));
        let x: Vec<bool> = numbers(5, 1);
        let before: Vec<bool> = numbers(6, 2);
        let (mut some, mut all) = (before.clone(), before.clone());
        stored(&a).iter().for_each(|(&[i, j], &value)| some[i] |= value & x[j]);
        // Holes of `Dia` are `false`, as explicit zeros are: what is stored makes a difference to `&=`.
        let every_of = |first: Elements<bool, 2>| {
            let mut all = before.clone();
            sum(&first, &stored(&b))
                .iter()
                .for_each(|(&[i, _], &value)| all[i] &= value);
            all
        };
        let mut own = before.clone();
        any(&mut own, &a, &x).unwrap();
        assert_eq!(own, some, "{left:?}");
        let mut own = before.clone();
        any(&mut own, &diagonals, &x).unwrap();
        assert_eq!(own, some, "{left:?}");
        every(&mut all, &a, &b).unwrap();
        assert_eq!(all, every_of(stored(&a)), "{left:?} {right:?}");
        let mut all = before.clone();
        every(&mut all, &diagonals, &b).unwrap();
        assert_eq!(all, every_of(stored(&diagonals)), "{left:?} {right:?}");
    }
}

#[cfg(feature = "half")]
mod halves {
    use super::*;
    use unisparse::{bf16, f16};

    macro_rules! half {
        ($($half:ty),*) => {$(
            impl Element for $half {
                fn of(number: i64) -> Self {
                    <$half>::from_f64(number as f64)
                }
            }
        )*};
    }

    half!(f16, bf16);
    types! {
        sixteen_bits: f16, [Csc Dia], [(Csc Csr Csr)];
    }

    #[cfg(every_product)]
    types! {
        brain_floats: bf16, [Dia], [(Blocks Csr Csr)];
    }

    /// A row of ones: their sum in halves would stop growing where the next number is more than one away.
    fn sums_are_wider<T: Element>(count: usize) {
        let row = |at: usize| ([0, at], 1);
        let row = Triplets::try_from_triplets([1, count], (0..count).map(row)).unwrap();
        let column = Triplets::try_from_triplets([count, 1], (0..count).map(|at| ([at, 0], 1))).unwrap();
        let mut stopped = T::ZERO;
        (0..count).for_each(|_| stopped = stopped.plus(T::ONE));
        let total = T::of(count as i64);
        assert_ne!(stopped, total);

        let (a, b): (Csr<T>, Csr<T>) = (made(&row), made(&column));
        assert_eq!((&multiply(&a, &b).unwrap() as &Csr<T>).values(), [total]);
        assert_eq!(
            (&multiply(&made::<Csc<T>, 2>(&row), &b).unwrap() as &Csr<T>).values(),
            [total]
        );
        assert_eq!(
            (&multiply(&made::<Dia<T>, 2>(&row), &made::<Coo<T>, 2>(&column)).unwrap() as &Csc<T>).values(),
            [total]
        );
        assert_eq!(dot(&a, &a).unwrap(), total);
        assert_eq!(dot(&made::<Dia<T>, 2>(&row), &a).unwrap(), total);
        let ones = vec![T::ONE; count];
        let mut y = [T::ONE];
        apply(&mut y, &made::<Csc<T>, 2>(&row), &ones).unwrap();
        assert_eq!(y, [total]);
        update(&mut y, &a, &ones).unwrap();
        assert_eq!(y, [T::of(2 * count as i64)]);
    }

    #[test]
    fn sums_of_halves_are_wider() {
        sums_are_wider::<f16>(4096);
        #[cfg(every_product)]
        sums_are_wider::<bf16>(1024);
    }
}
