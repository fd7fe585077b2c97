//! Hybrids: the division of elements among parts, and the hybrid as one tensor.

use std::collections::BTreeMap;

use crate::common::Random;
use crate::common::random::{Elements, elements, tensors};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Source};

sparse_format! {
    pub format Cube = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); }
    /// Full diagonals, and the rest.
    pub hybrid DiaCoo = Dia + Coo split sum(value != 0 => 1, _ => 0).group_by(j - i) > threshold;
    /// Three parts, whose const arguments are the hybrid's, literals or defaults.
    pub hybrid Three<const B: usize = 2, const W: usize = 3> = Bdia<B> + Bcsr<W, 2> + unisparse::formats::Csb
        split sum(value != 0 => 1, _ => 0).group_by(i / B, j - i) > high > low;
    /// Two parts of one format, and a literal as threshold.
    pub(crate) hybrid Long = Csr + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > 2;
    hybrid Mixed = Csc + Bcsr + Csr + Coo split sum(value != 0 => 1, _ => 0).group_by(i / 2, j / 2) > most > 1 > least;
    /// Parts with their own queries: rows of large values in one, the first elements of the others in the next.
    pub hybrid Weighed<const C: usize = 4> = Sell<C, 8> + Bell<C> + Ell
        split sum(value < 0 => 0, value >= 6 => 3, value != 0 => 1, _ => 0).group_by(i) > heavy > 0;
    hybrid Leading<const N: usize = 2> = Csr + Ell
        split enumerate(value == 0 => 0, _ => 0).group_by(i % N).traverse_by(j) > 0;
    hybrid Fibers = Csf + Cube split sum(value != 0 => 1, _ => 0).group_by(i, j) > threshold;
}

sparse_kernel! {
    fn product: y[i] = A[i, j] * x[j] where A: DiaCoo | Three | Long | Csr | BdiaCsr<3> | Mixed | Weighed | Leading<3>;
    fn accumulated: y[i] += A[i, j] * x[j] where A: DiaCoo | Three<5, 2> | BdiaCsr;
    fn transposed: y[j] = alpha * A[i, j] * x[i] + beta * z[j] where A: Three | Long | BdiaCsr<64>;
    fn twice: y[i] = z[i] + A[i, j] * x[j] + A[i, j] * w[j] where A: Long | Mixed;
    fn scaled_product: C[i, n] += alpha * A[i, j] * B[j, n] where A: BdiaCsr | Three;
    fn mttkrp: M[i, r] = X[i, j, k] * B[j, r] * C[k, r] where X: Fibers;
}

const SHAPES: [[usize; 2]; 7] = [[8, 8], [13, 5], [5, 13], [1, 9], [9, 1], [0, 4], [4, 0]];

/// Returns the part of each element, from the number of elements in its group.
fn divided<const N: usize, G: Ord>(
    all: &Elements<f64, N>,
    group: impl Fn([i64; N]) -> G,
    thresholds: &[i64],
) -> Vec<Elements<f64, N>> {
    let group = |at: &[usize; N]| group(at.map(|at| at as i64));
    let mut counts = BTreeMap::new();
    for at in all.keys() {
        *counts.entry(group(at)).or_insert(0) += 1;
    }
    let mut parts = vec![Elements::new(); thresholds.len() + 1];
    for (&at, &value) in all {
        let mut part = 0;
        while part < thresholds.len() && counts[&group(&at)] <= thresholds[part] {
            part += 1;
        }
        parts[part].insert(at, value);
    }
    parts
}

/// Returns the elements of a tensor, which must not repeat any.
fn held<S: Source<N, Scalar = f64>, const N: usize>(tensor: &S) -> Elements<f64, N> {
    let mut all = Elements::new();
    tensor.for_each(|at, value| assert!(all.insert(at, value).is_none(), "{at:?} comes twice"));
    all
}

