//! Vectors, products of sparse matrices, kernels of a user, element types, and messages in pieces.

use std::collections::BTreeMap;

use unisparse::formats::{Bcsr, Coo, Csc, Csr, Dcsr, Dia, Ell};
use unisparse::{
    Complex64, Narrow, Pattern, Scalar, SparseTensor, Triplets, Tuned, Tuner, Use, kernels, sparse_kernel,
};
#[cfg(feature = "half")]
use unisparse_mpi::spmv_transposed;
use unisparse_mpi::{
    Distributed, DistributedMat, DistributedVec, Element, Network, Partition, Plan, Setup, World, spgemm, spmv,
};

use crate::cases::{Case, WIDTH, b, degenerate, real};
use crate::launch::on_ranks;

type Elements = BTreeMap<[usize; 2], f64>;

fn product(a: &Elements, b: &Elements) -> Elements {
    let mut sums = Elements::new();
    for (&[i, k], left) in a {
        for (&[_, j], right) in b.range([k, 0]..=[k, usize::MAX]) {
            *sums.entry([i, j]).or_insert(0.0) += left * right;
        }
    }
    sums
}

#[test]
fn sparse_products() {
    on_ranks("algebra::sparse_products", 1..=4, |world| {
        let small = |case: &&Case| case.elements.len() <= 12_000;
        for case in degenerate().iter().chain(real().iter().filter(small)) {
            let a: Distributed<Csr<f64>, Dcsr<f64>> = Distributed::new(world, &case.dealt(world)).unwrap();
            let t: Distributed<Csc<f64>> = a.transposed().unwrap();
            let c: Distributed<Coo<f64>, Csr<f64>> = spgemm(&a, &t).unwrap();
            assert_eq!(
                (c.shape(), c.rows(), c.columns()),
                ([case.all.shape()[0]; 2], a.rows(), t.columns())
            );
            let transposed = case.elements.iter().map(|(&[i, j], value)| ([j, i], *value)).collect();
            let expected = product(&case.elements, &transposed);
            assert_eq!(c.nnz(), expected.len(), "{}", case.name);
            if let Some(found) = c.gather(0).unwrap() {
                assert_eq!(found.iter().collect::<Elements>(), expected, "{}", case.name);
            }
        }
    });
}

#[test]
fn vectors_and_matrices() {
    on_ranks("algebra::vectors_and_matrices", 1..=4, |world| {
        for extent in [0, 1, 3, 40, 1000] {
            let partition = Partition::even(extent, world.size());
            let x = DistributedVec::from_fn(world, &partition, |i| i as f64);
            let mut y = DistributedVec::from_fn(world, &partition, |i| (i % 5) as f64);
            let all =
                |f: &dyn Fn(f64, f64) -> f64| (0..extent).map(|i| f(i as f64, (i % 5) as f64)).collect::<Vec<_>>();
            assert_eq!(x.dot(&y).unwrap(), all(&|x, y| x * y).iter().sum::<f64>());
            let norm = all(&|x, _| x * x).iter().sum::<f64>().sqrt();
            assert!((x.norm() - norm).abs() <= 1e-12 * norm);
            y.axpy(-2.0, &x).unwrap();
            assert_eq!(y.gather_to_all(), all(&|x, y| y - 2.0 * x));
            let root = world.size() / 2;
            let gathered = y.gather(root);
            assert_eq!(gathered.is_some(), world.rank() == root);
            let again = DistributedVec::scatter(world, &partition, root, gathered.as_deref()).unwrap();
            assert_eq!(again.own(), y.own());

            let m = DistributedMat::from_fn(world, &partition, 3, |[i, j]| (10 * i + j) as f64);
            let sent = m.gather(0);
            let again = DistributedMat::scatter(world, &partition, 3, 0, sent.as_deref()).unwrap();
            assert_eq!((again.own(), again.shape()), (m.own(), [extent, 3]));
            let expected: f64 = (0..extent)
                .flat_map(|i| (0..3).map(move |j| ((10 * i + j) as f64).powi(2)))
                .sum();
            assert_eq!(m.dot(&again).unwrap(), expected);
        }
        let huge = DistributedVec::from_fn(world, &Partition::even(9, world.size()), |i| {
            if i < 4 { 1e200 } else { 0.0 }
        });
        assert_eq!(huge.norm(), 2e200);
    });
}

