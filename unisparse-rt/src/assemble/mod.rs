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

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::level::{Domain, Kind, Tree};
use crate::query::Queries;
use crate::report::step;
use crate::storage::Indices;
use crate::{Duplicates, Error, Index, Limit, Source, parallel};
use coded::{Any, Coded, Plain, Queried};
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
    levels: Levels<F, N, M>,
}

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
        let queries = step("gather the elements", || Queries::gather(F::NAME, source))?;
        Self::queried(queries, limit, evaluate)
    }

    /// What follows, whatever the source was.
    fn queried(
        mut queries: Queries<F::Scalar, N, Q>,
        limit: Limit,
        evaluate: impl FnOnce(&mut Queries<F::Scalar, N, Q>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let shape = queries.shape();
        let allowed = limit.allowed(queries.values().len(), size_of::<F::Scalar>(), &shape);
        queries.limit(allowed);
        step("evaluate the queries", || evaluate(&mut queries))?;
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
        let sorted = C::SORTED.unwrap_or_else(|| step("look at the order", || source.sorted()));
        let choice = Choice::new::<F, N>(&domains, source.count(), allowed, &sorted);
        let layout = choice.layout;
        layout.check(F::NAME)?;
        let mut assembly = Assembly {
            source,
            blocks: choice.blocks,
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
            let sequence = arranged::<F, _, u64, N, M>(&any, &layout, choice.way);
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
        let any = Any(&self.source);
        place(&any, self.blocks, &self.levels, |position, levels, _| {
            column.set(position, levels[level]);
        });
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
        let mut values = self.levels.holes()?;
        step("put values in their places", || {
            place(&self.source, self.blocks, &self.levels, |position, _, value| {
                values[position] = value;
            });
        });
        Ok(values)
    }
}

/// Visits each element of the source with its position at the level built last.
fn place<F: Tree<N, M>, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    blocks: Option<usize>,
    levels: &Levels<F, N, M>,
    mut visit: impl FnMut(usize, [i64; M], F::Scalar),
) {
    let depth = blocks.unwrap_or(0);
    let mut factors = [0; M];
    let mut factor = 1;
    for level in (depth..levels.built)
        .rev()
        .filter(|&level| !F::LEVELS[level].kind.is_determined())
    {
        factors[level] = factor;
        factor *= levels.size(level);
    }
    let form = |levels: &[i64; M]| {
        let terms = levels
            .iter()
            .zip(&factors)
            .map(|(&level, &factor)| level.wrapping_mul(factor as i64));
        terms.fold(0i64, i64::wrapping_add)
    };
    let lowest = form(&levels.layout.domains.map(|domain| domain.lo));
    let keys: &[u32] = match &levels.keys {
        Keys::Narrow(keys) => keys,
        _ => &[],
    };
    let mut blocks = depth
        .checked_sub(1)
        .map(|level| blocks::Blocks::new(&levels.layout, level, &levels.starts, keys));
    source.for_each(|levels, value| {
        let block = blocks.as_mut().map_or(0, |blocks| blocks.of(&levels));
        let within = form(&levels).wrapping_sub(lowest) as usize;
        visit((block * factor).wrapping_add(within), levels, value);
    });
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