/// Checks the properties that every hybrid has as a tensor.
macro_rules! check_tensor {
    ($tensor:expr, $all:expr, $shape:expr, $dims:literal) => {{
        let (tensor, all) = (&$tensor, &$all);
        assert_eq!(tensor.shape(), $shape);
        assert_eq!(held(tensor), *all);
        assert_eq!(tensor.iter().collect::<Elements<f64, $dims>>(), *all);
        assert_eq!(tensor.iter().count(), all.len());
        assert_eq!((tensor.nnz(), Source::count(tensor)), (all.len(), all.len()));
        assert!(tensor.stored() >= tensor.nnz());
        let values = SparseTensor::values(tensor);
        assert_eq!(values.len(), tensor.stored());
        let sum: f64 = all.values().sum();
        assert_eq!(values.sum::<f64>(), sum);
    }};
}

#[test]
fn two_parts_are_split_by_the_sum_of_their_groups() {
    for shape in SHAPES {
        for triplets in tensors(shape, 1) {
            let all = elements(&triplets);
            for threshold in [0, 1, 2, 5, 1000] {
                let tensor = DiaCoo::split(&triplets, threshold).unwrap();
                let expected = divided(&all, |[i, j]| j - i, &[threshold]);
                let (dia, coo) = tensor.parts();
                assert_eq!((held(dia), held(coo)), (expected[0].clone(), expected[1].clone()));
                check_tensor!(tensor, all, shape, 2);
                assert_eq!(tensor.bytes(), dia.bytes() + coo.bytes());
                assert_eq!(tensor.stored(), dia.stored() + coo.stored());

                let tensor = BdiaCsr::<f64, 3>::split(&triplets, threshold).unwrap();
                let expected = divided(&all, |[i, j]| (i / 3, j - i), &[threshold]);
                let (bdia, csr) = tensor.clone().into_parts();
                assert_eq!((held(&bdia), held(&csr)), (expected[0].clone(), expected[1].clone()));
                check_tensor!(tensor, all, shape, 2);
                assert_eq!(BdiaCsr::try_from_parts(bdia, csr).unwrap(), tensor);
            }
        }
    }
}

#[test]
fn three_and_four_parts_take_more_thresholds() {
    for shape in SHAPES {
        for triplets in tensors(shape, 2) {
            let all = elements(&triplets);
            for thresholds in [[2, 1], [1, 0], [0, 5], [9, 9]] {
                let [high, low] = thresholds;
                let tensor = Three::<f64, 2, 3>::split(&triplets, high, low).unwrap();
                let expected = divided(&all, |[i, j]| (i / 2, j - i), &thresholds);
                let (bdia, bcsr, csb) = tensor.parts();
                assert_eq!([held(bdia), held(bcsr), held(csb)], expected[..]);
                check_tensor!(tensor, all, shape, 2);

                let tensor = Mixed::split(&triplets, high, low).unwrap();
                let expected = divided(&all, |[i, j]| (i / 2, j / 2), &[high, 1, low]);
                let (csc, bcsr, csr, coo) = tensor.parts();
                assert_eq!([held(csc), held(bcsr), held(csr), held(coo)], expected[..]);
            }
            let tensor = Long::split(&triplets).unwrap();
            let expected = divided(&all, |[i, _]| i, &[2]);
            assert_eq!([held(tensor.parts().0), held(tensor.parts().1)], expected[..]);
            check_tensor!(tensor, all, shape, 2);
        }
    }
    for triplets in tensors([4, 3, 5], 3) {
        let all = elements(&triplets);
        let tensor = Fibers::split(&triplets, 2).unwrap();
        let expected = divided(&all, |[i, j, _]| (i, j), &[2]);
        assert_eq!([held(tensor.parts().0), held(tensor.parts().1)], expected[..]);
        check_tensor!(tensor, all, [4, 3, 5], 3);
    }
}

