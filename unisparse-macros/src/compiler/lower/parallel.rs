//! Divides the outermost loop of a nest among threads, by the output elements that its positions own.

use super::ownership::{holds_only_owned, only_entries, only_looks_up, rows, stores, windows};
use super::target::Threads;
use super::{Nest, Program, Target, resolved, sizes};
use crate::compiler::kernel::{OperandKind, Reduction};
use crate::compiler::loops::{
    Array, Destination, Entries, Expr, Lvalue, Ownership, Parallel, Piece, Positions, Range, Segment, Stmt,
    TensorLevel, Tiles, Var, Variables,
};
use crate::compiler::storage::Kind;

/// Encloses the loops of each nest that can be divided among threads in a [`Stmt::Parallel`].
pub(super) fn run(program: &mut Program<'_>, target: &Target) {
    for number in 0..program.nests.len() {
        let mut variables = program.variables.clone();
        let Some((sizes, cut)) = cut(program, &program.nests[number], &mut variables) else {
            continue;
        };
        let nest = &mut program.nests[number];
        match target.levels {
            [] => {}
            [Threads::Pieces, ..] => {
                program.variables = variables;
                nest.body = sizes;
                nest.body.push(Stmt::Parallel(cut));
            }
            [Threads::Iterations, inner @ ..] => {
                let extents = program.kernel.output.iter();
                let extents: Vec<Expr> = extents.map(|&index| Expr::Var(program.extents[index])).collect();
                divide_iterations(nest, cut, &extents, inner.len());
            }
            [Threads::Marked, ..] => mark(&mut nest.body, cut),
            [Threads::Workers | Threads::Lanes | Threads::Pipelines, ..] => {}
        }
    }
}

/// Makes the iterations of the outermost loop parallel if each owns its elements. A search that continues from one
/// iteration to the next must run in order.
///
/// The loop inside it becomes parallel too if each of its iterations owns one coordinate of the next dim, down to `depth`
/// loops.
fn divide_iterations(nest: &mut Nest, cut: Parallel, extents: &[Expr], depth: usize) {
    let searches = nest.body.iter().any(|stmt| matches!(stmt, Stmt::Open { .. }));
    if searches || !matches!(cut.ownership, Ownership::Owned(_)) {
        return;
    }
    mark(&mut nest.body, cut);
    let dims: Vec<(&Expr, &[Expr])> = (1..extents.len())
        .map(|dim| (&nest.coordinate[dim], &extents[dim..]))
        .collect();
    let Some(Stmt::Parallel(outermost)) = nest.body.last_mut() else {
        return;
    };
    let mut loops = outermost.body.last_mut();
    for (coordinate, extents) in dims.into_iter().take(depth) {
        loops = loops.and_then(|outer| divide_inside(outer, coordinate, extents));
    }
}

/// Encloses the loop inside `outer` in a parallel statement if each iteration owns one coordinate of a dim, which it
/// binds. `extents` begins with that of the dim. Returns the loop.
fn divide_inside<'s>(outer: &'s mut Stmt, coordinate: &Expr, extents: &[Expr]) -> Option<&'s mut Stmt> {
    let Stmt::Range(outer) = outer else { return None };
    let (inner, before) = outer.body.split_last_mut()?;
    let only_binds = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Bind(_) | Stmt::Lookup { .. });
    let (var, lows, highs) = match inner {
        Stmt::Range(range) if range.stride.is_none() => (range.var, &range.lows, &range.highs),
        Stmt::Tiles(tiles) if tiles.rows.is_none() => (tiles.var, &tiles.lows, &tiles.highs),
        _ => return None,
    };
    let covers_dim = *coordinate == Expr::Var(var) && *lows == [Expr::zero()] && *highs == extents[..1];
    if !covers_dim || !before.iter().all(only_binds) {
        return None;
    }
    let body = outer.body.pop().into_iter().collect();
    outer.body.push(Stmt::Parallel(Parallel {
        over: Positions::Size(extents[0].clone()),
        ownership: Ownership::Owned(extents[1..].iter().cloned().fold(Expr::Int(1), Expr::mul)),
        balance: None,
        split: None,
        piece: None,
        body,
    }));
    match outer.body.last_mut() {
        Some(Stmt::Parallel(parallel)) => parallel.body.last_mut(),
        _ => None,
    }
}

