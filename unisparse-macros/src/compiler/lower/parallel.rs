//! The outermost loop of a nest on threads: which elements of the output its positions own, and where it is cut.

use super::target::Threads;
use super::{Nest, Program, Target, resolved, sizes};
use crate::compiler::algebra::Atom;
use crate::compiler::kernel::{Kernel, OperandKind, Reduction};
use crate::compiler::loops::{
    Array, Entries, Expr, Level, Ownership, Parallel, Piece, Place, Positions, Segment, Stmt, Target as Into, Tiles,
    Var, Variables,
};
use crate::compiler::operand::Summand;
use crate::compiler::storage::Kind;

/// Puts the loops of each nest that can be divided among threads into a [`Stmt::Parallel`].
pub(super) fn run(program: &mut Program<'_>, target: &Target) {
    for number in 0..program.nests.len() {
        let mut variables = program.variables.clone();
        let Some((sizes, cut)) = cut(program, &program.nests[number], &mut variables) else {
            continue;
        };
        let nest = &mut program.nests[number];
        match target.threads {
            Threads::Pieces => {
                program.variables = variables;
                nest.body = sizes;
                nest.body.push(Stmt::Parallel(cut));
            }
            Threads::Iterations => divide_iterations(nest, cut),
        }
    }
}

/// Makes the iterations of the outermost loop parallel, if each owns its elements; a search that goes on from one iteration
/// to the next keeps them in order.
fn divide_iterations(nest: &mut Nest, cut: Parallel) {
    let searches = nest.body.iter().any(|stmt| matches!(stmt, Stmt::Open { .. }));
    if searches || !matches!(cut.ownership, Ownership::Owned(_)) {
        return;
    }
    let body = nest.body.pop().into_iter().collect();
    nest.body.push(Stmt::Parallel(Parallel {
        piece: None,
        body,
        ..cut
    }));
}

/// The sizes that are the same for all pieces, and a piece of the nest, if its outermost loop can be cut.
fn cut(program: &Program<'_>, nest: &Nest, variables: &mut Variables) -> Option<(Vec<Stmt>, Parallel)> {
    let Program {
        kernel,
        tensors: summands,
        extents,
        ..
    } = program;
    let (mut block, coordinate) = (nest.body.clone(), &nest.coordinate);
    let (from, to) = (variables.fresh("from", true), variables.fresh("to", true));
    let named = sizes(&block);
    let outer = outermost(&mut block)?;
    let stride = kernel.output.iter().skip(1);
    let stride = stride.fold(Expr::Int(1), |size, &index| size.mul(Expr::Var(extents[index])));
    let is_first = |level: &Level| {
        let storage = &summands[level.tensor].storage;
        let is_determined = |kind: Kind| matches!(kind, Kind::Fixed | Kind::Given | Kind::Aligned { .. });
        storage.levels[..level.level]
            .iter()
            .all(|level| is_determined(level.kind))
    };
    let dense = kernel.operands[0].kind == OperandKind::Dense;
    let extent = kernel.output.first().map(|&index| Expr::Var(extents[index]));
    let mut divisible = match &outer {
        Stmt::Range(range)
            if range.lows == [Expr::zero()] && range.nonempty.is_none() && kernel.reduction != Reduction::And =>
        {
            only_entries(&range.body, range.var)
        }
        _ => None,
    };
    let (count, tensor, owned) = match outer {
        Stmt::Range(range) => {
            // Bounds that were tightened come after the domain's own, which a zero may have left.
            let low = range
                .lows
                .first()
                .filter(|low| !variables.is_natural(range.var) || **low == Expr::zero());
            let low = low?.clone();
            let high = range.highs.first()?.clone();
            let tensor = range.level.filter(is_first).map(|level| level.tensor);
            let is_whole = low == Expr::zero() && extent.as_ref() == Some(resolved(&high, &named));
            let first = coordinate.first().filter(|_| dense);
            if let Some(extent) = extent.filter(|_| !is_whole && first == Some(&Expr::Var(range.var))) {
                // The level has other coordinates than the output: the output's are divided, and no piece leaves its own.
                range.lows.push(Expr::Var(from));
                range.highs.push(Expr::Var(to));
                divisible = None;
                (Positions::Size(extent), None, Some(Ownership::Owned(stride.clone())))
            } else {
                let owned = first.filter(|_| low == Expr::zero()).and_then(|first| {
                    let of_windows = || windows(kernel, summands, range.level?, resolved(&high, &named));
                    let passes_holes =
                        || !summands.iter().any(|summand| summand.storage.holes) || range.body.iter().all(is_steady);
                    match rows(first, range.var, &range.body) {
                        Some(rows) => Some(Ownership::Owned(rows.mul(stride.clone()))),
                        None => of_windows()
                            .filter(|_| passes_holes())
                            .map(|rows| Ownership::Windows(rows.mul(stride.clone()))),
                    }
                });
                let size = high.clone().sub(low.clone());
                let (start, end) = (low.clone().add(Expr::Var(from)), low.add(Expr::Var(to)));
                if range.lows.len() == 1 {
                    range.lows = vec![start];
                } else {
                    range.lows.push(start);
                }
                range.highs[0] = end;
                (Positions::Size(size), tensor, owned)
            }
        }
        Stmt::Tiles(tiles) => {
            let first = coordinate.first()?;
            if *first != Expr::Var(tiles.var) || tiles.lows != [Expr::zero()] || tiles.rows.is_some() {
                return None;
            }
            // One of the bounds is the end of the output.
            let extent = extent?;
            let end = tiles.highs.iter_mut().find(|high| **high == extent)?;
            *end = Expr::Var(to);
            tiles.lows = vec![Expr::Var(from)];
            (Positions::Size(extent), None, Some(Ownership::Owned(stride.clone())))
        }
        Stmt::Entries(entries) if entries.within == Segment::All => {
            entries.within = Segment::Between(Expr::Var(from), Expr::Var(to));
            let level = Level {
                tensor: entries.tensor,
                level: entries.first,
            };
            let tensor = Some(level).filter(is_first).map(|level| level.tensor);
            let first = entries.coordinates.first().filter(|_| dense).copied();
            let ascends = first.filter(|&(level, var)| {
                level == entries.first && variables.is_natural(var) && coordinate.first() == Some(&Expr::Var(var))
            });
            let owned = ascends.map(|_| Ownership::Ascending {
                level,
                stride: stride.clone(),
                first: variables.fresh("first", true),
            });
            let count = Level {
                tensor: entries.tensor,
                level: entries.last,
            };
            (Positions::Entries(count), tensor, owned)
        }
        _ => return None,
    };
    let ownership = match (owned, dense) {
        (Some(ownership), _) => ownership,
        (None, true) if kernel.reduction == Reduction::And => return None,
        (None, true) => Ownership::Shared {
            stores: block.iter().any(stores),
        },
        (None, false) => Ownership::Each,
    };
    // What is inside moves to where the piece of the output begins.
    let moved = match &ownership {
        Ownership::Owned(stride) | Ownership::Windows(stride) => Some(Expr::Var(from).mul(stride.clone())),
        Ownership::Ascending { stride, first, .. } => Some(Expr::Var(*first).mul(stride.clone())),
        Ownership::Shared { .. } | Ownership::Each => None,
    };
    if let Some(moved) = &moved {
        block.iter_mut().for_each(|stmt| move_output(stmt, moved));
    }
    let lets = block.iter().take_while(|stmt| matches!(stmt, Stmt::Let { .. })).count();
    let sizes = block.drain(..lets).collect();
    let parallel = Parallel {
        over: count,
        balance: tensor,
        split: divisible.filter(|_| matches!(ownership, Ownership::Owned(_))),
        piece: Some(Piece {
            from,
            to,
            first: moved.filter(|_| matches!(ownership, Ownership::Windows(_))),
        }),
        ownership,
        body: block,
    };
    Some((sizes, parallel))
}

