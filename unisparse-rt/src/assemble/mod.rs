//! Any source to the levels of any format.
//!
//! What the order of the source says of the target's ([`strategy`]) decides how elements get into storage order: they
//! are appended, scattered into bins, or sorted by radix; where values lie in dense blocks only the blocks are
//! ordered. Then each level is built from the bins and keys ([`levels`]), those that the bins tell without a look at any
//! element. What depends on the source is small: it is compiled for each pair of formats.

mod append;
mod blocks;
mod coded;
mod counts;
mod entries;
mod layout;
mod levels;
mod sequence;
mod sort;
pub(crate) mod strategy;
mod walk;

use core::ops::{Deref, DerefMut};

use crate::level::{Domain, Kind, Tree};
use crate::query::Queries;
use crate::report::step;
use crate::storage::{Indices, Pointers};
use crate::{Duplicates, Error, Index, Limit, Source, pages};
use coded::{Any, Plain};
pub(crate) use coded::{Coded, Queried};
use layout::Layout;
use levels::Levels;
use sequence::{Keys, Sequence};
use sort::Local;
use strategy::{Choice, Way};

/// The elements of a source in storage order, and how far their levels have been built.
///
/// Generated code calls `dense`, `counted`, `entries` or one of their kind for the levels from the root down,
/// [`aligned`](Assembly::aligned) for aligned levels after the level they are in step with, then
/// [`values`](Assembly::values).
pub struct Assembly<F: Tree<N, M>, C, const N: usize, const M: usize> {
    source: C,
    /// How many levels tell the blocks, if values are put in their places by a visit of the source.
    blocks: Option<usize>,
    /// The level that was counted by a visit, and where the positions of each of its parents start.
    counted: Option<(usize, Vec<usize>)>,
    /// The values, if they are in their places already.
    placed: Option<Vec<F::Scalar>>,
    levels: Levels<F, N, M>,
}

/// What the step is called that puts elements in their places.
const PLACE: &str = "put values in their places";

/// Levels are built alike whatever the source.
impl<F: Tree<N, M>, C, const N: usize, const M: usize> Deref for Assembly<F, C, N, M> {
    type Target = Levels<F, N, M>;
    fn deref(&self) -> &Levels<F, N, M> {
        &self.levels
    }
}

impl<F: Tree<N, M>, C, const N: usize, const M: usize> DerefMut for Assembly<F, C, N, M> {
    fn deref_mut(&mut self) -> &mut Levels<F, N, M> {
        &mut self.levels
    }
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
        Assembly::arranged(
            Plain::new(source),
            shape,
            (domains, domains),
            source.duplicates(),
            limit,
        )
    }
}

