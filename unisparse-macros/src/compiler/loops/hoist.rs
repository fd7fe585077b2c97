//! Sums leave the innermost loops: a place that no loop inside moves is added up in a local first.

use super::{Array, Expr, Place, Reduction, Stmt, Target};

/// Wraps every outermost loop inside which the place accumulated to stands still.
///
/// `owned` says that nothing else is added to the places: the sums are stored instead of added.
pub(crate) fn hoist(block: Vec<Stmt>, owned: bool) -> Vec<Stmt> {
    block.into_iter().map(|stmt| hoist_stmt(stmt, owned)).collect()
}

fn hoist_stmt(stmt: Stmt, owned: bool) -> Stmt {
    if stmt.is_loop() {
        if let Some((array, at, reduction)) = place(&stmt) {
            // Nothing to start from: the first value would have to be told apart.
            if reduction != Reduction::And && !at.uses_any(&stmt.bound()) {
                return Stmt::Sum {
                    body: vec![into_sum(stmt)],
                    reduction,
                    into: Target::Element {
                        array,
                        at,
                        store: owned,
                    },
                };
            }
        }
    }
    stmt.map_body(|body| hoist(body, owned))
}

/// The one place that is accumulated to inside.
fn place(stmt: &Stmt) -> Option<(Array, Expr, Reduction)> {
    if let Stmt::Accumulate {
        place: Place::Element(array, at),
        reduction,
        ..
    } = stmt
    {
        return Some((*array, at.clone(), *reduction));
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
