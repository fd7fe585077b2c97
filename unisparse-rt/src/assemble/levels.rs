//! Construction of a format's levels, one by one, from elements in storage order.

use core::any::Any;
use core::marker::PhantomData;

use super::entries::Entry;
use super::layout::Layout;
use super::sequence::{Held, Keys, Sequence, bins, each_key};
use crate::level::{Domain, Kind, Level, Tree};
use crate::shared::Cells;
use crate::storage::{Indices, Pointers};
use crate::{Duplicates, Error, ErrorKind, Index, Limit, Stored, pages};

/// Elements or blocks in storage order, with the levels built so far.
pub struct Levels<F: Tree<N, M>, const N: usize, const M: usize> {
    /// Domains that follow from the shape; the arrays are checked against them.
    pub(super) declared: [Domain; M],
    pub(super) layout: Layout<M>,
    /// Start of each bin, and the end of the last; empty if there is one bin.
    pub(super) starts: Vec<u32>,
    pub(super) keys: Keys,
    /// Values of the elements; empty for blocks.
    pub(super) values: Vec<F::Scalar>,
    /// Level whose positions are groups of elements: the last one built that is not dense.
    pub(super) anchor: Option<usize>,
    /// Position of each group at the anchor, or `None` if the groups are numbered in order.
    pub(super) positions: Option<Vec<usize>>,
    /// Number of the level after the one built last.
    pub(super) built: usize,
    /// Number of positions of the level built last.
    pub(super) count: usize,
    /// Entries of the chain of levels built last, if some of them stand for no element.
    pub(super) entries: Option<Vec<Entry<M>>>,
    pub(super) bytes: u128,
    pub(super) allowed: u128,
    format: PhantomData<fn() -> F>,
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Levels<F, N, M> {
    /// Creates the root, with no elements in order and no level built.
    pub(super) fn new(declared: [Domain; M], layout: Layout<M>, allowed: u128) -> Self {
        Levels {
            declared,
            layout,
            starts: Vec::new(),
            keys: Keys::Narrow(Vec::new()),
            values: Vec::new(),
            anchor: None,
            positions: None,
            built: 0,
            count: 1,
            entries: None,
            bytes: 0,
            allowed,
            format: PhantomData,
        }
    }

    /// Returns the number of elements or blocks in order.
    pub(super) fn len(&self) -> usize {
        each_key!(&self.keys, keys => keys.len())
    }

    /// Adds `count` items of `width` bytes to the account, and checks the limit.
    pub(super) fn reserve(&mut self, count: u128, width: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(count.saturating_mul(width as u128));
        Limit::check(F::NAME, self.bytes, self.allowed)
    }

    /// Returns the number of positions of `level`, if they fit and the values at them are within the limit.
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

    /// Returns the size of the domain of a level, whether it is measured or follows from the shape.
    #[must_use]
    pub fn size(&self, level: usize) -> usize {
        self.layout.domains[level].size
    }

    /// Builds a level that holds every coordinate below every parent.
    ///
    /// # Errors
    /// `Overflow` if the positions exceed `usize`, `Limit` if values at them would exceed the limit.
    pub fn dense(&mut self, level: usize) -> Result<(), Error> {
        self.count = self.positions(level, self.count as u128 * self.size(level) as u128)?;
        self.built = level + 1;
        Ok(())
    }

    /// Builds a level at the root that holds every coordinate from 0 to the greatest, and returns their number.
    ///
    /// # Errors
    /// The errors of [`dense`](Levels::dense).
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
        let mut counts = pages::filled(0usize, self.count);
        let mut places = pages::with_capacity(self.len());
        self.walk(level + 1, |group| {
            let offset = self.offset_of(&group, level);
            counts[group.position] = counts[group.position].max(offset.saturating_add(1));
            places.push((group.position, offset));
        });
        let pointers = self.pointers_of_counts::<P>(level, counts)?;
        let position = |(parent, offset): (usize, usize)| pointers[parent].to_usize() + offset;
        self.positions = Some(places.into_iter().map(position).collect());
        (self.anchor, self.built) = (Some(level), level + 1);
        Ok(pointers)
    }

