//! Any source to the levels of any format.
//!
//! The elements are visited once and their level coordinates packed into keys whose order is the storage
//! order. They are sorted only if they did not come in that order. Then each level takes one pass.

mod keys;

use core::marker::PhantomData;

use crate::level::{Domain, Kind, Tree};
use crate::radix::{WORDS, WideKey};
use crate::storage::{Indices, Pointers};
use crate::{Error, ErrorKind, Index, Limit, Scalar, Source};
use keys::{Keys, Packing, append_wide, gather};

/// Elements in storage order, and how far their levels have been built.
///
/// Generated code calls [`dense`](Assembly::dense), [`root_entries`](Assembly::root_entries) or
/// [`entries`](Assembly::entries) for the levels from the root down, then [`values`](Assembly::values).
pub struct Assembly<F: Tree<N, M>, const N: usize, const M: usize> {
    domains: [Domain; M],
    packing: Packing<M>,
    keys: Keys,
    values: Vec<F::Scalar>,
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
        let domains = F::domains(shape)?;
        let packing = Packing::new(&domains, |level| F::LEVELS[level].kind);
        let (keys, values) = if packing.bits <= u64::BITS {
            let (keys, values) = gather::<F, S, u64, N, M>(source, &domains, &packing, |key, width, field| {
                // A shift by all 64 bits only happens when nothing was packed yet.
                key.checked_shl(width).unwrap_or(0) | field
            })?;
            (Keys::Narrow(keys), values)
        } else if packing.bits <= u64::BITS * WORDS as u32 {
            let (keys, values) = gather::<F, S, WideKey, N, M>(source, &domains, &packing, append_wide)?;
            (Keys::Wide(keys), values)
        } else {
            return Err(Error::new(
                ErrorKind::Overflow,
                format!("format `{}`", F::NAME),
                None,
                format!("{} bits of coordinates", packing.bits),
                format!("at most {}", u64::BITS as usize * WORDS),
            ));
        };
        let allowed = limit.allowed(values.len(), size_of::<F::Scalar>(), &shape);
        Ok(Assembly {
            domains,
            packing,
            keys,
            values,
            parents: Vec::new(),
            count: 1,
            entries: Vec::new(),
            holes: Vec::new(),
            bytes: 0,
            allowed,
            format: PhantomData,
        })
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

    /// Builds a level that holds every coordinate below every parent.
    ///
    /// # Errors
    /// `Overflow` if the positions exceed `usize`, `Limit` if values at them would exceed the limit.
    pub fn dense(&mut self, level: usize) -> Result<(), Error> {
        let size = self.domains[level].size;
        let positions = self.count as u128 * size as u128;
        if F::LEVELS[level + 1..].iter().all(|below| below.kind == Kind::Fixed) {
            let bytes = positions.saturating_mul(size_of::<F::Scalar>() as u128);
            Limit::check(F::NAME, self.bytes.saturating_add(bytes), self.allowed)?;
        }
        self.count = usize::try_from(positions).map_err(|_| {
            Error::new(
                ErrorKind::Overflow,
                format!("level `{}`", F::LEVELS[level].name),
                None,
                format!("{positions} positions"),
                "a number of positions within `usize`",
            )
        })?;
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
        let overflow = |total: usize| {
            Error::new(
                ErrorKind::Overflow,
                format!("`{}_ptr`", F::LEVELS[first].pointer_name),
                None,
                format!(
                    "{total} entries, which need {} bits",
                    usize::BITS - total.leading_zeros()
                ),
                format!("a number that fits `{}` (declare `pointer(u64)`)", P::NAME),
            )
        };
        let total = self.entries.len();
        let pointer = |at: usize| P::try_from_i64(at as i64);
        if pointer(total).is_none() {
            return Err(overflow(total));
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut start = 0;
        for count in core::iter::once(0).chain(counts) {
            start += count;
            starts.push(pointer(start).ok_or_else(|| overflow(total))?);
        }
        Pointers::try_new(F::LEVELS[first].pointer_name, starts)
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
            Kind::Fixed => self.fill(level + 1, first, last, range, prefix),
            _ if range.is_empty() => {
                // A hole, unless the chain's own parent is what has no children, or there is no coordinate.
                if level > first && self.domains[level..=last].iter().all(|domain| domain.size > 0) {
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
        self.reserve(self.entries.len() as u128, size_of::<I>())?;
        let name = F::LEVELS[level].name;
        let mut indices = Vec::with_capacity(self.entries.len());
        for (position, &entry) in self.entries.iter().enumerate() {
            let coordinate = match entry {
                Entry::Element(element) => self.coordinate(element, level),
                Entry::Hole(hole) => self.holes[hole][level],
            };
            indices.push(I::try_from_i64(coordinate).ok_or_else(|| {
                let domain = self.domains[level];
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
            })?);
        }
        Indices::try_new(name, indices, self.domains[level])
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
