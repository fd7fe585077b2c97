//! What runs: one pass that has the effect of all operators, chosen from what is known of the order.

use super::Format;
use super::bytes::Bytes;
use super::operator::State;
use super::traffic::Arrays;
use crate::encoding::Encoding;
use crate::level::Kind;
use crate::order::{relate, relate_dims};

/// How the steps of a plan are run together.
#[derive(Debug, Clone)]
pub struct Execution {
    pub(super) method: Method,
    pub(super) passes: usize,
    pub(super) temporary: Bytes,
    pub(super) output: Bytes,
    /// The names of the levels that elements are sorted by: those that the order of the source does not imply, down to where it goes on.
    pub(super) sorted_by: Vec<&'static str>,
}

/// The pass that builds the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Equal index maps: only the arrays of levels that differ are made, all others are moved or copied as they are.
    Mutation,
    /// The elements come in the order of the target: each is appended.
    Append,
    /// The elements come in the order of the levels above dense blocks: blocks are marked, then values put in their
    /// place.
    Blocks,
    /// Elements that are equal in a few leading levels come in order: these are counted, and elements put in their place.
    Scatter,
    /// Elements are partitioned and sorted by all levels.
    Sort,
}

impl Execution {
    /// The pass that builds the target.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// How often the elements of the source, or what was gathered from them, are gone through.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The memory beside source and target, at most.
    #[must_use]
    pub fn temporary(&self) -> &Bytes {
        &self.temporary
    }

    /// The memory of target and temporary together.
    #[must_use]
    pub fn peak(&self) -> Bytes {
        self.temporary.clone().plus(&self.output)
    }
}

/// The order that elements come in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    /// None is known.
    Unknown,
    /// That of a format.
    Of(Encoding),
    /// That of their coordinates.
    Logical,
}

/// How a conversion runs, from elements in `state` and this order. Where domains or limits are too large for bins, or
/// triplets turn out sorted, the assembly does better than is said here, or falls back to the sort.
pub(super) fn of(state: &State, wanted: &State, order: Order, target: &Format) -> Execution {
    let kinds: Vec<Kind> = target.storage.levels.iter().map(|level| level.kind).collect();
    let count = kinds.len();
    let dims: Vec<usize> = (0..target.encoding.dims.len()).collect();
    let queried = !target.encoding.queries.is_empty();
    let relation = |depth: usize| match order {
        Order::Unknown => relate_dims(&[], &target.encoding, depth),
        Order::Of(encoding) if !queried => relate(&encoding, &target.encoding, depth),
        // The elements with the results of queries are in logical order.
        Order::Of(_) | Order::Logical => relate_dims(&dims, &target.encoding, depth),
    };
    // The levels that tell the blocks of values.
    let depth = kinds
        .iter()
        .rposition(|kind| matches!(kind, Kind::Indexed { .. }))
        .map_or(0, |last| last + 1);
    let last = kinds.iter().rposition(|kind| !kind.is_determined()).unwrap_or(0);
    let full = kinds.iter().any(|kind| kind.is_full());
    let holes = full || matches!(kinds.get(last), Some(Kind::Dense | Kind::Counted { .. }));
    let pointed = kinds.contains(&Kind::Counted { pointed: true });
    let simple = !full && !pointed && !kinds[..depth].contains(&Kind::Aligned);
    let in_blocks = holes && simple && (queried || !matches!(order, Order::Unknown));
    let relation = relation(if in_blocks { depth } else { count });
    let needed = if in_blocks { depth } else { count };
    let moved = matches!(order, Order::Of(_)) && !queried && state.same_map(wanted);
    let method = if moved && !state.levels.iter().any(|level| level.holds.mentions_query()) {
        Method::Mutation
    } else if in_blocks && relation.implied + 1 >= depth {
        Method::Blocks
    } else if relation.implied >= needed {
        Method::Append
    } else if relation.sorted <= last {
        Method::Scatter
    } else {
        Method::Sort
    };
    let nnz = Bytes::symbol("nnz".to_owned());
    let each = |bytes: usize| nnz.times(&Bytes::number(bytes as u128));
    let value = target.storage.value_width;
    // A key takes a word, unless domains are huge; values in their order are those of the target, if it has no holes.
    let keys = each(8 + if holes { value } else { 0 });
    let (mut passes, mut temporary) = match method {
        Method::Mutation => (1, Bytes::default()),
        Method::Blocks => {
            let blocks = depth
                .checked_sub(1)
                .map(|level| format!("|{}|", target.encoding.levels[level].name));
            (
                2,
                blocks.map_or_else(Bytes::default, |blocks| Bytes::number(8).times(&Bytes::symbol(blocks))),
            )
        }
        Method::Append => (1, keys),
        Method::Scatter => (2, keys),
        Method::Sort => (3, keys.plus(&each(8 + value))),
    };
    if queried {
        // Elements in logical order: coordinates, value, the results of all queries.
        let held = 8 * (dims.len() + target.encoding.queries.len()) + value;
        passes += 1 + target.encoding.queries.len();
        temporary = temporary.plus(&each(held));
    }
    Execution {
        method,
        passes,
        temporary,
        output: Arrays::new(target, wanted).all(),
        sorted_by: target.encoding.levels[relation.implied..relation.sorted]
            .iter()
            .map(|level| level.name)
            .collect(),
    }
}
