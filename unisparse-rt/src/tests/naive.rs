//! Arrays as the rules of the language say, level by level, from maps.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::formats::*;
use super::{Format, Tensor, assemble, chain_end, entries};
use crate::format::Kind;
use crate::source::Elements;
use crate::validate;

/// `sizes`, `ptr` and `idx` of each level, and the values.
#[derive(Debug, PartialEq)]
pub(super) struct Naive {
    sizes: Vec<usize>,
    arrays: Vec<[Vec<i64>; 2]>,
    values: Vec<f64>,
}

/// The level coordinates and values of the elements below a node.
type Node = Vec<(Vec<i64>, f64)>;

pub(super) fn naive<S: Format<M>, const M: usize>(shape: [usize; 2], elements: &[([usize; 2], f64)]) -> Naive {
    let elements: BTreeMap<[usize; 2], f64> = elements.iter().copied().collect();
    let coordinates: Vec<[usize; 2]> = elements.keys().copied().collect();
    let results = S::naive(shape, &coordinates);
    let encode = |(at, results): (&[usize; 2], &Vec<i64>)| S::encode(at.map(|at| at as i64), results).to_vec();
    let levels = coordinates.iter().zip(&results).map(encode);
    let root: Node = levels.zip(elements.values().copied()).collect();
    let domains = S::domains(shape.map(|extent| extent as i64), &[0; M]);
    let range = |level: usize| {
        let seen = root.iter().map(|(levels, _)| levels[level]);
        if S::LEVELS[level].measured {
            seen.clone()
                .min()
                .map_or(0..0, |least| least.min(0)..seen.max().unwrap() + 1)
        } else {
            domains[level].lo..domains[level].end()
        }
    };
    let below = |node: &Node, level: usize, at: i64| -> Node {
        node.iter().filter(|(levels, _)| levels[level] == at).cloned().collect()
    };
    let mut naive = Naive {
        sizes: vec![0; M],
        arrays: vec![Default::default(); M],
        values: Vec::new(),
    };
    let mut nodes = vec![root.clone()];
    let mut chained = 0;
    // The nodes above each level.
    let mut above = Vec::new();
    for level in 0..M {
        above.push(nodes.clone());
        let [ptr, idx] = &mut naive.arrays[level];
        let kind = S::LEVELS[level].kind;
        match kind {
            Kind::Fixed | Kind::Given => {}
            Kind::Aligned => {
                let over = S::LEVELS[level].invariant_over;
                let mut nodes = over.first().map_or(&nodes, |&first| &above[first]).clone();
                let first = over.first().copied().unwrap_or(level);
                let left = |at: &usize| !S::LEVELS[*at].kind.is_determined() && !over.contains(at);
                for at in (first..level).filter(left) {
                    let children = nodes.iter().flat_map(|node| range(at).map(|to| below(node, at, to)));
                    nodes = children.collect();
                }
                let coordinate = |node: &Node| node.first().map_or(range(level).start, |(levels, _)| levels[level]);
                *idx = nodes.iter().map(coordinate).collect();
            }
            Kind::Dense | Kind::Counted { .. } => {
                let mut children = Vec::new();
                *ptr = vec![0];
                for node in &nodes {
                    let range = match kind {
                        Kind::Dense => range(level),
                        _ => 0..node.iter().map(|(levels, _)| levels[level] + 1).max().unwrap_or(0),
                    };
                    children.extend(range.map(|at| below(node, level, at)));
                    ptr.push(children.len() as i64);
                }
                if kind == (Kind::Counted { pointed: false }) {
                    naive.sizes[level] = children.len();
                } else if kind == Kind::Dense && S::LEVELS[level].measured {
                    naive.sizes[level] = range(level).end as usize;
                }
                if kind != (Kind::Counted { pointed: true }) {
                    ptr.clear();
                }
                nodes = children;
            }
            Kind::Indexed { pointed, .. } if level >= chained => {
                let last = chain_end(&S::LEVELS, level);
                chained = last + 1;
                let free: Vec<usize> = (level..=last)
                    .filter(|&at| !S::LEVELS[at].kind.is_determined())
                    .collect();
                let mut children = Vec::new();
                *ptr = vec![0];
                for node in &nodes {
                    let key = |levels: &[i64]| free.iter().map(|&at| levels[at]).collect::<Vec<i64>>();
                    let mut keys: BTreeSet<Vec<i64>> = node.iter().map(|(levels, _)| key(levels)).collect();
                    // Only the first level of a chain is ever full here.
                    if let Kind::Indexed { full: true, .. } = kind {
                        for at in range(level) {
                            if below(node, level, at).is_empty() {
                                let lowest = free.iter().map(|&at| range(at).start);
                                keys.insert([at].into_iter().chain(lowest.skip(1)).collect());
                            }
                        }
                    }
                    for key in keys {
                        let mut child = node.clone();
                        for (&level, &at) in free.iter().zip(&key) {
                            child = below(&child, level, at);
                            naive.arrays[level][1].push(at);
                        }
                        children.push(child);
                    }
                    naive.arrays[level][0].push(children.len() as i64);
                }
                if !pointed {
                    naive.arrays[level][0].clear();
                }
                nodes = children;
            }
            Kind::Indexed { .. } => {}
        }
    }
    naive.values = nodes
        .iter()
        .map(|node| node.first().map_or(0.0, |&(_, value)| value))
        .collect();
    naive
}