    /// Makes the positions of `level` current, `counts[parent]` below each parent, and returns its `ptr` array.
    pub(super) fn pointers_of_counts<P: Index>(
        &mut self,
        level: usize,
        counts: Vec<usize>,
    ) -> Result<Pointers<P>, Error> {
        self.count = self.positions(level, counts.iter().map(|&count| count as u128).sum())?;
        self.pointers(level, counts.into_iter(), "positions")
    }

    /// Builds the entries of the levels `first..=last` at the root.
    ///
    /// # Errors
    /// `Limit` if entries without children would exceed it.
    pub fn root_entries(&mut self, first: usize, last: usize) -> Result<(), Error> {
        if is_full(&F::LEVELS[first..=last]) {
            self.build_entries(first, last)?;
        } else {
            self.finish_entries(last, self.groups(last + 1), None);
        }
        Ok(())
    }

    /// Builds the entries of the levels `first..=last` below the level built last, and returns their pointers.
    ///
    /// # Errors
    /// `Limit` if the pointers would exceed it, `Overflow` if one does not fit `P`.
    pub fn entries<P: Index>(&mut self, first: usize, last: usize) -> Result<Pointers<P>, Error> {
        self.reserve(self.count as u128 + 1, size_of::<P>())?;
        if is_full(&F::LEVELS[first..=last]) {
            let counts = self.build_entries(first, last)?;
            return self.pointers(first, counts.into_iter(), "entries");
        }
        let elements = self.tells_elements(last + 1);
        let whole_bins = self.layout.bins_within(self.built) == Some(1) && self.starts.len() == self.count + 1;
        if elements && whole_bins && self.anchor.is_none() {
            // Each parent is a bin and each element is an entry, so the bin starts are the pointers.
            self.finish_entries(last, self.len(), None);
            return self.pointers_of_bins(first);
        }
        let mut counts = pages::filled(0usize, self.count);
        let mut entries = 0;
        if elements {
            self.walk(self.built, |group| counts[group.position] = group.elements.len());
            entries = self.len();
        } else {
            self.walk(last + 1, |group| {
                counts[group.position] += 1;
                entries += 1;
            });
        }
        self.finish_entries(last, entries, None);
        self.pointers(first, counts.into_iter(), "entries")
    }

    /// Makes the entries of a chain down to `last` current; groups are at `positions`, or are numbered in order without.
    pub(super) fn finish_entries(&mut self, last: usize, entries: usize, positions: Option<Vec<usize>>) {
        (self.anchor, self.built) = (Some(last), last + 1);
        (self.count, self.positions, self.entries) = (entries, positions, None);
    }

    /// Returns the `ptr` array of `level` from the number of positions below each parent, whose sum is `self.count`.
    fn pointers<P: Index>(
        &self,
        level: usize,
        counts: impl Iterator<Item = usize>,
        what: &str,
    ) -> Result<Pointers<P>, Error> {
        self.check_pointer::<P>(level, what)?;
        let mut starts = pages::with_capacity(counts.size_hint().0 + 1);
        let mut start = 0i64;
        let zero = P::try_from_i64(0);
        starts.extend(zero);
        for count in counts {
            start += count as i64;
            // The last pointer is the greatest, and was checked to fit.
            starts.extend(P::try_from_i64(start));
        }
        Pointers::try_new(F::LEVELS[level].pointer_name, starts)
    }

