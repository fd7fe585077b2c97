//! Construction of a format's levels, one by one, from elements in storage order.

use core::any::Any;
use core::ops::Range;

use super::layout::Layout;
use super::sequence::{ElementKeys, bins, each_key};
use super::words::CHUNK;
use crate::array::{Domain, Indices, Misfit, Pointers, record};
use crate::element::Index;
use crate::error::{Error, ErrorKind};
use crate::format::Level;
use crate::limit::Limit;
use crate::machine::pages;

/// Keys of elements or blocks in storage order, with the levels built so far. It depends on no type of the format.
pub struct Levels {
    /// The format's name and level table.
    pub(super) format: &'static str,
    pub(super) table: &'static [Level],
    /// Bytes of a value.
    pub(super) value_size: usize,
    /// Whether the format has positions without an element.
    pub(super) holes: bool,
    /// An upper bound of the number of elements, and whether their coordinates are known to be inside the shape on every visit.
    pub(super) elements: usize,
    pub(super) checked: bool,
    pub(super) layout: Layout,
    /// Start of each bin, and the end of the last; empty if there is one bin.
    pub(super) starts: Vec<u32>,
    pub(super) keys: ElementKeys,
    /// Level whose positions are groups of elements: the last one built that is not dense.
    pub(super) anchor: Option<usize>,
    /// Position of each group at the anchor, or `None` if the groups are numbered in order.
    pub(super) positions: Option<Vec<usize>>,
    /// Number of the level after the one built last.
    pub(super) built: usize,
    /// Number of positions of the level built last.
    pub(super) count: usize,
    /// Entries of the chain of levels built last, if some of them stand for no element.
    pub(super) entries: Option<Vec<Entry>>,
    /// Bytes of all arrays so far, and the maximum of a tensor.
    pub(super) bytes: u128,
    pub(super) allowed: u128,
}

/// Source of an entry's coordinates.
#[derive(Clone)]
pub(super) enum Entry {
    /// The number of the first element below the entry.
    Element(usize),
    /// The coordinates of an entry with no element below it.
    Hole(Box<[i64]>),
}

impl Levels {
    /// Creates the state before any level is built, above which there is only the root; there are no keys yet.
    pub(super) fn new(
        (format, table): (&'static str, &'static [Level]),
        (value_size, holes): (usize, bool),
        (elements, checked): (usize, bool),
        declared: &[Domain],
        mut layout: Layout,
        allowed: u128,
    ) -> Self {
        for (level, &declared) in layout.levels.iter_mut().zip(declared) {
            level.declared = declared;
        }
        Levels {
            format,
            table,
            value_size,
            holes,
            elements,
            checked,
            layout,
            starts: Vec::new(),
            keys: ElementKeys::Narrow(Vec::new()),
            anchor: None,
            positions: None,
            built: 0,
            count: 1,
            entries: None,
            bytes: 0,
            allowed,
        }
    }

    /// Returns the number of elements or blocks in order.
    pub(super) fn len(&self) -> usize {
        each_key!(&self.keys, keys => keys.len())
    }

    /// Adds `count` items of `width` bytes to the total of all arrays, and checks the limit.
    pub(super) fn reserve(&mut self, count: u128, width: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(count.saturating_mul(width as u128));
        Limit::check(self.format, self.bytes, self.allowed)
    }

    /// Counts `padding` bytes in each of `count` tuples into which arrays are packed.
    ///
    /// # Errors
    /// `Limit` if they would exceed the limit.
    pub fn padding(&mut self, count: usize, padding: usize) -> Result<(), Error> {
        self.reserve(count as u128, padding)
    }

    /// Returns the number of positions of `level`, if they fit and the values at them are within the limit.
    fn positions(&self, level: usize, positions: u128) -> Result<usize, Error> {
        if self.table[level + 1..].iter().all(|below| below.kind.is_determined()) {
            let bytes = positions.saturating_mul(self.value_size as u128);
            Limit::check(self.format, self.bytes.saturating_add(bytes), self.allowed)?;
        }
        self.fitting(level, positions)
    }

    /// Returns the number of positions of `level`, if it fits.
    pub(super) fn fitting(&self, level: usize, positions: u128) -> Result<usize, Error> {
        usize::try_from(positions).map_err(|_| {
            Error::new(
                ErrorKind::Overflow,
                format!("level `{}`", self.table[level].name),
                None,
                format!("{positions} positions"),
                "a number of positions within `usize`",
            )
        })
    }

    /// Returns the size of the domain of a level, whether it is measured or follows from the shape.
    #[must_use]
    pub fn size(&self, level: usize) -> usize {
        self.layout.levels[level].domain.size
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
    pub(super) fn counted<P: Index>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        self.reserve(self.count as u128 + 1, size_of::<P>())?;
        if self.are_bins(level) && self.bins_count(level) {
            // Every coordinate has an element of its own.
            self.finish_entries(level, self.len(), None);
            return self.pointers_of_bins(level, false);
        }
        let (counts, groups) = self.count_below(level);
        let pointers = self.pointers_of_counts::<P>(level, counts)?;
        // Where each coordinate has elements, the groups are numbered in order.
        self.positions = (groups < self.count).then(|| {
            let mut positions = pages::with_capacity(groups);
            self.walk_dyn(level + 1, &mut |group| {
                positions.push(pointers[group.position].to_usize() + self.offset_of(&group, level));
            });
            positions
        });
        (self.anchor, self.built) = (Some(level), level + 1);
        Ok(pointers)
    }

