//! Assembly of the levels of any format from any source.
//!
//! The relation between the order of the source and that of the target ([`strategy`]) decides how elements get into
//! storage order: they are appended, scattered into bins, or radix sorted; where values lie in dense blocks, only the
//! blocks are ordered. Then each level is built from the bins and keys ([`levels`]); levels that the bins determine are
//! built without reading any element. Little code depends on the source, and is compiled for each pair of formats.

mod append;
mod blocks;
mod coded;
mod combine;
mod counts;
mod entries;
mod layout;
mod levels;
mod sequence;
mod short;
mod sort;
pub(crate) mod strategy;
mod walk;

use core::ops::{Deref, DerefMut, Range};

use crate::level::{Domain, Kind, Tree};
use crate::query::Queries;
use crate::report::step;
use crate::shared::Cells;
use crate::storage::{Indices, Pointers};
use crate::{Duplicates, Error, Index, Limit, Source, pages, parallel};
use blocks::Numbered;
use coded::{Any, Plain};
pub(crate) use coded::{Coded, Queried};
use layout::Layout;
use levels::{Levels, fit};
use sequence::{Keys, Sequence};
use sort::Local;
use strategy::{Choice, Way, block_levels, has_counted, target};

/// Elements of a source in storage order, with the levels built so far.
///
/// Generated code calls `dense`, `counted`, `entries` or similar methods for the levels from the root down,
/// [`aligned`](Assembly::aligned) for each aligned level after the level whose positions it shares, then
/// [`values`](Assembly::values).
pub struct Assembly<F: Tree<N, M>, C, const N: usize, const M: usize> {
    source: C,
    /// Number of levels that determine the block, if a visit of the source writes values to their places.
    blocks: Option<usize>,
    /// Level that was counted by a visit, and the first position below each of its parents.
    counted: Option<(usize, Vec<usize>)>,
    /// Values, if they are in their places already.
    placed: Option<Vec<F::Scalar>>,
    levels: Levels<F, N, M>,
}

/// Name of the step that writes values to their places.
const PLACE: &str = "put values in their places";

/// Levels are built the same way for every source.
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
    /// `OutOfBounds` if an element is outside the shape, `Overflow` if the coordinates of a level do not fit, `Duplicate`
    /// if there are duplicates and the source rejects them.
    pub fn new(source: &'s S, limit: Limit) -> Result<Self, Error> {
        let shape = source.shape();
        let domains = F::domains(shape, &[0; M])?;
        Assembly::arranged(
            Plain::new(source)?,
            shape,
            (domains, domains),
            source.duplicates(),
            limit,
        )
    }
}