/// Encloses the unchanged outermost loop in a parallel statement.
pub(super) fn mark(block: &mut Vec<Stmt>, cut: Parallel) {
    let body = block.pop().into_iter().collect();
    block.push(Stmt::Parallel(Parallel {
        piece: None,
        body,
        ..cut
    }));
}

/// Returns the definitions of sizes, which all pieces share, and a piece of the nest, if its outermost loop can be cut.
pub(super) fn cut(program: &Program<'_>, nest: &Nest, variables: &mut Variables) -> Option<(Vec<Stmt>, Parallel)> {
    let mut block = nest.body.clone();
    let (from, to) = (variables.fresh("from", true), variables.fresh("to", true));
    let knife = Knife::new(program, nest, (from, to));
    let Cut {
        over,
        balance,
        owned,
        split,
    } = match outermost(&mut block)? {
        Stmt::Range(range) => knife.range(range, variables)?,
        Stmt::Tiles(tiles) => knife.tiles(tiles)?,
        Stmt::Entries(entries) => knife.entries(entries, variables)?,
        _ => return None,
    };
    let ownership = match owned {
        Some(ownership) => ownership,
        None if !knife.dense => Ownership::Each,
        None if program.kernel.reduction == Reduction::And => return None,
        None => Ownership::Shared {
            stores: block.iter().any(stores),
        },
    };
    // A partitioned tensor balances pieces of its parts, and not of a loop around them.
    let balance = balance.filter(|&tensor| !block.iter().any(|stmt| loops_over_parts(stmt, tensor)));
    // The places of the output count from the first element of the piece.
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
        over,
        balance,
        split: split.filter(|_| matches!(ownership, Ownership::Owned(_))),
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

/// A loop that was cut to the positions of a piece.
struct Cut {
    over: Positions,
    balance: Option<usize>,
    /// `None` if the positions share the elements of a dense output, or if the output is not dense.
    owned: Option<Ownership>,
    split: Option<TensorLevel>,
}

/// The inputs for cutting an outermost loop to the positions `from..to`.
struct Knife<'a> {
    program: &'a Program<'a>,
    /// The coordinates of the output, and the named sizes.
    coordinate: &'a [Expr],
    named: Vec<(Var, Expr)>,
    from: Expr,
    to: Expr,
    dense: bool,
    /// The first extent of the output, and the number of elements per first coordinate.
    extent: Option<Expr>,
    stride: Expr,
}

impl<'a> Knife<'a> {
    fn new(program: &'a Program<'a>, nest: &'a Nest, (from, to): (Var, Var)) -> Self {
        let indices = program.kernel.output.iter();
        let mut extents = indices.map(|&index| Expr::Var(program.extents[index]));
        Knife {
            program,
            coordinate: &nest.coordinate,
            named: sizes(&nest.body),
            from: Expr::Var(from),
            to: Expr::Var(to),
            dense: program.kernel.operands[0].kind == OperandKind::Dense,
            extent: extents.next(),
            stride: extents.fold(Expr::Int(1), Expr::mul),
        }
    }

    /// Returns the first coordinate of a dense output.
    fn first(&self) -> Option<&Expr> {
        self.coordinate.first().filter(|_| self.dense)
    }

    /// Returns the tensor of a level if all levels above it are fixed, given or aligned: it can balance the pieces by
    /// elements.
    fn balance(&self, level: TensorLevel) -> Option<usize> {
        let storage = self.program.tensors[level.tensor].storage;
        let is_determined = |kind: Kind| matches!(kind, Kind::Fixed | Kind::Given | Kind::Aligned { .. });
        let mut above = storage.levels[..level.level].iter();
        above.all(|above| is_determined(above.kind)).then_some(level.tensor)
    }

