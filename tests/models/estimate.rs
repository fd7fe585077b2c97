//! Estimates against built tensors.

mod formula;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::common::Random;
use formula::evaluate;
use unisparse::ErrorKind;
use unisparse::prelude::*;

/// Checks that the estimate of a conversion has the sizes of the result.
fn agrees<F: SparseTensor<N, Scalar = f64>, const N: usize>(source: &impl Source<N, Scalar = f64>) {
    let built = F::assemble(source, Limit::none()).unwrap();
    let estimate = F::estimate_of(source).unwrap();
    let found = (estimate.stored(), estimate.bytes());
    assert_eq!(
        found,
        (built.stored() as u128, built.bytes() as u128),
        "{}",
        F::describe()
    );
    assert!(estimate.peak() >= estimate.bytes());
}

fn all(source: &impl Source<2, Scalar = f64>) {
    macro_rules! all {
        ($($format:ty),*) => { $(agrees::<$format, 2>(source);)* };
    }
    all!(
        Csc<f64>, Dcsr<f64>, DiaVariant<f64>, Bcsc<f64, 4, 2>, Bdia<f64, 3>, HiCoo<f64, 4>, Ell<f64>, Bell<f64, 2>, Cisr<f64, 2>,
        CisrPlus<f64, 3>, Dok<f64>, BdiaCsr<f64, 2>
    );
    #[cfg(every_product)]
    all!(
        Coo<f64>, Csr<f64>, Dcsc<f64>, Dia<f64>, Bcsr<f64, 2, 3>, Csb<f64, 4>, Sell<f64, 2, 4>, Jds<f64>, C2sr<f64, 3>,
        Serpens<f64, 4, 8, 3>, Lil<f64>, BellCoo<f64, 2>
    );
    all!(Plain<f64>, HoledRows<f64>, Loose<f64>, PackedBanks<f64>, Padded<f64>);
}

unisparse::sparse_format! {
    /// No level is trimmed.
    format Plain = |i, j| (row: i, col: j) { merge(row); }
    /// Rows without an element have an entry.
    format HoledRows = |i, j| (row: i, col: j) { trim(col); }
    /// A level that is not trimmed below one that is, neither merged.
    format Loose = |i, j| (brow: i / 2, col: j, r: i % 2) { trim(brow); trim(r); }
    /// Tuples with padding on both sides of a cut.
    format PackedBanks = |i, j| (bank: i % 3, row: i, col: j) { merge(bank); trim(row..=col); index(row: u16); partition(bank); pack(row..=col); }
    /// As many slots as the longest row of each block needs.
    format Padded = |i, j| (row: i, place, col: j)
        where { place = slot(2).group_by(i).key(j / 3).traverse_by(j); }
        { merge(row, place); pad(place); }
}

#[test]
fn estimates_are_exact() {
    let mut random = Random::new(11);
    for round in 0..60 {
        let shape = match round {
            0 => [0, 4],
            1 => [4, 0],
            _ => [1 + random.below(13), 1 + random.below(13)],
        };
        let count = if shape.contains(&0) { 0 } else { random.below(40) };
        // With duplicates and explicit zeros.
        let elements: Vec<_> = (0..count)
            .map(|_| (shape.map(|extent| random.below(extent)), random.below(3) as f64))
            .collect();
        let triplets = Triplets::try_from_triplets(shape, elements).unwrap();
        all(&triplets);
        if round % 4 == 0 {
            all(&triplets.convert_within::<Bcsc<f64, 4, 2>>(Limit::none()).unwrap());
        }
    }
}

#[test]
fn keys_may_be_wide() {
    let far = 1usize << 40;
    let wide =
        Triplets::try_from_triplets([far, far], [([far - 1, 7], 1.0), ([3, far - 2], 2.0), ([3, 0], 1.0)]).unwrap();
    let estimate = wide.estimate::<Wide<f64>>().unwrap();
    assert_eq!((estimate.stored(), estimate.bytes()), (3, 2 * 8 + 3 * 4 + 3 * 16));
    agrees::<Wide<f64>, 2>(&wide);
}

