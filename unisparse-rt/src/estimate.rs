//! How large a conversion's result would be: levels are counted, not built.

use core::marker::PhantomData;
use core::ops::Add;

use crate::assemble::{Coded, Queried};
use crate::level::{Domain, Kind, Level, Tree};
use crate::query::Queries;
use crate::report::step;
use crate::{Duplicates, Encoded, Error, ErrorKind, Source, parallel, radix};

/// The size of a tensor that was not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    stored: u128,
    bytes: u128,
    peak: u128,
}

impl Estimate {
    /// How many positions it would hold, holes counted. Exact.
    #[must_use]
    pub fn stored(&self) -> u128 {
        self.stored
    }

    /// The bytes of all its arrays. Exact.
    #[must_use]
    pub fn bytes(&self) -> u128 {
        self.bytes
    }

    /// The bytes that the conversion would have allocated at once, at most: the result, and keys and values in the making. The tables of
    /// queries are not counted.
    #[must_use]
    pub fn peak(&self) -> u128 {
        self.peak
    }
}

impl Add for Estimate {
    type Output = Self;

    /// Of two parts that are converted one after the other.
    fn add(self, other: Self) -> Self {
        Estimate {
            stored: self.stored.saturating_add(other.stored),
            bytes: self.bytes.saturating_add(other.bytes),
            peak: self.peak.max(self.bytes.saturating_add(other.peak)),
        }
    }
}

