//! Operands whose levels are the dims of the output in one order: all of them are merged, level by level.

use super::output::Output;
use super::terms::reads;
use super::{Planner, Shape};
use crate::compiler::affine::Expression;
use crate::compiler::encoding::Status;
use crate::compiler::loops::{
    Array, Expr, Find, Found, Leg, Level, Merge, Place, Range, Segment, Stmt, Value, Var, Variables,
};
use crate::compiler::storage::Kind;

/// Where one operand stands.
#[derive(Clone)]
enum At {
    /// A position that is sure to be there.
    Sure(Expr),
    /// The positions in a variable, none if nothing is stored.
    Run(Var),
}

/// One nest for a sum, if all of its operands can be merged.
pub(super) fn merged(planner: &Planner<'_>, variables: &mut Variables) -> Option<Output> {
    let kernel = planner.kernel;
    let reads = reads(&kernel.value, planner);
    let has_sum = planner.unites() && kernel.value.has_sum();
    if !has_sum || reads.len() < 2 || kernel.mask.is_some() {
        return None;
    }
    // The merges of the run time take so many.
    if reads.len() > 4 {
        return None;
    }
    let tensors: Vec<usize> = reads
        .iter()
        .map(|&read| only_tensor(planner, read))
        .collect::<Option<_>>()?;
    let order = level_order(planner, reads[0], tensors[0])?;
    for (&read, &tensor) in reads.iter().zip(&tensors) {
        if level_order(planner, read, tensor)? != order {
            return None;
        }
    }
    let mut dense = Vec::new();
    kernel.value.for_each_read(&mut |read| {
        if !planner.is_sparse(read) {
            dense.extend(&kernel.reads[read].indices);
        }
    });
    let of_output = |index: &usize| order.contains(index);
    if order.len() != kernel.output.len() || !kernel.output.iter().all(of_output) || !dense.iter().all(of_output) {
        return None;
    }
    let mut at: Vec<At> = vec![At::Sure(Expr::zero()); reads.len()];
    let mut coordinates: Vec<Option<Expr>> = vec![None; kernel.indices.len()];
    let mut around: Vec<Stmt> = Vec::new();
    for (level, &index) in order.iter().enumerate() {
        let var = variables.fresh(&kernel.indices[index], true);
        coordinates[index] = Some(Expr::Var(var));
        let kind = |read: usize| planner.summands[tensors[read]].storage.levels[level].kind;
        let level_of = |read: usize| Level {
            tensor: tensors[read],
            level,
        };
        let segment = |at: &At, read: usize| match at {
            At::Sure(_) if level == 0 => Segment::All,
            At::Sure(position) => Segment::Of(position.clone()),
            At::Run(run) if parent_is_copied(planner, tensors[read], level) => Segment::Run(*run),
            At::Run(run) => Segment::Below(*run),
        };
        let name = |read: usize, what: &str| {
            let operand = &kernel.operands[kernel.reads[reads[read]].operand].name;
            format!("{}_{}_{what}", operand.to_lowercase(), kernel.indices[index])
        };
        let extent = Expr::Var(planner.extents[index]);
        if (0..reads.len()).all(|read| kind(read).is_indexed()) {
            let mut legs = Vec::new();
            for (read, at) in at.iter_mut().enumerate() {
                let run = variables.fresh(&name(read, "at"), true);
                legs.push(Leg {
                    level: level_of(read),
                    within: segment(at, read),
                    at: run,
                    runs: kind(read).is_copied(),
                });
                *at = At::Run(run);
            }
            around.push(Stmt::Merge(Merge {
                union: true,
                coordinate: var,
                legs,
                body: Vec::new(),
            }));
            continue;
        }
        // A level that holds every coordinate is gone through, and the others are searched.
        let mut finders = Vec::new();
        for (read, at) in at.iter().enumerate() {
            if kind(read).is_indexed() {
                let finder = variables.fresh(&name(read, "finder"), true);
                around.push(Stmt::Open {
                    finder,
                    level: level_of(read),
                    within: segment(at, read),
                });
                finders.push((read, finder));
            }
        }
        let dense = (0..reads.len()).find(|&read| !kind(read).is_indexed());
        around.push(Stmt::Range(Range {
            level: dense.map(level_of),
            var,
            lows: vec![Expr::zero()],
            highs: vec![extent.clone()],
            stride: None,
            body: Vec::new(),
        }));
        for (read, at) in at.iter_mut().enumerate() {
            let finder = finders.iter().find(|(of, _)| *of == read);
            *at = match (finder, at.clone()) {
                (Some(&(_, finder)), _) => {
                    let run = variables.fresh(&name(read, "at"), true);
                    around.push(Stmt::Find(Find {
                        finder,
                        level: level_of(read),
                        signed: !variables.is_natural(var),
                        coordinate: Expr::Var(var),
                        found: Found::Any {
                            range: run,
                            runs: kind(read).is_copied(),
                        },
                        body: Vec::new(),
                    }));
                    At::Run(run)
                }
                (None, At::Sure(position)) => At::Sure(position.mul(extent.clone()).add(Expr::Var(var))),
                (None, At::Run(from)) => {
                    let to = variables.fresh(&name(read, "at"), true);
                    around.push(Stmt::Step {
                        level: level_of(read),
                        from,
                        size: extent.clone(),
                        offset: Expr::Var(var),
                        to,
                    });
                    At::Run(to)
                }
            };
        }
    }
    let value = planner.value(&kernel.value, &coordinates, &|read| {
        let number = reads.iter().position(|&other| other == read)?;
        let (tensor, holes) = (tensors[number], planner.summands[tensors[number]].storage.holes);
        Some(match &at[number] {
            At::Sure(position) if !holes => Value::Load(Array::Values(tensor), position.clone()),
            At::Sure(position) => Value::AtPosition {
                tensor,
                position: position.clone(),
            },
            At::Run(range) => Value::At {
                tensor,
                range: *range,
                holes,
            },
        })
    })?;
    let dims: Vec<usize> = order
        .iter()
        .filter_map(|index| kernel.output.iter().position(|output| output == index))
        .collect();
    let coordinate = order.iter().filter_map(|&index| coordinates[index].clone()).collect();
    let mut block = vec![Stmt::Accumulate {
        place: Place::Output(coordinate),
        reduction: planner.reduction(),
        value,
    }];
    for mut stmt in around.into_iter().rev() {
        match stmt.body_mut() {
            Some(body) => {
                *body = block;
                block = vec![stmt];
            }
            None => block.insert(0, stmt),
        }
    }
    Some(Output {
        shape: Shape::Fibers(dims),
        blocks: vec![block],
    })
}

