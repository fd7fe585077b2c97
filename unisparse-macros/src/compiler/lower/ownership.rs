//! Determines which output elements a position of the outermost loop owns, so that no other position writes them.

use crate::compiler::algebra::Atom;
use crate::compiler::kernel::Kernel;
use crate::compiler::loops::{Array, Destination, Entries, Expr, Lvalue, Segment, Stmt, TensorLevel, Tiles, Var};
use crate::compiler::operand::Summand;

/// Returns the level whose entries below a position contribute everything that the position adds to the output, if one loop
/// goes over them and nothing else uses them.
pub(super) fn only_entries(body: &[Stmt], position: Var) -> Option<TensorLevel> {
    let entries = entries_below(body, position)?;
    let is_of_loop =
        |level: &TensorLevel| level.tensor == entries.tensor && (entries.first..=entries.last).contains(&level.level);
    let uses: usize = body.iter().map(|stmt| segments(stmt, &is_of_loop)).sum();
    (uses == 1).then_some(TensorLevel {
        tensor: entries.tensor,
        level: entries.first,
    })
}

/// Returns the only loop over entries below a position, if all statements that add to an output are inside it.
fn entries_below(body: &[Stmt], position: Var) -> Option<&Entries> {
    let mut loops = body.iter().filter_map(|stmt| match stmt {
        Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Open { .. } | Stmt::Fill { .. } => None,
        Stmt::Entries(entries) if entries.within == Segment::Of(Expr::Var(position)) => Some(Some(entries)),
        Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Sum { .. } | Stmt::If { .. } => {
            Some(entries_below(stmt.body(), position))
        }
        _ => Some(None),
    });
    let entries = loops.next()??;
    loops.next().is_none().then_some(entries)
}

/// Returns the number of loops over, and searches in, segments of the levels for which `of` holds.
fn segments(stmt: &Stmt, of: &impl Fn(&TensorLevel) -> bool) -> usize {
    let here = match stmt {
        Stmt::Entries(entries) => (entries.first..=entries.last)
            .any(|level| {
                of(&TensorLevel {
                    tensor: entries.tensor,
                    level,
                })
            })
            .into(),
        Stmt::Merge(merge) => merge.cursors.iter().filter(|cursor| of(&cursor.level)).count(),
        Stmt::First { level, .. } | Stmt::Open { level, .. } | Stmt::Between { level, .. } => of(level).into(),
        _ => 0,
    };
    here + stmt.body().iter().map(|stmt| segments(stmt, of)).sum::<usize>()
}

/// Returns the number of leading output coordinates owned by each value of `var`.
pub(super) fn rows(first: &Expr, var: Var, body: &[Stmt]) -> Option<Expr> {
    let (factor, rest) = first.split(var)?;
    match (&factor, &rest) {
        (Expr::Int(1), Expr::Int(0)) => Some(factor),
        (Expr::Int(2..) | Expr::Var(_), Expr::Var(inner)) => below(body, *inner, &factor).then_some(factor),
        _ => None,
    }
}

/// Returns the number of leading output coordinates owned by each coordinate of a level that is their quotient.
///
/// It does not matter how the loops inside compute the output coordinates.
pub(super) fn windows(kernel: &Kernel, summands: &[Summand<'_>], level: TensorLevel, size: &Expr) -> Option<Expr> {
    let summand = &summands[level.tensor];
    let form = summand.format.levels[level.level].expression.linear();
    let Atom::Quotient(inner, _) = form.as_variable()? else {
        return None;
    };
    let (Atom::Dim(dim), Expr::Ceil(_, divisor)) = (inner.as_variable()?, size) else {
        return None;
    };
    let reads = kernel.reads_of(summand.operand);
    let read = summand
        .read
        .or_else(|| reads.first().copied().filter(|_| reads.len() == 1))?;
    let is_of_output = kernel.reads[read].indices.get(*dim) == kernel.output.first();
    is_of_output.then(|| (**divisor).clone())
}

/// Whether the output is written only through tiles that look up their places. There, a hole adds nothing outside its
/// piece.
pub(super) fn only_looks_up(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Tiles(tiles) if tiles.array == Array::Dense(0) => tiles.through.is_some(),
        Stmt::Accumulate {
            place: Lvalue::Element(Array::Dense(0), _),
            ..
        }
        | Stmt::Fill { .. } => false,
        Stmt::Sum {
            into: Destination::Element {
                array: Array::Dense(0), ..
            },
            ..
        } => false,
        stmt => stmt.body().iter().all(only_looks_up),
    }
}

/// Whether every sum held in locals belongs to an element that the loops around it own: no statement inside skips part
/// of the sum.
pub(super) fn holds_only_owned(stmt: &Stmt) -> bool {
    let holds_others = match stmt {
        Stmt::Tiles(tiles) if tiles.array == Array::Dense(0) => {
            let mut inside = tiles.body.iter();
            inside.any(|inner| tiles.at.uses_any(&inner.compared()) || cuts(inner, tiles.var))
        }
        Stmt::Sum {
            into:
                Destination::Element {
                    array: Array::Dense(0),
                    at,
                    ..
                },
            body,
            ..
        } => body.iter().any(|inner| at.uses_any(&inner.compared())),
        _ => false,
    };
    !holds_others && stmt.body().iter().all(holds_only_owned)
}

/// Whether a loop inside covers only part of a tile.
fn cuts(stmt: &Stmt, tile: Var) -> bool {
    let here = match stmt {
        Stmt::Range(range) => range.lows.iter().chain(&range.highs).any(|bound| bound.uses(tile)),
        _ => false,
    };
    here || stmt.body().iter().any(|stmt| cuts(stmt, tile))
}

/// Whether a loop inside bounds the variable by `end`.
fn below(body: &[Stmt], var: Var, end: &Expr) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Range(range) if range.var == var => range.highs.contains(end),
        Stmt::Tiles(tiles) if tiles.var == var => tiles.highs.contains(end),
        Stmt::Tiles(Tiles { rows: Some(rows), .. }) if rows.var == var => rows.highs.contains(end),
        stmt => below(stmt.body(), var, end),
    })
}

/// Whether a statement inside stores or zeroes output elements instead of adding to them.
pub(super) fn stores(stmt: &Stmt) -> bool {
    let here = match stmt {
        Stmt::Tiles(tiles) => tiles.store,
        Stmt::Sum {
            into: Destination::Element { store, .. },
            ..
        } => *store,
        Stmt::Fill { .. } => true,
        _ => false,
    };
    here || stmt.body().iter().any(stores)
}