unisparse::sparse_format! {
    /// Columns within rows that have an element.
    format Wide = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u64, col: u64); }
}

#[test]
fn three_dims_are_estimated() {
    let cube = (0..50usize).map(|at| ([at % 3, at * 7 % 5, at * 11 % 6], 1.0));
    agrees::<Csf<f64>, 3>(&Triplets::try_from_triplets([3, 5, 6], cube).unwrap());
}

#[test]
fn refused_conversions_are_estimated() {
    let arrow = (0..3000).flat_map(|at| [([0, at], 1.0), ([at, 0], 1.0)]);
    let arrow = Triplets::try_from_triplets([3000, 3000], arrow).unwrap();
    assert_eq!(arrow.convert::<Ell<f64>>().unwrap_err().kind(), ErrorKind::Limit);
    let estimate = arrow.estimate::<Ell<f64>>().unwrap();
    assert_eq!((estimate.stored(), estimate.bytes()), (9_000_000, 9_000_000 * 12));
    // A matrix with a million times a million diagonals, each with an element: nothing of that size is allocated.
    let side = 1usize << 20;
    let corners = Triplets::try_from_triplets([side, side], (0..side).map(|at| ([at, side - 1 - at], 1.0))).unwrap();
    assert_eq!(corners.estimate::<Dia<f64>>().unwrap().stored(), 1 << 40);
}

#[test]
fn duplicates_are_refused_if_conversion_refuses_them() {
    let twice = Triplets::try_from_triplets([2, 2], [([1, 1], 1.0), ([1, 1], 2.0)]).unwrap();
    assert_eq!(twice.estimate::<Csr<f64>>().unwrap().stored(), 1);
    let twice = twice.duplicates(Duplicates::Reject);
    assert_eq!(twice.estimate::<Csr<f64>>().unwrap_err().kind(), ErrorKind::Duplicate);
    assert_eq!(twice.estimate::<Ell<f64>>().unwrap_err().kind(), ErrorKind::Duplicate);
}

/// Returns how many different keys the elements have.
fn different<const N: usize, K: Ord>(elements: &[[usize; N]], key: impl Fn([usize; N]) -> K) -> usize {
    elements.iter().map(|&at| key(at)).collect::<BTreeSet<K>>().len()
}

/// Returns the greatest number of elements with one key.
fn most<const N: usize>(elements: &[[usize; N]], key: impl Fn([usize; N]) -> usize) -> usize {
    let mut counts = BTreeMap::<usize, usize>::new();
    elements.iter().for_each(|&at| *counts.entry(key(at)).or_default() += 1);
    counts.into_values().max().unwrap_or(0)
}

/// Returns what docs/guide/cookbook.md counts of a matrix, for a format with these parameters.
fn counted(elements: &[[usize; 2]], [m, n]: [usize; 2], parameters: &HashMap<String, usize>) -> HashMap<String, usize> {
    let of = |name: &str| parameters.get(name).or(parameters.get("B")).copied().unwrap_or(1);
    let (height, width, size) = (of("R"), of("C"), of("B"));
    let blocks: BTreeSet<[usize; 2]> = elements.iter().map(|[i, j]| [i / height, j / width]).collect();
    let blocks: Vec<[usize; 2]> = blocks.into_iter().collect();
    let counts = [
        ("m", m),
        ("n", n),
        ("z", elements.len()),
        ("v", 8),
        ("d", different(elements, |[i, j]| (j + m) - i)),
        ("r", different(elements, |[i, _]| i)),
        ("c", different(elements, |[_, j]| j)),
        ("s", different(elements, |[i, j]| (i / size, (j + m) - i))),
        ("L", most(elements, |[i, _]| i)),
        ("b", blocks.len()),
        ("q", most(&blocks, |[row, _]| row)),
    ];
    let counts = counts.into_iter().map(|(name, count)| (name.to_owned(), count));
    let parameters = parameters.iter().map(|(name, &value)| {
        // No window has more rows than the matrix.
        let value = if name == "SIGMA" { value.min(m) } else { value };
        (name.clone(), value)
    });
    counts.chain(parameters).collect()
}