    fn range(&self, range: &mut Range, variables: &Variables) -> Option<Cut> {
        // `tighten` appends bounds after the domain's own, and drops a zero bound of a natural variable.
        let low = range.lows.first()?.clone();
        if variables.is_natural(range.var) && low != Expr::zero() {
            return None;
        }
        let high = range.highs.first()?.clone();
        let is_whole = low == Expr::zero() && self.extent.as_ref() == Some(resolved(&high, &self.named));
        let extent = self.extent.clone().filter(|_| !is_whole);
        if let Some(extent) = extent.filter(|_| self.first() == Some(&Expr::Var(range.var))) {
            // The level and the output have different coordinates, so divide the output's coordinates and intersect.
            range.lows.push(self.from.clone());
            range.highs.push(self.to.clone());
            return Some(Cut {
                over: Positions::Size(extent),
                balance: None,
                owned: Some(Ownership::Owned(self.stride.clone())),
                split: None,
            });
        }
        let may_split = range.lows == [Expr::zero()] && range.nonempty.is_none();
        let split = Some(range.var).filter(|_| may_split && self.program.kernel.reduction != Reduction::And);
        let cut = Cut {
            over: Positions::Size(high.clone().sub(low.clone())),
            balance: range.level.and_then(|level| self.balance(level)),
            owned: if low == Expr::zero() {
                self.owned(range, &high)
            } else {
                None
            },
            split: split.and_then(|position| only_entries(&range.body, position)),
        };
        let (start, end) = (low.clone().add(self.from.clone()), low.add(self.to.clone()));
        if range.lows.len() == 1 {
            range.lows = vec![start];
        } else {
            range.lows.push(start);
        }
        range.highs[0] = end;
        Some(cut)
    }

    /// Returns the ownership of each value of a loop from zero to `high`.
    fn owned(&self, range: &Range, high: &Expr) -> Option<Ownership> {
        let Program { kernel, tensors, .. } = self.program;
        if let Some(rows) = rows(self.first()?, range.var, &range.body) {
            return Some(Ownership::Owned(rows.mul(self.stride.clone())));
        }
        let rows = windows(kernel, tensors, range.level?, resolved(high, &self.named))?;
        let passes_holes = !tensors.iter().any(|tensor| tensor.storage.holes) || range.body.iter().all(only_looks_up);
        let stays_inside = passes_holes && range.body.iter().all(holds_only_owned);
        stays_inside.then(|| Ownership::Windows(rows.mul(self.stride.clone())))
    }

    fn tiles(&self, tiles: &mut Tiles) -> Option<Cut> {
        let first = self.coordinate.first()?;
        if *first != Expr::Var(tiles.var) || tiles.lows != [Expr::zero()] || tiles.rows.is_some() {
            return None;
        }
        // One of the bounds must be the end of the output.
        let extent = self.extent.clone()?;
        let end = tiles.highs.iter_mut().find(|high| **high == extent)?;
        *end = self.to.clone();
        tiles.lows = vec![self.from.clone()];
        Some(Cut {
            over: Positions::Size(extent),
            balance: None,
            owned: Some(Ownership::Owned(self.stride.clone())),
            split: None,
        })
    }

    fn entries(&self, entries: &mut Entries, variables: &mut Variables) -> Option<Cut> {
        if entries.within != Segment::All {
            return None;
        }
        entries.within = Segment::Between(self.from.clone(), self.to.clone());
        let ascends = entries.coordinates.first().is_some_and(|&(level, var)| {
            level == entries.first && variables.is_natural(var) && self.first() == Some(&Expr::Var(var))
        });
        let last = TensorLevel {
            level: entries.last,
            ..entries.first()
        };
        Some(Cut {
            over: Positions::Entries(last),
            balance: self.balance(entries.first()),
            owned: ascends.then(|| Ownership::Ascending {
                level: entries.first(),
                stride: self.stride.clone(),
                first: variables.fresh("first", true),
            }),
            split: None,
        })
    }
}

/// Whether there is a loop over the parts of a tensor in a statement.
fn loops_over_parts(stmt: &Stmt, of: usize) -> bool {
    matches!(stmt, Stmt::Parts { tensor, .. } if *tensor == of)
        || stmt.body().iter().any(|stmt| loops_over_parts(stmt, of))
}

/// Returns the outermost loop, which follows definitions of sizes and openings of searches.
pub(super) fn outermost(block: &mut [Stmt]) -> Option<&mut Stmt> {
    let (last, before) = block.split_last_mut()?;
    let is_head = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Open { .. });
    if !before.iter().all(is_head) {
        return None;
    }
    match last {
        Stmt::Sum {
            into: Destination::Total,
            body,
            ..
        } => outermost(body),
        Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Entries(_) => Some(last),
        _ => None,
    }
}

fn move_output(stmt: &mut Stmt, by: &Expr) {
    let at = match stmt {
        Stmt::Accumulate {
            place: Lvalue::Element(Array::Dense(0), at),
            ..
        }
        | Stmt::Sum {
            into:
                Destination::Element {
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
