//! Any source to the levels of any format.
//!
//! The elements are visited once and their level coordinates packed into keys whose order is the storage
//! order. They are sorted only if they did not come in that order. Then each level takes one pass.

mod keys;

use core::marker::PhantomData;

use crate::level::{Domain, Kind, Tree};
use crate::query::Queries;
use crate::radix::WideKey;
use crate::storage::{Indices, Pointers};
use crate::{Error, ErrorKind, Index, Limit, Scalar, Source, parallel};
use keys::{Keys, Packing, arrange, gather};

/// Elements in storage order, and how far their levels have been built.
///
/// Generated code calls [`dense`](Assembly::dense), [`counted`](Assembly::counted), [`entries`](Assembly::entries)
/// or one of their kind for the levels from the root down, [`aligned`](Assembly::aligned) for aligned levels after the
/// level they are in step with, then [`values`](Assembly::values).
pub struct Assembly<F: Tree<N, M>, const N: usize, const M: usize> {
    /// The domains as the shape tells them, which the arrays are held to.
    declared: [Domain; M],
    /// The same, but for levels whose domain is measured: that of these elements.
    domains: [Domain; M],
    packing: Packing<M>,
    keys: Keys,
    values: Vec<F::Scalar>,
    /// The coordinates of the elements on aligned levels, which keys leave out as they do not change the order.
    aligned: [Vec<i64>; M],
    /// The position of each element's node at the level built last; empty for the root.
    parents: Vec<usize>,
    /// How many positions the level built last has.
    count: usize,
    /// The entries of the chain of levels built last.
    entries: Vec<Entry>,
    /// Level coordinates of the entries that stand for parents without children.
    holes: Vec<[i64; M]>,
    bytes: u128,
    allowed: u128,
    format: PhantomData<F>,
}