#[test]
fn any_query_splits() {
    for shape in SHAPES {
        let x = Random::new(10).vector(shape[1]);
        for triplets in tensors(shape, 10) {
            let triplets = triplets.map(|value| value - 2.0);
            let all = elements(&triplets);
            let number = |value: f64| {
                if value < 0.0 {
                    0
                } else if value >= 6.0 {
                    3
                } else {
                    1
                }
            };
            let weights = |row: usize| {
                all.iter()
                    .filter(|(at, _)| at[0] == row)
                    .map(|(_, &value)| number(value))
                    .sum()
            };
            let tensor = Weighed::<f64, 3>::split(&triplets, 4).unwrap();
            let mut expected = [Elements::new(), Elements::new(), Elements::new()];
            for (&at, &value) in all.iter().filter(|(_, value)| **value != 0.0) {
                let weight: i64 = weights(at[0]);
                expected[if weight > 4 { 0 } else { usize::from(weight == 0) + 1 }].insert(at, value);
            }
            let (sell, bell, ell) = tensor.parts();
            assert_eq!([held(sell), held(bell), held(ell)], expected);

            let leading = Leading::<f64, 3>::split(&triplets).unwrap();
            let first = |at: [usize; 2]| {
                all.keys()
                    .filter(|other| other[0] % 3 == at[0] % 3)
                    .map(|other| other[1])
                    .min()
            };
            let nonzero = |part: &Elements<f64, 2>| part.iter().filter(|(_, value)| **value != 0.0).count();
            assert!(held(leading.parts().0).keys().all(|at| first(*at) < Some(at[1])));
            assert!(held(leading.parts().1).keys().all(|at| first(*at) == Some(at[1])));
            assert_eq!(nonzero(&held(&leading)), nonzero(&all));

            let expected = reference(&all, &x, vec![0.0; shape[0]]);
            let mut y = [vec![f64::NAN; shape[0]], vec![f64::NAN; shape[0]]];
            product(&mut y[0], &tensor, &x).unwrap();
            product(&mut y[1], &leading, &x).unwrap();
            assert!(y.iter().all(|y| *y == expected));
        }
    }
}

#[test]
fn conversion_chooses_thresholds_as_split_auto_does() {
    for shape in SHAPES {
        for triplets in tensors(shape, 4) {
            let all = elements(&triplets);
            let tensor: Three<f64, 2, 3> = triplets.convert().unwrap();
            assert_eq!(held(&tensor), all);
            let expected = Three::split_auto(&triplets).unwrap();
            assert_eq!(tensor.parts(), expected.parts());
            let again: Csc<f64> = tensor.convert().unwrap();
            assert_eq!(again.convert::<Three<f64, 2, 3>>().unwrap().parts(), expected.parts());
            assert_eq!(held(&again), all);

            let tensor: Mixed<f64> = again.convert().unwrap();
            assert_eq!(tensor.parts(), Mixed::split_auto(&triplets).unwrap().parts());
            let other: DiaCoo<f64> = tensor.convert().unwrap();
            assert_eq!(held(&other.convert::<Coo<f64>>().unwrap()), all);
        }
    }
}

#[test]
fn a_hybrid_is_equal_to_itself_split_otherwise() {
    let triplets = Random::new(5).triplets([9, 9], 30);
    let tensor = DiaCoo::split(&triplets, 1).unwrap();
    assert_eq!(tensor, DiaCoo::split(&triplets, 3).unwrap());
    assert_ne!(
        tensor,
        DiaCoo::split(&triplets.clone().map(|value| value + 1.0), 1).unwrap()
    );
    let mut more = triplets.clone();
    more.push([8, 0], 1.0).unwrap();
    assert_ne!(tensor, DiaCoo::split(&more, 1).unwrap());
}

#[test]
fn zeros_are_dropped_in_place() {
    let entries = [([0, 0], 0.0), ([0, 1], 1.0), ([0, 2], 2.0), ([1, 0], 0.0)];
    let tensor = Long::try_from_triplets([2, 3], entries).unwrap();
    assert_eq!((tensor.nnz(), tensor.parts().0.nnz()), (4, 3));
    let dropped = tensor.drop_zeros().unwrap();
    assert_eq!(
        (dropped.nnz(), dropped.parts().0.nnz()),
        (2, 2),
        "the two elements stay in their part"
    );
}

