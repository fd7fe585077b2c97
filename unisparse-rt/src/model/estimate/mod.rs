//! Computes the size of a conversion's result by counting the nodes of its levels, without building it.

mod arrays;
mod case;
mod chunk;
mod keys;
mod nodes;
mod passes;
mod ranked;

use core::marker::PhantomData;

use crate::array::{Domain, narrow_index, narrow_pointer};
use crate::convert::assemble::{Coded, Queried};
use crate::convert::query::Queries;
use crate::element::Stored;
use crate::error::Error;
use crate::format::{Kind, Level, LevelStorage, Tree};
use crate::model::locality::{Locality, NEAREST};
use crate::model::profile::{Loops, Profile, is_read_once};
use crate::model::size::Estimate;
use crate::report::step;
use crate::source::{Duplicates, Source, checked_count, twice};
use arrays::Arrays;
use chunk::{Chunk, Visit};
pub use nodes::Counting;
use nodes::Nodes;

/// The numbers of nodes and entries of a tensor's levels, for each of several cases. Generated code derives profiles from it.
pub struct Tally<F, const N: usize, const M: usize> {
    counts: Counts,
    shape: [usize; N],
    format: PhantomData<F>,
}

/// The numbers of nodes and entries of the levels of any format.
struct Counts {
    levels: &'static [Level],
    storage: &'static [LevelStorage],
    cases: Vec<Arrays>,
    domains: Vec<Domain>,
    /// The least and the greatest coordinate of each level; the least exceeds the greatest without elements.
    reached: Vec<[i64; 2]>,
    /// The coordinates of some runs of consecutive elements, if vectors are too large for the nearest cache.
    locality: Option<Locality>,
    /// The number of levels above the cut, if the tensor is partitioned into parts.
    cut: Option<usize>,
    /// The bytes of a value.
    width: usize,
    /// The bytes held per element during the conversion.
    held: u128,
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Tally<F, N, M> {
    /// Counts the nodes of the elements of `source`: `O(n)` in storage order, otherwise a radix sort with one key per element.
    ///
    /// # Errors
    /// As the conversion, except for `Limit`, and for `Overflow` of array entries.
    pub fn new<S: Source<N, Scalar = F::Scalar>>(source: &S, counting: &Counting) -> Result<Self, Error> {
        let (shape, count) = (source.shape(), checked_count(source)?);
        let domains = F::domains(shape, &[0; M])?;
        let visit: &Visit<'_> = &|take| {
            let mut chunk = Chunk::<M>::new(take);
            source.for_each(|at, _| chunk.push(&F::encode(at, &[])));
            chunk.hand_on();
        };
        let counted = step("count nodes");
        let nodes = Nodes::count(const { &F::LEVELS }, &domains, (count, false), counting, visit);
        drop(counted);
        if nodes.duplicates() && source.duplicates().of::<F::Scalar>() == Duplicates::Reject {
            return Err(twice(F::NAME, ""));
        }
        let mut tally = Self::of(&nodes, &domains, shape, 2 * (8 + size_of::<F::Scalar>()));
        if is_sampled::<F::Scalar, N>(shape) {
            tally.sample(&nodes.runs());
        }
        Ok(tally)
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
        let shape = source.shape();
        let domains = elements.measure(F::domains(shape, &[0; M])?)?;
        let visit: &Visit<'_> = &|take| {
            let mut chunk = Chunk::<M>::new(take);
            elements.for_each_between(elements.whole(), |levels, _| chunk.push(&levels));
            chunk.hand_on();
        };
        let is_sampled = is_sampled::<F::Scalar, N>(shape);
        let count = (elements.count(), is_sampled);
        let nodes = Nodes::count(const { &F::LEVELS }, &domains, count, &Counting::All, visit);
        // Coordinates, query results and a value are held throughout.
        let value = size_of::<F::Scalar>();
        let mut tally = Self::of(&nodes, &domains, shape, 2 * (8 + value) + 8 * (N + Q) + value);
        if is_sampled {
            tally.sample(&nodes.find(visit));
        }
        Ok(tally)
    }

    fn of(nodes: &Nodes, domains: &[Domain; M], shape: [usize; N], held: usize) -> Self {
        let storage = F::STORAGE.first().map_or(&[][..], |storage| storage.levels);
        let width = size_of::<F::Scalar>();
        Tally {
            counts: Counts::of((const { &F::LEVELS }, storage), nodes, domains, width, held),
            shape,
            format: PhantomData,
        }
    }

    /// Samples the accesses to dense vectors along runs of elements, given by their level coordinates.
    fn sample(&mut self, runs: &[Vec<i64>]) {
        let mut all = Vec::with_capacity(runs.len());
        for run in runs {
            let mut decoded = Vec::with_capacity(run.len() / M);
            for levels in run.chunks_exact(M) {
                let mut at = [0; M];
                at.copy_from_slice(levels);
                decoded.extend(F::decode(self.shape, &at));
            }
            all.push(decoded);
        }
        self.counts.locality = Some(Locality::of(&all, operand::<F::Scalar>()));
    }

    /// Adds `padding` bytes for each position of `level`, whose array is packed into tuples.
    #[must_use]
    pub fn padding(mut self, level: usize, padding: usize) -> Self {
        self.counts.padding(level, padding);
        self
    }

    /// Cuts the tensor into parts, one per position of the last of the first `depth` levels; `levels` are the levels of a part.
    #[must_use]
    pub fn cut(mut self, depth: usize, levels: &[Level; M]) -> Self {
        self.counts.cut_into(depth, levels);
        self
    }

    /// Returns, for each case, the size of the tensor and what a traversal of it costs.
    #[must_use]
    pub fn profiles(&self) -> Vec<Profile> {
        self.counts
            .profiles(&Loops::of::<F, N, M>(self.shape), operand::<F::Scalar>())
    }
}

