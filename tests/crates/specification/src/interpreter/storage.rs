//! The storage of a tensor: builds the metadata tree node by node, and the arrays by the rules.

use std::collections::BTreeMap;

use super::status::{Sampled, Status};
use super::{Element, Expr, Format, Name, Tensor};

/// The arrays of one level.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Arrays {
    pub ptr: Option<Vec<i64>>,
    pub idx: Option<Vec<i64>>,
}

/// All that a tensor stores.
#[derive(Debug)]
pub struct Stored {
    pub arrays: Vec<Arrays>,
    /// Sizes that the shape does not determine; zero for the other levels.
    pub sizes: Vec<i64>,
    pub values: Vec<f64>,
    /// The elements in storage order.
    pub elements: Vec<(Vec<usize>, f64)>,
    /// The storage of each part, if the tree is cut.
    pub parts: Vec<Part>,
}

/// The storage of the part below one node, without the levels above the cut.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    pub arrays: Vec<Arrays>,
    pub sizes: Vec<i64>,
    pub values: Vec<f64>,
    pub elements: Vec<(Vec<usize>, f64)>,
}

/// The kind of each level. Indexed levels that are not trimmed are full.
#[derive(Clone, Debug)]
pub struct Plan {
    pub statuses: Vec<Status>,
    /// The levels that are free.
    pub(super) stored: Vec<usize>,
    pub(super) indexed: Vec<bool>,
    pub(super) copied: Vec<bool>,
    pub(super) counted: Vec<bool>,
    /// The counted levels of ranks, which a `pack` turns into arrays.
    ranks: Vec<bool>,
    /// The levels above that the array of an aligned level leaves out.
    left_out: Vec<Vec<usize>>,
    /// Indexed, and not trimmed.
    full: Vec<bool>,
    pub holes: bool,
    /// The level at which the tree is cut, and the number of levels stored down to it.
    pub cut: Option<(usize, usize)>,
}

impl Plan {
    pub fn new(format: &Format) -> Plan {
        let levels = &format.levels;
        let sampled = Sampled::new(format);
        let statuses = sampled.statuses();
        let stored: Vec<usize> = (0..levels.len())
            .filter(|&level| matches!(statuses[level], Status::Free { .. }))
            .collect();
        let mut indexed: Vec<bool> = levels.iter().map(|level| level.trimmed).collect();
        let mut copied = vec![false; levels.len()];
        for pair in stored.windows(2).rev() {
            // A level that the levels above determine is merged with the level above it.
            let merged = levels[pair[0]..pair[1]].iter().any(|level| level.merged);
            copied[pair[0]] = indexed[pair[1]] && !merged;
            indexed[pair[0]] |= copied[pair[0]];
        }
        let mut counted = vec![false; levels.len()];
        for (at, &level) in stored.iter().enumerate() {
            let in_chain = copied[level] || at > 0 && copied[stored[at - 1]];
            let counts = levels[level].trimmed && statuses[level] == Status::Free { counts: true };
            counted[level] = (counts || levels[level].padded) && !in_chain;
            indexed[level] &= !counted[level];
        }
        let full: Vec<bool> = (0..levels.len())
            .map(|level| stored.contains(&level) && indexed[level] && !levels[level].trimmed)
            .collect();
        let last = stored.last().is_none_or(|&level| !levels[level].trimmed);
        let holes = last || full.contains(&true);
        let above = |level: usize| stored.iter().filter(|&&stored| stored <= level).count();
        let cut = format.partition.map(|level| (level, above(level)));
        let ranks = (0..levels.len()).map(|level| counted[level] && levels[level].trimmed && format.is_rank(level));
        let mut plan = Plan {
            ranks: ranks.collect(),
            statuses,
            stored,
            indexed,
            copied,
            counted,
            left_out: Vec::new(),
            full,
            holes,
            cut,
        };
        plan.left_out = (0..levels.len())
            .map(|level| format.left_out(&plan, &sampled, level))
            .collect();
        plan
    }
}

impl Plan {
    /// Returns the storage of each level as text.
    pub fn kinds(&self) -> Vec<String> {
        let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
        let kind = |level: usize| {
            let at = self.stored.iter().position(|&stored| stored == level);
            let pointed = at.is_some_and(|at| at > 0 && !self.copied[self.stored[at - 1]]);
            match self.statuses[level] {
                Status::Fixed => "fixed".to_owned(),
                Status::Aligned if !self.left_out[level].is_empty() => {
                    format!("aligned, whatever {:?}", self.left_out[level])
                }
                Status::Aligned => "aligned".to_owned(),
                Status::Free { .. } if self.counted[level] => format!("counted{}", mark(pointed, " ptr")),
                Status::Free { .. } if self.indexed[level] => {
                    let (copied, full) = (mark(self.copied[level], " copied"), mark(self.full[level], " full"));
                    format!("indexed{}{copied}{full}", mark(pointed, " ptr"))
                }
                Status::Free { .. } => "dense".to_owned(),
            }
        };
        (0..self.statuses.len()).map(kind).collect()
    }
}

