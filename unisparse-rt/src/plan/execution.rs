//! How a plan runs: one pass with the effect of all operators, as decided by assembly and mutation.

use super::arrays::Arrays;
use super::bytes::Bytes;
use super::format::Format;
use super::operator::State;
use crate::convert::assemble::by_dims::dims_by_levels;
use crate::convert::assemble::depths::{binned_levels, block_levels};
use crate::convert::assemble::sorted::Sorted;
use crate::convert::assemble::strategy::Way;
use crate::convert::mutate::{are_reached, kept};
use crate::format::{Encoding, Kind, QueryKind, Storage};

/// How the steps of a plan run.
#[derive(Debug, Clone)]
pub struct Execution {
    pub(super) method: Method,
    pub(super) steps: Vec<&'static str>,
    pub(super) otherwise: Vec<(&'static str, Method)>,
    pub(super) passes: usize,
    pub(super) temporary: Bytes,
    pub(super) output: Bytes,
    /// The names of the levels that elements are sorted by: those not implied by the order of the source, up to the depth from
    /// which the remaining levels are sorted.
    pub(super) sorted_by: Vec<&'static str>,
    pub(super) kept: Vec<&'static str>,
}

/// How elements get into storage order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// They are in storage order: only the arrays of levels that differ are rebuilt, all others are moved or copied unchanged.
    Mutation,
    /// Only their blocks are ordered: blocks are marked, then each element is written to its position.
    Place,
    /// They arrive in storage order and are appended.
    Append,
    /// They are scattered into bins, stably.
    Scatter,
    /// They are radix-sorted.
    Sort,
}

impl From<Way> for Method {
    fn from(way: Way) -> Self {
        match way {
            Way::Place => Method::Place,
            Way::Append => Method::Append,
            Way::Scatter => Method::Scatter,
            Way::Sort => Method::Sort,
        }
    }
}

impl Execution {
    /// Returns how elements get into storage order, if sizes allow one bin per position of the leading levels.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns the steps that run, in order, under the names that [`observe`](crate::observe) reports.
    #[must_use]
    pub fn steps(&self) -> &[&'static str] {
        &self.steps
    }

    /// Returns the alternative cases that depend on the tensor, and the method used in each.
    #[must_use]
    pub fn otherwise(&self) -> &[(&'static str, Method)] {
        &self.otherwise
    }

    /// Returns the arrays that the target shares with the source: moved if the source is consumed, else copied unchanged.
    #[must_use]
    pub fn kept(&self) -> &[&'static str] {
        &self.kept
    }

    /// Returns the number of passes over the source's elements, or over a copy sorted by dims.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Returns the maximum memory beside source and target, for coordinates below 2^32.
    ///
    /// A sort of up to 2^21 elements may count them instead, in 4 bytes, a value and at most 24 bytes of counters for each. Of that and of
    /// the table of blocks, a thread keeps up to 8 MB each for its next conversion.
    #[must_use]
    pub fn temporary(&self) -> &Bytes {
        &self.temporary
    }

    /// Returns the memory of the target plus the temporary memory.
    #[must_use]
    pub fn peak(&self) -> Bytes {
        self.temporary.clone().plus(&self.output)
    }
}

/// The order in which elements arrive.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    /// It is unknown.
    Unknown,
    /// It is found by scanning the elements.
    Found,
    /// The order of a format.
    Of(Encoding),
    /// The order of their coordinates, found by scanning them.
    Logical,
}

impl Execution {
    /// Adds the evaluation of the queries of `target` on elements in this order.
    fn evaluate_queries(&mut self, order: Order, target: &Format) {
        let queries = target.encoding.queries.len();
        let sorted_by_dims = matches!(order, Order::Unknown | Order::Found);
        if !matches!(order, Order::Of(_)) {
            self.steps.push("look at the order");
            self.passes += 1;
        }
        if sorted_by_dims {
            self.steps.push("sort the elements by dims");
            self.passes += 3;
        }
        self.steps.push("evaluate the queries");
        let kinds = || target.encoding.queries.iter().map(|query| query.kind);
        // Ranking and scheduling groups does not read elements.
        let visiting = |kind: &QueryKind| !matches!(kind, QueryKind::Reorder | QueryKind::Schedule);
        self.passes += kinds().filter(visiting).count();
        let value = target.storage.value_width;
        // The numbers of groups or of elements.
        let mut bytes = 4 * queries;
        if kinds().any(|kind| matches!(kind, QueryKind::Enumerate | QueryKind::Slot)) {
            // The coordinates, values and results of elements that are numbered in an order that differs from their own.
            bytes += 8 * (target.encoding.dims.len() + queries) + value;
        }
        if sorted_by_dims || is_sorted_if_scattered(order, target) {
            // The words of the dims, and the values.
            bytes += 8 + value;
        }
        self.temporary = each(bytes);
    }
}

