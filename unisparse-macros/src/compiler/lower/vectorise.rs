//! Which nests are worth compiling for the vectors of the machine: those with loops over neighbouring elements.

use super::Program;
use crate::compiler::loops::{Expr, Place, Range, Stmt};

pub(super) fn run(program: &mut Program<'_>) {
    for nest in &mut program.nests {
        nest.vectorised = nest.body.iter().any(has_neighbours);
    }
}

/// Whether a loop inside goes over neighbouring elements: adds to them, or adds them up.
fn has_neighbours(stmt: &Stmt) -> bool {
    let moves = |range: &Range, at: &Expr| matches!(at.split(range.var), Some((Expr::Int(1), _)));
    let adds_to = |range: &Range| match range.body.as_slice() {
        [Stmt::Accumulate { place, value, .. }] => match place {
            Place::Element(_, at) => moves(range, at),
            Place::Sum => {
                let mut any = false;
                value.for_each_load(&mut |_, at| any |= moves(range, at));
                any
            }
            _ => false,
        },
        _ => false,
    };
    match stmt {
        Stmt::Tiles(_) => true,
        Stmt::Range(range) if adds_to(range) => true,
        stmt => stmt.body().iter().any(has_neighbours),
    }
}
