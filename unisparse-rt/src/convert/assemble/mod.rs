//! Assembly of the levels of any format from any source.
//!
//! The relation between the order of the source and that of the target ([`strategy`]) decides how elements get into
//! storage order: they are appended, scattered into bins, or radix sorted; where values lie in dense blocks, only the
//! blocks are ordered, and values are written to their places. Then each level is built from the bins and keys
//! ([`levels`]); levels that the bins determine are built without reading any element.
//!
//! Only the loops that turn elements into words depend on the source and the format ([`words`]). The sort depends on the
//! type of the elements, and the levels on no type: they are compiled once.

mod aligned;
mod append;
mod array_integer;
mod assembler;
pub(crate) mod by_dims;
mod counting_sort;
pub(crate) mod depths;
mod entries;
pub(crate) mod enumerated;
mod floats;
mod forms;
mod histogram;
mod keys;
mod known;
mod layout;
mod levels;
mod marks;
mod measured;
mod ordered;
mod part;
mod placed;
mod placement;
mod queried;
mod sequence;
mod small_sort;
mod sort;
pub(crate) mod sorted;
pub(crate) mod strategy;
mod walk;
mod words;
mod write_combining;
mod writer;

use core::ops::{Deref, DerefMut};

use super::query::Queries;
use crate::array::{Domain, Indices, Pointers, check_shape};
use crate::error::Error;
use crate::format::Tree;
use crate::limit::Limit;
use crate::report::step;
use crate::source::{Duplicates, Source};
use array_integer::ArrayInteger;
use assembler::{Assembler, Start};
use depths::{has_blocks, target};
use enumerated::{Enumerated, IS_FUSED};
pub(crate) use keys::low_bits;
pub(crate) use layout::bits_below;
use levels::Levels;
use measured::are_results;
pub(crate) use queried::Queried;
use sorted::Sorted;
use strategy::{Choice, Way};
pub use words::Coded;
use words::{Plain, WordsOf};

/// Name of the step that evaluates queries.
const EVALUATE: &str = "evaluate the queries";

/// Elements of a source in storage order, with the levels built so far.
///
/// Generated code calls `dense`, `counted`, `entries` or similar methods, most of them of [`Levels`], for the levels from the root down,
/// [`aligned`](Assembly::aligned) for each aligned level after the level whose positions it shares, then
/// [`values`](Assembly::values).
pub struct Assembly<F: Tree<N, M>, C, const N: usize, const M: usize> {
    elements: C,
    assembler: Assembler<F::Scalar>,
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
        let elements = Plain::new(source)?;
        let sorted = elements.sorted();
        let choice = choose::<F, N, M>(elements.count, sorted, shape, &domains, limit);
        Assembly::arranged(elements, (sorted, choice), shape, &domains, source.duplicates(), limit)
    }
}

impl<'s, F, S, E, R, const N: usize, const M: usize, const Q: usize, const G: usize, const K: usize>
    Assembly<F, Enumerated<'s, S, E, R, Q, G, K>, N, M>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
    E: Fn([i64; N]) -> ([i64; G], [i64; K]) + Sync,
    R: Fn(i64) -> [i64; Q] + Sync,
{
    /// Like [`new`](Assembly::new), for a format whose levels need no query but one enumeration, and whose measured levels are
    /// results of it: the elements are numbered while they are visited.
    ///
    /// `clauses` returns an element's group and its place in the order of the group, `results` the results of all queries for an
    /// element with this number within its group. Returns `None` if the elements do not come in that order, each coordinate once, or
    /// would not be written to their places.
    ///
    /// # Errors
    /// The errors of [`new`](Assembly::new).
    pub fn enumerated(source: &'s S, limit: Limit, clauses: E, results: R) -> Result<Option<Self>, Error> {
        if !IS_FUSED || !const { has_blocks(target::<F, N, M>().1) && are_results::<F, N, M>() } {
            return Ok(None);
        }
        let sorted = Sorted::tried::<F, S, N, M>(source);
        let shape = source.shape();
        check_shape(F::NAME, shape)?;
        if !sorted.placed {
            return Ok(None);
        }
        let Some(elements) = Enumerated::new::<F, N, M>(source, clauses, results)? else {
            return Ok(None);
        };
        // Only now is it known that this evaluates the queries.
        let evaluating = step(EVALUATE);
        let domains = elements.measure::<F, N, M>(F::domains(shape, &[0; M])?)?;
        drop(evaluating);
        let choice = choose::<F, N, M>(elements.count, sorted, shape, &domains, limit);
        if choice.way != Way::Place {
            return Ok(None);
        }
        let declared = F::domains(shape, &sizes(&domains))?;
        Assembly::arranged(elements, (sorted, choice), shape, &declared, Duplicates::Reject, limit).map(Some)
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
        let evaluating = step(EVALUATE);
        evaluate(queries)?;
        drop(evaluating);
        let domains = elements.measure(F::domains(shape, &[0; M])?)?;
        let (count, sorted) = (elements.queries.count(), elements.sorted);
        let choice = choose::<F, N, M>(count, sorted, shape, &domains, limit);
        let declared = F::domains(shape, &sizes(&domains))?;
        Assembly::arranged(elements, (sorted, choice), shape, &declared, Duplicates::Reject, limit)
    }
}

