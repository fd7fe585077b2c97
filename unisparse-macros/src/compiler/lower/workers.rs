//! Divides the outermost loop of a nest among workers, which execute its iterations in parallel.

use super::ownership::{stores, windows};
use super::parallel::{cut, mark, outermost};
use super::{Nest, Program, resolved, sizes};
use crate::compiler::kernel::Reduction;
use crate::compiler::loops::{Expr, Ownership, Positions, Range, Stmt, TensorLevel, Tiles, Var, Variables};
use crate::compiler::storage::Kind;

/// Makes the iterations of the outermost loop of each nest parallel, if they can be divided.
pub(super) fn run(program: &mut Program<'_>) {
    (0..program.nests.len()).for_each(|number| divide(program, number));
}

/// Makes the iterations of the outermost loop parallel. Positions that do not own their elements share them. The parts
/// of a partitioned tensor are divided one after another, and a worker need not wait for the others between parts.
fn divide(program: &mut Program<'_>, number: usize) {
    let (mut nest, mut variables) = (program.nests[number].clone(), program.variables.clone());
    let mut parts = Vec::new();
    while let Some(Stmt::Parts { tensor, body, .. }) = nest.body.last() {
        parts.push(*tensor);
        nest.body = body.clone();
    }
    let Some((_, mut cut)) = cut(program, &nest, &mut variables) else {
        return;
    };
    cut.ownership = ownership(program, &nest, &parts, cut.ownership);
    let levels = nest.body.last().and_then(nested);
    let collapses = levels.is_some_and(|[outer, inner]| {
        let owns = match Places::new(program, &nest).of(outer, Some(inner), &parts) {
            Own::Shared => false,
            Own::Elements => matches!(cut.ownership, Ownership::Owned(_)),
            Own::AllButHoles => matches!(cut.ownership, Ownership::Windows(_)),
        };
        owns && cut.split.is_none()
    });
    // Parts of rows are added up where a row is one coordinate of the output.
    let row = elements_of_row(program);
    cut.split = cut
        .split
        .filter(|_| parts.is_empty() && cut.ownership == Ownership::Owned(row));
    let mut block = &mut program.nests[number].body;
    for _ in &parts {
        block = match block.last_mut() {
            Some(Stmt::Parts { body, .. }) => body,
            _ => unreachable!("the loops over parts are outermost"),
        };
    }
    let flat = block
        .last()
        .filter(|_| collapses)
        .and_then(|stmt| collapsed(stmt, &mut program.variables));
    if let (Some(flat), Some(last)) = (flat, block.last_mut()) {
        cut.over = Positions::Size(flat.highs[0].clone());
        *last = Stmt::Range(flat);
    }
    mark(block, cut);
}

/// Returns the two levels of a loop and of the loop that is all of its body, if all of their iterations can be numbered, and
/// if there are more loops inside, which lanes can divide.
fn nested(stmt: &Stmt) -> Option<[TensorLevel; 2]> {
    let plain = |range: &Range| {
        let is_plain = range.lows == [Expr::zero()] && range.highs.len() == 1;
        is_plain && range.stride.is_none() && range.slices.is_none()
    };
    let Stmt::Range(outer) = stmt else { return None };
    let [Stmt::Range(inner)] = outer.body.as_slice() else {
        return None;
    };
    let has_loops = inner.body.iter().any(has_loops);
    let is_invariant = !inner.highs.iter().any(|high| high.uses(outer.var));
    let levels = [outer.level?, inner.level?];
    // The inner loop may then visit parents without entries, for which its body does nothing.
    (plain(outer) && outer.nonempty.is_none() && plain(inner) && has_loops && is_invariant).then_some(levels)
}

fn has_loops(stmt: &Stmt) -> bool {
    stmt.is_loop() || matches!(stmt, Stmt::Tiles(_)) || stmt.body().iter().any(has_loops)
}

/// Returns one loop in place of two for which there are [`nested`] levels, so that more workers can divide it.
fn collapsed(stmt: &Stmt, variables: &mut Variables) -> Option<Range> {
    let Stmt::Range(outer) = stmt else { return None };
    let [Stmt::Range(inner)] = outer.body.as_slice() else {
        return None;
    };
    let count = inner.highs[0].clone();
    let name = format!("{}_{}", variables.name(outer.var), variables.name(inner.var));
    let number = variables.fresh(&name, true);
    let quotient = Expr::Var(number).floor(count.clone());
    let remainder = Expr::Var(number).sub(Expr::Var(outer.var).mul(count.clone()));
    let lets = [(outer.var, quotient), (inner.var, remainder)].map(|(var, value)| Stmt::Let { var, value });
    Some(Range {
        level: None,
        var: number,
        highs: vec![outer.highs[0].clone().mul(count)],
        body: lets.into_iter().chain(inner.body.clone()).collect(),
        ..outer.clone()
    })
}

/// Returns the number of elements of one first coordinate of the output.
fn elements_of_row(program: &Program<'_>) -> Expr {
    let others = program.kernel.output.iter().skip(1);
    others.fold(Expr::Int(1), |all, &index| all.mul(Expr::Var(program.extents[index])))
}