/// Where an entry's coordinates come from.
#[derive(Clone, Copy)]
enum Entry {
    /// The first element below it.
    Element(usize),
    /// A hole: nothing is stored below it.
    Hole(usize),
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Assembly<F, N, M> {
    /// Reads the elements of `source` and brings them into storage order.
    ///
    /// # Errors
    /// `Overflow` if the coordinates of a level do not fit, `Duplicate` if there are duplicates and the
    /// source refuses them.
    pub fn new<S>(source: &S, limit: Limit) -> Result<Self, Error>
    where
        S: Source<N, Scalar = F::Scalar>,
    {
        let shape = source.shape();
        let domains = F::domains(shape, &[0; M])?;
        let packing = Packing::new(&domains, |level| F::LEVELS[level].kind);
        let (keys, values) = if packing.is_narrow(F::NAME)? {
            gather::<F, S, u64, N, M>(source, &domains, &packing)?
        } else {
            gather::<F, S, WideKey, N, M>(source, &domains, &packing)?
        };
        let allowed = limit.allowed(values.len(), size_of::<F::Scalar>(), &shape);
        Ok(Assembly::start(domains, domains, packing, keys, values, allowed))
    }

    /// [`new`](Assembly::new) for a format with `Q` queries, which `evaluate` evaluates in their order.
    ///
    /// # Errors
    /// As [`new`](Assembly::new), and those of `evaluate`.
    pub fn with_queries<S, const Q: usize>(
        source: &S,
        limit: Limit,
        evaluate: impl FnOnce(&mut Queries<F::Scalar, N, Q>) -> Result<(), Error>,
    ) -> Result<Self, Error>
    where
        S: Source<N, Scalar = F::Scalar>,
    {
        let mut queries = Queries::gather(F::NAME, source)?;
        let shape = queries.shape();
        let allowed = limit.allowed(queries.values().len(), size_of::<F::Scalar>(), &shape);
        queries.limit(allowed);
        evaluate(&mut queries)?;
        let (coordinates, values, results) = queries.into_parts();
        let count = values.len();
        let levels = |element: usize| F::encode(coordinates[element], &results[element]);
        let domains = measure::<F, N, M>(F::domains(shape, &[0; M])?, count, levels)?;
        let declared = F::domains(shape, &domains.map(|domain| domain.size))?;
        let packing = Packing::new(&domains, |level| F::LEVELS[level].kind);
        let (keys, order) = if packing.is_narrow(F::NAME)? {
            arrange::<u64, M>(count, levels, &domains, &packing)
        } else {
            arrange::<WideKey, M>(count, levels, &domains, &packing)
        };
        let aligned = core::array::from_fn(|level| match F::LEVELS[level].kind {
            Kind::Aligned => parallel::map(count, |at| levels(order[at])[level]),
            _ => Vec::new(),
        });
        let values = parallel::map(count, |at| values[order[at]]);
        Ok(Assembly {
            aligned,
            ..Assembly::start(declared, domains, packing, keys, values, allowed)
        })
    }

    /// Nothing built yet: the root.
    fn start(
        declared: [Domain; M],
        domains: [Domain; M],
        packing: Packing<M>,
        keys: Keys,
        values: Vec<F::Scalar>,
        allowed: u128,
    ) -> Self {
        Assembly {
            declared,
            domains,
            packing,
            keys,
            values,
            aligned: [const { Vec::new() }; M],
            parents: Vec::new(),
            count: 1,
            entries: Vec::new(),
            holes: Vec::new(),
            bytes: 0,
            allowed,
            format: PhantomData,
        }
    }

    fn parent(&self, element: usize) -> usize {
        self.parents.get(element).copied().unwrap_or(0)
    }

    fn offset(&self, element: usize, level: usize) -> usize {
        self.keys
            .bits(element, self.packing.shift[level], self.packing.width[level]) as usize
    }

    fn coordinate(&self, element: usize, level: usize) -> i64 {
        self.domains[level].lo + self.offset(element, level) as i64
    }

    /// Takes `count` items of `width` bytes on the account.
    fn reserve(&mut self, count: u128, width: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(count.saturating_mul(width as u128));
        Limit::check(F::NAME, self.bytes, self.allowed)
    }

    /// How many positions `level` has, if they and the values at them are allowed.
    fn positions(&self, level: usize, positions: u128) -> Result<usize, Error> {
        if F::LEVELS[level + 1..].iter().all(|below| below.kind.is_determined()) {
            let bytes = positions.saturating_mul(size_of::<F::Scalar>() as u128);
            Limit::check(F::NAME, self.bytes.saturating_add(bytes), self.allowed)?;
        }
        usize::try_from(positions).map_err(|_| {
            Error::new(
                ErrorKind::Overflow,
                format!("level `{}`", F::LEVELS[level].name),
                None,
                format!("{positions} positions"),
                "a number of positions within `usize`",
            )
        })
    }

    /// The size of a level that holds every coordinate, measured or not.
    #[must_use]
    pub fn size(&self, level: usize) -> usize {
        self.domains[level].size
    }

    /// Builds a level that holds every coordinate below every parent.
    ///
    /// # Errors
    /// `Overflow` if the positions exceed `usize`, `Limit` if values at them would exceed the limit.
    pub fn dense(&mut self, level: usize) -> Result<(), Error> {
        let size = self.domains[level].size;
        self.count = self.positions(level, self.count as u128 * size as u128)?;
        let packing = (self.packing.shift[level], self.packing.width[level]);
        if self.parents.is_empty() {
            let keys = &self.keys;
            self.parents = (0..self.values.len())
                .map(|e| keys.bits(e, packing.0, packing.1) as usize)
                .collect();
        } else {
            for (element, parent) in self.parents.iter_mut().enumerate() {
                *parent = *parent * size + self.keys.bits(element, packing.0, packing.1) as usize;
            }
        }
        Ok(())
    }

    /// Builds a level at the root that holds every coordinate from 0 to the greatest, and gives their number.
    ///
    /// # Errors
    /// As [`dense`](Assembly::dense).
    pub fn counted_root(&mut self, level: usize) -> Result<usize, Error> {
        self.dense(level)?;
        Ok(self.size(level))
    }

    /// Builds a level that holds, below each parent, every coordinate from 0 to the greatest below it.
    ///
    /// # Errors
    /// `Limit` if the pointers, or values at the positions, would exceed it, `Overflow` if a pointer does not fit `P`.
    pub fn counted<P: Index>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        self.reserve(self.count as u128 + 1, size_of::<P>())?;
        let mut counts = vec![0usize; self.count];
        for element in 0..self.values.len() {
            let count = &mut counts[self.parent(element)];
            *count = self.offset(element, level).saturating_add(1).max(*count);
        }
        self.count = self.positions(level, counts.iter().map(|&count| count as u128).sum())?;
        let pointers = self.pointers::<P>(level, &counts, "positions")?;
        self.parents.resize(self.values.len(), 0);
        for element in 0..self.values.len() {
            self.parents[element] = pointers[self.parents[element]].to_usize() + self.offset(element, level);
        }
        Ok(pointers)
    }

    /// Builds the entries of the levels `first..=last` at the root.
    ///
    /// # Errors
    /// `Limit` if entries without children would exceed it.
    pub fn root_entries(&mut self, first: usize, last: usize) -> Result<(), Error> {
        self.build_entries(first, last).map(|_| ())
    }