/// Returns whether dense vectors along the dims do not fit the nearest cache.
fn is_sampled<T: Stored, const N: usize>(shape: [usize; N]) -> bool {
    let elements = shape.into_iter().fold(0, usize::saturating_add);
    elements.saturating_mul(operand::<T>()) > NEAREST
}

/// Returns the bytes of an element of a dense operand.
fn operand<T: Stored>() -> usize {
    size_of::<T::Value>()
}

impl Counts {
    fn of(
        (levels, storage): (&'static [Level], &'static [LevelStorage]),
        nodes: &Nodes,
        domains: &[Domain],
        width: usize,
        held: usize,
    ) -> Self {
        let cases = nodes.cases();
        Counts {
            levels,
            storage,
            cases: cases.iter().map(|case| Arrays::of(levels, case, domains)).collect(),
            domains: domains.to_vec(),
            reached: nodes.reached().to_vec(),
            locality: None,
            cut: None,
            width,
            held: held as u128,
        }
    }

    fn padding(&mut self, level: usize, padding: usize) {
        for arrays in &mut self.cases {
            let padding = arrays.positions[level].saturating_mul(padding as u128);
            arrays.padding = arrays.padding.saturating_add(padding);
        }
    }

    fn cut_into(&mut self, depth: usize, levels: &[Level]) {
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
    }

    fn profiles(&self, loops: &Loops, operand: usize) -> Vec<Profile> {
        // The extreme coordinates are known only for all elements, not for some of them.
        let of_all = self.cases.len() == 1;
        let profile = |arrays: &Arrays| {
            let estimate = self.estimate(arrays);
            Profile {
                estimate,
                overflow: if of_all { self.overflow(arrays) } else { None },
                elements: arrays.elements,
                read: estimate.bytes().saturating_sub(self.invariant(arrays)),
                read_of_shape: self.bytes_of_shape(arrays, loops),
                dense: loops.dense,
                shape: loops.shape.clone(),
                width: self.width,
                operand,
                locality: if of_all { self.locality.clone() } else { None },
                loops: loops.with(self.levels, &arrays.positions, arrays.changes),
            }
        };
        self.cases.iter().map(profile).collect()
    }

    /// Returns the error for the first level with an entry that does not fit its array's type. Pointers within parts are not
    /// checked.
    fn overflow(&self, arrays: &Arrays) -> Option<Error> {
        self.storage.iter().enumerate().find_map(|(level, stored)| {
            let (Level { name, pointer_name, .. }, end) = (self.levels[level], arrays.positions[level]);
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
    fn bytes_of_shape(&self, arrays: &Arrays, loops: &Loops) -> u128 {
        let below = (loops.dense)(&loops.shape).len();
        let ptr = self.storage.get(below).and_then(|stored| stored.ptr);
        ptr.map_or(0, |ptr| arrays.pointers[below].saturating_mul(ptr.width as u128))
    }

    fn estimate(&self, arrays: &Arrays) -> Estimate {
        let stored = arrays.positions.last().copied().unwrap_or(1);
        let mut bytes = stored.saturating_mul(self.width as u128).saturating_add(arrays.padding);
        for (level, storage) in self.storage.iter().enumerate() {
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

    /// Returns the bytes of coordinates that are repeated in a segment of a level above: a traversal reads them once per segment.
    fn invariant(&self, arrays: &Arrays) -> u128 {
        let invariant = self.storage.iter().zip(0..).zip(&arrays.entries);
        let bytes = invariant
            .filter(|((stored, level), _)| stored.invariant_over.is_empty() && is_read_once(self.levels, *level))
            .map(|((stored, _), entries)| {
                let width = stored.idx.map_or(0, |idx| idx.width as u128);
                entries.saturating_mul(width)
            });
        bytes.fold(0, u128::saturating_add)
    }
}