pub(super) fn held<S: Format<M>, const M: usize>(tensor: &Tensor<S, M>) -> Naive {
    Naive {
        sizes: tensor.sizes.to_vec(),
        arrays: entries(tensor),
        values: tensor.values.clone(),
    }
}

/// Assembled, read back, and found to be right.
fn agrees<S: Format<M>, const M: usize>(shape: [usize; 2], elements: &[([usize; 2], f64)]) {
    let tensor: Tensor<S, M> = assemble(shape, elements);
    let what = format!("{} {elements:?}", S::NAME);
    assert_eq!(held(&tensor), naive::<S, M>(shape, elements), "{what}");
    let read: BTreeMap<[usize; 2], f64> = Elements::new(&tensor).collect();
    assert_eq!(read.len(), Elements::new(&tensor).count(), "{what}");
    let kept = elements.iter().copied().filter(|&(_, value)| !S::HOLES || value != 0.0);
    assert_eq!(read, kept.collect(), "{what}");
    assert!(
        validate::check(&tensor).is_ok(),
        "{what}: {:?}",
        validate::check(&tensor)
    );
}

pub(super) fn tensors(zeros: bool) -> impl Strategy<Value = ([usize; 2], Vec<([usize; 2], f64)>)> {
    let element = ((0..9usize, 0..9usize), if zeros { 0..4 } else { 1..4 });
    ((0..9usize, 0..9usize), proptest::collection::vec(element, 0..30)).prop_map(|((rows, cols), elements)| {
        let inside = elements.into_iter().filter(|((i, j), _)| *i < rows && *j < cols);
        let map: BTreeMap<[usize; 2], f64> = inside.map(|((i, j), value)| ([i, j], f64::from(value))).collect();
        // In no order.
        let mut elements: Vec<_> = map.into_iter().collect();
        let middle = elements.len() / 2;
        elements.rotate_left(middle);
        ([rows, cols], elements)
    })
}

macro_rules! agree {
    ($($test:ident: $format:ty;)*) => {$(
        proptest! {
            #[test]
            fn $test((shape, elements) in tensors(true)) {
                agrees::<$format, _>(shape, &elements);
            }
        }
    )*};
}

agree! {
    ell: Ell;
    sliced_ell: Sell;
    jagged_diagonals: Jds;
    serpens: Serpens;
    blocked_ell: Bell;
    ranked_coordinates: Ranked;
    ranks_with_holes: RankedFull;
    below_a_total: Total;
    signed_measures: Signed;
}
