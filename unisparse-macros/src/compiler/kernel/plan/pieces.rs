//! The outermost loop of a nest in pieces for threads, by what its positions do to the output.

use super::{Nests, Summand, resolved, sizes};
use crate::compiler::affine::Atom;
use crate::compiler::kernel::{Kernel, OperandKind, Reduction};
use crate::compiler::loops::{Array, Entries, Expr, Level, Place, Segment, Stmt, Target, Tiles, Var, Variables};
use crate::compiler::storage::Kind;

/// A nest whose outermost loop goes from one position to below another.
pub(crate) struct Pieces {
    /// Sizes, which are the same for all.
    pub(crate) sizes: Vec<Stmt>,
    pub(crate) block: Vec<Stmt>,
    pub(crate) from: Var,
    pub(crate) to: Var,
    pub(crate) count: Count,
    /// The tensor whose outermost level it goes over: it knows where work is halved.
    pub(crate) tensor: Option<usize>,
    pub(crate) way: Way,
    /// The number of the first element of a piece's windows.
    pub(crate) first: Option<Expr>,
    /// The level whose entries below a position are all that adds to what the position owns: they can be divided, too.
    pub(crate) divided: Option<Level>,
}

/// How many positions the outermost loop has.
pub(crate) enum Count {
    Size(Expr),
    Entries(Level),
}

/// What the positions do to the output.
pub(crate) enum Way {
    /// Each owns so many elements.
    Owned(Expr),
    /// The same, and the loops look up which: what a hole looks up may be another's, and is passed over.
    Windows(Expr),
    /// Their coordinates do not decrease, and each owns so many elements; the first coordinate of a piece.
    Ascending { level: Level, stride: Expr, first: Var },
    /// They add to any elements; or store them, where all together store every element once.
    Shared { stores: bool },
    /// Each piece gives a result of its own.
    Each,
}

/// The nest in pieces, if its outermost loop can be cut.
pub(crate) fn pieces(
    kernel: &Kernel,
    summands: &[Summand<'_>],
    nests: &Nests,
    number: usize,
    variables: &mut Variables,
) -> Option<Pieces> {
    let (mut block, coordinate) = (nests.blocks[number].clone(), &nests.coordinates[number]);
    let (from, to) = (variables.fresh("from", true), variables.fresh("to", true));
    let named = sizes(&block);
    let outer = outermost(&mut block)?;
    let stride = kernel.output.iter().skip(1);
    let stride = stride.fold(Expr::Int(1), |size, &index| size.mul(Expr::Var(nests.extents[index])));
    let is_first = |level: &Level| {
        let storage = &summands[level.tensor].storage;
        let is_determined = |kind: Kind| matches!(kind, Kind::Fixed | Kind::Given | Kind::Aligned { .. });
        storage.levels[..level.level]
            .iter()
            .all(|level| is_determined(level.kind))
    };
    let dense = kernel.operands[0].kind == OperandKind::Dense;
    let extent = kernel.output.first().map(|&index| Expr::Var(nests.extents[index]));
    let mut divisible = match &outer {
        Stmt::Range(range) if range.lows == [Expr::zero()] && kernel.reduction != Reduction::And => {
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
                (Count::Size(extent), None, Some(Way::Owned(stride.clone())))
            } else {
                let owned = first.filter(|_| low == Expr::zero()).and_then(|first| {
                    let of_windows = || windows(kernel, summands, range.level?, resolved(&high, &named));
                    let passes_holes =
                        || !summands.iter().any(|summand| summand.storage.holes) || range.body.iter().all(is_steady);
                    match rows(first, range.var, &range.body) {
                        Some(rows) => Some(Way::Owned(rows.mul(stride.clone()))),
                        None => of_windows()
                            .filter(|_| passes_holes())
                            .map(|rows| Way::Windows(rows.mul(stride.clone()))),
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
                (Count::Size(size), tensor, owned)
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
            (Count::Size(extent), None, Some(Way::Owned(stride.clone())))
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
            let owned = ascends.map(|_| Way::Ascending {
                level,
                stride: stride.clone(),
                first: variables.fresh("first", true),
            });
            let count = Level {
                tensor: entries.tensor,
                level: entries.last,
            };
            (Count::Entries(count), tensor, owned)
        }
        _ => return None,
    };
    let way = match (owned, dense) {
        (Some(way), _) => way,
        (None, true) if kernel.reduction == Reduction::And => return None,
        (None, true) => Way::Shared {
            stores: block.iter().any(stores),
        },
        (None, false) => Way::Each,
    };
    // What is inside moves to where the piece of the output begins.
    let moved = match &way {
        Way::Owned(stride) | Way::Windows(stride) => Some(Expr::Var(from).mul(stride.clone())),
        Way::Ascending { stride, first, .. } => Some(Expr::Var(*first).mul(stride.clone())),
        Way::Shared { .. } | Way::Each => None,
    };
    if let Some(moved) = &moved {
        block.iter_mut().for_each(|stmt| move_output(stmt, moved));
    }
    let lets = block.iter().take_while(|stmt| matches!(stmt, Stmt::Let { .. })).count();
    let sizes = block.drain(..lets).collect();
    Some(Pieces {
        sizes,
        block,
        from,
        to,
        count,
        tensor,
        first: moved.filter(|_| matches!(way, Way::Windows(_))),
        divided: divisible.filter(|_| matches!(way, Way::Owned(_))),
        way,
    })
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
            into: Target::Total,
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
            into: Target::Element {
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
            into: Target::Element { store, .. },
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
                Target::Element {
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
