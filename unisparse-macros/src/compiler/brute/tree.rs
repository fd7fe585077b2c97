//! Builds the metadata tree of a tensor, node by node (docs/LANGUAGE.md, The tree).

use std::collections::HashMap;

use crate::compiler::algebra::tests::{coordinates_of, encode, range};
use crate::compiler::compiled::Compiled;
use crate::compiler::storage::Kind;

/// The coordinates of the levels; `None` for a fixed level.
type Path = Vec<Option<i128>>;

/// One entry of a chain of levels.
pub(crate) struct Entry {
    pub(crate) position: i128,
    pub(crate) path: Path,
}

/// The storage of one tensor.
pub(crate) struct Tree {
    /// The entries of the chain that starts at a level, below a position of its parent level.
    pub(crate) entries: HashMap<(usize, i128), Vec<Entry>>,
    /// The coordinate and the position of every node that has a logical coordinate in the box.
    pub(crate) visits: Vec<(Vec<i128>, i128)>,
    /// The position of each stored element, in the order given.
    pub(crate) stored: Vec<i128>,
    /// The number of positions.
    pub(crate) positions: i128,
}

/// A prefix of level coordinates in the tree, with the elements below it.
#[derive(Clone)]
struct Node {
    path: Path,
    elements: Vec<usize>,
    position: i128,
}

struct Builder<'a> {
    compiled: &'a Compiled,
    /// The level coordinates of each element.
    images: Vec<Vec<i128>>,
    domains: Vec<(i128, i128)>,
}

/// Maximum number of nodes of a tree.
const MOST_NODES: usize = 5_000;

/// Builds the tree of a tensor with these elements; `None` if it is too large.
pub(crate) fn build(compiled: &Compiled, shape: &[i128], parameters: &[i128], elements: &[Vec<i128>]) -> Option<Tree> {
    let expressions = compiled.expressions();
    let builder = Builder {
        compiled,
        images: elements
            .iter()
            .map(|element| encode(&expressions, element, parameters))
            .collect(),
        domains: compiled
            .format
            .levels
            .iter()
            .map(|level| range(&level.interval, shape, parameters))
            .collect(),
    };
    let storage = &compiled.storage;
    let mut nodes = vec![Node {
        path: Vec::new(),
        elements: (0..elements.len()).collect(),
        position: 0,
    }];
    let mut entries = HashMap::new();
    for level in 0..storage.levels.len() {
        match storage.levels[level].kind {
            // Entries of a chain have their whole path already.
            _ if nodes.first().is_some_and(|node| node.path.len() > level) => {}
            Kind::Indexed { .. } => {
                let last = storage.chain_end(level);
                let mut below = Vec::new();
                for node in &nodes {
                    let first = below.len();
                    builder.chain(node, level, last, &mut below);
                    let mut list = Vec::new();
                    for (position, node) in below.iter_mut().enumerate().skip(first) {
                        node.position = position as i128;
                        list.push(Entry {
                            position: node.position,
                            path: node.path.clone(),
                        });
                    }
                    entries.insert((level, node.position), list);
                    if below.len() > MOST_NODES {
                        return None;
                    }
                }
                nodes = below;
            }
            Kind::Given | Kind::Counted { .. } | Kind::Aligned { .. } => {
                unreachable!("formats of these tests have no queries, and are whole")
            }
            Kind::Fixed => nodes.iter_mut().for_each(|node| node.path.push(None)),
            Kind::Dense => {
                let (lo, hi) = builder.domains[level];
                if (hi - lo + 1).max(0) * nodes.len() as i128 > MOST_NODES as i128 {
                    return None;
                }
                let children = |node: &Node| {
                    let position = node.position * (hi - lo + 1);
                    (lo..=hi)
                        .map(|at| Node {
                            position: position + at - lo,
                            ..builder.child(node, level, at)
                        })
                        .collect::<Vec<_>>()
                };
                nodes = nodes.iter().flat_map(children).collect();
            }
        }
    }
    let mut stored = vec![-1; elements.len()];
    let mut places = HashMap::new();
    for node in &nodes {
        assert!(node.elements.len() <= 1, "two elements at one position");
        for &element in &node.elements {
            assert_eq!(stored[element], -1, "an element at two positions");
            stored[element] = node.position;
        }
        places.insert(node.path.clone(), node.position);
    }
    let path = |image: Vec<i128>| -> Path {
        image
            .into_iter()
            .zip(&storage.levels)
            .map(|(at, level)| (level.kind != Kind::Fixed).then_some(at))
            .collect()
    };
    let visits = coordinates_of(shape).into_iter().filter_map(|coordinate| {
        let position = *places.get(&path(encode(&expressions, &coordinate, parameters)))?;
        Some((coordinate, position))
    });
    Some(Tree {
        entries,
        visits: visits.collect(),
        stored,
        positions: nodes.len() as i128,
    })
}

impl Builder<'_> {
    /// Returns the child at a coordinate.
    fn child(&self, node: &Node, level: usize, at: i128) -> Node {
        let mut path = node.path.clone();
        path.push(Some(at));
        let elements = node
            .elements
            .iter()
            .copied()
            .filter(|&element| self.images[element][level] == at)
            .collect();
        Node {
            path,
            elements,
            position: node.position,
        }
    }

    /// Adds the entries of the levels `level..=last` below a node.
    fn chain(&self, node: &Node, level: usize, last: usize, found: &mut Vec<Node>) {
        if level > last {
            found.push(node.clone());
            return;
        }
        if self.compiled.storage.levels[level].kind == Kind::Fixed {
            let mut node = node.clone();
            node.path.push(None);
            self.chain(&node, level + 1, last, found);
            return;
        }
        let before = found.len();
        let (lo, hi) = self.domains[level];
        let mut present: Vec<i128> = node
            .elements
            .iter()
            .map(|&element| self.images[element][level])
            .collect();
        present.sort_unstable();
        present.dedup();
        if !self.compiled.format.levels[level].trimmed {
            present = (lo..=hi).collect();
        }
        for at in present {
            self.chain(&self.child(node, level, at), level + 1, last, found);
        }
        // A parent without children keeps one entry, whose child is a hole.
        let copied = |level: usize| self.compiled.storage.levels[level].kind.is_copied();
        let parent = (0..level)
            .rev()
            .find(|&above| self.compiled.storage.levels[above].kind != Kind::Fixed);
        let is_entry = parent.is_some_and(copied);
        if found.len() == before && is_entry && lo <= hi {
            self.chain(&self.child(node, level, lo), level + 1, last, found);
        }
    }
}