    /// Builds the entries of the levels `first..=last` below the level built last, and their pointers.
    ///
    /// # Errors
    /// `Limit` if the pointers would exceed it, `Overflow` if one does not fit `P`.
    pub fn entries<P: Index>(&mut self, first: usize, last: usize) -> Result<Pointers<P>, Error> {
        self.reserve(self.count as u128 + 1, size_of::<P>())?;
        let counts = self.build_entries(first, last)?;
        self.pointers(first, &counts, "entries")
    }

    /// The `ptr` array of `level`, whose parents have so many positions each; `self.count` are all of them.
    fn pointers<P: Index>(&self, level: usize, counts: &[usize], what: &str) -> Result<Pointers<P>, Error> {
        let name = F::LEVELS[level].pointer_name;
        let total = self.count;
        let overflow = || {
            Error::new(
                ErrorKind::Overflow,
                format!("`{name}_ptr`"),
                None,
                format!(
                    "{total} {what}, which need {} bits",
                    usize::BITS - total.leading_zeros()
                ),
                format!("a number that fits `{}` (declare `pointer(u64)`)", P::NAME),
            )
        };
        let pointer = |at: usize| P::try_from_i64(at as i64);
        if pointer(total).is_none() {
            return Err(overflow());
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut start = 0;
        for &count in core::iter::once(&0).chain(counts) {
            start += count;
            starts.push(pointer(start).ok_or_else(overflow)?);
        }
        Pointers::try_new(name, starts)
    }

    /// How many entries each parent has; fills `entries` and moves every element to its entry.
    fn build_entries(&mut self, first: usize, last: usize) -> Result<Vec<usize>, Error> {
        let full = |level: &crate::level::Level| matches!(level.kind, Kind::Indexed { full: true, .. });
        let mut counts = vec![0usize; self.count];
        self.holes.clear();
        if F::LEVELS[first..=last].iter().any(full) {
            let every: u128 = (first..=last)
                .filter(|&level| full(&F::LEVELS[level]))
                .map(|level| self.domains[level].size as u128)
                .fold(self.count as u128, u128::saturating_mul);
            let bytes = self
                .bytes
                .saturating_add(every.saturating_mul(size_of::<F::Scalar>() as u128));
            Limit::check(F::NAME, bytes, self.allowed)?;
            self.entries = Vec::new();
            let mut element = 0;
            for (parent, count) in counts.iter_mut().enumerate() {
                let start = element;
                while element < self.values.len() && self.parent(element) == parent {
                    element += 1;
                }
                let before = self.entries.len();
                let mut prefix = self.domains.map(|domain| domain.lo);
                self.fill(first, first, last, start..element, &mut prefix);
                *count = self.entries.len() - before;
            }
        } else {
            let firsts = self.keys.first_of_each(self.packing.shift[last]);
            for &element in &firsts {
                counts[self.parent(element)] += 1;
            }
            self.entries = firsts.into_iter().map(Entry::Element).collect();
        }
        self.count = self.entries.len();
        self.parents.resize(self.values.len(), 0);
        let mut end = self.values.len();
        for (position, entry) in self.entries.iter().enumerate().rev() {
            if let Entry::Element(start) = *entry {
                self.parents[start..end].fill(position);
                end = start;
            }
        }
        Ok(counts)
    }

    /// The entries of the levels `level..=last`, of the chain from `first`, below one parent, whose elements
    /// are `range`. A level that is not trimmed has an entry for each coordinate, a hole below it where
    /// nothing is stored.
    fn fill(&mut self, level: usize, first: usize, last: usize, range: core::ops::Range<usize>, prefix: &mut [i64; M]) {
        if level > last {
            self.entries.push(Entry::Element(range.start));
            return;
        }
        match F::LEVELS[level].kind {
            Kind::Indexed { full: true, .. } => {
                let mut start = range.start;
                for offset in 0..self.domains[level].size {
                    let mut end = start;
                    while end < range.end && self.offset(end, level) == offset {
                        end += 1;
                    }
                    prefix[level] = self.domains[level].lo + offset as i64;
                    self.fill(level + 1, first, last, start..end, prefix);
                    start = end;
                }
            }
            Kind::Fixed | Kind::Aligned => self.fill(level + 1, first, last, range, prefix),
            _ if range.is_empty() => {
                // A hole, unless the chain's own parent is what has no children, or there is no coordinate.
                let possible = |level: usize| F::LEVELS[level].kind == Kind::Aligned || self.domains[level].size > 0;
                if level > first && (level..=last).all(possible) {
                    let mut hole = self.domains.map(|domain| domain.lo);
                    hole[..level].copy_from_slice(&prefix[..level]);
                    self.entries.push(Entry::Hole(self.holes.len()));
                    self.holes.push(hole);
                }
            }
            _ => {
                let mut start = range.start;
                while start < range.end {
                    let coordinate = self.offset(start, level);
                    let mut end = start + 1;
                    while end < range.end && self.offset(end, level) == coordinate {
                        end += 1;
                    }
                    prefix[level] = self.coordinate(start, level);
                    self.fill(level + 1, first, last, start..end, prefix);
                    start = end;
                }
            }
        }
    }

    /// The `idx` array of `level`, one of those built last.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        if F::LEVELS[level].kind == Kind::Aligned {
            return self.aligned(level);
        }
        self.reserve(self.entries.len() as u128, size_of::<I>())?;
        let mut indices = Vec::with_capacity(self.entries.len());
        for (position, &entry) in self.entries.iter().enumerate() {
            let coordinate = match entry {
                Entry::Element(element) => self.coordinate(element, level),
                Entry::Hole(hole) => self.holes[hole][level],
            };
            indices.push(self.index(level, position, coordinate)?);
        }
        Indices::try_new(F::LEVELS[level].name, indices, self.declared[level])
    }

    /// The `idx` array of an aligned level: one entry for each position of the level built last, the lowest
    /// coordinate for those without an element.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn aligned<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        self.reserve(self.count as u128, size_of::<I>())?;
        let mut indices = Vec::new();
        if self.count > 0 {
            indices = vec![self.index::<I>(level, 0, self.domains[level].lo)?; self.count];
        }
        for (element, &coordinate) in self.aligned[level].iter().enumerate() {
            let position = self.parent(element);
            debug_assert!(
                element == 0 || self.parent(element - 1) != position || self.aligned[level][element - 1] == coordinate
            );
            indices[position] = self.index(level, position, coordinate)?;
        }
        Indices::try_new(F::LEVELS[level].name, indices, self.declared[level])
    }

    /// An entry of the `idx` array of `level`.
    fn index<I: Index>(&self, level: usize, position: usize, coordinate: i64) -> Result<I, Error> {
        I::try_from_i64(coordinate).ok_or_else(|| {
            let (name, domain) = (F::LEVELS[level].name, self.domains[level]);
            Error::new(
                ErrorKind::Overflow,
                format!("`{name}_idx`"),
                Some(position),
                format!(
                    "coordinate {coordinate} of a domain from {} to {}",
                    domain.lo,
                    domain.end() - 1
                ),
                format!("one that fits `{}` (declare a wider `index({name}: ..)`)", I::NAME),
            )
        })
    }

    /// Accounts for the `padding` of each of `count` tuples that arrays are packed into.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit.
    pub fn padding(&mut self, count: usize, padding: usize) -> Result<(), Error> {
        self.reserve(count as u128, padding)
    }

    /// The values at the positions of the last level, holes zero.
    ///
    /// # Errors
    /// `Limit` if they would exceed the limit, or cannot be allocated.
    pub fn values(mut self) -> Result<Vec<F::Scalar>, Error> {
        self.reserve(self.count as u128, size_of::<F::Scalar>())?;
        if !F::HOLES {
            return Ok(self.values);
        }
        Vec::<F::Scalar>::new().try_reserve_exact(self.count).map_err(|_| {
            let bytes = self.count as u128 * size_of::<F::Scalar>() as u128;
            let found = format!("values of {bytes} bytes");
            Error::new(
                ErrorKind::Limit,
                format!("format `{}`", F::NAME),
                None,
                found,
                "what the machine can allocate",
            )
        })?;
        let mut values = vec![F::Scalar::ZERO; self.count];
        for (element, &value) in self.values.iter().enumerate() {
            values[self.parent(element)] = value;
        }
        Ok(values)
    }
}

/// The domains, with those that the shape does not tell from 0, or the lowest coordinate below, to the greatest.
fn measure<F: Tree<N, M>, const N: usize, const M: usize>(
    mut domains: [Domain; M],
    count: usize,
    levels: impl Fn(usize) -> [i64; M] + Sync,
) -> Result<[Domain; M], Error> {
    if !F::LEVELS.iter().any(|level| level.measured) {
        return Ok(domains);
    }
    let both = |element: usize| {
        let levels = levels(element);
        (levels, levels)
    };
    let wider = |(mut least, mut greatest): ([i64; M], [i64; M]), (low, high): ([i64; M], [i64; M])| {
        for level in 0..M {
            least[level] = least[level].min(low[level]);
            greatest[level] = greatest[level].max(high[level]);
        }
        (least, greatest)
    };
    let (least, greatest) = parallel::reduce(count, ([0; M], [i64::MIN; M]), both, wider);
    for (level, spec) in F::LEVELS.iter().enumerate() {
        if spec.measured {
            domains[level] = Domain::new(spec.name, least[level].into(), greatest[level].into())?;
        }
    }
    Ok(domains)
}
