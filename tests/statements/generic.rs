//! Kernels with const arguments, and code that is generic over formats.

/// Constants with the names of the parameters for which they are given.
mod arguments {
    use unisparse::prelude::*;

    pub(crate) const B: usize = 32;
    pub(crate) const C: usize = 1;

    sparse_kernel! {
        pub fn given: y[i] = A[i, j] * x[j] where A: Bcsr<C, 2> | Bdia<B> | Csb<{ 4 * 2 }>;
    }
}

#[test]
fn arguments_are_the_users_and_not_the_formats_parameters() {
    use arguments::{B, C, given};
    use unisparse::formats::{Bcsr, Bdia, Csb};
    let triplets = (0..16usize).map(|at| ([at / 4, at % 4], (at + 1) as f64));
    let triplets = unisparse::Triplets::try_from_triplets([4, 4], triplets).unwrap();
    let mut y = [0.0; 4];
    given(&mut y, &triplets.convert::<Bcsr<f64, C, 2>>().unwrap(), &[1.0; 4]).unwrap();
    assert_eq!(y, [10.0, 26.0, 42.0, 58.0]);
    given(&mut y, &triplets.convert::<Bdia<f64, B>>().unwrap(), &[2.0; 4]).unwrap();
    assert_eq!(y, [20.0, 52.0, 84.0, 116.0]);
    given(&mut y, &triplets.convert::<Csb<f64, 8>>().unwrap(), &[1.0; 4]).unwrap();
    assert_eq!(y, [10.0, 26.0, 42.0, 58.0]);
}

/// Generic code has a kernel's trait as a bound, and `SparseTensor` for a format.
fn generic<A>(a: &A) -> Vec<f64>
where
    A: unisparse::kernels::spmv<Scalar = f64> + unisparse::SparseTensor<2>,
{
    let [rows, cols] = unisparse::Source::shape(a);
    assert!(a.nnz() <= a.stored() && a.stored() == a.values().len() && a.bytes() > 0);
    let same: unisparse::formats::Coo<f64> = a.convert().unwrap();
    assert_eq!(same.nnz(), a.nnz());
    let mut y = vec![0.0; rows];
    unisparse::kernels::spmv(&mut y, a, &vec![1.0; cols]).unwrap();
    y
}

#[test]
fn generic_code_takes_any_format() {
    use unisparse::formats::{Csr, Dia};
    let triplets = unisparse::Triplets::try_from_triplets([2, 2], [([0, 1], 3.0), ([1, 1], 4.0)]).unwrap();
    assert_eq!(generic(&triplets.convert::<Csr<f64>>().unwrap()), [3.0, 4.0]);
    assert_eq!(generic(&triplets.convert::<Dia<f64>>().unwrap()), [3.0, 4.0]);
}

/// Kernels whose operands can be in every format.
mod every {
    use std::collections::BTreeMap;
    use unisparse::prelude::*;
    use unisparse::{Narrow, Pattern};