impl<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Assembly<F, Queried<'s, F, N, M, Q>, N, M> {
    /// Like [`new`](Assembly::new), for a format with `Q` queries, which `evaluate` evaluates in their order.
    ///
    /// # Errors
    /// The errors of [`new`](Assembly::new) and of `evaluate`.
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

    /// Continues [`with_queries`](Assembly::with_queries); this code does not depend on the source type.
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
    /// Brings the elements into storage order; no level is built yet.
    ///
    /// Arrays are checked against the `declared` domains; the coordinates of these elements are within `domains`.
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
            Way::Sort => sort::is_narrow::<F::Scalar, M>(assembly.source.count(), &layout),
            _ => layout.bits <= u32::BITS,
        };
        // Larger keys are rare: one instance behind a trait object serves all sources.
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

    /// Finds and orders the blocks.
    fn find_blocks(&mut self) {
        if Self::BLOCK_LEVELS == 0 {
            return;
        }
        let (starts, keys) = step("mark the blocks", || blocks::blocks(&self.source, &self.levels.layout));
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
        {
            let counts = &mut counts[..];
            self.place(self.whole(), |parent, levels, _| {
                let count = at(levels, level).wrapping_sub(lowest) as usize + 1;
                counts[parent] = counts[parent].max(count);
            });
        }
        let pointers: Pointers<P> = self.levels.pointers_of_counts(level, counts)?;
        let mut starts = pages::with_capacity(pointers.len());
        starts.extend(pointers.iter().map(|start| start.to_usize()));
        self.counted = Some((level, starts));
        self.levels.built = level + 1;
        Ok(pointers)
    }

    /// Returns the `idx` array of `level`, which was among the levels built last or is aligned with them.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        match F::LEVELS[level].kind {
            Kind::Aligned => self.aligned(level),
            _ => self.levels.indices(level),
        }
    }

    /// Returns the `idx` array of an aligned level.
    ///
    /// It has one entry for each position of the level built last, the lowest coordinate where there is no element.
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
        let indices = column.cells();
        let misfits = if !last || self.placed.is_some() {
            parallel::each(self.pieces(Cells::<I>::is_atomic()), |piece| {
                // Local copies, so that the loop keeps them in registers.
                let (mut misfit, level, indices) = (None, level, indices);
                self.place(piece, |position, levels, _| {
                    // SAFETY: the integers are written atomically, or there is one piece.
                    let set = |index| unsafe { indices.set(position, index) };
                    fit(&mut misfit, position, at(levels, level), set);
                });
                misfit
            })
        } else {
            // No level below has positions of its own: the same visit writes the values.
            let mut values = self.levels.holes()?;
            let places = Cells::new(&mut values);
            let misfits = step(PLACE, || {
                let atomic = Cells::<I>::is_atomic() && Cells::<F::Scalar>::is_atomic();
                parallel::each(self.pieces(atomic), |piece| {
                    let (mut misfit, level, indices, places) = (None, level, indices, places);
                    self.place(piece, |position, levels, value| {
                        // SAFETY: the integers are written atomically, or there is one piece.
                        let set = |index| unsafe { indices.set(position, index) };
                        fit(&mut misfit, position, at(levels, level), set);
                        // SAFETY: the values are written atomically, or there is one piece.
                        unsafe { places.set(position, value) };
                    });
                    misfit
                })
            });
            self.placed = Some(values);
            misfits
        };
        let misfit = misfits.into_iter().flatten().next();
        column.finish(misfit, self.levels.declared[level])
    }

    /// Returns the values at the positions of the last level; holes are zero.
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
        let cells = Cells::new(&mut values);
        step(PLACE, || {
            parallel::each(self.pieces(Cells::<F::Scalar>::is_atomic()), |piece| {
                let places = cells;
                // SAFETY: the values are written atomically, or there is one piece.
                self.place(piece, |position, _, value| unsafe { places.set(position, value) });
            });
        });
        Ok(values)
    }

    /// Number of levels that determine the block, where values are placed by block.
    const BLOCK_LEVELS: usize = block_levels(target::<F, N, M>().1.levels);
    /// Whether a level is counted below each parent.
    const HAS_COUNTED: bool = has_counted(target::<F, N, M>().1.levels);

    /// Returns the range of all elements.
    fn whole(&self) -> Range<usize> {
        0..self.source.borders(1).last().copied().unwrap_or(0)
    }

    /// Returns the pieces of a visit that writes to places: one piece if the writes are not atomic.
    fn pieces(&self, atomic: bool) -> Vec<Range<usize>> {
        if atomic {
            coded::pieces(&self.source)
        } else {
            vec![self.whole()]
        }
    }

    /// Visits each element of a piece of the source with its position at the level built last.
    #[inline(always)]
    fn place(&self, piece: Range<usize>, visit: impl FnMut(usize, [i64; M], F::Scalar)) {
        if Self::BLOCK_LEVELS == 0 {
            return self.place_in(piece, blocks::Root, visit);
        }
        let keys: &[u32] = match &self.levels.keys {
            Keys::Narrow(keys) => keys,
            _ => &[],
        };
        let blocks = blocks::Blocks::<F, N, M>::new(&self.levels.layout, &self.levels.starts, keys);
        self.place_in(piece, blocks, visit);
    }

    /// Implements [`place`](Assembly::place) for a given numbering of the blocks.
    #[inline(always)]
    fn place_in(
        &self,
        piece: Range<usize>,
        mut blocks: impl Numbered<M>,
        mut visit: impl FnMut(usize, [i64; M], F::Scalar),
    ) {
        let levels = &self.levels;
        let counted = self.counted.as_ref().map(|&(level, _)| level);
        // A position is a linear form of the coordinates within the block. A counted level splits it: one form for the
        // levels above it, another for the counted level and those below it.
        let (mut above, mut within) = (Linear::new(), Linear::new());
        let free = |level: &usize| !F::LEVELS[*level].kind.is_determined();
        for level in (Self::BLOCK_LEVELS..levels.built).rev().filter(free) {
            let form = if counted > Some(level) { &mut above } else { &mut within };
            // The size of a counted level differs below each parent: `starts` takes the place of a stride.
            let size = if counted == Some(level) { 1 } else { levels.size(level) };
            form.append(level, levels.layout.domains[level].lo, size);
        }
        match &self.counted {
            Some((_, starts)) if Self::HAS_COUNTED => {
                let starts = &starts[..];
                self.source.for_each_between(piece, |levels, value| {
                    let parent = above.below::<F, N>(blocks.of(&levels), &levels);
                    visit(within.below::<F, N>(starts[parent], &levels), levels, value);
                });
            }
            _ => self.source.for_each_between(piece, |levels, value| {
                visit(within.below::<F, N>(blocks.of(&levels), &levels), levels, value);
            }),
        }
    }
}

/// Position below a parent, as a linear form of the coordinates of some levels.
struct Linear<const M: usize> {
    factors: [usize; M],
    /// Constant term, chosen so that the form is zero at the lowest coordinates.
    origin: usize,
    /// Number of positions below each parent.
    size: usize,
}

impl<const M: usize> Linear<M> {
    /// Creates a form of no levels.
    fn new() -> Self {
        Linear {
            factors: [0; M],
            origin: 0,
            size: 1,
        }
    }

    /// Adds `level` above the levels so far; it has `size` coordinates, from `lowest` up.
    fn append(&mut self, level: usize, lowest: i64, size: usize) {
        self.factors[level] = self.size;
        self.origin = self.origin.wrapping_sub((lowest as usize).wrapping_mul(self.size));
        self.size *= size;
    }

    /// Returns the position below `parent`.
    #[inline(always)]
    fn below<F: Tree<N, M>, const N: usize>(&self, parent: usize, levels: &[i64; M]) -> usize {
        let first = parent.wrapping_mul(self.size).wrapping_add(self.origin);
        // Which levels count is known at compile time: the factors of the others are zero.
        let free = |level: &usize| !F::LEVELS[*level].kind.is_determined();
        let blocks = const { block_levels(target::<F, N, M>().1.levels) };
        (blocks..M).filter(free).fold(first, |place, level| {
            place.wrapping_add((levels[level] as usize).wrapping_mul(self.factors[level]))
        })
    }
}

/// Returns the coordinate of one level; selects instead of indexing, so that all coordinates stay in registers.
#[inline(always)]
fn at<const M: usize>(levels: [i64; M], level: usize) -> i64 {
    let choose = |chosen, number: usize| if number == level { levels[number] } else { chosen };
    (0..M).fold(0, choose)
}

/// Brings the elements into storage order; ways that cannot be chosen for this source are not compiled.
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