    /// Returns the number of coordinates of `level` below each parent, and the number of those with elements.
    fn count_below(&self, level: usize) -> (Vec<usize>, usize) {
        let (mut counts, mut groups) = (pages::filled(0usize, self.count), 0);
        self.walk_dyn(level + 1, &mut |group| {
            let offset = self.offset_of(&group, level);
            counts[group.position] = counts[group.position].max(offset.saturating_add(1));
            groups += 1;
        });
        (counts, groups)
    }

    /// Makes the positions of `level` current, `counts[parent]` below each parent, and returns its `ptr` array.
    pub(super) fn pointers_of_counts<P: Index>(
        &mut self,
        level: usize,
        counts: Vec<usize>,
    ) -> Result<Pointers<P>, Error> {
        self.count = self.positions(level, counts.iter().map(|&count| count as u128).sum())?;
        self.pointers(level, &counts, "positions")
    }

    /// Builds the entries of the levels `first..=last` at the root.
    ///
    /// # Errors
    /// `Limit` if entries without children would exceed it.
    pub fn root_entries(&mut self, first: usize, last: usize) -> Result<(), Error> {
        if is_full(&self.table[first..=last]) {
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
    pub(super) fn chain_pointers<P: Index>(&mut self, first: usize, last: usize) -> Result<Pointers<P>, Error> {
        self.reserve(self.count as u128 + 1, size_of::<P>())?;
        match self.count_entries(first, last)? {
            Some(counts) => self.pointers(first, &counts, "entries"),
            None => {
                // Coordinates of the chain are in the keys. Other levels and holes may still need the bins.
                let is_end = self.table[last + 1..].iter().all(|below| below.kind.holds_nothing());
                self.pointers_of_bins(first, is_end)
            }
        }
    }

    /// Builds the entries of the levels `first..=last`, and returns their number below each parent.
    ///
    /// Returns `None` if each parent is a bin and each element is an entry, so that the bin starts are the pointers.
    fn count_entries(&mut self, first: usize, last: usize) -> Result<Option<Vec<usize>>, Error> {
        if is_full(&self.table[first..=last]) {
            return self.build_entries(first, last).map(Some);
        }
        let elements = self.separates_elements(last + 1);
        if self.are_bins(last) {
            self.finish_entries(last, self.len(), None);
            return Ok(None);
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
        Ok(Some(counts))
    }

    /// Returns whether each position of the level built last is a bin, and each element is an entry of a chain down to `last`.
    fn are_bins(&self, last: usize) -> bool {
        let whole_bins = self.layout.bins_within(self.built) == Some(1) && self.starts.len() == self.count + 1;
        whole_bins && self.separates_elements(last + 1) && self.anchor.is_none()
    }

    /// Returns whether the coordinates of a level that separates the elements count from zero in each bin.
    fn bins_count(&self, level: usize) -> bool {
        let bits = self.layout.levels[level];
        each_key!(&self.keys, keys => {
            let last = |range: &Range<usize>| range.end.checked_sub(1).filter(|last| *last >= range.start);
            bins(&self.starts, keys.len()).all(|(bin, range)| {
                last(&range).is_none_or(|last| bits.offset(bin, keys[last]) + 1 == range.len())
            })
        })
    }

    /// Makes the entries of a chain down to `last` current. Groups are at `positions`; if there are none, group `n` is at position `n`.
    pub(super) fn finish_entries(&mut self, last: usize, entries: usize, positions: Option<Vec<usize>>) {
        (self.anchor, self.built) = (Some(last), last + 1);
        (self.count, self.positions, self.entries) = (entries, positions, None);
    }

    /// Returns the `ptr` array of `level` from the number of positions below each parent, whose sum is `self.count`.
    fn pointers<P: Index>(&self, level: usize, counts: &[usize], what: &str) -> Result<Pointers<P>, Error> {
        self.check_pointer::<P>(level, what)?;
        let mut starts = pages::with_capacity(counts.len() + 1);
        let mut start = 0;
        starts.push(P::truncated(start));
        for count in counts {
            start += count;
            // The last pointer is the greatest, and was checked to fit.
            starts.push(P::truncated(start));
        }
        Pointers::try_new(self.table[level].pointer_name, starts)
    }

    /// Returns the `ptr` array of `level`, whose parents are the bins. It takes the bin starts if `is_end`, as nothing needs them later.
    fn pointers_of_bins<P: Index>(&mut self, level: usize, is_end: bool) -> Result<Pointers<P>, Error> {
        self.check_pointer::<P>(level, "entries")?;
        let mut starts = match is_end {
            true => core::mem::take(&mut self.starts),
            false => pages::copied(&self.starts),
        };
        let starts = match (&mut starts as &mut dyn Any).downcast_mut::<Vec<P>>() {
            Some(starts) => core::mem::take(starts),
            None => starts.iter().map(|&start| P::truncated(start as usize)).collect(),
        };
        Pointers::try_new(self.table[level].pointer_name, starts)
    }

    /// Checks that the last pointer fits.
    fn check_pointer<P: Index>(&self, level: usize, what: &str) -> Result<(), Error> {
        let total = self.count;
        if i64::try_from(total).is_ok_and(|total| P::try_from_i64(total).is_some()) {
            return Ok(());
        }
        Err(Pointers::<P>::overflow(
            self.table[level].pointer_name,
            total as u64,
            what,
        ))
    }

    /// Returns the `idx` array of `level`, which was among the levels built last.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub(super) fn entry_indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        self.reserve(self.count as u128, size_of::<I>())?;
        let indices = match self.keys_as_indices(level) {
            Some(indices) => indices,
            None => {
                let (mut indices, mut misfit) = (pages::with_capacity(self.count), None);
                self.coordinates(level, &mut |coordinates| {
                    let does_not_fit = |&coordinate: &i64| I::try_from_i64(coordinate).is_none();
                    if let Some(at) = coordinates.iter().position(does_not_fit) {
                        record(&mut misfit, indices.len() + at, coordinates[at]);
                    }
                    indices.extend(coordinates.iter().map(|&coordinate| I::truncated(coordinate as usize)));
                });
                self.refuse::<I>(level, misfit)?;
                indices
            }
        };
        let of_level = &self.layout.levels[level];
        let known = self.checked.then_some(of_level.domain);
        Indices::try_known(self.table[level].name, indices, known, of_level.declared)
    }

    /// Visits the coordinates of the entries of `level` in order, in chunks of at most [`CHUNK`].
    fn coordinates(&self, level: usize, take: &mut dyn FnMut(&[i64])) {
        let bits = self.layout.levels[level];
        if let Some(entries) = &self.entries {
            for entry in entries {
                take(&[match entry {
                    Entry::Element(element) => each_key!(&self.keys, keys => bits.coordinate(0, keys[*element])),
                    Entry::Hole(levels) => levels[level],
                }]);
            }
        } else if !self.separates_elements(self.built) {
            let mut chunk = Vec::with_capacity(CHUNK);
            self.walk(self.built, |group| {
                if chunk.len() == CHUNK {
                    take(&chunk);
                    chunk.clear();
                }
                chunk.push(bits.domain.lo + self.offset_of(&group, level) as i64);
            });
            take(&chunk);
        } else if bits.width > 0 {
            each_key!(&self.keys, keys => {
                let mut chunk = [0; CHUNK];
                for keys in keys.chunks(CHUNK) {
                    let chunk = &mut chunk[..keys.len()];
                    for (coordinate, &key) in chunk.iter_mut().zip(keys) {
                        *coordinate = bits.coordinate(0, key);
                    }
                    take(chunk);
                }
            });
        } else {
            each_key!(&self.keys, keys => {
                for (bin, range) in bins(&self.starts, keys.len()).filter(|(_, range)| !range.is_empty()) {
                    let chunk = [bits.coordinate(bin, keys[range.start]); CHUNK];
                    for start in range.clone().step_by(CHUNK) {
                        take(&chunk[..CHUNK.min(range.end - start)]);
                    }
                }
            });
        }
    }

    /// Takes the keys as the `idx` array of `level`, if they are equal to it and nothing else needs them.
    fn keys_as_indices<I: Index>(&mut self, level: usize) -> Option<Vec<I>> {
        let layout = &self.layout;
        let (whole, domain) = (layout.is_key(level), layout.levels[level].domain);
        let last = self.table[level + 1..].iter().all(|below| below.kind.holds_nothing());
        if !whole || domain.lo != 0 || !last || self.holes {
            return None;
        }
        let keys: &mut dyn Any = match &mut self.keys {
            ElementKeys::Narrow(keys) => keys,
            ElementKeys::Word(keys) => keys,
            ElementKeys::Wide(keys) => keys,
        };
        keys.downcast_mut().map(core::mem::take)
    }

    /// Visits each position of the last level that holds an element, with the number of the first such element.
    pub(super) fn each_value(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.walk(self.table.len(), |group| visit(group.position, group.elements.start));
    }

    /// Refuses a coordinate of `level` that does not fit the entries of its `idx` array, if there is one.
    fn refuse<I: Index>(&self, level: usize, misfit: Misfit) -> Result<(), Error> {
        misfit.map_or(Ok(()), |(position, coordinate)| {
            let domain = self.layout.levels[level].domain;
            Err(Indices::<I>::overflow(
                self.table[level].name,
                position,
                coordinate,
                domain,
            ))
        })
    }

    /// Returns the lowest coordinate of each level.
    pub(super) fn lowest(&self) -> Vec<i64> {
        self.layout.levels.iter().map(|level| level.domain.lo).collect()
    }
}

/// Returns whether some entries of a chain may stand for no element.
fn is_full(levels: &[Level]) -> bool {
    levels.iter().any(|level| level.kind.is_full())
}