/// The tensor of a read, if it is one that is not cut apart.
fn only_tensor(planner: &Planner<'_>, read: usize) -> Option<usize> {
    let operand = planner.kernel.reads[read].operand;
    let mut tensors = (0..planner.summands.len()).filter(|&tensor| planner.summands[tensor].operand == operand);
    let only = tensors.next().filter(|&tensor| !planner.summands[tensor].is_cut);
    only.filter(|_| tensors.next().is_none())
}

/// The indices that the levels hold, each alone, if they do.
fn level_order(planner: &Planner<'_>, read: usize, tensor: usize) -> Option<Vec<usize>> {
    let (summand, read) = (&planner.summands[tensor], &planner.kernel.reads[read]);
    let levels = summand.format.levels.iter().zip(&summand.storage.levels);
    let order: Option<Vec<usize>> = levels
        .map(|(level, stored)| match level.expression {
            Expression::Dim(dim) if level.status == Status::Free && !level.indirect && is_plain(stored.kind) => {
                Some(read.indices[dim])
            }
            _ => None,
        })
        .collect();
    order.filter(|order| (1..order.len()).all(|at| !order[..at].contains(&order[at])))
}

fn is_plain(kind: Kind) -> bool {
    matches!(kind, Kind::Dense | Kind::Indexed { full: false, .. })
}

fn parent_is_copied(planner: &Planner<'_>, tensor: usize, level: usize) -> bool {
    let storage = planner.summands[tensor].storage;
    storage.levels[level]
        .parent
        .is_some_and(|parent| storage.levels[parent].kind.is_copied())
}