    /// Returns the `ptr` array of `level`, whose parents are the bins.
    fn pointers_of_bins<P: Index>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        self.check_pointer::<P>(level, "entries")?;
        let mut starts = pages::copied(&self.starts);
        let starts = match (&mut starts as &mut dyn Any).downcast_mut::<Vec<P>>() {
            Some(starts) => core::mem::take(starts),
            None => starts
                .iter()
                .filter_map(|&start| P::try_from_i64(i64::from(start)))
                .collect(),
        };
        Pointers::try_new(F::LEVELS[level].pointer_name, starts)
    }

    /// Checks that the last pointer fits.
    fn check_pointer<P: Index>(&self, level: usize, what: &str) -> Result<(), Error> {
        let total = self.count;
        if i64::try_from(total).is_ok_and(|total| P::try_from_i64(total).is_some()) {
            return Ok(());
        }
        Err(Pointers::<P>::overflow(
            F::LEVELS[level].pointer_name,
            total as u64,
            what,
        ))
    }

    /// Returns the `idx` array of `level`, which was among the levels built last.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub(super) fn indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        self.reserve(self.count as u128, size_of::<I>())?;
        let lo = self.layout.domains[level].lo;
        let mut indices = Vec::new();
        if let Some(entries) = &self.entries {
            for (position, entry) in entries.iter().enumerate() {
                let coordinate = match *entry {
                    Entry::Element(element) => {
                        lo + each_key!(&self.keys, keys => self.layout.offset(0, keys[element], level)) as i64
                    }
                    Entry::Hole(levels) => levels[level],
                };
                indices.push(self.index(level, position, coordinate)?);
            }
        } else if self.tells_elements(self.built) {
            indices = match self.keys_as_indices(level) {
                Some(indices) => indices,
                None => self.indices_of_elements(level)?,
            };
        } else {
            indices = pages::with_capacity(self.count);
            let mut failed = None;
            self.walk(self.built, |group| {
                let coordinate = lo + self.offset_of(&group, level) as i64;
                match self.index(level, indices.len(), coordinate) {
                    Ok(index) => indices.push(index),
                    Err(error) => failed = failed.take().or(Some(error)),
                }
            });
            failed.map_or(Ok(()), Err)?;
        }
        Indices::try_new(F::LEVELS[level].name, indices, self.declared[level])
    }

    /// Returns the `idx` array of `level` with one entry for each element.
    fn indices_of_elements<I: Index>(&self, level: usize) -> Result<Vec<I>, Error> {
        let (layout, lo) = (&self.layout, self.layout.domains[level].lo);
        let mut indices = pages::with_capacity(self.len());
        each_key!(&self.keys, keys => {
            if layout.width[level] > 0 {
                for &key in keys {
                    let coordinate = lo + layout.offset(0, key, level) as i64;
                    indices.push(self.index(level, indices.len(), coordinate)?);
                }
            } else {
                for (bin, range) in bins(&self.starts, keys.len()).filter(|(_, range)| !range.is_empty()) {
                    let coordinate = lo + layout.offset(bin, keys[range.start], level) as i64;
                    let index = self.index(level, range.start, coordinate)?;
                    indices.resize(range.end, index);
                }
            }
        });
        Ok(indices)
    }

    /// Takes the keys as the `idx` array of `level`, if they are equal to it and nothing else needs them.
    fn keys_as_indices<I: Index>(&mut self, level: usize) -> Option<Vec<I>> {
        let layout = &self.layout;
        let (whole, domain) = (layout.is_key(level), layout.domains[level]);
        let last = F::LEVELS[level + 1..]
            .iter()
            .all(|below| matches!(below.kind, Kind::Fixed | Kind::Given));
        if !whole || domain.lo != 0 || !last || F::HOLES {
            return None;
        }
        let keys: &mut dyn Any = match &mut self.keys {
            Keys::Narrow(keys) => keys,
            Keys::Word(keys) => keys,
            Keys::Wide(keys) => keys,
        };
        keys.downcast_mut().map(core::mem::take)
    }

    /// Returns the `idx` array of an aligned level.
    ///
    /// It has one entry for each position of the level built last, the lowest coordinate where there is no element.
    pub(super) fn aligned_in_order<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        let mut column = self.column(level)?;
        let mut misfit = None;
        let lo = self.layout.domains[level].lo;
        self.walk(self.built, |group| {
            let coordinate = lo + self.offset_of(&group, level) as i64;
            fit(&mut misfit, group.position, coordinate, |index| {
                column.indices[group.position] = index;
            });
        });
        column.finish(misfit, self.declared[level])
    }

    /// Creates the `idx` array of an aligned level, filled with the lowest coordinate.
    pub(super) fn column<I: Index>(&mut self, level: usize) -> Result<Column<I>, Error> {
        self.reserve(self.count as u128, size_of::<I>())?;
        let mut indices = Vec::new();
        if self.count > 0 {
            indices = pages::filled(self.index::<I>(level, 0, self.layout.domains[level].lo)?, self.count);
        }
        Ok(Column {
            name: F::LEVELS[level].name,
            domain: self.layout.domains[level],
            indices,
        })
    }

    /// Converts a coordinate to an entry of the `idx` array of `level`.
    #[inline]
    fn index<I: Index>(&self, level: usize, position: usize, coordinate: i64) -> Result<I, Error> {
        index(F::LEVELS[level].name, self.layout.domains[level], position, coordinate)
    }

    /// Accounts for `padding` bytes in each of `count` tuples that arrays are packed into.
    ///
    /// # Errors
    /// `Limit` if they would exceed the limit.
    pub fn padding(&mut self, count: usize, padding: usize) -> Result<(), Error> {
        self.reserve(count as u128, padding)
    }

    /// Takes elements in order, leaving one for each coordinate as the policy says; `None` if there are no duplicates.
    pub(super) fn take<K: Held>(
        &mut self,
        mut sequence: Sequence<F::Scalar, K>,
        policy: Option<(Duplicates, [usize; N])>,
    ) -> Result<(), Error> {
        if let Some((policy, shape)) = policy {
            let layout = &self.layout;
            let refused = |(bin, key): (usize, K)| {
                let coordinate = |level: usize| layout.domains[level].lo + layout.offset(bin, key, level) as i64;
                let levels = core::array::from_fn(coordinate);
                let coordinate = F::decode(shape, &levels).map_or_else(String::new, |at| format!(" {at:?}"));
                Error::new(
                    ErrorKind::Duplicate,
                    format!("format `{}`", F::NAME),
                    None,
                    format!("coordinate{coordinate} twice"),
                    "each coordinate once (choose another `Duplicates` policy)",
                )
            };
            sequence.resolve_duplicates(policy, layout).map_err(refused)?;
        }
        self.starts = sequence.starts;
        self.keys = K::held(sequence.keys);
        self.values = sequence.values;
        Ok(())
    }

    /// Returns the values at the positions of the last level; holes are zero.
    pub(super) fn values(mut self) -> Result<Vec<F::Scalar>, Error> {
        if !F::HOLES {
            self.reserve(self.count as u128, size_of::<F::Scalar>())?;
            return Ok(self.values);
        }
        let mut values = self.holes()?;
        self.walk(M, |group| values[group.position] = self.values[group.elements.start]);
        Ok(values)
    }

    /// Returns a zero for each position of the last level.
    pub(super) fn holes(&mut self) -> Result<Vec<F::Scalar>, Error> {
        self.reserve(self.count as u128, size_of::<F::Scalar>())?;
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
        Ok(pages::filled(F::Scalar::FILL, self.count))
    }
}