/// How many nodes and entries the levels of a tensor have. Generated code makes the estimate of it.
pub struct Tally<F, const N: usize, const M: usize> {
    /// How many positions each level has.
    positions: [u128; M],
    /// How many entries its `ptr` has.
    pointers: [u128; M],
    elements: u128,
    /// The bytes of one element in the making.
    held: u128,
    /// Beside the arrays.
    padding: u128,
    format: PhantomData<F>,
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Tally<F, N, M> {
    /// Counts the nodes of the elements of `source`: `O(n)` in storage order, else a radix sort of a word for each.
    ///
    /// # Errors
    /// As the conversion's, but for `Limit`, and `Overflow` of what an array cannot hold.
    pub fn new<S: Source<N, Scalar = F::Scalar>>(source: &S) -> Result<Self, Error> {
        let domains = F::domains(source.shape(), &[0; M])?;
        let visit = |visit: &mut dyn FnMut([i64; M])| source.for_each(|at, _| visit(F::encode(at, &[])));
        let nodes = step("count nodes", || {
            Nodes::<M>::count(&F::LEVELS, &domains, source.count(), visit)
        });
        if nodes.duplicates && source.duplicates().of::<F::Scalar>() == Duplicates::Reject {
            return Err(Error::new(
                ErrorKind::Duplicate,
                format!("format `{}`", F::NAME),
                None,
                "a coordinate twice",
                "each coordinate once (choose another `Duplicates` policy)",
            ));
        }
        Ok(Tally::of(&nodes, &domains, 2 * (8 + size_of::<F::Scalar>())))
    }

    /// [`new`](Tally::new) for a format with `Q` queries, which `evaluate` evaluates in their order.
    ///
    /// # Errors
    /// As [`new`](Tally::new), and those of `evaluate`.
    pub fn with_queries<S: Source<N, Scalar = F::Scalar>, const Q: usize>(
        source: &S,
        evaluate: impl FnOnce(&mut Queries<F::Scalar, N, Q>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut elements = Queried::<F, N, M, Q>::new(source)?;
        evaluate(&mut elements.queries)?;
        let domains = elements.measure(F::domains(source.shape(), &[0; M])?)?;
        let visit = |visit: &mut dyn FnMut([i64; M])| elements.for_each(|levels, _| visit(levels));
        let nodes = Nodes::<M>::count(&F::LEVELS, &domains, elements.count(), visit);
        // Coordinates and results, and a value, are held all the while.
        let value = size_of::<F::Scalar>();
        Ok(Tally::of(&nodes, &domains, 2 * (8 + value) + 8 * (N + Q) + value))
    }

    fn of(nodes: &Nodes<M>, domains: &[Domain; M], held: usize) -> Self {
        let mut tally = Tally {
            positions: [0; M],
            pointers: [0; M],
            elements: nodes.elements,
            held: held as u128,
            padding: 0,
            format: PhantomData,
        };
        let (mut above, mut level) = (1u128, 0);
        while level < M {
            let mut last = level;
            above = match F::LEVELS[level].kind {
                Kind::Fixed | Kind::Given | Kind::Aligned => above,
                Kind::Dense | Kind::Counted { pointed: false } => above.saturating_mul(domains[level].size as u128),
                Kind::Counted { pointed: true } => {
                    tally.pointers[level] = above + 1;
                    nodes.counted[level]
                }
                Kind::Indexed { pointed, .. } => {
                    if pointed {
                        tally.pointers[level] = above + 1;
                    }
                    last = chain_end(&F::LEVELS, level);
                    entries(&F::LEVELS, level, last, above, nodes, domains)
                }
            };
            tally.positions[level..=last].fill(above);
            level = last + 1;
        }
        tally
    }

    /// Accounts for the `padding` of the tuples that the array of a level is packed into.
    #[must_use]
    pub fn padding(mut self, level: usize, padding: usize) -> Self {
        self.padding = self
            .padding
            .saturating_add(self.positions[level].saturating_mul(padding as u128));
        self
    }

    /// Cut into parts, one for each position of the last of `depth` levels; `levels` are those of a part.
    #[must_use]
    pub fn cut(mut self, depth: usize, levels: &[Level; M]) -> Self {
        let parts = depth.checked_sub(1).map_or(1, |cut| self.positions[cut]);
        for (pointers, level) in self.pointers.iter_mut().zip(levels).skip(depth) {
            match level.kind {
                // One more pointer in each part but the first.
                Kind::Counted { pointed: true } | Kind::Indexed { pointed: true, .. } => {
                    *pointers = pointers.saturating_add(parts).saturating_sub(1);
                }
                _ => *pointers = 0,
            }
        }
        self
    }

    /// The size of it all.
    #[must_use]
    pub fn estimate(&self) -> Estimate
    where
        F: Encoded,
    {
        let stored = self.positions.last().copied().unwrap_or(1);
        let mut bytes = stored
            .saturating_mul(size_of::<F::Scalar>() as u128)
            .saturating_add(self.padding);
        for (level, storage) in F::STORAGE.iter().take(1).flat_map(|storage| storage.levels).enumerate() {
            let arrays = [
                (storage.ptr, self.pointers[level]),
                (storage.idx, self.positions[level]),
            ];
            for (array, entries) in arrays {
                let width = array.map_or(0, |array| array.width as u128);
                bytes = bytes.saturating_add(entries.saturating_mul(width));
            }
        }
        let peak = bytes.saturating_add(self.elements.saturating_mul(self.held));
        Estimate { stored, bytes, peak }
    }
}

/// The last level of the chain of entries that starts at `first`.
fn chain_end<const M: usize>(levels: &[Level; M], first: usize) -> usize {
    let ends = |level: &usize| matches!(levels[*level].kind, Kind::Indexed { copied: false, .. });
    (first..M).find(ends).unwrap_or(M - 1)
}

/// How many entries a chain has below so many positions.
fn entries<const M: usize>(
    levels: &[Level; M],
    first: usize,
    last: usize,
    above: u128,
    nodes: &Nodes<M>,
    domains: &[Domain; M],
) -> u128 {
    // From the last level up: the entries below a node without elements, then all of them.
    let (mut hole, mut all) = (1u128, nodes.distinct[last]);
    for level in (first..=last).rev() {
        let size = domains[level].size as u128;
        let parents = level
            .checked_sub(1)
            .map_or(nodes.elements.min(1), |above| nodes.distinct[above]);
        match levels[level].kind {
            Kind::Indexed { full: true, .. } => {
                let absent = parents.saturating_mul(size).saturating_sub(nodes.distinct[level]);
                all = all.saturating_add(absent.saturating_mul(hole));
                hole = hole.saturating_mul(size);
            }
            kind if kind.is_determined() => {}
            // What is trimmed has one entry where the level above it wants one, and there is a coordinate.
            _ => {
                let possible = |level: usize| levels[level].kind == Kind::Aligned || domains[level].size > 0;
                hole = u128::from(level > first && (level..=last).all(possible));
            }
        }
    }
    let parents = first
        .checked_sub(1)
        .map_or(nodes.elements.min(1), |above| nodes.distinct[above]);
    all.saturating_add(above.saturating_sub(parents).saturating_mul(hole))
}

/// The nodes of the tree that elements are below.
struct Nodes<const M: usize> {
    elements: u128,
    duplicates: bool,
    /// How many coordinates of the levels down to each there are.
    distinct: [u128; M],
    /// The sum, over the nodes above, of one more than the greatest coordinate below.
    counted: [u128; M],
}

impl<const M: usize> Nodes<M> {
    fn count(
        levels: &[Level; M],
        domains: &[Domain; M],
        count: usize,
        visit: impl Fn(&mut dyn FnMut([i64; M])),
    ) -> Self {
        let mut nodes = Nodes {
            elements: 0,
            duplicates: false,
            distinct: [0; M],
            counted: [0; M],
        };
        let free: [bool; M] = core::array::from_fn(|level| !levels[level].kind.is_determined());
        let bits = |level: usize| match free[level] {
            true => usize::BITS - domains[level].size.saturating_sub(1).leading_zeros(),
            false => 0,
        };
        let widths: [u32; M] = core::array::from_fn(bits);
        let offsets = |at: [i64; M]| -> [u64; M] {
            core::array::from_fn(|level| match free[level] {
                true => at[level].wrapping_sub(domains[level].lo) as u64,
                false => 0,
            })
        };
        if widths.iter().sum::<u32>() <= u64::BITS {
            let mut keys = Vec::with_capacity(count);
            visit(&mut |at| keys.push(pack(&widths, &offsets(at))));
            if !keys.is_sorted() {
                let mut nothing = vec![(); keys.len()];
                radix::sort(&mut keys, &mut nothing, 0..widths.iter().sum());
            }
            keys.iter()
                .fold(None, |last, &key| nodes.next(last, unpack(&widths, key)));
            nodes.finish(keys.last().map(|&key| unpack(&widths, key)));
        } else {
            let mut keys = Vec::with_capacity(count);
            visit(&mut |at| keys.push(offsets(at)));
            if !parallel::all(keys.len().saturating_sub(1), |at| keys[at] <= keys[at + 1]) {
                for level in (0..M).rev() {
                    let mut of_level = keys.iter().map(|key| key[level]).collect();
                    radix::sort(&mut of_level, &mut keys, 0..widths[level]);
                }
            }
            keys.iter().fold(None, |last, &key| nodes.next(last, key));
            nodes.finish(keys.last().copied());
        }
        nodes
    }

    /// One more element, after the last in order.
    fn next(&mut self, last: Option<[u64; M]>, key: [u64; M]) -> Option<[u64; M]> {
        let differs = match last {
            None => 0,
            Some(last) => (0..M).find(|&level| last[level] != key[level]).unwrap_or(M),
        };
        if differs == M && last.is_some() {
            self.duplicates = true;
            return last;
        }
        self.elements += 1;
        for level in differs..M {
            self.distinct[level] += 1;
        }
        if let Some(last) = last {
            // The nodes that end here: the greatest coordinate below each is the last.
            for (counted, &greatest) in self.counted.iter_mut().zip(&last).skip(differs + 1) {
                *counted += u128::from(greatest) + 1;
            }
        }
        Some(key)
    }

    fn finish(&mut self, last: Option<[u64; M]>) {
        for (counted, greatest) in self.counted.iter_mut().zip(last.into_iter().flatten()) {
            *counted += u128::from(greatest) + 1;
        }
    }
}

/// Offsets in one word, the first level highest.
fn pack<const M: usize>(widths: &[u32; M], offsets: &[u64; M]) -> u64 {
    let fields = widths.iter().zip(offsets);
    fields.fold(0, |key: u64, (&width, &offset)| {
        key.checked_shl(width).unwrap_or(0) | offset
    })
}

fn unpack<const M: usize>(widths: &[u32; M], mut key: u64) -> [u64; M] {
    let mut offsets = [0; M];
    for (offset, &width) in offsets.iter_mut().zip(widths).rev() {
        *offset = key & 1u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1);
        key = key.checked_shr(width).unwrap_or(0);
    }
    offsets
}
