//! Computes the size of a conversion's result by counting the nodes of its levels, without building it.

mod nodes;
mod passes;

use core::marker::PhantomData;

use crate::array::{Domain, narrow_index, narrow_pointer};
use crate::convert::assemble::{Coded, Queried};
use crate::convert::query::Queries;
use crate::element::Stored;
use crate::error::Error;
use crate::format::{Kind, Level, LevelStorage, Tree, invariant_entries};
use crate::model::locality::{Locality, NEAREST};
use crate::model::profile::{Profile, dense, is_read_once};
use crate::model::size::Estimate;
use crate::report::step;
use crate::source::{Duplicates, Source, checked_count, twice};
pub use nodes::Counting;
use nodes::{Case, Nodes};

/// The numbers of nodes and entries of a tensor's levels, for each of several cases. Generated code derives profiles from it.
pub struct Tally<F, const N: usize, const M: usize> {
    cases: Vec<Arrays<M>>,
    shape: [usize; N],
    domains: [Domain; M],
    /// The least and the greatest coordinate of each level; the least exceeds the greatest without elements.
    reached: [[i64; 2]; M],
    /// The coordinates of some runs of consecutive elements, if vectors are too large for the nearest cache.
    locality: Option<Locality>,
    /// The number of levels above the cut, if the tensor is partitioned into parts.
    cut: Option<usize>,
    /// The bytes held per element during the conversion.
    held: u128,
    format: PhantomData<F>,
}

