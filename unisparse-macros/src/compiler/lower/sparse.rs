//! Lowers kernels with a sparse output, whose elements are appended in order, summed fiber by fiber, or scattered.

use super::terms::terms;
use super::{Nest, Output, Planner, concat, union};
use crate::compiler::loops::{self, Destination, Expr, Lvalue, Stmt, Var, Variables};
use crate::compiler::traversal::{Step, Steps};

/// The loops of one term, with the statement inside them and the coordinates of the output.
struct Walked {
    steps: Steps,
    leaf: Stmt,
    coordinate: Vec<Expr>,
}

impl Planner<'_> {
    pub(super) fn sparse(&self, variables: &mut Variables) -> (Output, Vec<Nest>) {
        if let Some(output) = union::merged(self, variables) {
            return output;
        }
        let walked: Vec<Walked> = terms(self)
            .into_iter()
            .map(|term| {
                let join = self.join(&term, variables);
                Walked {
                    coordinate: join.coordinate(self),
                    leaf: join.leaf(self, Lvalue::Sum),
                    steps: join.steps,
                }
            })
            .collect();
        match <[Walked; 1]>::try_from(walked) {
            Ok([walked]) => self.single_nest(walked),
            Err(walked) => self.fused_nests(walked),
        }
    }

    /// Returns the extents of these dims of the output.
    fn extents_of(&self, dims: &[usize]) -> Vec<Expr> {
        let extent = |&dim: &usize| Expr::Var(self.extents[self.kernel.output[dim]]);
        dims.iter().map(extent).collect()
    }

    /// Lowers one nest. The output is in order if its loops bind leading coordinates in ascending order.
    fn single_nest(&self, walked: Walked) -> (Output, Vec<Nest>) {
        let Walked {
            mut steps,
            leaf,
            coordinate,
        } = walked;
        let placed = placed(&steps.steps, &coordinate);
        let head = std::mem::take(&mut steps.head);
        let in_order = |dims: &[usize]| dims.iter().map(|&dim| coordinate[dim].clone()).collect::<Vec<_>>();
        if placed.dims.is_empty() {
            let block = Steps::around(steps.steps, vec![with_place(leaf, Lvalue::Scattered(coordinate))]);
            return (Output::Unordered, vec![Nest::of(concat(head, block))]);
        }
        let inner = steps.steps.split_off(placed.steps);
        // A conjunction has no identity, so it cannot start a sum.
        let is_conjunction = self.reduction() == loops::Reduction::And && inner.iter().any(is_loop);
        let body = if placed.dims.len() < coordinate.len() || is_conjunction {
            let others = others(&placed.dims, coordinate.len());
            let extents = self.extents_of(&others);
            let leaf = with_place(leaf, Lvalue::Fiber(number(&in_order(&others), &extents)));
            vec![Stmt::Fiber {
                outer: in_order(&placed.dims),
                extents,
                body: Steps::around(inner, vec![leaf]),
            }]
        } else if inner.iter().any(is_loop) {
            let is_missing = matches!(&leaf, Stmt::Accumulate { value, .. } if value.may_be_missing());
            let sure = !is_missing && !inner.iter().any(may_skip);
            vec![Stmt::Sum {
                body: Steps::around(inner, vec![leaf]),
                reduction: self.reduction(),
                into: Destination::Output {
                    coordinate: in_order(&placed.dims),
                    sure,
                },
                unrolled: false,
            }]
        } else {
            let leaf = with_place(leaf, Lvalue::Output(in_order(&placed.dims)));
            Steps::around(inner, vec![leaf])
        };
        let order = concat_dims(&placed.dims, coordinate.len());
        let nests = vec![Nest::of(concat(head, Steps::around(steps.steps, body)))];
        (Output::fibers(order, &nests), nests)
    }

    /// Lowers several nests: fiber by fiber if all of them have the same outermost dim and cover all of it, else
    /// scattered.
    fn fused_nests(&self, nests: Vec<Walked>) -> (Output, Vec<Nest>) {
        let first = |nest: &Walked| {
            let placed = placed(&nest.steps.steps, &nest.coordinate);
            let dim = *placed.dims.first()?;
            let at = nest.steps.steps.iter().position(is_loop)?;
            let Step::Stmt(Stmt::Range(range)) = &nest.steps.steps[at] else {
                return None;
            };
            // Only definitions may precede the loop.
            let outermost = nest.steps.steps[..at]
                .iter()
                .all(|step| matches!(step, Step::SearchOpening(_) | Step::Stmt(Stmt::Let { .. })));
            let whole = outermost && range.lows == [Expr::zero()] && range.highs == self.extents_of(&[dim]);
            (whole && nest.coordinate[dim] == Expr::Var(range.var)).then_some((dim, at, range.clone()))
        };
        let firsts: Option<Vec<_>> = nests.iter().map(first).collect();
        let firsts = firsts.filter(|firsts| firsts.windows(2).all(|pair| pair[0].0 == pair[1].0));
        let Some(firsts) = firsts.filter(|firsts| !firsts.is_empty()) else {
            let blocks = nests.into_iter().map(|nest| {
                let leaf = with_place(nest.leaf, Lvalue::Scattered(nest.coordinate));
                Nest::of(concat(nest.steps.head, Steps::around(nest.steps.steps, vec![leaf])))
            });
            return (Output::Unordered, blocks.collect());
        };
        let (dim, _, range) = firsts[0].clone();
        let others = others(&[dim], self.kernel.output.len());
        let extents = self.extents_of(&others);
        let (mut head, mut body): (Vec<Stmt>, Vec<Stmt>) = (Vec::new(), Vec::new());
        for (nest, (_, at, own)) in nests.into_iter().zip(firsts) {
            let mut steps = nest.steps.steps;
            let inner = steps.split_off(at + 1);
            head.extend(nest.steps.head);
            head.extend(steps.into_iter().filter_map(|step| match step {
                Step::Stmt(stmt @ Stmt::Let { .. }) | Step::SearchOpening(Some(stmt)) => Some(stmt),
                _ => None,
            }));
            let key = others
                .iter()
                .map(|&dim| nest.coordinate[dim].clone())
                .collect::<Vec<_>>();
            let leaf = with_place(nest.leaf, Lvalue::Fiber(number(&key, &extents)));
            if own.var != range.var {
                body.push(Stmt::Let {
                    var: own.var,
                    value: Expr::Var(range.var),
                });
            }
            body.extend(Steps::around(inner, vec![leaf]));
        }
        let fiber = Stmt::Fiber {
            outer: vec![Expr::Var(range.var)],
            extents,
            body,
        };
        let block = vec![Stmt::Range(loops::Range {
            body: vec![fiber],
            ..range
        })];
        let nests = vec![Nest::of(concat(head, block))];
        (
            Output::fibers(concat_dims(&[dim], self.kernel.output.len()), &nests),
            nests,
        )
    }
}

