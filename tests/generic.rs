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
