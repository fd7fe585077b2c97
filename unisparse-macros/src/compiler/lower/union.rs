//! Merges all operands of a sum, level by level, if their levels are the output's dims in one order.

use super::{Nest, Output, Planner};
use crate::compiler::algebra::Expression;
use crate::compiler::encoding::Status;
use crate::compiler::kernel::addends::reads;
use crate::compiler::loops::{
    Array, Expr, Find, Found, Lvalue, Merge, MergeCursor, Range, Segment, Stmt, TensorLevel, Value, Var, Variables,
};
use crate::compiler::storage::Kind;
use crate::compiler::traversal::{Step, Steps};

/// The position of one operand in the merge.
#[derive(Clone)]
enum At {
    /// A position that exists.
    Sure(Expr),
    /// A variable with a range of positions, which is empty if nothing is stored.
    Run(Var),
}

/// An operand of the sum with its position.
struct Operand {
    /// The number of the read in the kernel's reads.
    read: usize,
    tensor: usize,
    name: String,
    at: At,
}

/// Returns one merging nest for a sum, if all of its operands can be merged.
pub(super) fn merged(planner: &Planner<'_>, variables: &mut Variables) -> Option<(Output, Vec<Nest>)> {
    let kernel = planner.kernel;
    let reads = reads(&kernel.value, kernel);
    let has_sum = planner.unites() && kernel.value.has_sum();
    if !has_sum || reads.len() < 2 || kernel.mask.is_some() {
        return None;
    }
    // The run time merges at most four operands.
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
    let mut used = Vec::new();
    kernel.value.for_each_index(kernel, &mut |index| used.push(index));
    let of_output = |index: &usize| order.contains(index);
    if order.len() != kernel.output.len() || !kernel.output.iter().all(of_output) || !used.iter().all(of_output) {
        return None;
    }
    let operand = |(&read, &tensor): (&usize, &usize)| Operand {
        read,
        tensor,
        name: kernel.operands[kernel.reads[read].operand].name.to_lowercase(),
        at: At::Sure(Expr::zero()),
    };
    let mut operands: Vec<Operand> = reads.iter().zip(&tensors).map(operand).collect();
    let mut coordinates: Vec<Option<Expr>> = vec![None; kernel.indices.len()];
    let mut around: Vec<Stmt> = Vec::new();
    for (level, &index) in order.iter().enumerate() {
        let (name, var) = (&kernel.indices[index], variables.fresh(&kernel.indices[index], true));
        variables.set_below(var, planner.extents[index]);
        coordinates[index] = Some(Expr::Var(var));
        let at = Merged {
            level,
            name,
            var,
            extent: Expr::Var(planner.extents[index]),
        };
        if operands.iter().all(|operand| operand.kind(level, planner).is_indexed()) {
            around.push(at.entries(&mut operands, planner, variables));
        } else {
            around.extend(at.range(&mut operands, planner, variables));
        }
    }
    let value = planner.value(&kernel.value, &coordinates, &|read| {
        let Operand { tensor, at, .. } = operands.iter().find(|operand| operand.read == read)?;
        let (tensor, holes) = (*tensor, planner.summands[*tensor].storage.holes);
        Some(match at {
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
    let leaf = Stmt::Accumulate {
        place: Lvalue::Output(coordinate),
        reduction: planner.reduction(),
        value,
    };
    let block = Steps::around(around.into_iter().map(Step::Stmt).collect(), vec![leaf]);
    let nests = vec![Nest::of(block)];
    Some((Output::fibers(dims, &nests), nests))
}

impl Operand {
    fn kind(&self, level: usize, planner: &Planner<'_>) -> Kind {
        planner.summands[self.tensor].storage.levels[level].kind
    }

    fn level(&self, level: usize) -> TensorLevel {
        TensorLevel {
            tensor: self.tensor,
            level,
        }
    }

    /// Returns the entries of a level below the operand's position.
    fn segment(&self, level: usize, planner: &Planner<'_>) -> Segment {
        match &self.at {
            At::Sure(_) if level == 0 => Segment::All,
            At::Sure(position) => Segment::Of(position.clone()),
            At::Run(run) if parent_is_copied(planner, self.tensor, level) => Segment::Run(*run),
            At::Run(run) => Segment::Below(*run),
        }
    }
}

/// A level that all operands have.
struct Merged<'a> {
    level: usize,
    name: &'a str,
    var: Var,
    extent: Expr,
}

impl Merged<'_> {
    fn fresh(&self, operand: &Operand, what: &str, variables: &mut Variables) -> Var {
        variables.fresh(&format!("{}_{}_{what}", operand.name, self.name), true)
    }

    /// Merges the entries of all operands: the result has every coordinate of any of them. Used if all operands have
    /// entries.
    fn entries(&self, operands: &mut [Operand], planner: &Planner<'_>, variables: &mut Variables) -> Stmt {
        let cursors = operands.iter_mut().map(|operand| {
            let (within, run) = (
                operand.segment(self.level, planner),
                self.fresh(operand, "at", variables),
            );
            operand.at = At::Run(run);
            MergeCursor {
                level: operand.level(self.level),
                within,
                at: run,
                runs: operand.kind(self.level, planner).is_copied(),
            }
        });
        Stmt::Merge(Merge {
            union: true,
            cursors: cursors.collect(),
            coordinate: self.var,
            body: Vec::new(),
        })
    }

    /// Loops over all coordinates and searches the operands that have entries. Used if an operand holds every
    /// coordinate.
    fn range(&self, operands: &mut [Operand], planner: &Planner<'_>, variables: &mut Variables) -> Vec<Stmt> {
        let (mut before, mut inside) = (Vec::new(), Vec::new());
        let is_dense = |operand: &&Operand| !operand.kind(self.level, planner).is_indexed();
        let dense = operands.iter().find(is_dense).map(|operand| operand.level(self.level));
        for operand in operands {
            let kind = operand.kind(self.level, planner);
            if kind.is_indexed() {
                let (finder, run) = (
                    self.fresh(operand, "finder", variables),
                    self.fresh(operand, "at", variables),
                );
                before.push(Stmt::Open {
                    finder,
                    level: operand.level(self.level),
                    within: operand.segment(self.level, planner),
                });
                inside.push(Stmt::Find(Find {
                    finder,
                    level: operand.level(self.level),
                    coordinate: Expr::Var(self.var),
                    found: Found::Any {
                        range: run,
                        runs: kind.is_copied(),
                    },
                    body: Vec::new(),
                }));
                operand.at = At::Run(run);
                continue;
            }
            operand.at = match &operand.at {
                At::Sure(position) => {
                    let first = position.clone().mul(self.extent.clone());
                    At::Sure(first.add(Expr::Var(self.var)))
                }
                At::Run(from) => {
                    let (from, to) = (*from, self.fresh(operand, "at", variables));
                    inside.push(Stmt::Step {
                        level: operand.level(self.level),
                        from,
                        size: self.extent.clone(),
                        offset: Expr::Var(self.var),
                        to,
                    });
                    At::Run(to)
                }
            };
        }
        before.push(Stmt::Range(Range {
            level: dense,
            var: self.var,
            lows: vec![Expr::zero()],
            highs: vec![self.extent.clone()],
            stride: None,
            nonempty: None,
            slices: None,
            body: Vec::new(),
        }));
        before.extend(inside);
        before
    }
}

/// Returns the tensor of a read if there is only one and it is not partitioned.
fn only_tensor(planner: &Planner<'_>, read: usize) -> Option<usize> {
    match planner.tensors_of(read).as_slice() {
        &[only] if !planner.summands[only].is_cut => Some(only),
        _ => None,
    }
}

/// Returns the indices that the levels hold, in level order, if each level holds one distinct index.
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
