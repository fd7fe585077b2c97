//! Scalar promotion: an accumulator whose place is loop-invariant moves to a local.

use super::{Array, Destination, Expr, Lvalue, Reduction, Stmt, Variables};

/// Wraps every outermost loop in which the place of the accumulation is invariant. `coordinates` are the coordinates of
/// the place, each with its extent.
pub(crate) fn promote(block: Vec<Stmt>, coordinates: &[(Expr, Expr)], variables: &Variables) -> Vec<Stmt> {
    let is_inside = |(coordinate, extent): &(Expr, Expr)| match (coordinate, extent) {
        (Expr::Var(coordinate), Expr::Var(extent)) => variables.is_within(*coordinate, *extent),
        _ => false,
    };
    sums(block, coordinates.iter().all(is_inside))
}

fn sums(block: Vec<Stmt>, is_inside: bool) -> Vec<Stmt> {
    block.into_iter().map(|stmt| sum(stmt, is_inside)).collect()
}

fn sum(stmt: Stmt, is_inside: bool) -> Stmt {
    let may_leave = |sum: &Accumulated| sum.is_invariant(&stmt) && (is_inside || !sum.at.uses_any(&stmt.compared()));
    match accumulated(&stmt).filter(may_leave) {
        Some(Accumulated { array, at, reduction }) => Stmt::Sum {
            body: vec![into_sum(stmt)],
            reduction,
            into: Destination::Element {
                array,
                at,
                store: false,
            },
            unrolled: false,
        },
        None => stmt.map_body(|body| sums(body, is_inside)),
    }
}

/// The only accumulation of a loop.
pub(super) struct Accumulated {
    pub(super) array: Array,
    pub(super) at: Expr,
    pub(super) reduction: Reduction,
}

impl Accumulated {
    /// Whether the place does not depend on variables bound in the loop.
    pub(super) fn is_invariant(&self, stmt: &Stmt) -> bool {
        !self.at.uses_any(&stmt.bound())
    }
}

/// Returns the only accumulation inside the statement, if it is a loop whose sums may leave it.
pub(super) fn accumulated(stmt: &Stmt) -> Option<Accumulated> {
    // A conjunction has no identity as a start value, so its first value would be a special case.
    place(stmt).filter(|sum| stmt.is_loop() && sum.reduction != Reduction::And)
}

fn place(stmt: &Stmt) -> Option<Accumulated> {
    if let Stmt::Accumulate {
        place: Lvalue::Element(array, at),
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

/// Redirects every accumulation inside to the enclosing sum, except those of lookups.
fn into_sum(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::Maybe { .. } => stmt,
        Stmt::Accumulate { reduction, value, .. } => Stmt::Accumulate {
            place: Lvalue::Sum,
            reduction,
            value,
        },
        stmt => stmt.map_body(|body| body.into_iter().map(into_sum).collect()),
    }
}
