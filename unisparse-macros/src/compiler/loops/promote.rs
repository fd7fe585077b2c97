//! Sums leave the innermost loops: an element that no loop inside moves is added up in a local first.

use super::{Array, Expr, Place, Reduction, Stmt, Target};

/// Wraps every outermost loop inside which the place accumulated to is invariant.
pub(crate) fn promote(block: Vec<Stmt>) -> Vec<Stmt> {
    block.into_iter().map(promote_stmt).collect()
}

fn promote_stmt(stmt: Stmt) -> Stmt {
    match accumulated(&stmt).filter(|sum| sum.is_invariant(&stmt)) {
        Some(Accumulated { array, at, reduction }) => Stmt::Sum {
            body: vec![into_sum(stmt)],
            reduction,
            into: Target::Element {
                array,
                at,
                store: false,
            },
            unrolled: false,
        },
        None => stmt.map_body(promote),
    }
}

/// The one place that a loop accumulates to.
pub(super) struct Accumulated {
    pub(super) array: Array,
    pub(super) at: Expr,
    pub(super) reduction: Reduction,
}

impl Accumulated {
    /// Whether nothing in the loop moves the place.
    pub(super) fn is_invariant(&self, stmt: &Stmt) -> bool {
        !self.at.uses_any(&stmt.bound())
    }
}

/// The one place that is accumulated to inside, if the statement is a loop whose sums may leave it.
pub(super) fn accumulated(stmt: &Stmt) -> Option<Accumulated> {
    // A conjunction has no identity to start from: the first value would be a special case.
    place(stmt).filter(|sum| stmt.is_loop() && sum.reduction != Reduction::And)
}

fn place(stmt: &Stmt) -> Option<Accumulated> {
    if let Stmt::Accumulate {
        place: Place::Element(array, at),
        reduction,
        ..
    } = stmt
    {
        return Some(Accumulated {
            array: *array,
            at: at.clone(),
            reduction: *reduction,
        });
    }
    let mut places = stmt.body().iter().filter_map(place);
    let first = places.next();
    if places.next().is_some() { None } else { first }
}

/// Every accumulation inside goes to the enclosing sum, but for what a lookup finds.
fn into_sum(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::Maybe { .. } => stmt,
        Stmt::Accumulate { reduction, value, .. } => Stmt::Accumulate {
            place: Place::Sum,
            reduction,
            value,
        },
        stmt => stmt.map_body(|body| body.into_iter().map(into_sum).collect()),
    }
}