sparse_kernel! {
    /// One round of relaxing the edges into each node.
    fn relax: d[i] min= A[i, j] + s[j] where A: Csr | Ell;
    /// A product with a term without `A`.
    fn damped: y[i] = 0.5 * A[i, j] * x[j] + z[i] where A: Csr | Ell;
}

#[test]
fn kernels_of_a_user() {
    on_ranks("algebra::kernels_of_a_user", 1..=4, |world| {
        for case in degenerate().iter().chain(&real()) {
            let [rows, columns] = case.all.shape();
            let a: Distributed<Csr<f64>, Ell<f64>> = Distributed::new(world, &case.dealt(world)).unwrap();
            let start = |j: usize| if j % 3 == 0 { j as f64 } else { f64::INFINITY };
            let s = DistributedVec::from_fn(world, a.columns(), start);
            let mut d = DistributedVec::from_fn(world, a.rows(), |_| 100.0);
            a.apply(&mut d, &s, f64::INFINITY, f64::min, relax, relax).unwrap();
            let mut expected = vec![100.0; rows];
            case.elements
                .iter()
                .for_each(|(&[i, j], value)| expected[i] = f64::min(expected[i], value + start(j)));
            assert_eq!(d.gather_to_all(), expected, "{}", case.name);

            let z = DistributedVec::from_fn(world, a.rows(), |i| i as f64);
            let x = DistributedVec::from_fn(world, a.columns(), |j| (columns - j) as f64);
            let mut y = DistributedVec::from_fn(world, a.rows(), |_| f64::NAN);
            let own = |y: &mut [f64], a: &Csr<f64>, x: &[f64]| damped(y, a, x, z.own());
            let halo = |y: &mut [f64], a: &Ell<f64>, x: &[f64]| damped(y, a, x, &vec![0.0; y.len()]);
            a.apply(&mut y, &x, 0.0, |sum, more| sum + more, own, halo).unwrap();
            let mut expected: Vec<f64> = (0..rows).map(|i| i as f64).collect();
            case.elements
                .iter()
                .for_each(|(&[i, j], value)| expected[i] += 0.5 * value * (columns - j) as f64);
            assert_eq!(y.gather_to_all(), expected, "{}", case.name);
        }
    });
}

/// Checks a product of elements of a type, made of small numbers.
fn check_type<F, S>(world: &World, of: fn(usize) -> S)
where
    S: Element<Value: Scalar + Element>,
    F: SparseTensor<2, Scalar = S> + kernels::spmv,
{
    let elements: Vec<([usize; 2], S)> = (0..40)
        .flat_map(|i| [0, 3, 17].map(|step| ([i, (i + step) % 40], of(i + step))))
        .collect();
    let mine = elements.iter().copied().skip(world.rank()).step_by(world.size());
    let a: Distributed<F> = Distributed::new(world, &Triplets::try_from_triplets([40, 40], mine).unwrap()).unwrap();
    let one = |j: usize| of(j + 1).value();
    let mut y = DistributedVec::zeros(world, a.rows());
    spmv(&mut y, &a, &DistributedVec::from_fn(world, a.columns(), one)).unwrap();
    let mut expected = vec![S::Value::ZERO; 40];
    for ([i, j], value) in &elements {
        expected[*i] = expected[*i].plus(value.value().times(one(*j)));
    }
    assert_eq!(y.gather_to_all(), expected);
}