/// The outermost loop, after sizes and searches.
fn outermost(block: &mut [Stmt]) -> Option<&mut Stmt> {
    let (last, before) = block.split_last_mut()?;
    let is_head = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Open { .. });
    if !before.iter().all(is_head) {
        return None;
    }
    match last {
        Stmt::Sum {
            into: Into::Total,
            body,
            ..
        } => outermost(body),
        Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Entries(_) => Some(last),
        _ => None,
    }
}

/// The level whose entries below a position are all that adds to an output, in one pass over them.
fn only_entries(body: &[Stmt], position: Var) -> Option<Level> {
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
fn rows(first: &Expr, var: Var, body: &[Stmt]) -> Option<Expr> {
    let (factor, rest) = first.split(var)?;
    match (&factor, &rest) {
        (Expr::Int(1), Expr::Int(0)) => Some(factor),
        (Expr::Int(2..) | Expr::Var(_), Expr::Var(inner)) => below(body, *inner, &factor).then_some(factor),
        _ => None,
    }
}

/// How many of the output's first coordinates each coordinate of a level owns that is their quotient, however the loops inside
/// come by them.
fn windows(kernel: &Kernel, summands: &[Summand<'_>], level: Level, size: &Expr) -> Option<Expr> {
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
fn is_steady(stmt: &Stmt) -> bool {
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
        stmt => stmt.body().iter().all(is_steady),
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
fn stores(stmt: &Stmt) -> bool {
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

fn move_output(stmt: &mut Stmt, by: &Expr) {
    let at = match stmt {
        Stmt::Accumulate {
            place: Place::Element(Array::Dense(0), at),
            ..
        }
        | Stmt::Sum {
            into:
                Into::Element {
                    array: Array::Dense(0),
                    at,
                    ..
                },
            ..
        }
        | Stmt::Tiles(Tiles { at, through: None, .. })
        | Stmt::Fill { at, .. } => Some(at),
        _ => None,
    };
    if let Some(at) = at {
        *at = at.clone().sub(by.clone());
    }
    if let Stmt::Tiles(Tiles {
        through: Some(through), ..
    }) = stmt
    {
        through.first = through.first.clone().add(by.clone());
    }
    if let Some(body) = stmt.body_mut() {
        body.iter_mut().for_each(|stmt| move_output(stmt, by));
    }
}
