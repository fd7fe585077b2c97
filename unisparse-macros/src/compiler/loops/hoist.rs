//! Sums leave the innermost loops: a place that no loop inside moves is added up in a local first.

use super::steady::steady;
use super::tile::tile;
use super::{Array, Expr, Place, Reduction, Stmt, Target, Variables};

/// Wraps every outermost loop inside which the place accumulated to stands still, or goes over the same elements again.
///
/// `coordinates` are those of the places of a dense output, each with its extent.
pub(crate) fn hoist(block: Vec<Stmt>, coordinates: &[(Expr, Expr)], variables: &mut Variables) -> Vec<Stmt> {
    let hoisted = block.into_iter().map(|stmt| hoist_stmt(stmt, coordinates, variables));
    hoisted.collect()
}

fn hoist_stmt(stmt: Stmt, coordinates: &[(Expr, Expr)], variables: &mut Variables) -> Stmt {
    // Nothing to start a conjunction from: the first value would have to be told apart.
    let place = place(&stmt).filter(|&(_, _, reduction)| stmt.is_loop() && reduction != Reduction::And);
    if let Some((array, at, reduction)) = place {
        if !at.uses_any(&stmt.bound()) {
            return Stmt::Sum {
                body: vec![into_sum(stmt)],
                reduction,
                into: Target::Element {
                    array,
                    at,
                    store: false,
                },
            };
        }
        if array != Array::Sums {
            if let Some(steady) = steady(&stmt, variables) {
                return steady;
            }
            if let Some(tiled) = tile(&stmt, (array, &at, reduction), coordinates, variables) {
                return tiled.map_body(|body| hoist(body, coordinates, variables));
            }
        }
    }
    stmt.map_body(|body| hoist(body, coordinates, variables))
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
