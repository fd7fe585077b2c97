//! Marks the loops that a pipeline executes, with what is known of the elements that their iterations update.
//!
//! A pipeline starts an iteration before the one before has ended. It has to wait only where an iteration may read an element
//! that an earlier one has not written yet: where all iterations update different elements, it never waits.

use super::ownership::rows;
use super::target::Threads;
use super::{Program, Target};
use crate::compiler::loops::{
    Array, Destination, Entries, Expr, Lvalue, Ownership, Parallel, Positions, Range, Stmt, Tiles, Var,
};
use crate::compiler::operand::Summand;
use crate::compiler::storage::Kind;

/// Encloses all loops in a [`Stmt::Parallel`], except those of sums that are divided into independent ones.
pub(super) fn run(program: &mut Program<'_>, target: &Target) {
    if !target.levels.contains(&Threads::Pipelines) {
        return;
    }
    let tensors = &program.tensors;
    for nest in &mut program.nests {
        nest.body = marked(std::mem::take(&mut nest.body), tensors);
    }
}

fn marked(block: Vec<Stmt>, tensors: &[Summand<'_>]) -> Vec<Stmt> {
    block.into_iter().map(|stmt| mark(stmt, tensors)).collect()
}

fn mark(stmt: Stmt, tensors: &[Summand<'_>]) -> Stmt {
    let inside = |stmt: Stmt| stmt.map_body(|body| marked(body, tensors));
    let over = match &stmt {
        Stmt::Sum { unrolled: true, .. } => return stmt,
        Stmt::Range(Range { highs, .. }) => Positions::Size(highs.first().cloned().unwrap_or_else(Expr::zero)),
        Stmt::Entries(entries) => Positions::Entries(entries.first()),
        _ => return inside(stmt),
    };
    Stmt::Parallel(Parallel {
        over,
        ownership: ownership(&stmt, tensors),
        balance: None,
        split: None,
        piece: None,
        body: vec![inside(stmt)],
    })
}

/// Returns whether the iterations of a loop update different elements.
fn ownership(stmt: &Stmt, tensors: &[Summand<'_>]) -> Ownership {
    let var = match stmt {
        Stmt::Range(range) => Some(range.var),
        Stmt::Entries(entries) => distinct(entries, tensors),
        _ => None,
    };
    let bound = stmt.bound();
    let is_own = |at: &Expr| {
        let Some(var) = var else { return false };
        let moves =
            |(factor, rest): (Expr, Expr)| matches!(factor, Expr::Int(factor) if factor != 0) && !rest.uses_any(&bound);
        at.split(var).is_some_and(moves) || rows(at, var, stmt.body()).is_some()
    };
    let shared = Ownership::Shared { stores: false };
    let Some(updated) = updated(stmt) else {
        return shared;
    };
    // Two places of one array may meet.
    let same = |one: &(Array, Expr)| updated.iter().all(|other| one.0 != other.0 || one.1 == other.1);
    match updated.iter().all(|place| is_own(&place.1) && same(place)) {
        true => Ownership::Owned(Expr::Int(1)),
        false => shared,
    }
}

/// Returns the variable of the coordinate that each entry of a segment has for itself.
fn distinct(entries: &Entries, tensors: &[Summand<'_>]) -> Option<Var> {
    let storage = tensors[entries.tensor].storage;
    let kind = storage.levels[entries.last].kind;
    // Entries that are holes have coordinates of their own only where they are entries of the level itself.
    let is_own = !storage.holes || matches!(kind, Kind::Indexed { .. });
    let is_one = entries.first == entries.last && !kind.is_copied() && is_own;
    let of_last = entries.coordinates.iter().find(|(level, _)| *level == entries.last);
    of_last.map(|&(_, var)| var).filter(|_| is_one)
}

/// Returns the elements of arrays that a statement reads and writes, or `None` if it also updates a sum or a value around it.
pub(crate) fn updated(stmt: &Stmt) -> Option<Vec<(Array, Expr)>> {
    let mut places = Vec::new();
    collect(stmt, 0, &mut places).then_some(places)
}

/// Whether all updates inside `sums` enclosing sums are of elements of arrays, which are added to `places`.
fn collect(stmt: &Stmt, sums: usize, places: &mut Vec<(Array, Expr)>) -> bool {
    let inside = usize::from(matches!(stmt, Stmt::Sum { .. }));
    let own = match stmt {
        Stmt::Accumulate { place, .. } => match place {
            Lvalue::Element(array, at) => {
                places.push((*array, at.clone()));
                true
            }
            Lvalue::Sum => sums > 0,
            Lvalue::Maybe(_) => true,
            Lvalue::Item | Lvalue::Output(_) | Lvalue::Scattered(_) | Lvalue::Fiber(_) => false,
        },
        Stmt::Sum { into, .. } => match into {
            Destination::Element { store: true, .. } => true,
            Destination::Element { array, at, .. } => {
                places.push((*array, at.clone()));
                true
            }
            Destination::Total | Destination::Item { .. } | Destination::Output { .. } => false,
        },
        // Its sums go to places that the loops around it do not number.
        Stmt::Tiles(Tiles { store, .. }) => *store,
        _ => true,
    };
    own && stmt.body().iter().all(|stmt| collect(stmt, sums + inside, places))
}