#[test]
fn parts_are_checked() {
    let part =
        |shape, entries: &[[usize; 2]]| Csr::try_from_triplets(shape, entries.iter().map(|&at| (at, 1.0))).unwrap();
    let left = part([3, 3], &[[0, 1], [2, 2]]);
    let tensor = Long::try_from_parts(left.clone(), part([3, 3], &[[0, 0], [2, 1]])).unwrap();
    assert_eq!((tensor.nnz(), tensor.shape()), (4, [3, 3]));
    let error = Long::try_from_parts(left.clone(), part([3, 4], &[])).unwrap_err();
    assert_eq!(
        (error.kind(), error.subject()),
        (ErrorKind::Shape, "part `csr1` of `Long`")
    );
    assert_eq!(
        (error.found(), error.expected()),
        ("shape [3, 4]", "[3, 3], as of part `csr0`")
    );
    let error = Long::try_from_parts(left, part([3, 3], &[[1, 0], [2, 2]])).unwrap_err();
    assert_eq!(
        (error.kind(), error.found()),
        (ErrorKind::Duplicate, "an element at [2, 2]")
    );
    // Holes are not elements.
    let dia = Dia::try_from_triplets([3, 3], [([0, 1], 1.0)]).unwrap();
    let coo = Coo::try_from_triplets([3, 3], [([1, 2], 5.0)]).unwrap();
    assert_eq!(DiaCoo::try_from_parts(dia, coo).unwrap().nnz(), 2);
}

