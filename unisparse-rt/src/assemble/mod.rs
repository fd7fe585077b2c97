//! Any source to the levels of any format.
//!
//! What the order of the source says of the target's ([`strategy`]) decides how elements get into storage order: they
//! are appended, scattered into bins, or sorted by radix; where values lie in dense blocks only the blocks are
//! ordered. Then each level is built from the bins and keys ([`walk`]), those that the bins tell without a look at any
//! element.

mod append;
mod blocks;
mod coded;
mod entries;
mod layout;
mod scatter;
mod sequence;
mod sort;
mod strategy;
mod walk;

use core::any::Any;
use core::marker::PhantomData;

use crate::level::{Domain, Kind, Level, Tree};
use crate::query::Queries;
use crate::radix::WideKey;
use crate::storage::{Indices, Pointers};
use crate::{Duplicates, Error, ErrorKind, Index, Limit, Scalar, Source, pages, parallel};
use coded::{Coded, Plain, Queried};
use entries::Entry;
use layout::Layout;
use sequence::{Held, Keys, Sequence, bins, each_key};
use strategy::{Choice, Sorted, Way};

/// Elements in storage order, and how far their levels have been built.
///
/// Generated code calls [`dense`](Assembly::dense), [`counted`](Assembly::counted), [`entries`](Assembly::entries)
/// or one of their kind for the levels from the root down, [`aligned`](Assembly::aligned) for aligned levels after the
/// level they are in step with, then [`values`](Assembly::values).
pub struct Assembly<F: Tree<N, M>, C, const N: usize, const M: usize> {
    source: C,
    /// The domains as the shape tells them, which the arrays are held to.
    declared: [Domain; M],
    layout: Layout<M>,
    /// Where the elements of each bin start, and the end; empty for one bin.
    starts: Vec<u32>,
    /// Of elements, or of blocks of them.
    keys: Keys,
    values: Vec<F::Scalar>,
    /// How many levels tell the blocks, if values are put in their places by a visit of the source.
    blocks: Option<usize>,
    /// The level whose positions are groups of elements: the last one built that is not dense.
    anchor: Option<usize>,
    /// The position of each group at the anchor, unless they are numbered in order.
    positions: Option<Vec<usize>>,
    /// One past the level built last.
    built: usize,
    /// How many positions the level built last has.
    count: usize,
    /// The entries of the chain of levels built last, where some stand for no element.
    entries: Option<Vec<Entry<M>>>,
    bytes: u128,
    allowed: u128,
    format: PhantomData<F>,
}