/// Returns how a conversion from `source` runs if its elements arrive in this order.
pub(super) fn of(source: &Format, wanted: &State, order: Order, target: &Format) -> Execution {
    let (sorted, mut execution) = outline(source, order, target);
    let way = sorted.way(true, true);
    execution.output = Arrays::new(target, wanted).all();
    if execution.method == Method::Mutation {
        execution.kept = kept_arrays(source, target);
        let unless = "without elements, with blocks of zeros, or of 2^32 entries or more";
        execution.otherwise.push((unless, way.into()));
        return execution;
    }
    execution.temporary = execution.temporary.plus(&temporary_of(way, &sorted, wanted, target));
    execution.otherwise = others(&sorted, order, target);
    execution
}

/// Returns how elements that arrive in this order relate to that of `target`, and the method and the steps of their conversion,
/// without the memory.
pub(super) fn outline(source: &Format, order: Order, target: &Format) -> (Sorted, Execution) {
    let pair = (&target.encoding, &target.storage);
    let queries = target.encoding.queries.len();
    let sorted = match order {
        Order::Of(source) => Sorted::by(&source, pair),
        Order::Logical => Sorted::logically(pair),
        _ if queries > 0 => sorted_by_dims(pair),
        Order::Unknown | Order::Found => Sorted::by_dims(&[], false, pair),
    };
    let way = sorted.way(true, true);
    let levels = target.encoding.levels;
    let mut execution = Execution {
        method: way.into(),
        steps: Vec::new(),
        otherwise: Vec::new(),
        passes: 0,
        temporary: Bytes::default(),
        output: Bytes::default(),
        sorted_by: levels[sorted.relation.implied..sorted.relation.sorted]
            .iter()
            .map(|level| level.name)
            .collect(),
        kept: Vec::new(),
    };
    if is_mutation(source, order, target) {
        execution.method = Method::Mutation;
        execution.steps.push("make the levels that differ");
        execution.passes = 1;
        return (sorted, execution);
    }
    if queries > 0 {
        execution.evaluate_queries(order, target);
    } else if !matches!(order, Order::Of(_)) {
        execution.steps.push("look at the order");
        execution.passes += 1;
    }
    let depth = block_levels(target.storage.levels);
    // Without levels above the blocks there is only one block.
    if way != Way::Place || depth > 0 {
        execution.steps.push(way.step());
    }
    if way == Way::Place {
        execution.steps.push("put values in their places");
    }
    execution.passes += match way {
        Way::Append => 1,
        Way::Place if depth == 0 => 1,
        Way::Place | Way::Scatter => 2,
        Way::Sort => 3,
    };
    (sorted, execution)
}

/// Returns the order of elements that were sorted by dims for queries.
fn sorted_by_dims(pair: (&Encoding, &Storage)) -> Sorted {
    Sorted::by_dims(&dims_by_levels(pair.0), true, pair)
}

/// Returns whether elements in the order of a format are sorted by dims before queries are evaluated on them, if there are many and
/// neighbours belong to distant groups.
fn is_sorted_if_scattered(order: Order, target: &Format) -> bool {
    matches!(order, Order::Of(source) if dims_by_levels(&source) != dims_by_levels(&target.encoding))
}

/// Returns the cases in which another way is taken, and that way.
fn others(sorted: &Sorted, order: Order, target: &Format) -> Vec<(&'static str, Method)> {
    let pair = (&target.encoding, &target.storage);
    let (queries, way) = (target.encoding.queries.len(), sorted.way(true, true));
    let mut others = Vec::new();
    if matches!(order, Order::Found) && queries == 0 {
        let found = Sorted::logically(pair).way(true, true);
        others.push(("in logical order", found.into()));
    }
    if matches!(order, Order::Found) && queries > 0 {
        let found = Sorted::logically(pair).way(true, true);
        others.push((
            "in logical order, each coordinate once, which are not sorted by dims",
            found.into(),
        ));
        let dims: Vec<usize> = (0..target.encoding.dims.len()).rev().collect();
        let found = Sorted::by_dims(&dims, true, pair).way(true, true);
        if found != way {
            others.push(("sorted by the last dim first", found.into()));
        }
    }
    if queries > 0 && is_sorted_if_scattered(order, target) {
        let case =
            "with 2^20 elements or more whose neighbours belong to distant groups, which are sorted by dims first";
        others.push((case, sorted_by_dims(pair).way(true, true).into()));
    }
    let without_bins = sorted.way(false, false);
    if without_bins != way {
        others.push(("with too large domains for bins", without_bins.into()));
    }
    others
}

