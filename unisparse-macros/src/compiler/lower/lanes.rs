//! Divides loops among the lanes of a worker: inside the outermost loop, the innermost loops without a constant length, or one
//! of constant length that is around or inside no other.
//!
//! Neighbouring lanes then read neighbouring entries. A tile has neighbouring elements already, so loops inside tiles are
//! left whole.

use super::target::Threads;
use super::{Program, Target};
use crate::compiler::loops::{Entries, Expr, Lvalue, Ownership, Parallel, Positions, Stmt, Var, Variables};
use crate::compiler::operand::Summand;

/// Encloses the loops that lanes divide in a [`Stmt::Parallel`].
pub(super) fn run(program: &mut Program<'_>, target: &Target) {
    if !target.levels.contains(&Threads::Lanes) {
        return;
    }
    let lanes = Lanes {
        tensors: &program.tensors,
        variables: &program.variables,
    };
    for stmt in program.nests.iter_mut().flat_map(|nest| &mut nest.body) {
        lanes.below_workers(stmt);
    }
}

struct Lanes<'a> {
    tensors: &'a [Summand<'a>],
    variables: &'a Variables,
}

impl Lanes<'_> {
    /// Divides the loops inside the loop that workers divide.
    fn below_workers(&self, stmt: &mut Stmt) {
        if let Stmt::Parallel(parallel) = stmt {
            if self.sums_by_coordinate(parallel) {
                let body = std::mem::take(&mut parallel.body);
                parallel.body = vec![Stmt::Parallel(Parallel {
                    body,
                    ..parallel.clone()
                })];
                return;
            }
            let mut outermost = parallel.body.last_mut();
            while let Some(Stmt::Sum { body, .. }) = outermost {
                outermost = body.last_mut();
            }
            if let Some(Stmt::Range(_) | Stmt::Entries(_)) = &outermost {
                let body = outermost.and_then(Stmt::body_mut);
                body.into_iter().flatten().for_each(|stmt| self.divide(stmt));
            }
            return;
        }
        stmt.body_mut()
            .into_iter()
            .flatten()
            .for_each(|stmt| self.below_workers(stmt));
    }

    /// Whether the entries of a loop whose first coordinates ascend add to one element for each coordinate: then lanes
    /// divide the entries, and add up those of one coordinate.
    fn sums_by_coordinate(&self, parallel: &Parallel) -> bool {
        let (Ownership::Ascending { level, .. }, [Stmt::Entries(entries)]) =
            (&parallel.ownership, parallel.body.as_slice())
        else {
            return false;
        };
        let of_level = entries.coordinates.iter().find(|(of, _)| *of == level.level);
        let mut places = Vec::new();
        entries.body.iter().for_each(|inner| inner.outputs(&mut places));
        matches!((of_level, places.as_slice()), (Some((_, var)), [Lvalue::Element(_, Expr::Var(at))]) if at == var)
            && !entries.body.iter().any(has_tiles)
    }

    fn divide(&self, stmt: &mut Stmt) {
        match stmt {
            // All lanes need the value that is looked up.
            Stmt::Tiles(_) | Stmt::Maybe { .. } => {}
            Stmt::Range(_) | Stmt::Entries(_)
                if !stmt.body().iter().any(|inner| self.is_divided(inner)) && self.may_divide(stmt) =>
            {
                *stmt = Stmt::Parallel(Parallel {
                    over: self.positions(stmt),
                    ownership: self.ownership(stmt),
                    balance: None,
                    split: None,
                    piece: None,
                    body: vec![stmt.clone()],
                });
            }
            stmt => stmt.body_mut().into_iter().flatten().for_each(|stmt| self.divide(stmt)),
        }
    }

    /// Whether lanes divide a loop or a tile inside, and not the loop around.
    fn is_divided(&self, stmt: &Stmt) -> bool {
        let is_long = match stmt {
            Stmt::Range(range) => !range.highs.iter().any(|high| high.is_constant(self.variables)),
            Stmt::Entries(_) | Stmt::Tiles(_) => true,
            Stmt::Maybe { .. } => return false,
            _ => false,
        };
        is_long || stmt.body().iter().any(|inner| self.is_divided(inner))
    }

    /// Whether lanes may execute the iterations of a loop at the same time. They may not if an iteration appends to a sparse output,
    /// whose elements have an order. If iterations add to a fiber, each must add to elements of its own.
    fn may_divide(&self, stmt: &Stmt) -> bool {
        let mut places = Vec::new();
        stmt.body().iter().for_each(|inner| inner.outputs(&mut places));
        let is_dense = |place: &Lvalue| matches!(place, Lvalue::Element(..));
        let appends = |place: &Lvalue| matches!(place, Lvalue::Output(_) | Lvalue::Scattered(_));
        places.iter().all(is_dense)
            || !places.iter().any(appends) && matches!(self.ownership(stmt), Ownership::Owned(_))
    }

    fn positions(&self, stmt: &Stmt) -> Positions {
        match stmt {
            Stmt::Entries(entries) => Positions::Entries(entries.first()),
            Stmt::Range(range) => Positions::Size(range.highs[0].clone()),
            _ => unreachable!("only these loops are divided"),
        }
    }

    /// Returns whether iterations add to different elements of the output: each at its own value of a variable that
    /// determines the place.
    fn ownership(&self, stmt: &Stmt) -> Ownership {
        let moves = match stmt {
            Stmt::Range(range) => Some(range.var),
            Stmt::Entries(entries) => self.unique(entries),
            _ => None,
        };
        let bound = stmt.bound();
        let is_own = |at: &&Expr| {
            let split = moves.and_then(|var| at.split(var));
            split.is_some_and(|(factor, rest)| {
                matches!(factor, Expr::Int(factor) if factor != 0) && !rest.uses_any(&bound)
            })
        };
        let mut places = Vec::new();
        stmt.body().iter().for_each(|inner| inner.outputs(&mut places));
        let at = |place: &Lvalue| match place {
            Lvalue::Element(_, at) | Lvalue::Fiber(at) => is_own(&at),
            _ => false,
        };
        if !places.is_empty() && places.iter().all(at) && places.windows(2).all(|two| two[0] == two[1]) {
            Ownership::Owned(Expr::Int(1))
        } else {
            Ownership::Shared { stores: false }
        }
    }

    /// Returns the variable of the coordinate that each entry of a segment has for itself.
    fn unique(&self, entries: &Entries) -> Option<Var> {
        let storage = self.tensors[entries.tensor].storage;
        let is_chain = entries.first != entries.last || storage.levels[entries.last].kind.is_copied();
        let of_last = entries.coordinates.iter().find(|(level, _)| *level == entries.last);
        of_last.map(|&(_, var)| var).filter(|_| !is_chain && !storage.holes)
    }
}

fn has_tiles(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Tiles(_)) || stmt.body().iter().any(has_tiles)
}