/// The lengths of all arrays.
struct Arrays<const M: usize> {
    /// Number of positions of each level.
    positions: [u128; M],
    /// Number of entries of each level's `ptr` array.
    pointers: [u128; M],
    /// Number of entries of each level's `idx` array, if it has one.
    entries: [u128; M],
    elements: u128,
    /// Padding bytes of packed arrays.
    padding: u128,
    /// For the innermost loop whose passes differ in length, the number of passes with another length than the pass before.
    changes: u128,
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Tally<F, N, M> {
    /// Counts the nodes of the elements of `source`: `O(n)` in storage order, otherwise a radix sort with one key per element.
    ///
    /// # Errors
    /// As the conversion, except for `Limit`, and for `Overflow` of array entries.
    pub fn new<S: Source<N, Scalar = F::Scalar>>(source: &S, counting: &Counting) -> Result<Self, Error> {
        let domains = F::domains(source.shape(), &[0; M])?;
        let visit = |visit: &mut dyn FnMut([i64; M])| source.for_each(|at, _| visit(F::encode(at, &[])));
        let count = checked_count(source)?;
        let nodes = step("count nodes", || {
            Nodes::<M>::count(&F::LEVELS, &domains, count, counting, &visit)
        });
        if nodes.duplicates() && source.duplicates().of::<F::Scalar>() == Duplicates::Reject {
            return Err(twice(F::NAME, ""));
        }
        let held = 2 * (8 + size_of::<F::Scalar>());
        let shape = source.shape();
        let decode = |levels: [i64; M]| F::decode(shape, &levels);
        let runs = || {
            nodes
                .runs()
                .iter()
                .map(|run| run.iter().filter_map(|at| decode(levels(at, &domains))).collect())
        };
        let locality =
            is_sampled::<F, N, M>(shape).then(|| Locality::of::<N>(&runs().collect::<Vec<_>>(), operand::<F, N, M>()));
        Ok(Tally {
            locality,
            ..Tally::of(&nodes, &domains, shape, held)
        })
    }

    /// As [`new`](Tally::new), for a format with `Q` queries, which `evaluate` evaluates in their order. Counts only the case of
    /// all elements, as the position of an element depends on the others.
    ///
    /// # Errors
    /// As [`new`](Tally::new), and the errors of `evaluate`.
    pub fn with_queries<S: Source<N, Scalar = F::Scalar>, const Q: usize>(
        source: &S,
        _: &Counting,
        evaluate: impl FnOnce(&mut Queries<F::Scalar, N, Q>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut elements = Queried::<F, N, M, Q>::new(source)?;
        evaluate(&mut elements.queries)?;
        let domains = elements.measure(F::domains(source.shape(), &[0; M])?)?;
        let visit =
            |visit: &mut dyn FnMut([i64; M])| elements.for_each_between(elements.whole(), |levels, _| visit(levels));
        let nodes = Nodes::<M>::count(&F::LEVELS, &domains, elements.count(), &Counting::All, &visit);
        // Coordinates, query results and a value are held throughout.
        let value = size_of::<F::Scalar>();
        let held = 2 * (8 + value) + 8 * (N + Q) + value;
        let shape = source.shape();
        let sampled = || nodes.find(&F::LEVELS, &domains, &visit);
        let decode = |run: Vec<[i64; M]>| run.iter().filter_map(|levels| F::decode(shape, levels)).collect();
        let runs = || sampled().into_iter().map(decode).collect::<Vec<_>>();
        let locality = is_sampled::<F, N, M>(shape).then(|| Locality::of::<N>(&runs(), operand::<F, N, M>()));
        Ok(Tally {
            locality,
            ..Tally::of(&nodes, &domains, shape, held)
        })
    }

    fn of(nodes: &Nodes<M>, domains: &[Domain; M], shape: [usize; N], held: usize) -> Self {
        Tally {
            cases: nodes
                .cases()
                .map(|case| Arrays::of(&F::LEVELS, &case, domains))
                .collect(),
            shape,
            domains: *domains,
            reached: nodes.reached(),
            locality: None,
            cut: None,
            held: held as u128,
            format: PhantomData,
        }
    }

    /// Adds `padding` bytes for each position of `level`, whose array is packed into tuples.
    #[must_use]
    pub fn padding(mut self, level: usize, padding: usize) -> Self {
        for arrays in &mut self.cases {
            let padding = arrays.positions[level].saturating_mul(padding as u128);
            arrays.padding = arrays.padding.saturating_add(padding);
        }
        self
    }

    /// Cuts the tensor into parts, one per position of the last of the first `depth` levels; `levels` are the levels of a part.
    #[must_use]
    pub fn cut(mut self, depth: usize, levels: &[Level; M]) -> Self {
        self.cut = Some(depth);
        for arrays in &mut self.cases {
            let parts = depth.checked_sub(1).map_or(1, |cut| arrays.positions[cut]);
            for (pointers, level) in arrays.pointers.iter_mut().zip(levels).skip(depth) {
                match level.kind {
                    // One more pointer in each part but the first.
                    Kind::Counted { pointed: true } | Kind::Indexed { pointed: true, .. } => {
                        *pointers = pointers.saturating_add(parts).saturating_sub(1);
                    }
                    _ => *pointers = 0,
                }
            }
        }
        self
    }

    /// Returns, for each case, the size of the tensor and what a traversal of it costs.
    #[must_use]
    pub fn profiles(&self) -> Vec<Profile> {
        // The extreme coordinates are known only for all elements, not for some of them.
        let of_all = self.cases.len() == 1;
        let profile = |arrays: &Arrays<M>| {
            let estimate = self.estimate(arrays);
            Profile {
                overflow: if of_all { self.overflow(arrays) } else { None },
                read: estimate.bytes().saturating_sub(invariant::<F, N, M>(arrays)),
                read_of_shape: self.bytes_of_shape(arrays),
                locality: if of_all { self.locality.clone() } else { None },
                ..Profile::new::<F, N, M>(self.shape, estimate, arrays.elements, &arrays.positions, arrays.changes)
            }
        };
        self.cases.iter().map(profile).collect()
    }

    /// Returns the error for the first level with an entry that does not fit its array's type. Pointers within parts are not
    /// checked.
    fn overflow(&self, arrays: &Arrays<M>) -> Option<Error> {
        storage_of::<F, N, M>().enumerate().find_map(|(level, stored)| {
            let (Level { name, pointer_name, .. }, end) = (F::LEVELS[level], arrays.positions[level]);
            let pointed = stored.ptr.filter(|_| self.cut.is_none_or(|depth| level < depth));
            if let Some(ptr) = pointed.filter(|ptr| end > ptr.most as u128) {
                let end = u64::try_from(end).unwrap_or(u64::MAX);
                return Some(narrow_pointer(pointer_name, ptr.entry, end, "entries"));
            }
            let (idx, domain) = (stored.idx.filter(|_| end > 0)?, self.domains[level]);
            let [least, greatest] = match stored.kind.is_full() {
                true => [domain.lo, domain.end() - 1],
                false => self.reached[level],
            };
            let outside = |coordinate: &i64| least <= greatest && !(idx.least..=idx.most).contains(coordinate);
            let coordinate = [greatest, least].into_iter().find(outside)?;
            Some(narrow_index(name, idx.entry, None, coordinate, domain))
        })
    }

    /// Returns the bytes of the pointers below the dense levels at the root.
    fn bytes_of_shape(&self, arrays: &Arrays<M>) -> u128 {
        let below = dense::<F, N, M>(&self.shape).len();
        let ptr = storage_of::<F, N, M>().nth(below).and_then(|stored| stored.ptr);
        ptr.map_or(0, |ptr| arrays.pointers[below].saturating_mul(ptr.width as u128))
    }

    fn estimate(&self, arrays: &Arrays<M>) -> Estimate {
        let stored = arrays.positions.last().copied().unwrap_or(1);
        let mut bytes = stored
            .saturating_mul(size_of::<F::Scalar>() as u128)
            .saturating_add(arrays.padding);
        for (level, storage) in storage_of::<F, N, M>().enumerate() {
            let lengths = [
                (storage.ptr, arrays.pointers[level]),
                (storage.idx, arrays.entries[level]),
            ];
            for (array, entries) in lengths {
                let width = array.map_or(0, |array| array.width as u128);
                bytes = bytes.saturating_add(entries.saturating_mul(width));
            }
        }
        let peak = bytes.saturating_add(arrays.elements.saturating_mul(self.held));
        Estimate { stored, bytes, peak }
    }
}

impl<const M: usize> Arrays<M> {
    fn of(levels: &[Level; M], nodes: &Case<M>, domains: &[Domain; M]) -> Self {
        let mut arrays = Arrays {
            positions: [0; M],
            pointers: [0; M],
            entries: [0; M],
            elements: nodes.elements,
            padding: 0,
            changes: nodes.changes,
        };
        let (mut above, mut level) = (1u128, 0);
        while level < M {
            let mut last = level;
            above = match levels[level].kind {
                Kind::Fixed | Kind::Given | Kind::Aligned => above,
                Kind::Dense | Kind::Counted { pointed: false } => above.saturating_mul(domains[level].size as u128),
                Kind::Counted { pointed: true } => {
                    arrays.pointers[level] = above + 1;
                    nodes.counted[level]
                }
                Kind::Indexed { pointed, .. } => {
                    if pointed {
                        arrays.pointers[level] = above + 1;
                    }
                    last = chain_end(levels, level);
                    entries(levels, level, last, above, nodes, domains)
                }
            };
            arrays.positions[level..=last].fill(above);
            level = last + 1;
        }
        for level in 0..M {
            arrays.entries[level] = match levels[level].invariant_from() {
                None => arrays.positions[level],
                Some(first) => {
                    let above = first.checked_sub(1).map_or(1, |above| arrays.positions[above]);
                    invariant_entries(levels, level, above, |below| domains[below].size as u128)
                }
            };
        }
        arrays
    }
}

/// Returns the bytes of an element of a dense operand.
fn operand<F: Tree<N, M>, const N: usize, const M: usize>() -> usize {
    size_of::<<F::Scalar as Stored>::Value>()
}

/// Returns whether dense vectors along the dimensions do not fit the nearest cache.
fn is_sampled<F: Tree<N, M>, const N: usize, const M: usize>(shape: [usize; N]) -> bool {
    let elements = shape.iter().fold(0usize, |sum, &extent| sum.saturating_add(extent));
    elements.saturating_mul(operand::<F, N, M>()) > NEAREST
}

/// Returns the coordinates of levels from their offsets; those of determined levels are the starts of their domains.
fn levels<const M: usize>(offsets: &[u64; M], domains: &[Domain; M]) -> [i64; M] {
    core::array::from_fn(|level| domains[level].lo.wrapping_add_unsigned(offsets[level]))
}

/// Returns the storage of each level.
fn storage_of<F: Tree<N, M>, const N: usize, const M: usize>() -> impl Iterator<Item = &'static LevelStorage> {
    F::STORAGE.iter().take(1).flat_map(|storage| storage.levels)
}

/// Returns the bytes of coordinates that are repeated in a segment of a level above: a traversal reads them once per segment.
fn invariant<F: Tree<N, M>, const N: usize, const M: usize>(arrays: &Arrays<M>) -> u128 {
    let invariant = storage_of::<F, N, M>().zip(0..M).zip(arrays.entries);
    let bytes = invariant
        .filter(|((stored, level), _)| stored.invariant_over.is_empty() && is_read_once(&F::LEVELS, *level))
        .map(|((stored, _), entries)| {
            let width = stored.idx.map_or(0, |idx| idx.width as u128);
            entries.saturating_mul(width)
        });
    bytes.fold(0, u128::saturating_add)
}

/// Returns the last level of the chain of entries that starts at `first`.
fn chain_end<const M: usize>(levels: &[Level; M], first: usize) -> usize {
    let ends = |level: &usize| matches!(levels[*level].kind, Kind::Indexed { copied: false, .. });
    (first..M).find(ends).unwrap_or(M - 1)
}

/// Returns the number of entries of a chain of levels, which is below `above` positions.
fn entries<const M: usize>(
    levels: &[Level; M],
    first: usize,
    last: usize,
    above: u128,
    nodes: &Case<M>,
    domains: &[Domain; M],
) -> u128 {
    // From the last level up: the entries below a node without elements (`hole`), and the total (`all`).
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
            // A trimmed level has one entry if the full level above it requires one and the level has a coordinate.
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
