//! Sums leave the innermost loops: a place that no loop inside moves is added up in a local first.

use super::{Array, Expr, Place, Range, Stmt};

/// Wraps every outermost loop inside which the place accumulated to stands still.
///
/// `owned` says that nothing else is added to the places: the sums are stored instead of added.
pub(crate) fn hoist(block: Vec<Stmt>, owned: bool) -> Vec<Stmt> {
    block.into_iter().map(|stmt| hoist_stmt(stmt, owned)).collect()
}

fn hoist_stmt(stmt: Stmt, owned: bool) -> Stmt {
    if stmt.is_loop() {
        if let Some((array, at)) = place(&stmt) {
            if !at.uses_any(&stmt.bound()) {
                let body = vec![into_sum(stmt)];
                return Stmt::Sum {
                    body,
                    array,
                    at,
                    store: owned,
                };
            }
        }
    }
    with_body(stmt, |body| hoist(body, owned))
}

/// The statement with its body replaced.
fn with_body(stmt: Stmt, change: impl FnOnce(Vec<Stmt>) -> Vec<Stmt>) -> Stmt {
    match stmt {
        Stmt::Range(Range {
            var,
            lows,
            highs,
            stride,
            body,
        }) => Stmt::Range(Range {
            var,
            lows,
            highs,
            stride,
            body: change(body),
        }),
        Stmt::Entries(mut entries) => {
            entries.body = change(entries.body);
            Stmt::Entries(entries)
        }
        Stmt::If { conditions, body } => Stmt::If {
            conditions,
            body: change(body),
        },
        Stmt::Sum { body, array, at, store } => Stmt::Sum {
            body: change(body),
            array,
            at,
            store,
        },
        stmt @ (Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Accumulate { .. } | Stmt::Visit { .. }) => stmt,
    }
}

/// The one place that is accumulated to inside.
fn place(stmt: &Stmt) -> Option<(Array, Expr)> {
    if let Stmt::Accumulate {
        place: Place::Element(array, at),
        ..
    } = stmt
    {
        return Some((*array, at.clone()));
    }
    let mut places = stmt.body().iter().filter_map(place);
    let first = places.next();
    if places.next().is_some() { None } else { first }
}

/// Every accumulation inside goes to the enclosing sum.
fn into_sum(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::Accumulate { value, .. } => Stmt::Accumulate {
            place: Place::Sum,
            value,
        },
        stmt => with_body(stmt, |body| body.into_iter().map(into_sum).collect()),
    }
}
