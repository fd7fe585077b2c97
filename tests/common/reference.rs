//! The storage of a tensor in a format, built naively from docs/LANGUAGE.md: the metadata tree is built
//! node by node, and the arrays follow from the rules.

use std::collections::BTreeMap;
use std::ops::{Add, Div, Mul, Rem, Sub};

use super::random::{Elements, coordinates};

/// A coordinate, or the interval of its values: index maps are evaluated on both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub lo: i64,
    pub hi: i64,
    interval: bool,
}

impl Value {
    pub fn at(coordinate: usize) -> Self {
        Value {
            lo: coordinate as i64,
            hi: coordinate as i64,
            interval: false,
        }
    }

    pub fn below(extent: usize) -> Self {
        Value {
            lo: 0,
            hi: extent as i64 - 1,
            interval: true,
        }
    }

    fn new(lo: i64, hi: i64, interval: bool) -> Self {
        Value { lo, hi, interval }
    }
}

impl Add for Value {
    type Output = Value;
    fn add(self, other: Value) -> Value {
        Value::new(self.lo + other.lo, self.hi + other.hi, self.interval)
    }
}

impl Add<i32> for Value {
    type Output = Value;
    fn add(self, other: i32) -> Value {
        Value::new(self.lo + i64::from(other), self.hi + i64::from(other), self.interval)
    }
}

impl Sub for Value {
    type Output = Value;
    fn sub(self, other: Value) -> Value {
        Value::new(self.lo - other.hi, self.hi - other.lo, self.interval)
    }
}

impl Sub<i32> for Value {
    type Output = Value;
    fn sub(self, other: i32) -> Value {
        self + -other
    }
}

/// Multiplies by a positive factor.
impl Mul<Value> for i32 {
    type Output = Value;
    fn mul(self, other: Value) -> Value {
        Value::new(other.lo * i64::from(self), other.hi * i64::from(self), other.interval)
    }
}

/// Multiplies by a const parameter.
impl Mul<Value> for usize {
    type Output = Value;
    fn mul(self, other: Value) -> Value {
        self as i32 * other
    }
}

/// Rounds down, below zero too.
impl Div<usize> for Value {
    type Output = Value;
    fn div(self, by: usize) -> Value {
        Value::new(
            self.lo.div_euclid(by as i64),
            self.hi.div_euclid(by as i64),
            self.interval,
        )
    }
}

/// A remainder takes all values of its range, whatever the extents.
impl Rem<usize> for Value {
    type Output = Value;
    #[allow(clippy::suspicious_arithmetic_impl)] // The bound of a remainder is one less than the divisor.
    fn rem(self, by: usize) -> Value {
        let by = by as i64;
        if self.interval {
            Value::new(0, by - 1, true)
        } else {
            Value::new(self.lo.rem_euclid(by), self.lo.rem_euclid(by), false)
        }
    }
}

/// An index map.
pub type Map<const N: usize> = fn([Value; N]) -> Vec<Value>;

/// A format: the properties on which its storage depends.
pub struct Reference<const N: usize> {
    map: Map<N>,
    trimmed: Vec<bool>,
    merged: Vec<bool>,
    fixed: Vec<bool>,
}

/// The arrays of one level.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Arrays {
    pub ptr: Option<Vec<i64>>,
    pub idx: Option<Vec<i64>>,
}

impl<const N: usize> Reference<N> {
    /// Parses the tokens of the declaration, `row: i, col: j` and `merge(row); trim(col);`. Whether a level
    /// is fixed does not depend on parameters, so it is found from `general`, the map with the default ones.
    pub fn new(map: Map<N>, general: Map<N>, levels: &str, mutations: &str) -> Self {
        let names: Vec<&str> = split(levels)
            .into_iter()
            .map(|level| level.split_once(':').map_or("", |(name, _)| name.trim()))
            .collect();
        let number = |level: &str| {
            names
                .iter()
                .position(|name| *name == level)
                .unwrap_or_else(|| level.parse().unwrap())
        };
        let (mut trimmed, mut merged) = (vec![false; names.len()], vec![false; names.len()]);
        let mutations: String = mutations.split_whitespace().collect();
        for mutation in mutations.split_terminator(';') {
            let (what, levels) = mutation
                .strip_suffix(')')
                .and_then(|text| text.split_once('('))
                .unwrap();
            match what {
                "merge" => levels.split(',').for_each(|level| merged[number(level)] = true),
                "trim" => {
                    let (first, last) = levels.split_once("..=").unwrap_or((levels, levels));
                    trimmed[number(first)..=number(last)].fill(true);
                }
                "index" | "pointer" => {}
                _ => panic!("mutation `{what}`"),
            }
        }
        // A level is fixed if equal prefixes never have different values of it, at enough points.
        let mut fixed = vec![true; names.len()];
        let extent = [32, 32, 16, 9, 7][N - 1];
        // 0 to 19, then at growing distances.
        let spread = |at: usize| if at < 20 { at } else { 16 * (at - 18) + at % 3 };
        let points: Vec<Vec<i64>> = coordinates([extent; N])
            .into_iter()
            .map(|at| encode(general, at.map(spread)))
            .collect();
        for (level, fixed) in fixed.iter_mut().enumerate() {
            let mut seen: BTreeMap<&[i64], i64> = BTreeMap::new();
            *fixed = points
                .iter()
                .all(|point| *seen.entry(&point[..level]).or_insert(point[level]) == point[level]);
        }
        Reference {
            map,
            trimmed,
            merged,
            fixed,
        }
    }