    sparse_kernel! {
        /// `y = alpha Aᵀ x`
        pub(crate) fn transposed: y[j] = alpha * A[i, j] * x[i] where A: *;
        /// Over the loops of two formats, and of `Csr` for all others.
        pub(crate) fn greatest: y[i] max= A[i, j] where A: Bcsr<2, 3> | Dia | *;
        pub(crate) fn product: C[i, j] = A[i, k] * B[k, j] where A: Dcsr | *, B: *, C: _;
        /// `A` is listed, `B` is not.
        pub(crate) fn mixed: C[i, j] = A[i, j] + B[i, j] where A: Coo | Csc, B: *, C: _;
        pub(crate) fn masked: s = A[i, j] * x[j] if !M[i, j] where A: *, M: *;
        pub(crate) fn dot: s = v[i] * x[i] where v: *;
        pub(crate) fn along: Y[i, j] = X[i, j, k] * v[k] where X: *, Y: _;
    }
    sparse_format! {
        format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(anti..=diff); }
        format Slices = |i, j, k| (c: k, a: i, b: j) { merge(c, a); trim(b); }
        format Blocks = |i| (block: i / 4, lane: i % 4) { merge(block); trim(block); }
    }

    type Elements = BTreeMap<[usize; 2], f64>;

    fn elements(shape: [usize; 2], step: usize) -> Elements {
        let places = (0..shape[0] * shape[1]).step_by(step).enumerate();
        places
            .map(|(number, at)| ([at / shape[1], at % shape[1]], (number % 7) as f64 - 3.5))
            .collect()
    }

    /// Any format, without a bound of the kernels.
    fn check<A: SparseTensor<2, Scalar = f64> + 'static>(shape: [usize; 2], all: &Elements) {
        let a: A = Triplets::try_from_triplets(shape, all.clone())
            .unwrap()
            .convert()
            .unwrap();
        let mut expected = vec![0.0; shape[1]];
        let mut most = vec![f64::NEG_INFINITY; shape[0]];
        for (&[i, j], value) in all {
            expected[j] += 10.0 * value * (i + 1) as f64;
            most[i] = most[i].max(*value);
        }
        let x: Vec<f64> = (1..=shape[0]).map(|at| at as f64).collect();
        let mut y = vec![99.0; shape[1]];
        transposed(&mut y, 10.0, &a, &x).unwrap();
        assert_eq!(y, expected, "{}", A::NAME);
        let mut y = vec![f64::NEG_INFINITY; shape[0]];
        greatest(&mut y, &a).unwrap();
        assert_eq!(y, most, "{}", A::NAME);
        check_pairs::<A, Csr<f64>>(&a, shape, all);
        check_pairs::<A, Dia<f64>>(&a, shape, all);
    }

    fn check_pairs<A: SparseTensor<2, Scalar = f64> + 'static, B: SparseTensor<2, Scalar = f64> + 'static>(
        a: &A,
        shape: [usize; 2],
        all: &Elements,
    ) {
        let other = elements([shape[1], shape[0]], 3);
        let b: B = Triplets::try_from_triplets([shape[1], shape[0]], other.clone())
            .unwrap()
            .convert()
            .unwrap();
        let mut expected = Elements::new();
        for (&[i, k], left) in all {
            for (&[_, j], right) in other.range([k, 0]..[k + 1, 0]) {
                *expected.entry([i, j]).or_default() += left * right;
            }
        }
        let c: Csc<f64> = product(a, &b).unwrap();
        assert_eq!(c.iter().collect::<Elements>(), expected, "{} {}", A::NAME, B::NAME);
        let d: B = Triplets::try_from_triplets(shape, elements(shape, 5))
            .unwrap()
            .convert()
            .unwrap();
        let sum = masked(a, &vec![1.0; shape[1]], &d).unwrap();
        let is_masked = |at: &[usize; 2]| d.get(*at).is_some_and(|value| value != 0.0);
        assert_eq!(
            sum,
            all.iter()
                .filter(|(at, _)| !is_masked(at))
                .map(|(_, value)| value)
                .sum::<f64>()
        );
        let listed: Coo<f64> = a.convert().unwrap();
        let c: Csr<f64> = mixed(&listed, &d).unwrap();
        let mut expected = all.clone();
        for (at, value) in elements(shape, 5) {
            *expected.entry(at).or_default() += value;
        }
        assert_eq!(c.iter().collect::<Elements>(), expected);
    }

    #[test]
    fn kernels_for_every_format_run_over_each() {
        for (shape, step) in [([0, 3], 1), ([7, 9], 2), ([9, 7], 3), ([4, 4], 1), ([1, 12], 5)] {
            let all = elements(shape, step);
            check::<Coo<f64>>(shape, &all);
            check::<Csr<f64>>(shape, &all);
            check::<Dia<f64>>(shape, &all);
            check::<Bcsr<f64, 2, 3>>(shape, &all);
            check::<BdiaCsr<f64, 4>>(shape, &all);
            check::<Anti<f64>>(shape, &all);
            #[cfg(every_product)]
            {
                check::<Bcsr<f64, 3, 2>>(shape, &all);
                check::<Dcsr<f64>>(shape, &all);
                check::<Ell<f64>>(shape, &all);
                check::<C2sr<f64, 2>>(shape, &all);
            }
        }
    }

    #[test]
    fn vectors_cubes_and_other_elements() {
        let v = SparseVec::try_from_triplets([9], [([2], 3.0), ([7], 5.0)]).unwrap();
        assert_eq!((v.at_idx(), v.values()), (&[2, 7][..], &[3.0, 5.0][..]));
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        assert_eq!(dot(&v, &x).unwrap(), 3.0 * 2.0 + 5.0 * 7.0);
        assert_eq!(
            dot(&v.convert::<Blocks<f64>>().unwrap(), &x).unwrap(),
            3.0 * 2.0 + 5.0 * 7.0
        );

        let cube =
            Slices::try_from_triplets([2, 2, 3], [([0, 1, 2], 2.0), ([0, 1, 0], 3.0), ([1, 0, 1], 4.0)]).unwrap();
        let y: Csr<f64> = along(&cube, &[1.0, 10.0, 100.0]).unwrap();
        assert_eq!(y.iter().collect::<Vec<_>>(), [([0, 1], 203.0), ([1, 0], 40.0)]);

        let narrow = Csc::try_from_parts([1, 2], vec![0, 0, 1], vec![0], vec![Narrow::<f32, f64>::new(1.5)]).unwrap();
        let mut y = [0.0; 2];
        transposed(&mut y, 2.0, &narrow, &[1.0]).unwrap();
        assert_eq!(y, [0.0, 3.0]);
        let pattern = Coo::try_from_triplets([1, 2], [([0, 1], Pattern::<f64>::new())]).unwrap();
        transposed(&mut y, 2.0, &pattern, &[4.0]).unwrap();
        assert_eq!(y, [0.0, 8.0]);
    }

    #[test]
    fn errors_are_those_of_the_kernel_and_of_the_conversion() {
        let a = Dia::try_from_triplets([2, 3], [([0, 1], 2.0)]).unwrap();
        let error = transposed(&mut [0.0; 3], 1.0, &a, &[1.0]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "transposed: `x` has 1 element, but `A` has 2 rows (index `i`)"
        );
    }
}