impl<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Assembly<F, Queried<'s, F, N, M, Q>, N, M> {
    /// [`new`](Assembly::new) for a format with `Q` queries, which `evaluate` evaluates in their order.
    ///
    /// # Errors
    /// As [`new`](Assembly::new), and those of `evaluate`.
    pub fn with_queries<S>(
        source: &'s S,
        limit: Limit,
        evaluate: impl FnOnce(&mut Queries<'s, F::Scalar, N, Q>) -> Result<(), Error>,
    ) -> Result<Self, Error>
    where
        S: Source<N, Scalar = F::Scalar>,
    {
        Self::queried(Queried::new(source)?, limit, evaluate)
    }

    /// What follows, whatever the source was.
    fn queried(
        mut elements: Queried<'s, F, N, M, Q>,
        limit: Limit,
        evaluate: impl FnOnce(&mut Queries<'s, F::Scalar, N, Q>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let queries = &mut elements.queries;
        let shape = queries.shape();
        queries.limit(limit.allowed(queries.count(), size_of::<F::Scalar>(), &shape));
        step("evaluate the queries", || evaluate(queries))?;
        let domains = elements.measure(F::domains(shape, &[0; M])?)?;
        let declared = F::domains(shape, &domains.map(|domain| domain.size))?;
        Assembly::arranged(elements, shape, (declared, domains), Duplicates::Reject, limit)
    }
}

impl<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize> Assembly<F, C, N, M> {
    /// The elements in storage order, and nothing built yet. The domains are those that arrays are held to, and those
    /// that the coordinates of these elements are within.
    fn arranged(
        source: C,
        shape: [usize; N],
        (declared, domains): ([Domain; M], [Domain; M]),
        policy: Duplicates,
        limit: Limit,
    ) -> Result<Self, Error> {
        let width = size_of::<F::Scalar>();
        let allowed = limit.allowed(source.count(), width, &shape);
        let sorted = C::SORTED.unwrap_or_else(|| source.sorted());
        let choice = Choice::new::<F, N>(&domains, source.count(), allowed, &sorted);
        let layout = choice.layout;
        layout.check(F::NAME)?;
        let mut assembly = Assembly {
            source,
            blocks: choice.blocks,
            counted: None,
            placed: None,
            levels: Levels::new(declared, layout, allowed),
        };
        let policy = (!sorted.unique).then_some((policy, shape));
        if choice.way == Way::Place {
            if C::MAY_PLACE {
                assembly.find_blocks();
            }
            return Ok(assembly);
        }
        let narrow = match choice.way {
            Way::Sort => sort::is_narrow(assembly.source.count(), &layout),
            _ => layout.bits <= u32::BITS,
        };
        // Larger keys are rarer: one piece of code for all sources.
        let any = Any(&assembly.source);
        if narrow {
            let sequence = arranged::<F, C, u32, N, M>(&assembly.source, &layout, choice.way);
            assembly.levels.take(sequence, policy)?;
        } else if layout.bits <= u64::BITS && (choice.way != Way::Sort || sort::is_countable(assembly.source.count())) {
            let sequence = if C::OF_ANY_SOURCE {
                arranged::<F, _, u64, N, M>(&assembly.source, &layout, choice.way)
            } else {
                arranged::<F, _, u64, N, M>(&any, &layout, choice.way)
            };
            assembly.levels.take(sequence, policy)?;
        } else {
            let sequence = step("sort the elements", || sort::sort_wide(&any, &layout));
            assembly.levels.take(sequence, policy)?;
        }
        let held = assembly.levels.values.len();
        assembly.levels.allowed = limit.allowed(held, width, &shape);
        Ok(assembly)
    }

    /// The blocks in order.
    fn find_blocks(&mut self) {
        let Some(level) = self.blocks.and_then(|depth| depth.checked_sub(1)) else {
            return;
        };
        let (starts, keys) = step("mark the blocks", || {
            blocks::blocks(&self.source, &self.levels.layout, level)
        });
        (self.levels.starts, self.levels.keys) = (starts, Keys::Narrow(keys));
    }

    /// Builds a level that holds, below each parent, every coordinate from 0 to the greatest below it.
    ///
    /// # Errors
    /// `Limit` if the pointers, or values at the positions, would exceed it, `Overflow` if a pointer does not fit `P`.
    pub fn counted<P: Index>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        if !C::MAY_PLACE || self.blocks.is_none() {
            return self.levels.counted(level);
        }
        self.levels.reserve(self.levels.count as u128 + 1, size_of::<P>())?;
        let lowest = self.levels.layout.domains[level].lo;
        let mut counts = pages::filled(0usize, self.levels.count);
        self.place(|parent, levels, _| {
            let count = levels[level].wrapping_sub(lowest) as usize + 1;
            counts[parent] = counts[parent].max(count);
        });
        let pointers: Pointers<P> = self.levels.pointers_of_counts(level, counts)?;
        let starts = pointers.iter().map(|start| start.to_usize()).collect();
        self.counted = Some((level, starts));
        self.levels.built = level + 1;
        Ok(pointers)
    }

    /// The `idx` array of `level`, one of those built last or aligned with them.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        match F::LEVELS[level].kind {
            Kind::Aligned => self.aligned(level),
            _ => self.levels.indices(level),
        }
    }

    /// The `idx` array of an aligned level: one entry for each position of the level built last, the lowest
    /// coordinate for those without an element.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn aligned<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        if !C::MAY_PLACE || self.blocks.is_none() {
            return self.levels.aligned_in_order(level);
        }
        let mut column = self.levels.column(level)?;
        let last = F::LEVELS[self.levels.built..]
            .iter()
            .all(|level| level.kind.is_determined());
        if !last || self.placed.is_some() {
            self.place(|position, levels, _| column.set(position, levels[level]));
        } else {
            // No position is below these: the values are put there on the same visit.
            let mut values = self.levels.holes()?;
            step(PLACE, || {
                self.place(|position, levels, value| {
                    column.set(position, levels[level]);
                    values[position] = value;
                });
            });
            self.placed = Some(values);
        }
        column.finish(self.levels.declared[level])
    }

    /// The values at the positions of the last level, holes zero.
    ///
    /// # Errors
    /// `Limit` if they would exceed the limit, or cannot be allocated.
    pub fn values(mut self) -> Result<Vec<F::Scalar>, Error> {
        if !C::MAY_PLACE || self.blocks.is_none() {
            return self.levels.values();
        }
        if let Some(values) = self.placed {
            return Ok(values);
        }
        let mut values = self.levels.holes()?;
        step(PLACE, || {
            self.place(|position, _, value| values[position] = value);
        });
        Ok(values)
    }

    /// Visits each element of the source with its position at the level built last.
    #[inline(always)]
    fn place(&self, mut visit: impl FnMut(usize, [i64; M], F::Scalar)) {
        let (levels, depth) = (&self.levels, self.blocks.unwrap_or(0));
        let (counted, starts) = match &self.counted {
            Some((level, starts)) => (Some(*level), &starts[..]),
            None => (None, &[][..]),
        };
        // A position is a linear form of the coordinates in a block, or above the counted level, and another below.
        let (mut above, mut within) = ([0; M], [0; M]);
        let mut factors = [1, 1];
        let free = |level: &usize| !F::LEVELS[*level].kind.is_determined();
        for level in (depth..levels.built).rev().filter(free) {
            if counted == Some(level) {
                within[level] = factors[1];
            } else if counted > Some(level) {
                above[level] = factors[0];
                factors[0] *= levels.size(level);
            } else {
                within[level] = factors[1];
                factors[1] *= levels.size(level);
            }
        }
        let lowest = levels.layout.domains.map(|domain| domain.lo);
        let [above_lowest, within_lowest] = [form(&above, &lowest), form(&within, &lowest)];
        let keys: &[u32] = match &levels.keys {
            Keys::Narrow(keys) => keys,
            _ => &[],
        };
        let mut blocks = depth
            .checked_sub(1)
            .map(|level| blocks::Blocks::new(&levels.layout, level, &levels.starts, keys));
        self.source.for_each(|levels, value| {
            let mut base = blocks.as_mut().map_or(0, |blocks| blocks.of(&levels));
            if counted.is_some() {
                let parent = form(&above, &levels).wrapping_sub(above_lowest);
                base = starts[(base * factors[0]).wrapping_add(parent)];
            }
            let place = form(&within, &levels).wrapping_sub(within_lowest);
            visit((base * factors[1]).wrapping_add(place), levels, value);
        });
    }
}

/// The sum of the coordinates times their factors.
#[inline(always)]
fn form<const M: usize>(factors: &[usize; M], levels: &[i64; M]) -> usize {
    let terms = levels.iter().zip(factors);
    let terms = terms.map(|(&level, &factor)| (level as usize).wrapping_mul(factor));
    terms.fold(0, usize::wrapping_add)
}

/// The elements in storage order, but for what cannot be chosen for this source, which is not compiled.
fn arranged<F: Tree<N, M>, C: Coded<F, N, M>, K: Local, const N: usize, const M: usize>(
    source: &C,
    layout: &Layout<M>,
    way: Way,
) -> Sequence<F::Scalar, K> {
    if !C::MAY_MOVE || (C::MAY_APPEND && way == Way::Append) {
        step("append the elements", || append::append(source, layout))
    } else if way == Way::Scatter {
        step("scatter the elements into bins", || sort::scatter(source, layout))
    } else {
        step("sort the elements", || sort::sort(source, layout))
    }
}