impl<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize> Assembly<F, C, N, M> {
    /// Brings the elements into storage order; no level is built yet. Arrays are checked against the `declared` domains.
    fn arranged(
        elements: C,
        (sorted, choice): (Sorted, Choice),
        shape: [usize; N],
        declared: &[Domain; M],
        policy: Duplicates,
        limit: Limit,
    ) -> Result<Self, Error> {
        let start = Start {
            format: F::NAME,
            table: const { &F::LEVELS },
            target: target::<F, N, M>().1,
            declared,
            sorted,
            checked: elements.are_checked(),
            policy,
            limit,
            shape: &shape,
            decode: decoded::<F, N, M>,
        };
        let assembler = floats::assembler(&WordsOf::<F, C, N, M>::new(&elements), choice, start)?;
        Ok(Assembly { elements, assembler })
    }

    /// Builds a level that holds, below each parent, every coordinate from 0 to the greatest below it.
    ///
    /// # Errors
    /// `Limit` if the pointers, or values at the positions, would exceed it, `Overflow` if a pointer does not fit `P`.
    pub fn counted<P: ArrayInteger>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        match &mut self.assembler {
            Assembler::Ordered(ordered) => P::counted(&mut ordered.levels, level),
            Assembler::Placed(placed) if C::MAY_PLACE => placed.counted(&self.elements, level),
            Assembler::Placed(_) => never_placed(),
        }
    }

    /// Returns the `idx` array of an aligned level.
    ///
    /// It has one entry for each position of the level built last, the lowest coordinate where there is no element.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn aligned<I: ArrayInteger>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        match &mut self.assembler {
            Assembler::Ordered(ordered) => I::aligned(&mut ordered.levels, level),
            Assembler::Placed(placed) if C::MAY_PLACE => placed.aligned(&self.elements, level),
            Assembler::Placed(_) => never_placed(),
        }
    }

    /// Returns the `idx` array of a level that is invariant over some levels above, before the first of these is built.
    ///
    /// It has one entry for each position of the other levels above, the lowest coordinate where there is no element.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn invariant<I: ArrayInteger>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        match &mut self.assembler {
            Assembler::Ordered(ordered) => I::invariant(&mut ordered.levels, level),
            Assembler::Placed(placed) if C::MAY_PLACE => placed.invariant(&self.elements, level),
            Assembler::Placed(_) => never_placed(),
        }
    }

    /// Returns the values at the positions of the last level; holes are zero.
    ///
    /// # Errors
    /// `Limit` if they would exceed the limit, or cannot be allocated.
    pub fn values(self) -> Result<Vec<F::Scalar>, Error> {
        match self.assembler {
            Assembler::Ordered(ordered) => floats::values(ordered),
            Assembler::Placed(placed) if C::MAY_PLACE => placed.values(&self.elements),
            Assembler::Placed(_) => never_placed(),
        }
    }
}

/// The levels that are built so far. What builds the next ones without reading the source is compiled once for all sources and formats.
impl<F: Tree<N, M>, C, const N: usize, const M: usize> Deref for Assembly<F, C, N, M> {
    type Target = Levels;

    fn deref(&self) -> &Levels {
        self.assembler.levels()
    }
}

impl<F: Tree<N, M>, C, const N: usize, const M: usize> DerefMut for Assembly<F, C, N, M> {
    fn deref_mut(&mut self) -> &mut Levels {
        self.assembler.levels_mut()
    }
}

/// Returns the logical coordinate, within the shape, of level coordinates.
fn decoded<F: Tree<N, M>, const N: usize, const M: usize>(shape: &[usize], levels: &[i64]) -> Option<Vec<usize>> {
    let coordinate = F::decode(shape.try_into().ok()?, levels.try_into().ok()?)?;
    Some(Vec::from(coordinate))
}

/// Returns the sizes of domains. A loop: `map` of an array is ten functions for each format.
fn sizes<const M: usize>(domains: &[Domain; M]) -> [usize; M] {
    let mut sizes = [0; M];
    for (size, domain) in sizes.iter_mut().zip(domains) {
        *size = domain.size;
    }
    sizes
}

/// Chooses how elements, at most `count` with level coordinates within `domains`, get into storage order.
fn choose<F: Tree<N, M>, const N: usize, const M: usize>(
    count: usize,
    sorted: Sorted,
    shape: [usize; N],
    domains: &[Domain; M],
    limit: Limit,
) -> Choice {
    let allowed = limit.allowed(count, size_of::<F::Scalar>(), &shape);
    let storage = target::<F, N, M>().1;
    Choice::new((const { &F::LEVELS }, storage), domains, count, allowed, &sorted)
}

/// Panics where elements would be placed although [`Coded::MAY_PLACE`] is false: no code for that is compiled.
#[cold]
fn never_placed() -> ! {
    unreachable!("`Way::Place` is not possible for this source")
}