impl Plan {
    /// Whether two arrays of the levels `first..=last` have the same length in all tensors: they have one entry for each
    /// position of one level. The values belong to the last level.
    pub fn packs(&self, first: usize, last: usize) -> bool {
        let mut holders: Vec<usize> = (first..=last).filter_map(|level| self.holder(level)).collect();
        if last + 1 == self.statuses.len() {
            holders.push(self.stored.len());
        }
        holders.sort_unstable();
        holders.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Returns the number of stored levels down to the one whose positions index the `idx` array of this level.
    fn holder(&self, level: usize) -> Option<usize> {
        let above = self.stored.iter().filter(|&&stored| stored < level).count();
        let end = |at: usize| {
            at + self.stored[at..]
                .iter()
                .take_while(|&&level| self.copied[level])
                .count()
                + 1
        };
        match self.statuses[level] {
            Status::Fixed => None,
            Status::Aligned => Some(above.checked_sub(1).map_or(0, end)),
            Status::Free { .. } => (self.indexed[level] || self.ranks[level]).then(|| end(above)),
        }
    }

    /// Whether the tree can be cut below this level: below each of its nodes are levels with nodes of their own.
    pub fn partitions(&self, level: usize) -> bool {
        let above = self.stored.iter().filter(|&&stored| stored <= level).count();
        let joined = above.checked_sub(1).is_some_and(|at| self.copied[self.stored[at]]);
        above < self.stored.len() && !joined
    }
}

struct Walk<'a> {
    tensor: &'a Tensor<'a>,
    plan: &'a Plan,
    domains: Vec<(i64, i64)>,
    stored: Stored,
}

impl Format {
    pub fn plan(&self) -> Plan {
        Plan::new(self)
    }

    /// Returns the storage of a tensor in this format; `None` if it has more than `most` positions.
    pub fn storage(
        &self,
        plan: &Plan,
        shape: &[usize],
        elements: &BTreeMap<Vec<usize>, f64>,
        most: i64,
    ) -> Option<Stored> {
        let tensor = Tensor::new(self, shape, elements);
        let mut leaves: Vec<(Vec<i64>, &Element)> = tensor
            .elements
            .iter()
            .map(|element| (tensor.encode(element), element))
            .collect();
        leaves.sort_by(|left, right| left.0.cmp(&right.0));
        let domains: Vec<_> = (0..self.levels.len())
            .map(|level| tensor.domain(level, &leaves))
            .collect();
        let positions = plan
            .stored
            .iter()
            .filter(|&&level| !self.levels[level].trimmed)
            .try_fold(leaves.len().max(1) as i64, |count, &level| {
                count
                    .checked_mul((domains[level].1 - domains[level].0 + 1).max(1))
                    .filter(|&count| count <= most)
            });
        positions?;
        let stored = Stored {
            arrays: vec![Arrays::default(); self.levels.len()],
            sizes: vec![0; self.levels.len()],
            values: Vec::new(),
            elements: leaves.iter().map(element_of).collect(),
            parts: Vec::new(),
        };
        let mut walk = Walk {
            tensor: &tensor,
            plan,
            domains,
            stored,
        };
        for (level, arrays) in walk.stored.arrays.iter_mut().enumerate() {
            let at = plan.stored.iter().position(|&stored| stored == level);
            let parent = at.and_then(|at| at.checked_sub(1)).map(|above| plan.stored[above]);
            let pointed =
                parent.is_some_and(|parent| !plan.copied[parent]) && (plan.indexed[level] || plan.counted[level]);
            arrays.idx =
                (plan.statuses[level] == Status::Aligned || at.is_some() && plan.indexed[level]).then(Vec::new);
            arrays.ptr = (at.is_some() && pointed).then(|| vec![0]);
        }
        for &level in &plan.stored {
            if !self.levels[level].trimmed && !plan.counted[level] && tensor.is_measured(level) {
                walk.stored.sizes[level] = walk.domains[level].1 - walk.domains[level].0 + 1;
            }
        }
        walk.node(0, &leaves);
        Some(walk.stored)
    }
}

