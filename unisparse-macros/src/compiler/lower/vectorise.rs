//! Marks nests with loops over neighbouring elements, which are worth vectorising, and sets the lengths of tiles.

use super::program::Vectors;
use super::{Program, Target};
use crate::compiler::loops::{Expr, Lvalue, Range, Stmt, Tiles, Var};

pub(super) fn run(program: &mut Program<'_>, target: &Target) {
    for nest in &mut program.nests {
        nest.vectors = match &nest.body {
            body if !body.iter().any(has_neighbours) => Vectors::Unused,
            body if body.iter().any(gathers) => Vectors::Usual,
            _ => Vectors::Widest,
        };
        nest.body.iter_mut().for_each(|stmt| set_lengths(stmt, target));
    }
}

/// Sets the lengths of all tiles.
fn set_lengths(stmt: &mut Stmt, target: &Target) {
    if let Stmt::Tiles(tiles) = stmt {
        tiles.reads_again = reads_again(tiles, &tiles.body, &[]);
        tiles.lengths = target.tiles;
    }
    for stmt in stmt.body_mut().into_iter().flatten() {
        set_lengths(stmt, target);
    }
}

/// Whether a loop over the tile reads elements that are invariant in the loop around it, which binds the variables
/// `bound`.
fn reads_again(tiles: &Tiles, block: &[Stmt], bound: &[Var]) -> bool {
    let along = |range: &Range| range.highs.contains(&Expr::Var(tiles.width));
    block.iter().any(|stmt| match stmt {
        Stmt::Range(range) if along(range) => {
            let mut again = false;
            stmt.for_each_load(&mut |_, at| again |= at.uses(range.var) && !bound.is_empty() && !at.uses_any(bound));
            again
        }
        stmt if stmt.is_loop() => {
            let body = stmt.body();
            let inner = stmt.clone().map_body(|_| Vec::new()).bound();
            let named = body.iter().filter(|stmt| stmt.body().is_empty());
            let inner: Vec<Var> = inner.into_iter().chain(named.flat_map(Stmt::bound)).collect();
            reads_again(tiles, body, &inner)
        }
        stmt => reads_again(tiles, stmt.body(), bound),
    })
}

/// Whether a loop inside adds to neighbouring elements, or sums them.
fn has_neighbours(stmt: &Stmt) -> bool {
    let moves = |range: &Range, at: &Expr| matches!(at.split(range.var), Some((Expr::Int(1), _)));
    let adds_to = |range: &Range| match range.body.as_slice() {
        [Stmt::Accumulate { place, value, .. }] => match place {
            Lvalue::Element(_, at) => moves(range, at),
            Lvalue::Sum => {
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

/// Whether an innermost loop looks up coordinates: gathers are slower in wider vectors.
fn gathers(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Range(range) if range.body.iter().all(|stmt| stmt.body().is_empty()) => {
            let moves = |stmt: &Stmt| matches!(stmt, Stmt::Lookup { at, .. } if at.uses(range.var));
            range.body.iter().any(moves)
        }
        stmt => stmt.body().iter().any(gathers),
    }
}
