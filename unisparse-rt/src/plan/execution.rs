//! What runs: one pass that has the effect of all operators, chosen from what is known of the order.

use super::Format;
use super::bytes::Bytes;
use super::operator::State;
use super::traffic::Arrays;
use crate::encoding::Encoding;
use crate::order::{Relation, relate, relate_dims};

/// How the steps of a plan are run together.
#[derive(Debug, Clone)]
pub struct Execution {
    pub(super) method: Method,
    pub(super) relation: Relation,
    pub(super) passes: usize,
    pub(super) temporary: Bytes,
    pub(super) output: Bytes,
    /// The names of the levels that elements are sorted by, which are what is left of the order.
    pub(super) sorted_by: Vec<&'static str>,
}

/// The pass that builds the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Equal index maps: only the arrays of levels that differ are made, all others are moved or copied as they are.
    Mutation,
    /// The elements come in the order of the target: each is appended.
    Append,
    /// The elements come in the order of dense blocks, but not in them: blocks are marked, then values put in their place.
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

/// How a conversion runs, from elements in `state` and this order.
pub(super) fn of(state: &State, wanted: &State, order: Order, target: &Format) -> Execution {
    let free = |level: &usize| {
        let stored = target.storage.levels.get(*level);
        stored.is_none_or(|stored| !stored.kind.is_determined())
    };
    let count = target.encoding.levels.len();
    let depth = (0..count).rev().find(free).map_or(0, |last| last + 1);
    let dims: Vec<usize> = (0..target.encoding.dims.len()).collect();
    let queried = !target.encoding.queries.is_empty();
    let relation = match order {
        Order::Unknown => relate_dims(&[], &target.encoding, depth),
        Order::Of(_) | Order::Logical if queried => relate_dims(&dims, &target.encoding, depth),
        Order::Of(encoding) => relate(&encoding, &target.encoding, depth),
        Order::Logical => relate_dims(&dims, &target.encoding, depth),
    };
    let equal = matches!(order, Order::Of(_)) && !queried && state.same_map(wanted);
    let own_queries = state.levels.iter().any(|level| level.holds.mentions_query());
    let tail = wanted.tail();
    let method = if equal && !own_queries {
        Method::Mutation
    } else if relation.implied >= depth {
        Method::Append
    } else if !queried && tail < depth && tail > 0 && relation.implied + 1 >= tail {
        Method::Blocks
    } else if relation.sorted < depth {
        Method::Scatter
    } else {
        Method::Sort
    };
    let nnz = Bytes::symbol("nnz".to_owned());
    let each = |bytes: usize| nnz.times(&Bytes::number(bytes as u128));
    let value = target.storage.value_width;
    let arrays = Arrays::new(target, wanted);
    // A packed key of all levels takes a word, unless domains are huge.
    let keys = each(8 + value);
    let (mut passes, mut temporary) = match method {
        Method::Mutation | Method::Append => (1, Bytes::default()),
        Method::Blocks => (
            2,
            Bytes::number(8).times(&Bytes::symbol(format!("|{}|", target.encoding.levels[tail - 1].name))),
        ),
        Method::Scatter => (2, keys),
        Method::Sort => (3, keys.clone().plus(&keys)),
    };
    if queried {
        // Elements in logical order: coordinates, value, the results of all queries.
        let held = 8 * (dims.len() + target.encoding.queries.len()) + value;
        passes += 1 + target.encoding.queries.len();
        temporary = temporary.plus(&each(held));
    }
    Execution {
        method,
        relation,
        passes,
        temporary,
        output: arrays.all(),
        sorted_by: (relation.implied..relation.sorted)
            .map(|level| target.encoding.levels[level].name)
            .collect(),
    }
}