#[test]
fn elements_of_all_types() {
    on_ranks("algebra::elements_of_all_types", 1..=4, |world| {
        check_type::<Csr<f32>, _>(world, |k| k as f32);
        check_type::<Dia<i8>, _>(world, |k| (k % 3) as i8 - 1);
        check_type::<Csr<i32>, _>(world, |k| k as i32 - 20);
        check_type::<Bcsr<u64>, _>(world, |k| k as u64);
        check_type::<Csr<i128>, _>(world, |k| (k as i128 - 20) << 70);
        check_type::<Csr<u128>, _>(world, |k| (k as u128) << 60);
        check_type::<Csr<usize>, _>(world, |k| k);
        check_type::<Csr<bool>, _>(world, |k| k % 4 == 0);
        check_type::<Csr<Complex64>, _>(world, |k| Complex64::new(k as f64, -1.0));
        check_type::<Csr<Narrow<f32, f64>>, _>(world, |k| Narrow::new(k as f32));
        check_type::<Csr<Pattern<f64>>, _>(world, |_| Pattern::new());
        #[cfg(feature = "half")]
        check_type::<Csr<unisparse::f16>, _>(world, |k| unisparse::f16::from_f32((k % 5) as f32));
    });
}

#[cfg(feature = "half")]
#[test]
fn transposed_sums_are_wider_than_halves() {
    on_ranks("algebra::transposed_sums_are_wider_than_halves", 1..=4, |world| {
        let one = unisparse::f16::from_f32(1.0);
        let ones = (0..3000)
            .map(|i| ([i, 0], one))
            .skip(world.rank())
            .step_by(world.size());
        let ones = Triplets::try_from_triplets([3000, 5], ones).unwrap();
        let a: Distributed<Csr<unisparse::f16>> = Distributed::new(world, &ones).unwrap();
        let mut y = DistributedVec::zeros(world, a.columns());
        spmv_transposed(&mut y, &a, &DistributedVec::from_fn(world, a.rows(), |_| one)).unwrap();
        // From 2048 on, a half has no sum of one more.
        let mut expected = [unisparse::f16::from_f32(0.0); 5];
        expected[0] = unisparse::f16::from_f32(3000.0);
        assert_eq!(y.gather_to_all(), expected);
    });
}

#[test]
fn messages_in_pieces() {
    on_ranks("algebra::messages_in_pieces", [2, 4], |world| {
        let pieces = world.with_messages_of(3);
        for case in degenerate() {
            let whole: Distributed<Csr<f64>> = Distributed::new(world, &case.dealt(world)).unwrap();
            let cut: Distributed<Csr<f64>> = Distributed::new(&pieces, &case.dealt(world)).unwrap();
            assert_eq!((whole.own(), whole.halo()), (cut.own(), cut.halo()));
            let mut y = DistributedVec::zeros(&pieces, cut.rows());
            spmv(
                &mut y,
                &cut,
                &DistributedVec::from_fn(&pieces, cut.columns(), crate::cases::x),
            )
            .unwrap();
            assert_eq!(y.gather_to_all(), case.product, "{}", case.name);
        }
    });
}

#[test]
fn partitions_and_roots() {
    on_ranks("algebra::partitions_and_roots", 1..=4, |world| {
        let case = degenerate().pop().unwrap();
        let [rows, columns] = case.all.shape();
        let size = world.size();
        // All rows on the last rank, all columns on the first.
        let mut starts = vec![0; size + 1];
        starts[size] = rows;
        let last = Partition::try_from_starts(starts).unwrap();
        let mut starts = vec![columns; size + 1];
        starts[0] = 0;
        let first = Partition::try_from_starts(starts).unwrap();
        for root in 0..size {
            let source = (world.rank() == root).then_some(&case.all);
            let a: Distributed<Csr<f64>> = Setup::new(world)
                .rows(&last)
                .columns(&first)
                .scatter(root, source)
                .unwrap();
            assert_eq!(
                a.own().nnz() + a.halo().nnz(),
                if world.rank() == size - 1 { case.all.len() } else { 0 }
            );
            let mut y = DistributedVec::zeros(world, a.rows());
            spmv(
                &mut y,
                &a,
                &DistributedVec::from_fn(world, a.columns(), crate::cases::x),
            )
            .unwrap();
            assert_eq!(y.gather_to_all(), case.product);
            let d = a.diag().unwrap().gather_to_all();
            let expected: Vec<f64> = (0..rows)
                .map(|i| case.elements.get(&[i, i]).copied().unwrap_or(0.0))
                .collect();
            assert_eq!(d, expected);
        }
    });
}