impl<'s, F, S, const N: usize, const M: usize> Assembly<F, Plain<'s, F, S, N>, N, M>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
{
    /// Reads the elements of `source` and brings them into storage order.
    ///
    /// # Errors
    /// `Overflow` if the coordinates of a level do not fit, `Duplicate` if there are duplicates and the
    /// source refuses them.
    pub fn new(source: &'s S, limit: Limit) -> Result<Self, Error> {
        let shape = source.shape();
        let domains = F::domains(shape, &[0; M])?;
        let sorted = Sorted::of::<F, S, N, M>(source);
        let policy = source.duplicates();
        Assembly::arranged(Plain::new(source), shape, (domains, domains), &sorted, policy, limit)
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Assembly<F, Queried<F, F::Scalar, N, Q>, N, M> {
    /// [`new`](Assembly::new) for a format with `Q` queries, which `evaluate` evaluates in their order.
    ///
    /// # Errors
    /// As [`new`](Assembly::new), and those of `evaluate`.
    pub fn with_queries<S>(
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
        let elements = Queried {
            coordinates,
            values,
            results,
            format: PhantomData,
        };
        let count = elements.values.len();
        let levels = |element: usize| F::encode(elements.coordinates[element], &elements.results[element]);
        let domains = measure::<F, N, M>(F::domains(shape, &[0; M])?, count, levels)?;
        let declared = F::domains(shape, &domains.map(|domain| domain.size))?;
        let sorted = Sorted::logically::<F, N, M>();
        Assembly::arranged(elements, shape, (declared, domains), &sorted, Duplicates::Reject, limit)
    }
}

impl<F: Tree<N, M>, C: Coded<F::Scalar, M>, const N: usize, const M: usize> Assembly<F, C, N, M> {
    /// The elements in storage order, and nothing built yet. The domains are those that arrays are held to, and those
    /// that the coordinates of these elements are within.
    fn arranged(
        source: C,
        shape: [usize; N],
        (declared, domains): ([Domain; M], [Domain; M]),
        sorted: &Sorted,
        policy: Duplicates,
        limit: Limit,
    ) -> Result<Self, Error> {
        let kinds = F::LEVELS.map(|level| level.kind);
        let width = size_of::<F::Scalar>();
        let allowed = limit.allowed(source.count(), width, &shape);
        let choice = Choice::new(&kinds, F::HOLES, &domains, source.count(), allowed, sorted);
        let Choice { way, layout, blocks } = choice;
        layout.check(F::NAME)?;
        let mut assembly = Assembly {
            declared,
            layout,
            starts: Vec::new(),
            keys: Keys::Narrow(Vec::new()),
            values: Vec::new(),
            blocks,
            anchor: None,
            positions: None,
            built: 0,
            count: 1,
            entries: None,
            bytes: 0,
            allowed,
            format: PhantomData,
            source,
        };
        let policy = (!sorted.unique).then_some(policy);
        if layout.bits <= u32::BITS {
            assembly.arrange::<u32>(way, policy, shape)?;
        } else if layout.bits <= u64::BITS {
            assembly.arrange::<u64>(way, policy, shape)?;
        } else {
            assembly.arrange::<WideKey>(way, policy, shape)?;
        }
        if blocks.is_none() {
            assembly.allowed = limit.allowed(assembly.values.len(), width, &shape);
        }
        Ok(assembly)
    }

    fn arrange<K: Held>(&mut self, way: Way, policy: Option<Duplicates>, shape: [usize; N]) -> Result<(), Error> {
        let mut sequence: Sequence<F::Scalar, K> = match (way, self.blocks) {
            (Way::Place, Some(depth)) if depth > 0 => blocks::blocks(&self.source, &self.layout, depth - 1),
            (Way::Place, _) => Sequence {
                starts: Vec::new(),
                keys: Vec::new(),
                values: Vec::new(),
            },
            (Way::Append, _) => append::append(&self.source, &self.layout),
            (Way::Scatter, _) => scatter::scatter(&self.source, &self.layout),
            (Way::Sort, _) => K::sort(&self.source, &self.layout),
        };
        if let Some(policy) = policy {
            let refused = |(bin, key): (usize, K)| {
                let levels = core::array::from_fn(|level| {
                    let offset = self.layout.offset(bin, key, level);
                    self.layout.domains[level].lo + offset as i64
                });
                let coordinate = F::decode(shape, &levels).map_or_else(String::new, |at| format!(" {at:?}"));
                Error::new(
                    ErrorKind::Duplicate,
                    format!("format `{}`", F::NAME),
                    None,
                    format!("coordinate{coordinate} twice"),
                    "each coordinate once (choose another `Duplicates` policy)",
                )
            };
            sequence.resolve_duplicates(policy, &self.layout).map_err(refused)?;
        }
        self.starts = sequence.starts;
        self.keys = K::held(sequence.keys);
        self.values = sequence.values;
        Ok(())
    }

    /// How many elements, or blocks, are in order.
    fn len(&self) -> usize {
        each_key!(&self.keys, keys => keys.len())
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
        let mut places = Vec::new();
        self.walk(level + 1, |group| {
            let offset = self.offset_of(&group, level);
            counts[group.position] = counts[group.position].max(offset.saturating_add(1));
            places.push((group.position, offset));
        });
        self.count = self.positions(level, counts.iter().map(|&count| count as u128).sum())?;
        let pointers = self.pointers::<P>(level, counts.into_iter(), "positions")?;
        let position = |(parent, offset): (usize, usize)| pointers[parent].to_usize() + offset;
        self.positions = Some(places.into_iter().map(position).collect());
        (self.anchor, self.built) = (Some(level), level + 1);
        Ok(pointers)
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

    /// Builds the entries of the levels `first..=last` below the level built last, and their pointers.
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
        let whole_bins = self.layout.bins_within(self.built) == Some(1) && !self.starts.is_empty();
        if elements && whole_bins && self.anchor.is_none() {
            // Each parent is a bin, each element an entry: the pointers are where the bins start.
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

    /// The entries of a chain down to `last` are the positions now, and groups are at these, if not at those in order.
    fn finish_entries(&mut self, last: usize, entries: usize, positions: Option<Vec<usize>>) {
        (self.anchor, self.built) = (Some(last), last + 1);
        (self.count, self.positions, self.entries) = (entries, positions, None);
    }

    /// The `ptr` array of `level`, whose parents have so many positions each; `self.count` are all of them.
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
            // The last and greatest one was found to fit.
            starts.extend(P::try_from_i64(start));
        }
        Pointers::try_new(F::LEVELS[level].pointer_name, starts)
    }

    /// The `ptr` array of `level`, whose parents are the bins.
    fn pointers_of_bins<P: Index>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        self.check_pointer::<P>(level, "entries")?;
        let mut starts = self.starts.clone();
        let starts = match (&mut starts as &mut dyn Any).downcast_mut::<Vec<P>>() {
            Some(starts) => core::mem::take(starts),
            None => starts
                .iter()
                .filter_map(|&start| P::try_from_i64(i64::from(start)))
                .collect(),
        };
        Pointers::try_new(F::LEVELS[level].pointer_name, starts)
    }

    /// Whether the pointer past all positions fits.
    fn check_pointer<P: Index>(&self, level: usize, what: &str) -> Result<(), Error> {
        let total = self.count;
        if i64::try_from(total).is_ok_and(|total| P::try_from_i64(total).is_some()) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Overflow,
            format!("`{}_ptr`", F::LEVELS[level].pointer_name),
            None,
            format!(
                "{total} {what}, which need {} bits",
                usize::BITS - total.leading_zeros()
            ),
            format!("a number that fits `{}` (declare `pointer(u64)`)", P::NAME),
        ))
    }

    /// The `idx` array of `level`, one of those built last.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        if F::LEVELS[level].kind == Kind::Aligned {
            return self.aligned(level);
        }
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

    /// The `idx` array of `level` that has an entry for each element.
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

    /// The keys themselves, if they are the `idx` array of `level` and nothing else needs them.
    fn keys_as_indices<I: Index>(&mut self, level: usize) -> Option<Vec<I>> {
        let layout = &self.layout;
        let (whole, domain) = (layout.width[level] == layout.bits, layout.domains[level]);
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

    /// The `idx` array of an aligned level: one entry for each position of the level built last, the lowest
    /// coordinate for those without an element.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn aligned<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        self.reserve(self.count as u128, size_of::<I>())?;
        let lo = self.layout.domains[level].lo;
        let mut indices = Vec::new();
        if self.count > 0 {
            indices = pages::filled(self.index::<I>(level, 0, lo)?, self.count);
        }
        let mut failed = None;
        let mut set = |position: usize, coordinate: i64| match self.index(level, position, coordinate) {
            Ok(index) => indices[position] = index,
            Err(error) => failed = failed.take().or(Some(error)),
        };
        if self.blocks.is_some() {
            self.place(|position, levels, _| set(position, levels[level]));
        } else {
            self.walk(self.built, |group| {
                set(group.position, lo + self.offset_of(&group, level) as i64)
            });
        }
        failed.map_or(Ok(()), Err)?;
        Indices::try_new(F::LEVELS[level].name, indices, self.declared[level])
    }

    /// Visits each element of the source with its position at the level built last.
    fn place(&self, mut visit: impl FnMut(usize, [i64; M], F::Scalar)) {
        let depth = self.blocks.unwrap_or(0);
        let mut factors = [0; M];
        let mut factor = 1;
        for level in (depth..self.built)
            .rev()
            .filter(|&level| !F::LEVELS[level].kind.is_determined())
        {
            factors[level] = factor;
            factor *= self.size(level);
        }
        let domains = self.layout.domains;
        let position = |levels: &[i64; M]| {
            let offset = |level: usize| levels[level].wrapping_sub(domains[level].lo) as usize;
            (0..M).fold(0usize, |sum, level| {
                sum.wrapping_add(offset(level).wrapping_mul(factors[level]))
            })
        };
        let Some(level) = depth.checked_sub(1) else {
            return self
                .source
                .for_each(|levels, value| visit(position(&levels), levels, value));
        };
        each_key!(&self.keys, keys => {
            blocks::place(&self.source, &self.layout, level, &self.starts, keys, |block, levels, value| {
                visit(block * factor + position(&levels), levels, value);
            });
        });
    }

    /// An entry of the `idx` array of `level`.
    #[inline]
    fn index<I: Index>(&self, level: usize, position: usize, coordinate: i64) -> Result<I, Error> {
        I::try_from_i64(coordinate).ok_or_else(|| {
            let (name, domain) = (F::LEVELS[level].name, self.layout.domains[level]);
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
        let mut values = pages::filled(F::Scalar::ZERO, self.count);
        if self.blocks.is_some() {
            self.place(|position, _, value| values[position] = value);
        } else {
            self.walk(M, |group| values[group.position] = self.values[group.elements.start]);
        }
        Ok(values)
    }
}

/// Whether some entries of a chain may stand for no element.
fn is_full(levels: &[Level]) -> bool {
    levels.iter().any(|level| level.kind.is_full())
}

/// The domains, with those that the shape does not tell from 0, or the lowest coordinate below, to the greatest.
pub(crate) fn measure<F: Tree<N, M>, const N: usize, const M: usize>(
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
