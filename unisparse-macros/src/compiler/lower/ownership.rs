//! Which elements of the output a position of the outermost loop owns: nothing else writes them.

use crate::compiler::algebra::Atom;
use crate::compiler::kernel::Kernel;
use crate::compiler::loops::{Array, Entries, Expr, Level, Place, Segment, Stmt, Target as Into, Tiles, Var};
use crate::compiler::operand::Summand;

/// The level whose entries below a position are all that adds to an output, in one pass over them.
pub(super) fn only_entries(body: &[Stmt], position: Var) -> Option<Level> {
    let pass = entries_below(body, position)?;
    let is_of_pass = |level: &Level| level.tensor == pass.tensor && (pass.first..=pass.last).contains(&level.level);
    let uses: usize = body.iter().map(|stmt| segments(stmt, &is_of_pass)).sum();
    (uses == 1).then_some(Level {
        tensor: pass.tensor,
        level: pass.first,
    })
}

/// The one pass over the entries below a position, if whatever adds to an output is inside.
fn entries_below(body: &[Stmt], position: Var) -> Option<&Entries> {
    let mut passes = body.iter().filter_map(|stmt| match stmt {
        Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Open { .. } | Stmt::Fill { .. } => None,
        Stmt::Entries(entries) if entries.within == Segment::Of(Expr::Var(position)) => Some(Some(entries)),
        Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Sum { .. } | Stmt::If { .. } => {
            Some(entries_below(stmt.body(), position))
        }
        _ => Some(None),
    });
    let pass = passes.next()??;
    passes.next().is_none().then_some(pass)
}

/// How often a statement goes over, or searches, a segment of such levels.
fn segments(stmt: &Stmt, of: &impl Fn(&Level) -> bool) -> usize {
    let here = match stmt {
        Stmt::Entries(entries) => (entries.first..=entries.last)
            .any(|level| {
                of(&Level {
                    tensor: entries.tensor,
                    level,
                })
            })
            .into(),
        Stmt::Merge(merge) => merge.legs.iter().filter(|leg| of(&leg.level)).count(),
        Stmt::First { level, .. } | Stmt::Open { level, .. } | Stmt::Between { level, .. } => of(level).into(),
        _ => 0,
    };
    here + stmt.body().iter().map(|stmt| segments(stmt, of)).sum::<usize>()
}

/// How many of the output's first coordinates each value of the variable owns.
pub(super) fn rows(first: &Expr, var: Var, body: &[Stmt]) -> Option<Expr> {
    let (factor, rest) = first.split(var)?;
    match (&factor, &rest) {
        (Expr::Int(1), Expr::Int(0)) => Some(factor),
        (Expr::Int(2..) | Expr::Var(_), Expr::Var(inner)) => below(body, *inner, &factor).then_some(factor),
        _ => None,
    }
}

/// How many of the output's first coordinates each coordinate of a level owns that is their quotient, however the loops inside
/// come by them.
pub(super) fn windows(kernel: &Kernel, summands: &[Summand<'_>], level: Level, size: &Expr) -> Option<Expr> {
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

/// Whether all that is added to the output goes where tiles look it up: there, a hole adds to nothing outside a part.
pub(super) fn only_looks_up(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Tiles(tiles) if tiles.array == Array::Dense(0) => tiles.through.is_some(),
        Stmt::Accumulate {
            place: Place::Element(Array::Dense(0), _),
            ..
        }
        | Stmt::Fill { .. } => false,
        Stmt::Sum {
            into: Into::Element {
                array: Array::Dense(0), ..
            },
            ..
        } => false,
        stmt => stmt.body().iter().all(only_looks_up),
    }
}

/// Whether a loop inside goes over numbers from zero to below `end` alone.
fn below(body: &[Stmt], var: Var, end: &Expr) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Range(range) if range.var == var => range.highs.contains(end),
        Stmt::Tiles(tiles) if tiles.var == var => tiles.highs.contains(end),
        Stmt::Tiles(Tiles { rows: Some(rows), .. }) if rows.var == var => rows.highs.contains(end),
        stmt => below(stmt.body(), var, end),
    })
}

/// Whether elements of the output are stored or zeroed inside, and not only added to.
pub(super) fn stores(stmt: &Stmt) -> bool {
    let here = match stmt {
        Stmt::Tiles(tiles) => tiles.store,
        Stmt::Sum {
            into: Into::Element { store, .. },
            ..
        } => *store,
        Stmt::Fill { .. } => true,
        _ => false,
    };
    here || stmt.body().iter().any(stores)
}