/// Returns whether some entries of a chain may stand for no element.
fn is_full(levels: &[Level]) -> bool {
    levels.iter().any(|level| level.kind.is_full())
}

/// Converts a coordinate to an entry of the `idx` array of a level.
#[inline]
fn index<I: Index>(name: &str, domain: Domain, position: usize, coordinate: i64) -> Result<I, Error> {
    I::try_from_i64(coordinate).ok_or_else(|| Indices::<I>::overflow(name, position, coordinate, domain))
}

/// An `idx` array whose entries are set in any order.
pub(super) struct Column<I> {
    name: &'static str,
    domain: Domain,
    indices: Vec<I>,
}

/// Position and coordinate of an entry that does not fit its type.
pub(super) type Misfit = Option<(usize, i64)>;

impl<I: Index> Column<I> {
    /// Returns the entries, to be set.
    pub(super) fn cells(&mut self) -> Cells<'_, I> {
        Cells::new(&mut self.indices)
    }

    /// Returns the array, if every entry fits.
    pub(super) fn finish(self, misfit: Misfit, declared: Domain) -> Result<Indices<I>, Error> {
        match misfit {
            Some((position, coordinate)) => Err(Indices::<I>::overflow(self.name, position, coordinate, self.domain)),
            None => Indices::try_new(self.name, self.indices, declared),
        }
    }
}

/// Calls `set` with the coordinate as an entry if it fits, or else records it in `misfit`.
#[inline(always)]
pub(super) fn fit<I: Index>(misfit: &mut Misfit, position: usize, coordinate: i64, set: impl FnOnce(I)) {
    match I::try_from_i64(coordinate) {
        Some(index) => set(index),
        None => refuse(misfit, position, coordinate),
    }
}

#[cold]
fn refuse(misfit: &mut Misfit, position: usize, coordinate: i64) {
    misfit.get_or_insert((position, coordinate));
}