impl Tensor<'_> {
    fn encode(&self, element: &Element) -> Vec<i64> {
        self.format
            .levels
            .iter()
            .map(|level| self.at(&level.expr, element))
            .collect()
    }

    pub(super) fn is_measured(&self, level: usize) -> bool {
        let (lo, hi) = self.format.levels[level].expr.interval(&|name| self.interval(name));
        lo.is_none() || hi.is_none()
    }

    fn domain(&self, level: usize, leaves: &[(Vec<i64>, &Element)]) -> (i64, i64) {
        let coordinates = leaves.iter().map(|leaf| leaf.0[level]);
        let expr: &Expr = &self.format.levels[level].expr;
        match expr.interval(&|name: Name| self.interval(name)) {
            (Some(lo), Some(hi)) => (lo, hi),
            _ => (
                coordinates.clone().min().unwrap_or(0).min(0),
                coordinates.max().unwrap_or(-1),
            ),
        }
    }
}

type Leaf<'a> = (Vec<i64>, &'a Element);

fn element_of(leaf: &Leaf<'_>) -> (Vec<usize>, f64) {
    (leaf.1.at.iter().map(|&at| at as usize).collect(), leaf.1.value)
}

impl Walk<'_> {
    /// Writes the subtree below one position of the level above. Returns the number of its entries.
    fn node(&mut self, at: usize, leaves: &[Leaf<'_>]) -> usize {
        match self.plan.cut {
            Some((level, above)) if above == at => self.part(level, leaves),
            _ => self.below(at, leaves),
        }
    }

    /// Writes a node at the cut: the subtree below it is a part.
    fn part(&mut self, cut: usize, leaves: &[Leaf<'_>]) -> usize {
        let (plan, before) = (self.plan, self.stored.arrays.clone());
        let values = self.stored.values.len();
        let (level, above) = (cut + 1, plan.cut.map_or(0, |cut| cut.1));
        let entries = self.below(above, leaves);
        let mut part = Part {
            arrays: vec![Arrays::default(); plan.statuses.len()],
            sizes: self.stored.sizes.clone(),
            values: self.stored.values[values..].to_vec(),
            elements: leaves.iter().map(element_of).collect(),
        };
        part.sizes[..level].fill(0);
        for level in level..plan.statuses.len() {
            let (before, after) = (&before[level], &self.stored.arrays[level]);
            let more = |before: &Option<Vec<i64>>, after: &Option<Vec<i64>>| {
                let (before, after) = (before.as_ref()?, after.as_ref()?);
                Some(after[before.len()..].to_vec())
            };
            let base = before.ptr.as_ref().and_then(|ptr| ptr.last().copied()).unwrap_or(0);
            let ptr = more(&before.ptr, &after.ptr);
            let ptr = ptr.map(|ptr| {
                std::iter::once(0)
                    .chain(ptr.iter().map(|ptr| ptr - base))
                    .collect::<Vec<_>>()
            });
            let first = plan.stored.get(above) == Some(&level);
            // The node is the root of the part.
            if first && plan.counted[level] {
                part.sizes[level] = entries as i64;
            }
            part.arrays[level] = Arrays {
                ptr: ptr.filter(|_| !first),
                idx: more(&before.idx, &after.idx),
            };
        }
        self.stored.parts.push(part);
        entries
    }

    fn below(&mut self, at: usize, leaves: &[Leaf<'_>]) -> usize {
        let plan = self.plan;
        if at == 0 || !plan.copied[plan.stored[at - 1]] {
            self.aligned(at, leaves, 1);
            self.once(at, leaves);
        }
        let Some(&level) = plan.stored.get(at) else {
            assert!(leaves.len() <= 1, "two elements at one position: {leaves:?}");
            self.stored.values.push(leaves.first().map_or(0.0, |leaf| leaf.1.value));
            return 1;
        };
        let mut entries = 0;
        for (coordinate, below) in self.children(level, leaves) {
            let mut count = 1;
            if plan.copied[level] {
                count = self.node(at + 1, &below);
                if count == 0
                    && self
                        .chain(at + 1)
                        .all(|level| self.domains[level].0 <= self.domains[level].1)
                {
                    // A parent without children keeps one entry, whose child is a hole.
                    self.hole(at + 1);
                    count = 1;
                }
                self.aligned(at + 1, &below, count);
            } else {
                self.node(at + 1, &below);
            }
            if plan.indexed[level] {
                self.stored.arrays[level]
                    .idx
                    .as_mut()
                    .unwrap()
                    .extend(std::iter::repeat_n(coordinate, count));
            }
            entries += count;
        }
        let arrays = &mut self.stored.arrays[level];
        if plan.counted[level] {
            match &mut arrays.ptr {
                Some(ptr) => ptr.push(ptr[ptr.len() - 1] + entries as i64),
                None => self.stored.sizes[level] = entries as i64,
            }
        } else if let Some(ptr) = &mut arrays.ptr {
            ptr.push(arrays.idx.as_ref().unwrap().len() as i64);
        }
        entries
    }

    /// Writes the aligned levels below the level above: one entry for each of its positions.
    fn aligned(&mut self, at: usize, leaves: &[Leaf<'_>], count: usize) {
        let first = at.checked_sub(1).map_or(0, |above| self.plan.stored[above] + 1);
        let end = self.plan.stored.get(at).copied().unwrap_or(self.plan.statuses.len());
        let repeated =
            |level: &usize| self.plan.statuses[*level] == Status::Aligned && self.plan.left_out[*level].is_empty();
        for level in (first..end).filter(repeated) {
            let coordinate = leaves.first().map_or(self.domains[level].0, |leaf| leaf.0[level]);
            assert!(
                leaves.iter().all(|leaf| leaf.0[level] == coordinate),
                "level {level} is not aligned"
            );
            self.stored.arrays[level]
                .idx
                .as_mut()
                .unwrap()
                .extend(std::iter::repeat_n(coordinate, count));
        }
    }

    /// Writes the aligned levels that leave out the level below the level above, at the root below no level, and no level
    /// before it: one entry for each of the coordinates of the levels that are left.
    fn once(&mut self, at: usize, leaves: &[Leaf<'_>]) {
        let plan = self.plan;
        let Some(first) = plan.stored.get(at) else { return };
        for level in (0..plan.statuses.len()).filter(|&level| plan.left_out[level].first() == Some(first)) {
            let left = plan.stored[at..].iter().copied();
            let left: Vec<usize> = left
                .filter(|above| *above < level && !plan.left_out[level].contains(above))
                .collect();
            let mut tuples: Vec<Vec<i64>> = vec![Vec::new()];
            for &above in &left {
                let (mut lo, mut hi) = self.domains[above];
                if plan.counted[above] {
                    (lo, hi) = (0, leaves.iter().map(|leaf| leaf.0[above]).max().unwrap_or(-1));
                }
                let longer = |tuple: Vec<i64>| (lo..=hi).map(move |next| [&tuple[..], &[next]].concat());
                tuples = tuples.into_iter().flat_map(longer).collect();
            }
            for tuple in tuples {
                let is_here = |leaf: &&Leaf<'_>| left.iter().zip(&tuple).all(|(&above, at)| leaf.0[above] == *at);
                let mut here = leaves.iter().filter(is_here);
                let coordinate = here.clone().next().map_or(self.domains[level].0, |leaf| leaf.0[level]);
                assert!(
                    here.all(|leaf| leaf.0[level] == coordinate),
                    "level {level} depends on {:?}",
                    plan.left_out[level]
                );
                self.stored.arrays[level].idx.as_mut().unwrap().push(coordinate);
            }
        }
    }

    /// The chain of levels with one entry per position that starts at this level.
    fn chain(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let stored = &self.plan.stored[at..];
        let copied = stored.iter().take_while(|&&level| self.plan.copied[level]).count();
        stored[..=copied].iter().copied()
    }

    /// Writes one entry that is a hole, and the subtree below it.
    fn hole(&mut self, at: usize) {
        let level = self.plan.stored[at];
        let lowest = self.domains[level].0;
        self.stored.arrays[level].idx.as_mut().unwrap().push(lowest);
        if self.plan.copied[level] {
            self.hole(at + 1);
            self.aligned(at + 1, &[], 1);
        } else {
            self.node(at + 1, &[]);
        }
    }

    fn children<'l>(&self, level: usize, leaves: &[Leaf<'l>]) -> Vec<(i64, Vec<Leaf<'l>>)> {
        let mut below: BTreeMap<i64, Vec<Leaf<'l>>> = BTreeMap::new();
        let greatest = leaves.iter().map(|leaf| leaf.0[level]).max().unwrap_or(-1);
        if self.plan.counted[level] {
            below.extend((0..=greatest).map(|coordinate| (coordinate, Vec::new())));
        } else if !self.tensor.format.levels[level].trimmed {
            let (lo, hi) = self.domains[level];
            below.extend((lo..=hi).map(|coordinate| (coordinate, Vec::new())));
        }
        for leaf in leaves {
            below.entry(leaf.0[level]).or_default().push(leaf.clone());
        }
        let children: Vec<_> = below.into_iter().collect();
        let counts = self.plan.counted[level] && !self.tensor.format.levels[level].padded;
        assert!(
            !counts || children.iter().all(|child| !child.1.is_empty()),
            "level {level} does not count"
        );
        children
    }
}
