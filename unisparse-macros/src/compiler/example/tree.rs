//! Builds the tree of the example and its arrays, node by node, as specified in docs/LANGUAGE.md.

use super::queries::{self, NONE, Point};
use super::tensor::Example;
use super::{Array, ArrayKind, HOLE, Line, layout};
use crate::compiler::encoding::{Format, Level, mentions_unknown};
use crate::compiler::storage::{Kind, Storage};

/// Maximum number of nodes of a drawn tree.
const MOST_NODES: usize = 2_000;

/// A prefix of level coordinates in the tree, with the elements below it.
#[derive(Clone)]
struct Node {
    /// The coordinates; `None` where no coordinate of the tensor determines a fixed level.
    path: Vec<Option<i128>>,
    elements: Vec<usize>,
}

/// The coordinate of each level; `None` where it depends on a number that only stored elements have.
type Image = Vec<Option<i128>>;

struct Builder<'a> {
    format: &'a Format,
    storage: &'a Storage,
    /// The image of each element.
    images: Vec<Image>,
    /// The images of all coordinates of the tensor.
    everywhere: Vec<Image>,
    domains: Vec<(i128, i128)>,
    arrays: Vec<Array>,
}

/// Returns the lines and the arrays of the example; `None` if there are too many, or a number is too large.
pub(super) fn build(format: &Format, storage: &Storage, example: &Example) -> Option<(Vec<Line>, Vec<Array>)> {
    let points = queries::evaluate(format, example)?;
    let everywhere: Vec<Image> = points
        .iter()
        .map(|point| image(format, point, &example.parameters))
        .collect::<Option<_>>()?;
    let mut images = vec![Image::new(); example.elements.len()];
    for (point, image) in points.iter().zip(&everywhere) {
        if let Some(element) = point.element {
            images[element].clone_from(image);
        }
    }
    let mut builder = Builder {
        format,
        storage,
        domains: domains(format, &images, example)?,
        images,
        everywhere,
        arrays: Vec::new(),
    };
    let root = Node {
        path: Vec::new(),
        elements: (0..example.elements.len()).collect(),
    };
    let nodes = builder.grow(vec![root], 0)?;
    Some((lines(format, &nodes), layout::pack(format, builder.arrays)))
}

fn image(format: &Format, point: &Point, parameters: &[i128]) -> Option<Image> {
    let known = |unknown: usize| point.unknowns[unknown] != NONE;
    let coordinate = |level: &Level| {
        if mentions_unknown(&level.expression, &|unknown| !known(unknown)) {
            return Some(None);
        }
        level.expression.evaluate(&point.unknowns, parameters).map(Some)
    };
    format.levels.iter().map(coordinate).collect()
}

/// Returns the least and the greatest coordinate of each level.
fn domains(format: &Format, images: &[Image], example: &Example) -> Option<Vec<(i128, i128)>> {
    let domain = |(at, level): (usize, &Level)| {
        if level.measured {
            let found = || images.iter().filter_map(|image| image[at]);
            return Some((found().min()?.min(0), found().max()?));
        }
        level.interval.at(&example.extents, &example.parameters)
    };
    format.levels.iter().enumerate().map(domain).collect()
}

fn value(node: &Node) -> String {
    node.elements
        .first()
        .map_or_else(|| HOLE.to_owned(), |element| (element + 1).to_string())
}