/// Returns whether the arrays of the source can be changed into those of the target.
fn is_mutation(source: &Format, order: Order, target: &Format) -> bool {
    let both_ordered = matches!(order, Order::Of(_)) && target.storage.sorted;
    both_ordered && are_reached((&source.encoding, &kinds(source)), (&target.encoding, &kinds(target)))
}

fn kinds(format: &Format) -> Vec<Kind> {
    format.storage.levels.iter().map(|level| level.kind).collect()
}

/// Returns the arrays that mutation leaves unchanged, if both formats store entries of the same type and do not pack them.
fn kept_arrays(source: &Format, target: &Format) -> Vec<&'static str> {
    let packed = |level: usize| {
        let packs = source.encoding.packs.iter().chain(target.encoding.packs);
        packs.into_iter().any(|&(first, last)| (first..=last).contains(&level))
    };
    let levels = source.storage.levels.iter().zip(target.storage.levels);
    let kept = kept(&kinds(source), &kinds(target));
    let mut arrays = Vec::new();
    for (level, ((from, to), [ptr, idx])) in levels.zip(kept).enumerate() {
        let pairs = [(ptr, from.ptr, to.ptr), (idx && !packed(level), from.idx, to.idx)];
        for (kept, from, to) in pairs {
            let same = to.filter(|to| kept && from.is_some_and(|from| from.entry == to.entry));
            arrays.extend(same.map(|array| array.name));
        }
    }
    arrays.push("values");
    arrays
}

/// Returns the temporary memory of a method.
fn temporary_of(way: Way, sorted: &Sorted, wanted: &State, target: &Format) -> Bytes {
    let (levels, value) = (target.storage.levels, target.storage.value_width);
    let arrays = Arrays::new(target, wanted);
    let depth = block_levels(levels);
    let threads = Bytes::symbol("threads".to_owned());
    let leading = match way {
        Way::Place => depth.saturating_sub(1),
        Way::Scatter => binned_levels(levels).max(sorted.relation.sorted),
        Way::Append | Way::Sort => binned_levels(levels),
    };
    let free = |level: &usize| !levels[*level].kind.is_determined();
    let bins = (0..leading).filter(free);
    let bins = bins.fold(Bytes::number(1), |bins, level| bins.times(&arrays.size(level)));
    // If the binned levels are dense, the bin starts are the pointers below these levels.
    let dense = |level: usize| levels[level].kind == Kind::Dense;
    let starts = match (0..leading).filter(free).all(dense) {
        true => Bytes::default(),
        false => bins.times(&Bytes::number(4)),
    };
    if way == Way::Place {
        // Each thread has the position of each coordinate's block; while blocks are marked, a bitmap.
        return depth.checked_sub(1).map_or_else(Bytes::default, |level| {
            let size = arrays.size(level);
            let bits = Bytes::symbol(format!("ceil({size} / 8)"));
            let table = size.times(&Bytes::number(8)).plus(&bits);
            starts.plus(&table.times(&threads))
        });
    }
    // The key holds the levels that the bin does not determine.
    let in_key = |level: &usize| levels[*level].kind == Kind::Aligned || (*level >= leading && free(level));
    let key: Vec<usize> = (0..levels.len()).filter(in_key).collect();
    let bits: u32 = key.iter().map(|&level| bits_of(wanted, level)).sum();
    let width = if bits <= u32::BITS { 4 } else { 8 };
    // Keys of one level become its array; values in storage order become the target's, if it has no holes.
    let becomes_array = |level: usize| {
        let entry = levels[level].idx.is_some_and(|array| array.width == width);
        entry && levels[level + 1..].iter().all(|below| below.kind.holds_nothing())
    };
    let moved = !target.storage.holes && matches!(key[..], [level] if becomes_array(level));
    let keys = each(if moved { 0 } else { width });
    let values = each(if target.storage.holes { value } else { 0 });
    let beside = match way {
        // The counters, which hold each thread's positions, and the bin starts.
        Way::Scatter => bins.times(&threads).times(&Bytes::number(8)),
        // Each thread sorts its parts one after another.
        Way::Sort => {
            let part = Bytes::symbol("|part|".to_owned()).times(&threads);
            starts.plus(&part.times(&Bytes::number((width + value) as u128)))
        }
        _ => starts,
    };
    keys.plus(&values).plus(&beside)
}

/// Returns the maximum number of bits of a level's coordinates, assuming that none exceeds 32 bits.
fn bits_of(wanted: &State, level: usize) -> u32 {
    let remainder = wanted.levels[level].expression.remainder_of();
    remainder.map_or(u32::BITS, |divisor| {
        u128::BITS - divisor.unsigned_abs().saturating_sub(1).leading_zeros()
    })
}

/// Returns `bytes` for each element.
fn each(bytes: usize) -> Bytes {
    Bytes::symbol("nnz".to_owned()).times(&Bytes::number(bytes as u128))
}