/// The output dims that the outermost loops bind in order.
struct Placed {
    dims: Vec<usize>,
    /// The number of steps down to the innermost of these loops.
    steps: usize,
}

/// Returns the output dims whose coordinates the outermost loops bind, one after another, each in ascending order.
fn placed(steps: &[Step], coordinate: &[Expr]) -> Placed {
    let mut placed = Placed {
        dims: Vec::new(),
        steps: 0,
    };
    for (at, step) in steps.iter().enumerate() {
        let vars = match step {
            Step::Stmt(Stmt::Range(range)) if range.stride.is_none() => vec![range.var],
            Step::Stmt(Stmt::Entries(entries)) => {
                let read: Vec<usize> = entries.coordinates.iter().map(|&(level, _)| level).collect();
                // If the coordinates of a level in between are not read, its order is unknown.
                if !(entries.first..=entries.last).all(|level| read.contains(&level)) {
                    break;
                }
                entries.coordinates.iter().map(|&(_, var)| var).collect()
            }
            step if is_loop(step) => break,
            _ => continue,
        };
        let mut of_step = Vec::new();
        for (number, &var) in vars.iter().enumerate() {
            let later = later(&steps[at + 1..], &vars[number + 1..]);
            let rises = |dim: &usize| {
                let open = !placed.dims.contains(dim) && !of_step.contains(dim);
                let split = coordinate[*dim].split(var).filter(|_| open);
                split.is_some_and(|(factor, rest)| factor == Expr::Int(1) && !rest.uses_any(&later))
            };
            let Some(dim) = (0..coordinate.len()).find(rises) else {
                break;
            };
            of_step.push(dim);
        }
        if of_step.len() < vars.len() {
            break;
        }
        placed.dims.extend(of_step);
        placed.steps = at + 1;
        if placed.dims.len() == coordinate.len() {
            break;
        }
    }
    placed
}

/// Returns `rest` and the variables that the steps bind.
fn later(steps: &[Step], rest: &[Var]) -> Vec<Var> {
    let bound = steps.iter().flat_map(|step| match step {
        Step::Stmt(stmt) | Step::SearchOpening(Some(stmt)) => stmt.bound(),
        Step::SearchOpening(None) => Vec::new(),
    });
    rest.iter().copied().chain(bound).collect()
}

fn is_loop(step: &Step) -> bool {
    matches!(step, Step::Stmt(stmt) if stmt.is_loop())
}

/// Whether the step may skip the statements inside it.
fn may_skip(step: &Step) -> bool {
    let before = |stmt: &Stmt| {
        matches!(
            stmt,
            Stmt::Range(_) | Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Open { .. } | Stmt::Maybe { .. }
        )
    };
    matches!(step, Step::Stmt(stmt) if !before(stmt))
}

fn with_place(leaf: Stmt, to: Lvalue) -> Stmt {
    match leaf {
        Stmt::Accumulate { reduction, value, .. } => Stmt::Accumulate {
            place: to,
            reduction,
            value,
        },
        stmt => stmt,
    }
}

/// Returns the dims that are not in `dims`.
fn others(dims: &[usize], count: usize) -> Vec<usize> {
    (0..count).filter(|dim| !dims.contains(dim)).collect()
}

fn concat_dims(dims: &[usize], count: usize) -> Vec<usize> {
    dims.iter().copied().chain(others(dims, count)).collect()
}

/// Returns the row-major number of an element of a box.
fn number(coordinate: &[Expr], extents: &[Expr]) -> Expr {
    let digits = coordinate.iter().zip(extents);
    digits.fold(Expr::zero(), |number, (at, extent)| {
        number.mul(extent.clone()).add(at.clone())
    })
}