/// Returns what the positions of the outermost loop inside these parts own. A piece of a loop may own more than each
/// position: `found` is the ownership of pieces.
fn ownership(program: &Program<'_>, nest: &Nest, parts: &[usize], found: Ownership) -> Ownership {
    let shared = Ownership::Shared {
        stores: nest.body.iter().any(stores),
    };
    let mut loops = nest.body.clone();
    let outermost = outermost(&mut loops);
    let is_copied = |level: &TensorLevel| {
        program.tensors[level.tensor].storage.levels[level.level]
            .kind
            .is_copied()
    };
    let (level, stride) = match (found, outermost) {
        (Ownership::Each, _) => return Ownership::Each,
        (Ownership::Owned(stride), _) if parts.is_empty() => return Ownership::Owned(stride),
        (Ownership::Ascending { level, stride, first }, _) if parts.is_empty() => {
            // Coordinates that are not repeated ascend strictly.
            return match is_copied(&level) {
                false => Ownership::Owned(stride),
                true if program.kernel.reduction == Reduction::And => shared,
                true => Ownership::Ascending { level, stride, first },
            };
        }
        (Ownership::Ascending { level, stride, .. }, _) if !is_copied(&level) => (level, stride),
        (Ownership::Owned(stride) | Ownership::Windows(stride), Some(Stmt::Range(range))) => match range.level {
            Some(level) => (level, stride),
            None => return shared,
        },
        (Ownership::Shared { .. }, Some(Stmt::Range(range))) => {
            let named = sizes(&nest.body);
            let rows = range.level.and_then(|level| {
                let size = resolved(range.highs.first()?, &named);
                let rows = windows(&program.kernel, &program.tensors, level, size)?;
                (range.lows == [Expr::zero()]).then_some((level, rows))
            });
            let Some((level, rows)) = rows else { return shared };
            (level, rows.mul(elements_of_row(program)))
        }
        _ => return shared,
    };
    match Places::new(program, nest).of(level, None, parts) {
        Own::Shared => shared,
        Own::Elements => Ownership::Owned(stride),
        Own::AllButHoles => Ownership::Windows(stride),
    }
}

/// Whether the positions of a loop own the output elements to which they add.
enum Own {
    /// Two positions may add to one element.
    Shared,
    /// No two positions add to one element.
    Elements,
    /// No two positions add to one element, but for those at coordinate zero, which holes look up.
    AllButHoles,
}

/// The coordinates of the output elements to which a nest adds.
struct Places<'a> {
    program: &'a Program<'a>,
    nest: &'a Nest,
    /// The variables that are looked up in tensors with holes.
    lookups: Vec<Var>,
    /// The levels of the lookups of whole tiles of places.
    through: Vec<TensorLevel>,
}

impl<'a> Places<'a> {
    fn new(program: &'a Program<'a>, nest: &'a Nest) -> Self {
        let mut places = Places {
            program,
            nest,
            lookups: Vec::new(),
            through: Vec::new(),
        };
        nest.body.iter().for_each(|stmt| places.collect(stmt));
        places
    }

    fn collect(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Lookup { level, var, .. } if self.program.tensors[level.tensor].storage.holes => {
                self.lookups.push(*var);
            }
            Stmt::Tiles(Tiles {
                through: Some(through), ..
            }) => self.through.push(through.level),
            _ => {}
        }
        stmt.body().iter().for_each(|inner| self.collect(inner));
    }

    /// Returns what two positions of a level, and of another one inside, have in common, each position in one of these
    /// parts.
    fn of(&self, level: TensorLevel, inner: Option<TensorLevel>, parts: &[usize]) -> Own {
        let summand = &self.program.tensors[level.tensor];
        let is_other = |tensor: usize| tensor != level.tensor;
        if parts.len() > 1
            || parts.iter().any(|&part| is_other(part))
            || inner.is_some_and(|inner| is_other(inner.tensor))
        {
            return Own::Shared;
        }
        let given = summand.storage.levels.iter().enumerate();
        let given = given.filter(|(_, level)| level.kind == Kind::Given);
        let inner = inner.map(|inner| inner.level);
        let positions: Vec<usize> = given
            .map(|(level, _)| level)
            .chain([level.level])
            .chain(inner)
            .collect();
        let Some((direct, looked_up)) = self.dims(level) else {
            return Own::Shared;
        };
        let all: Vec<usize> = direct.iter().chain(&looked_up).copied().collect();
        let format = summand.format;
        // The lanes of a worker own the places of a tile if these determine the levels that number them.
        let is_tile_owned = |through: &TensorLevel| {
            let over = &summand.storage.levels[through.level].invariant_over;
            let above: Vec<usize> = (0..through.level).filter(|above| !over.contains(above)).collect();
            through.tensor == level.tensor && format.is_placed_by(&all, &above)
        };
        if !self.through.iter().all(is_tile_owned) {
            Own::Shared
        } else if self.through.is_empty() && format.is_placed_by(&direct, &positions) {
            Own::Elements
        } else if format.is_placed_by(&all, &positions) {
            Own::AllButHoles
        } else {
            Own::Shared
        }
    }

    /// Returns the dims of the level's tensor that are coordinates of the output: those that no hole changes, and those
    /// that are looked up.
    fn dims(&self, level: TensorLevel) -> Option<(Vec<usize>, Vec<usize>)> {
        let (kernel, summand) = (&self.program.kernel, &self.program.tensors[level.tensor]);
        let reads = kernel.reads_of(summand.operand);
        let only = || reads.first().copied().filter(|_| reads.len() == 1);
        let indices = &kernel.reads[summand.read.or_else(only)?].indices;
        let (mut direct, mut looked_up) = (Vec::new(), Vec::new());
        for (dim, index) in indices.iter().enumerate() {
            let Some(of_output) = kernel.output.iter().position(|output| output == index) else {
                continue;
            };
            match self.nest.coordinate.get(of_output)? {
                _ if of_output == 0 && !self.through.is_empty() => looked_up.push(dim),
                Expr::Var(var) if self.lookups.contains(var) => looked_up.push(dim),
                coordinate if coordinate.uses_any(&self.lookups) => {}
                _ => direct.push(dim),
            }
        }
        Some((direct, looked_up))
    }
}