    /// Returns the level coordinates of an element.
    pub fn encode(&self, coordinate: [usize; N]) -> Vec<i64> {
        encode(self.map, coordinate)
    }

    /// Returns the arrays of each level, and the values.
    pub fn storage(&self, shape: [usize; N], elements: &Elements<f64, N>) -> (Vec<Arrays>, Vec<f64>) {
        let stored: Vec<usize> = (0..self.fixed.len()).filter(|&level| !self.fixed[level]).collect();
        let mut copied = vec![false; self.fixed.len()];
        let mut indexed = self.trimmed.clone();
        for pair in stored.windows(2).rev() {
            // A fixed level belongs to the level above that determines it.
            let merged = (pair[0]..pair[1]).any(|level| self.merged[level]);
            copied[pair[0]] = indexed[pair[1]] && !merged;
            indexed[pair[0]] |= copied[pair[0]];
        }
        let mut arrays = vec![Arrays::default(); self.fixed.len()];
        for (at, &level) in stored.iter().enumerate() {
            if indexed[level] {
                arrays[level].idx = Some(Vec::new());
                arrays[level].ptr = (at > 0 && !copied[stored[at - 1]]).then(|| vec![0]);
            }
        }
        let mut leaves: Vec<(Vec<i64>, f64)> = elements.iter().map(|(&at, &value)| (self.encode(at), value)).collect();
        leaves.sort_by(|left, right| left.0.cmp(&right.0));
        let domains = (self.map)(shape.map(Value::below));
        let mut walk = Walk {
            reference: self,
            stored: &stored,
            copied: &copied,
            indexed: &indexed,
            domains,
            arrays,
            values: Vec::new(),
        };
        walk.node(0, &leaves);
        (walk.arrays, walk.values)
    }
}

fn encode<const N: usize>(map: Map<N>, coordinate: [usize; N]) -> Vec<i64> {
    map(coordinate.map(Value::at))
        .into_iter()
        .map(|value| value.lo)
        .collect()
}

/// Splits at the commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

struct Walk<'a, const N: usize> {
    reference: &'a Reference<N>,
    stored: &'a [usize],
    copied: &'a [bool],
    indexed: &'a [bool],
    domains: Vec<Value>,
    arrays: Vec<Arrays>,
    values: Vec<f64>,
}

type Leaf = (Vec<i64>, f64);

impl<const N: usize> Walk<'_, N> {
    /// Writes the subtree below one position of the level above. Returns the number of its entries.
    fn node(&mut self, at: usize, leaves: &[Leaf]) -> usize {
        let Some(&level) = self.stored.get(at) else {
            assert!(leaves.len() <= 1, "two elements at one position: {leaves:?}");
            self.values.push(leaves.first().map_or(0.0, |leaf| leaf.1));
            return 1;
        };
        let mut entries = 0;
        for (coordinate, below) in self.children(level, leaves) {
            let mut count = 1;
            if self.copied[level] {
                count = self.node(at + 1, &below);
                if count == 0
                    && self
                        .chain(at + 1)
                        .all(|level| self.domains[level].lo <= self.domains[level].hi)
                {
                    // A parent without children keeps one entry, whose child is a hole.
                    self.hole(at + 1);
                    count = 1;
                }
            } else {
                self.node(at + 1, &below);
            }
            if self.indexed[level] {
                let idx = self.arrays[level].idx.as_mut().unwrap();
                idx.extend(std::iter::repeat_n(coordinate, count));
            }
            entries += count;
        }
        let end = self.arrays[level].idx.as_ref().map_or(0, Vec::len) as i64;
        if let Some(ptr) = &mut self.arrays[level].ptr {
            ptr.push(end);
        }
        entries
    }

    /// Returns the chain of levels with one entry per position that starts at this level.
    fn chain(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let copied = self.stored[at..]
            .iter()
            .take_while(|&&level| self.copied[level])
            .count();
        self.stored[at..=at + copied].iter().copied()
    }

    /// Writes one entry that is a hole, and the subtree below it.
    fn hole(&mut self, at: usize) {
        let level = self.stored[at];
        let lowest = self.domains[level].lo;
        self.arrays[level].idx.as_mut().unwrap().push(lowest);
        if self.copied[level] {
            self.hole(at + 1);
        } else {
            self.node(at + 1, &[]);
        }
    }

    fn children(&self, level: usize, leaves: &[Leaf]) -> Vec<(i64, Vec<Leaf>)> {
        let mut below: BTreeMap<i64, Vec<Leaf>> = BTreeMap::new();
        if !self.reference.trimmed[level] {
            let domain = self.domains[level];
            below.extend((domain.lo..=domain.hi).map(|coordinate| (coordinate, Vec::new())));
        }
        for leaf in leaves {
            below.entry(leaf.0[level]).or_default().push(leaf.clone());
        }
        below.into_iter().collect()
    }
}