#[test]
fn the_limit_is_for_the_sum_of_all_parts() {
    let triplets = Random::new(6).triplets([20, 20], 60);
    let tensor = DiaCoo::split(&triplets, 3).unwrap();
    let bytes = tensor.bytes() as u128;
    assert!(tensor.parts().0.nnz() > 0 && tensor.parts().1.nnz() > 0);
    assert_eq!(
        DiaCoo::split_within(&triplets, 3, Limit::bytes(bytes)).unwrap().parts(),
        tensor.parts()
    );
    let error = DiaCoo::split_within(&triplets, 3, Limit::bytes(bytes - 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

/// `A x`, by coordinate.
fn reference(all: &Elements<f64, 2>, x: &[f64], mut y: Vec<f64>) -> Vec<f64> {
    for (&[i, j], value) in all {
        y[i] += value * x[j];
    }
    y
}

#[test]
fn kernels_run_over_every_part() {
    let mut random = Random::new(7);
    for [rows, cols] in SHAPES {
        let (x, w, z) = (random.vector(cols), random.vector(cols), random.vector(rows));
        let (by_row, by_col) = (random.vector(rows), random.vector(cols));
        let dense = random.vector(cols * 3);
        for triplets in tensors([rows, cols], 7) {
            let all = elements(&triplets);
            for threshold in [0, 2, 1000] {
                let dia = DiaCoo::split(&triplets, threshold).unwrap();
                let three = Three::<f64, 2, 3>::split(&triplets, threshold, 0).unwrap();
                let other = Three::<f64, 5, 2>::split(&triplets, threshold, 0).unwrap();
                let long = Long::split(&triplets).unwrap();
                let mixed = Mixed::split(&triplets, threshold, 0).unwrap();
                let (small, large) = (
                    BdiaCsr::<f64, 3>::split(&triplets, threshold).unwrap(),
                    BdiaCsr::<f64>::split(&triplets, threshold).unwrap(),
                );
                let expected = reference(&all, &x, vec![0.0; rows]);
                macro_rules! multiply {
                    ($kernel:ident: $($tensor:expr),*) => { $({
                        let mut y = vec![f64::NAN; rows];
                        $kernel(&mut y, &$tensor, &x).unwrap();
                        assert_eq!(y, expected);
                    })* };
                }
                multiply!(product: dia, three, long, small, mixed);
                multiply!(spmv: dia, three, other, long, small, large, mixed);

                let expected = reference(&all, &x, z.clone());
                let mut sums = [z.clone(), z.clone(), z.clone()];
                accumulated(&mut sums[0], &dia, &x).unwrap();
                accumulated(&mut sums[1], &other, &x).unwrap();
                accumulated(&mut sums[2], &large, &x).unwrap();
                assert!(sums.iter().all(|sum| *sum == expected));

                // A term without the sparse operand is added once, not once for each part.
                let both: Vec<f64> = x.iter().zip(&w).map(|(x, w)| x + w).collect();
                let expected = reference(&all, &both, z.clone());
                let mut y = [vec![f64::NAN; rows], vec![f64::NAN; rows]];
                twice(&mut y[0], &z, &long, &x, &w).unwrap();
                twice(&mut y[1], &z, &mixed, &x, &w).unwrap();
                assert!(y.iter().all(|y| *y == expected));

                let mut expected: Vec<f64> = by_col.iter().map(|z| 10.0 * z).collect();
                for (&[i, j], value) in &all {
                    expected[j] += 2.0 * value * by_row[i];
                }
                let mut y = [vec![f64::NAN; cols], vec![f64::NAN; cols], vec![f64::NAN; cols]];
                transposed(&mut y[0], 2.0, &three, &by_row, 10.0, &by_col).unwrap();
                transposed(&mut y[1], 2.0, &long, &by_row, 10.0, &by_col).unwrap();
                transposed(&mut y[2], 2.0, &large, &by_row, 10.0, &by_col).unwrap();
                assert!(y.iter().all(|y| *y == expected));

                let mut expected = vec![0.0; rows * 3];
                for (&[i, j], value) in &all {
                    (0..3).for_each(|n| expected[i * 3 + n] += value * dense[j * 3 + n]);
                }
                let mut c = vec![f64::NAN; rows * 3];
                spmm(&mut c, &three, &dense).unwrap();
                assert_eq!(c, expected);
                c.fill(f64::NAN);
                spmm(&mut c, &long, &dense).unwrap();
                assert_eq!(c, expected);
                scaled_product(&mut c, 3.0, &large, &dense).unwrap();
                assert!(c.iter().zip(&expected).all(|(c, expected)| *c == 4.0 * expected));
                scaled_product(&mut c, -4.0, &three, &dense).unwrap();
                assert!(c.iter().all(|&c| c == 0.0));
            }
        }
    }
}

#[test]
fn a_kernel_of_three_dims_runs_over_every_part() {
    let mut random = Random::new(8);
    let (b, c) = (random.vector(3 * 2), random.vector(5 * 2));
    for triplets in tensors([4, 3, 5], 8) {
        let mut expected = vec![0.0; 4 * 2];
        for ([i, j, k], value) in elements(&triplets) {
            (0..2).for_each(|r| expected[i * 2 + r] += value * b[j * 2 + r] * c[k * 2 + r]);
        }
        let mut m = vec![f64::NAN; 4 * 2];
        mttkrp(&mut m, &Fibers::split(&triplets, 2).unwrap(), &b, &c).unwrap();
        assert_eq!(m, expected);
    }
}

#[test]
fn generic_code_takes_hybrids() {
    fn go<T: Scalar, F: SparseTensor<2, Scalar = T> + spmv>(triplets: &Triplets<T, 2>, x: &[T]) -> (usize, Vec<T>) {
        let tensor: F = triplets.convert().unwrap();
        let mut y = vec![T::ZERO; triplets.shape()[0]];
        spmv(&mut y, &tensor, x).unwrap();
        (tensor.nnz(), y)
    }
    let triplets = Triplets::try_from_triplets([2, 3], [([0, 2], 2.0), ([1, 2], 3.0)]).unwrap();
    let x = [1.0, 10.0, 100.0];
    assert_eq!(go::<_, BdiaCsr<f64, 4>>(&triplets, &x), (2, vec![200.0, 300.0]));
    assert_eq!(go::<_, Three<f64>>(&triplets, &x), (2, vec![200.0, 300.0]));
}

#[test]
fn the_tables_of_the_parts_come_one_after_another() {
    let described = BdiaCsr::<f64, 3>::describe();
    let text = described.to_string();
    assert!(text.starts_with(
        "BdiaCsr<B=3>\n  Bdia<B> + Csr split sum(value != 0 => 1, _ => 0).group_by(i / B, j - i) > threshold\n"
    ));
    assert!(text.contains(&Bdia::<f64, 3>::describe().to_string()));
    assert!(text.ends_with(&Csr::<f64>::describe().to_string()));
    let tensor = BdiaCsr::<f64, 3>::split(&Random::new(9).triplets([7, 7], 20), 1).unwrap();
    let text = tensor.explain().to_string();
    let start = format!(
        "BdiaCsr<f64, B=3>  7 x 7  {} nonzeros  {} stored",
        tensor.nnz(),
        tensor.stored()
    );
    assert!(text.starts_with(&start), "{text}");
    assert!(text.ends_with(&format!("{}{}", tensor.parts().0.explain(), tensor.parts().1.explain())));
    assert!(text.contains(&format!("  {} B\n", tensor.bytes())));
}