#[test]
fn rows_are_balanced() {
    on_ranks("algebra::rows_are_balanced", 2..=4, |world| {
        // Row `i` has `i % 50` elements, but row 700 a thousand.
        let elements = (0..1000).flat_map(|i| (0..if i == 700 { 1000 } else { i % 50 }).map(move |j| ([i, j], 1.0)));
        let mine = elements.skip(world.rank()).step_by(world.size());
        let a: Distributed<Csr<f64>> =
            Distributed::new(world, &Triplets::try_from_triplets([1000, 1000], mine).unwrap()).unwrap();
        let own = a.own().nnz() + a.halo().nnz() + a.own().shape()[0];
        let fair = (a.nnz() + 1000) / world.size();
        // A rank may have half of a row more at each end.
        assert!(own.abs_diff(fair) <= 1001, "{own} of {fair}");
        assert!(
            own.abs_diff(fair) <= 51 || (600..800).any(|row| a.rows().of(world.rank()).contains(&row)),
            "{own}"
        );
    });
}

#[test]
fn plans_are_what_ranks_do() {
    on_ranks("algebra::plans_are_what_ranks_do", 1..=4, |world| {
        for case in degenerate().iter().chain(&real()) {
            // Once each, as a plan counts elements.
            let once = case.elements.iter().map(|(at, value)| (*at, *value));
            let once = Triplets::try_from_triplets(case.all.shape(), once).unwrap();
            let a: Distributed<Csr<f64>> =
                Distributed::scatter(world, 0, (world.rank() == 0).then_some(&once)).unwrap();
            let planned = Plan::of(&once, world.size());
            assert_eq!(a.plan(), planned, "{}", case.name);
            assert_eq!(
                planned.ranks().iter().map(|rank| rank.own + rank.halo).sum::<usize>(),
                once.len()
            );
            let (again, predicted) = Plan::predict::<Csr<f64>, Csr<f64>, _>(&once, world.size(), &SLOW).unwrap();
            assert_eq!(again, planned);
            assert!(predicted.messages >= predicted.latency && predicted.seconds() >= predicted.messages);
            assert_eq!(predicted.messages > 0.0, planned.messages() > 0);
        }
    });
}

/// A network on which nothing is hidden.
const SLOW: Network = Network {
    latency: 1e-3,
    byte: 1e-6,
    overlap: 0.0,
};

#[test]
fn formats_that_are_found() {
    on_ranks("algebra::formats_that_are_found", 1..=4, |world| {
        let case = real().pop().unwrap_or_else(|| degenerate().pop().unwrap());
        let a: Distributed<Csr<f64>> = Distributed::new(world, &case.dealt(world)).unwrap();
        // Whatever the measurements say, products are the same.
        let calls = 100_000;
        fn found<'a>(part: &'a Csr<f64>, wanted: Use) -> Result<Tuned<'a, f64>, unisparse::Error> {
            Tuner::new(part, wanted).with::<Ell<f64>>().with::<Bcsr<f64>>().tune()
        }
        let fast = a
            .tuned(
                |own| found(own, Use::Spmv { calls }),
                |halo| found(halo, Use::Spmv { calls }),
            )
            .unwrap();
        let mut y = DistributedVec::zeros(world, a.rows());
        fast.spmv(&mut y, &DistributedVec::from_fn(world, a.columns(), crate::cases::x))
            .unwrap();
        assert_eq!(y.gather_to_all(), case.product, "{fast:?}");
        let mut c = DistributedMat::zeros(world, a.rows(), WIDTH);
        fast.spmm(&mut c, &DistributedMat::from_fn(world, a.columns(), WIDTH, b))
            .unwrap();
        assert_eq!(c.gather_to_all(), case.wide, "{fast:?}");
        let refused = |_| {
            Err(unisparse::Error::new(
                unisparse::ErrorKind::Limit,
                "a search",
                None,
                "none",
                "some",
            ))
        };
        let last = world.size() - 1;
        let error = a.tuned(
            |own| {
                if world.rank() == last {
                    refused(own)
                } else {
                    found(own, Use::Spmv { calls: 1 })
                }
            },
            |halo| found(halo, Use::Spmv { calls: 1 }),
        );
        assert_eq!(error.unwrap_err().rank(), last);
    });
}