/// The parameters in a title, such as `Bcsr<R=2, C=3>`.
fn parameters(title: &str) -> HashMap<String, usize> {
    let inside = title
        .split_once('<')
        .map_or("", |(_, inside)| inside.trim_end_matches('>'));
    let pairs = inside.split(", ").filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.parse().expect("a number")))
        .collect()
}

/// The formulas for bytes in docs/guide/cookbook.md, by the name of the format.
fn formulas() -> BTreeMap<String, String> {
    let page = include_str!("../../docs/guide/cookbook.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|row| row.split_once("` | `"));
    rows.filter_map(|(name, rest)| Some((name.to_owned(), rest.split_once('`')?.0.to_owned())))
        .collect()
}

#[test]
fn the_cookbook_says_how_many_bytes() {
    let (mut random, mut formulas) = (Random::new(5), formulas());
    let shapes = [[13, 9], [9, 14], [24, 24], [1, 7], [40, 3]];
    let matrices = shapes.map(|[m, n]| {
        let at: BTreeSet<[usize; 2]> = (0..m * n / 4 + 1).map(|_| [random.below(m), random.below(n)]).collect();
        ([m, n], at.into_iter().collect::<Vec<_>>())
    });
    let mut seen = BTreeSet::new();
    macro_rules! check {
        ($($format:ty),*) => {$(
            let name = <$format>::describe().name().to_owned();
            let formula = formulas.get(&name).unwrap_or_else(|| panic!("{name} has no formula"));
            for (shape, elements) in &matrices {
                let triplets = Triplets::try_from_triplets(*shape, elements.iter().map(|&at| (at, 1.5))).unwrap();
                let built = <$format>::assemble(&triplets, Limit::none()).unwrap();
                let mut counts = counted(elements, *shape, &parameters(&<$format>::describe().title()));
                counts.insert("p".to_owned(), built.stored());
                assert_eq!(evaluate(formula, &counts), built.bytes(), "{name}: {formula} of {shape:?}");
            }
            seen.insert(name);
        )*};
    }
    check!(
        Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64, 2, 3>, Bcsc<f64, 4, 2>,
        Csb<f64, 4>, Bdia<f64, 3>, HiCoo<f64, 4>, Ell<f64>, Sell<f64, 2, 4>, Jds<f64>, Bell<f64, 2>, C2sr<f64, 3>,
        Cisr<f64, 2>, CisrPlus<f64, 3>, Serpens<f64, 4, 8, 3>, Dok<f64>, Lil<f64>
    );

    let cube: BTreeSet<[usize; 3]> = (0..60)
        .map(|_| [random.below(7), random.below(4), random.below(5)])
        .collect();
    let cube: Vec<[usize; 3]> = cube.into_iter().collect();
    let triplets = Triplets::try_from_triplets([7, 4, 5], cube.iter().map(|&at| (at, 1.5))).unwrap();
    let counts = [
        ("x", different(&cube, |[i, ..]| i)),
        ("y", different(&cube, |[i, j, _]| (i, j))),
        ("z", cube.len()),
        ("v", 8),
    ];
    let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
    let built = Csf::<f64>::assemble(&triplets, Limit::none()).unwrap();
    assert_eq!(evaluate(&formulas["Csf"], &counts), built.bytes());
    seen.insert("Csf".to_owned());

    let vector = SparseVec::try_from_triplets([9], [([2], 1.5), ([7], 2.5)]).unwrap();
    let counts = [("z", 2), ("v", 8)]
        .map(|(name, count)| (name.to_owned(), count))
        .into();
    assert_eq!(evaluate(&formulas["SparseVec"], &counts), vector.bytes());
    seen.insert("SparseVec".to_owned());
    formulas.retain(|name, _| !seen.contains(name));
    assert!(formulas.is_empty(), "no test has {formulas:?}");
}