impl Builder<'_> {
    fn push(&mut self, name: String, kind: ArrayKind, level: usize, entries: Vec<String>) {
        self.arrays.push(Array {
            name,
            kind,
            level,
            pieces: vec![entries],
        });
    }

    fn name(&self, level: usize, array: &str) -> String {
        format!("{}_{array}", self.format.levels[level].name)
    }

    /// Returns the positions below these nodes in storage order, with the nodes without children, whose paths are
    /// shorter.
    fn grow(&mut self, mut nodes: Vec<Node>, first: usize) -> Option<Vec<Node>> {
        let mut level = first;
        while level < self.format.levels.len() {
            if level > first && self.format.partition == Some(level - 1) {
                return self.partition(&nodes, level);
            }
            let mut end = level + 1;
            nodes = match self.storage.levels[level].kind {
                Kind::Indexed { .. } => {
                    end = self.storage.chain_end(level) + 1;
                    self.chain(&nodes, level)?
                }
                kind @ (Kind::Fixed | Kind::Given | Kind::Aligned { .. }) => {
                    for node in nodes.iter_mut().filter(|node| node.path.len() == level) {
                        self.fix(node, level);
                    }
                    if self.storage.is_invariant(level) {
                        self.push_invariant(&nodes, level)?;
                    } else if matches!(kind, Kind::Aligned { .. }) {
                        self.push_indices(&nodes, level, level);
                    }
                    nodes
                }
                Kind::Dense => self.dense(&nodes, level)?,
                Kind::Counted { pointer } => self.counted(&nodes, level, pointer.is_some())?,
            };
            level = end;
        }
        let values = nodes
            .iter()
            .filter(|node| node.path.len() == level)
            .map(value)
            .collect();
        self.push("values".to_owned(), ArrayKind::Values, level, values);
        Some(nodes)
    }

    /// Returns the positions below these nodes, each of which has its own arrays.
    fn partition(&mut self, nodes: &[Node], level: usize) -> Option<Vec<Node>> {
        let whole = std::mem::take(&mut self.arrays);
        let (mut below, mut cut) = (Vec::new(), Vec::<Array>::new());
        for node in nodes {
            if node.path.len() < level {
                below.push(node.clone());
                continue;
            }
            below.extend(self.grow(vec![node.clone()], level)?);
            let arrays = std::mem::take(&mut self.arrays);
            if cut.is_empty() {
                cut = arrays;
            } else {
                for (cut, array) in cut.iter_mut().zip(arrays) {
                    cut.pieces.extend(array.pieces);
                }
            }
        }
        self.arrays = whole;
        self.arrays.extend(cut);
        Some(below)
    }

    /// Returns the child at a coordinate.
    fn child(&self, node: &Node, level: usize, at: i128) -> Node {
        let mut path = node.path.clone();
        path.push(Some(at));
        let elements = node.elements.iter().copied();
        Node {
            path,
            elements: elements
                .filter(|&element| self.images[element][level] == Some(at))
                .collect(),
        }
    }

    /// Adds the coordinate of a level that the levels above fix to a node. For a hole, it is the lowest coordinate if
    /// it is stored, else that of any coordinate of the tensor below the node.
    fn fix(&self, node: &mut Node, level: usize) {
        let below = |image: &&Image| node.path.iter().zip(image.iter()).all(|(at, image)| at == image);
        let at = match node.elements.first() {
            Some(&element) => self.images[element][level],
            None if self.storage.levels[level].kind == Kind::Fixed => {
                self.everywhere.iter().find(below).and_then(|image| image[level])
            }
            None if self.storage.is_invariant(level) => self.determined(&node.path, level),
            None => Some(self.domains[level].0),
        };
        node.path.push(at);
    }

    /// Returns the coordinate of an invariant level at the elements with these coordinates in the levels that determine it,
    /// or the lowest if there is none.
    fn determined(&self, path: &[Option<i128>], level: usize) -> Option<i128> {
        let over = &self.storage.levels[level].invariant_over;
        let first = over.first().copied().unwrap_or(level);
        let is_below = |image: &&Image| {
            let placed = self.storage.below_invariant(level);
            image[..first] == path[..first] && placed.into_iter().all(|above| image[above] == path[above])
        };
        let element = self.images.iter().find(is_below);
        element.map_or(Some(self.domains[level].0), |image| image[level])
    }

    /// Adds the coordinates of an invariant level: one for each position above the first level that it leaves out, and each
    /// of the coordinates below.
    fn push_invariant(&mut self, nodes: &[Node], level: usize) -> Option<()> {
        let first = *self.storage.levels[level].invariant_over.first()?;
        let descended = nodes.iter().filter(|node| node.path.len() >= first);
        let mut paths: Vec<Vec<Option<i128>>> = descended.map(|node| node.path[..first].to_vec()).collect();
        paths.dedup();
        for below in first..level {
            let (lo, hi) = match self.storage.below_invariant(level).any(|above| above == below) {
                true => self.domains[below],
                false => (0, 0),
            };
            let child = |path: Vec<Option<i128>>| {
                (lo..=hi).map(move |at| path.iter().copied().chain([Some(at)]).collect::<Vec<_>>())
            };
            if usize::try_from((hi - lo + 1).max(0)).ok()?.checked_mul(paths.len())? > MOST_NODES {
                return None;
            }
            paths = paths.into_iter().flat_map(child).collect();
        }
        let indices = paths.iter().map(|path| label(self.determined(path, level))).collect();
        self.push(self.name(level, "idx"), ArrayKind::Indices, level, indices);
        Some(())
    }

    fn push_size(&mut self, level: usize, size: i128) {
        let name = self.name(level, "size");
        self.push(name, ArrayKind::Size, level, vec![size.to_string()]);
    }

    /// Adds a `ptr` array: the starts of the segments below each position of the level above, and the end.
    fn push_pointers(&mut self, level: usize, pointers: &[usize]) {
        let parent = self.storage.levels[level].parent;
        let name = parent.map_or_else(|| "root_ptr".to_owned(), |parent| self.name(parent, "ptr"));
        let entries = pointers.iter().map(ToString::to_string).collect();
        self.push(name, ArrayKind::Pointers, level, entries);
    }

    /// Adds the coordinates of a level for all nodes down to `last`.
    fn push_indices(&mut self, nodes: &[Node], level: usize, last: usize) {
        let found = nodes.iter().filter(|node| node.path.len() == last + 1);
        let indices = found.map(|node| label(node.path[level])).collect();
        self.push(self.name(level, "idx"), ArrayKind::Indices, level, indices);
    }

    fn dense(&mut self, nodes: &[Node], level: usize) -> Option<Vec<Node>> {
        let (lo, hi) = self.domains[level];
        let size = hi.checked_sub(lo)?.checked_add(1)?.max(0);
        self.push_size(level, size);
        let mut below = Vec::new();
        for node in nodes {
            if node.path.len() < level || size == 0 {
                below.push(node.clone());
                continue;
            }
            if usize::try_from(size).ok()?.saturating_add(below.len()) > MOST_NODES {
                return None;
            }
            below.extend((lo..=hi).map(|at| self.child(node, level, at)));
        }
        Some(below)
    }

    /// Returns the nodes with every coordinate from zero to the greatest below each node.
    fn counted(&mut self, nodes: &[Node], level: usize, pointed: bool) -> Option<Vec<Node>> {
        let (mut below, mut entries, mut pointers) = (Vec::new(), 0, vec![0]);
        for node in nodes {
            let found = node.elements.iter().filter_map(|&element| self.images[element][level]);
            let count = found.max().map_or(0, |greatest| greatest + 1);
            if node.path.len() == level {
                entries += usize::try_from(count).ok().filter(|&count| count <= MOST_NODES)?;
                pointers.push(entries);
            }
            if node.path.len() < level || count == 0 {
                below.push(node.clone());
            } else {
                below.extend((0..count).map(|at| self.child(node, level, at)));
            }
            if below.len() > MOST_NODES {
                return None;
            }
        }
        if pointed {
            self.push_pointers(level, &pointers);
        } else {
            self.push_size(level, entries as i128);
        }
        Some(below)
    }

    /// Returns the nodes of the chain of levels that starts at `first`.
    fn chain(&mut self, nodes: &[Node], first: usize) -> Option<Vec<Node>> {
        let last = self.storage.chain_end(first);
        let (mut below, mut entries, mut pointers) = (Vec::new(), 0, vec![0]);
        for node in nodes {
            let before = below.len();
            if node.path.len() == first {
                self.entries(node, first, last, &mut below)?;
                entries += below.len() - before;
                pointers.push(entries);
            }
            if below.len() == before {
                below.push(node.clone());
            }
        }
        for level in first..=last {
            match self.storage.levels[level].kind {
                Kind::Indexed { pointer: Some(_), .. } => self.push_pointers(level, &pointers),
                _ if self.storage.is_invariant(level) => {
                    self.push_invariant(&below, level)?;
                    continue;
                }
                Kind::Indexed { .. } | Kind::Aligned { .. } => {}
                _ => continue,
            }
            self.push_indices(&below, level, last);
        }
        Some(below)
    }

    /// Adds the entries of the levels `level..=last` below a node.
    fn entries(&self, node: &Node, level: usize, last: usize, found: &mut Vec<Node>) -> Option<()> {
        if level > last {
            found.push(node.clone());
            return (found.len() <= MOST_NODES).then_some(());
        }
        if matches!(self.storage.levels[level].kind, Kind::Fixed | Kind::Aligned { .. }) {
            let mut node = node.clone();
            self.fix(&mut node, level);
            return self.entries(&node, level + 1, last, found);
        }
        let before = found.len();
        let (lo, hi) = self.domains[level];
        if self.format.levels[level].trimmed {
            let mut present: Vec<i128> = node
                .elements
                .iter()
                .filter_map(|&element| self.images[element][level])
                .collect();
            present.sort_unstable();
            present.dedup();
            for at in present {
                self.entries(&self.child(node, level, at), level + 1, last, found)?;
            }
        } else {
            for at in lo..=hi {
                self.entries(&self.child(node, level, at), level + 1, last, found)?;
            }
        }
        // A parent without children keeps one entry, whose child is a hole.
        let parent = self.storage.levels[level].parent;
        let is_entry = parent.is_some_and(|parent| self.storage.levels[parent].kind.is_copied());
        if found.len() == before && is_entry && lo <= hi {
            self.entries(&self.child(node, level, lo), level + 1, last, found)?;
        }
        Some(())
    }
}

fn label(at: Option<i128>) -> String {
    at.map_or_else(|| HOLE.to_owned(), |at| at.to_string())
}

/// Returns the lines: a merged node is on the first line below it, any other node is above each of its children.
fn lines(format: &Format, nodes: &[Node]) -> Vec<Line> {
    let levels = format.levels.len();
    let mut above: &[Option<i128>] = &[];
    let mut lines = Vec::new();
    for node in nodes {
        let mut labels: Vec<Option<String>> = node.path.iter().map(|&at| Some(label(at))).collect();
        // A node is repeated above each drawn child, unless it is merged.
        let mut drawn = false;
        if labels.len() == levels {
            labels.push(Some(value(node)));
            drawn = true;
        }
        for level in (0..node.path.len()).rev() {
            let same = above.len() > level && above[..=level] == node.path[..=level];
            drawn = !same || drawn && !format.levels[level].merged;
            if !drawn {
                labels[level] = None;
            }
        }
        lines.push(Line { nodes: labels });
        above = &node.path;
    }
    lines
}
