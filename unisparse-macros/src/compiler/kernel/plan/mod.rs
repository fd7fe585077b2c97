//! Kernel and formats to loops.
//!
//! A statement is split into terms, each a set of reads that must all be stored; each term becomes one nest of loops,
//! in which every sparse operand is walked down level by level: located where its coordinates are known, looped over
//! where they are not. Sums into a sparse output whose operands are ordered alike are merged in one nest.

mod across;
mod alike;
mod dense;
mod join;
mod output;
mod pieces;
mod scans;
mod terms;

use super::{Kernel, Node, OperandKind, Reduction};
use crate::compiler::encoding::Format;
use crate::compiler::loops::{self, Array, Expr, Place, Stmt, Target, Value, Var, Variables, hoist, tighten};
use crate::compiler::storage::Storage;
use crate::compiler::traversal::{Context, Tensor};
pub(crate) use across::Across;
use join::Join;
use output::Output;
/// The sizes that are bound to names by these statements.
fn sizes(stmts: &[Stmt]) -> Vec<(Var, Expr)> {
    let size = |stmt: &Stmt| match stmt {
        Stmt::Let { var, value } => Some((*var, value.clone())),
        _ => None,
    };
    stmts.iter().filter_map(size).collect()
}

/// The size itself that a name stands for.
fn resolved<'a>(size: &'a Expr, sizes: &'a [(Var, Expr)]) -> &'a Expr {
    let of_name = |(var, _): &&(Var, Expr)| *size == Expr::Var(*var);
    sizes.iter().find(of_name).map_or(size, |(_, value)| value)
}

#[cfg(test)]
pub(crate) use pieces::Pieces;
pub(crate) use pieces::{Count, Way, pieces};
pub(crate) use scans::scans;
pub(super) use terms::{MOST, has_too_many};
use terms::{Term, terms};

/// What the loops of an operand run over: a tensor, or one of the tensors that it is the sum of.
pub(crate) struct Summand<'a> {
    /// The operand's number in the kernel.
    pub(crate) operand: usize,
    /// Which part of a hybrid it is.
    pub(crate) part: Option<usize>,
    /// The read, by number in [`Kernel::reads`], that alone uses it: each read of a partitioned tensor has its own loop
    /// over the parts.
    pub(crate) read: Option<usize>,
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    /// Whether the tensor is partitioned: the loops go through its parts one after another.
    pub(crate) is_cut: bool,
}

/// The loops of a kernel over one choice of formats.
pub(crate) struct Nests {
    /// Whether a dense output is zeroed first.
    pub(crate) zero_first: bool,
    /// The nests, one after another.
    pub(crate) blocks: Vec<Vec<Stmt>>,
    /// The coordinates of a dense output in each.
    pub(crate) coordinates: Vec<Vec<Expr>>,
    pub(crate) output: Shape,
    /// The extent of each index of the kernel.
    pub(crate) extents: Vec<Var>,
    /// Of each summand, the number of each level that has one.
    pub(crate) numbers: Vec<Vec<Option<Var>>>,
    /// The dense operands that the innermost loops go across, from row to row.
    pub(crate) across: Vec<Across>,
}

impl Nests {
    /// The dims of the output whose coordinates a workspace numbers, if loops sum up in one: the last of the loops' order.
    pub(crate) fn workspace_dims(&self) -> Option<&[usize]> {
        fn extents(statements: &[Stmt]) -> Option<usize> {
            statements.iter().find_map(|stmt| match stmt {
                Stmt::Fiber { extents, .. } => Some(extents.len()),
                _ => extents(stmt.body()),
            })
        }
        let Shape::Fibers(order) = &self.output else {
            return None;
        };
        let inside = self.blocks.iter().find_map(|block| extents(block))?;
        Some(&order[order.len() - inside..])
    }
}

/// How the output comes out of the loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Dense,
    Total,
    /// In lexicographic order of the output's dims in this order, each once.
    Fibers(Vec<usize>),
    /// In no order, some more than once.
    Scattered,
}

/// What is known of the whole nest.
struct Planner<'a> {
    kernel: &'a Kernel,
    summands: &'a [Summand<'a>],
    contexts: &'a [Context],
    extents: &'a [Var],
}

/// The loops of each term, in the order written.
pub(crate) fn nests(kernel: &Kernel, summands: &[Summand<'_>], variables: &mut Variables) -> Nests {
    let parameters: Vec<Vec<Var>> = summands
        .iter()
        .map(|summand| {
            let parameters = summand.format.parameters.iter();
            parameters
                .map(|parameter| variables.parameter(&parameter.name))
                .collect()
        })
        .collect();
    let extents: Vec<Var> = kernel
        .indices
        .iter()
        .map(|index| variables.fresh(&format!("{index}_extent"), true))
        .collect();
    let mut contexts = Vec::new();
    for (summand, parameters) in summands.iter().zip(parameters) {
        let first = kernel.reads.iter().position(|read| read.operand == summand.operand);
        let read = summand.read.or(first).map(|read| &kernel.reads[read]);
        let indices = read.map_or(&[][..], |read| &read.indices);
        contexts.push(Context {
            extents: indices.iter().map(|&index| extents[index]).collect(),
            parameters,
            numbers: Context::numbers(summand.format, summand.storage, variables),
        });
    }
    let planner = Planner {
        kernel,
        summands,
        contexts: &contexts,
        extents: &extents,
    };
    let mut nests = planner.nests(variables);
    nests.numbers = contexts.iter().map(|context| context.numbers.clone()).collect();
    nests
}

impl<'a> Planner<'a> {
    fn nests(&self, variables: &mut Variables) -> Nests {
        let kernel = self.kernel;
        let mut nests = Nests {
            zero_first: false,
            blocks: Vec::new(),
            coordinates: Vec::new(),
            output: Shape::Dense,
            extents: self.extents.to_vec(),
            numbers: Vec::new(),
            across: Vec::new(),
        };
        match kernel.operands[0].kind {
            OperandKind::Dense => {
                nests.zero_first = kernel.reduction == Reduction::Set;
                for (at, term) in terms(self).into_iter().enumerate() {
                    let join = self.join(&term, variables);
                    let place = Place::Element(Array::Dense(0), self.flat(&kernel.output, &join.at));
                    let (head, block) = join.block(self, place);
                    let block = self.improved(block, variables);
                    let coordinates: Vec<(Expr, Expr)> =
                        join.coordinate(self).into_iter().zip(self.output_extents()).collect();
                    let mut block = hoist(block, &coordinates, variables);
                    let first = at == 0 && nests.zero_first;
                    let zeroed = first
                        && (dense::store(&head, &mut block, self, &join.at) || dense::fill(&mut block, self, &join.at));
                    nests.zero_first &= !zeroed;
                    nests.blocks.push(concat(head, block));
                    nests.coordinates.push(join.coordinate(self));
                }
            }
            OperandKind::Scalar => {
                nests.output = Shape::Total;
                for term in terms(self) {
                    let join = self.join(&term, variables);
                    let (head, block) = join.block(self, Place::Sum);
                    let total = Stmt::Sum {
                        body: self.improved(block, variables),
                        reduction: self.reduction(),
                        into: Target::Total,
                    };
                    nests.blocks.push(concat(head, vec![total]));
                    nests.coordinates.push(Vec::new());
                }
            }
            OperandKind::Sparse => {
                let Output { shape, blocks } = self.sparse(variables);
                nests.coordinates = vec![Vec::new(); blocks.len()];
                (nests.output, nests.blocks) = (shape, blocks);
            }
        }
        nests.across = self.across(&nests.blocks);
        nests
    }

    /// The loops of one term: of all orders to walk its operands in, the one that promises the least work.
    fn join(&self, term: &Term, variables: &mut Variables) -> Join<'a> {
        let mut best: Option<(Join<'a>, Variables)> = None;
        for order in orders(term.required.len()) {
            let mut tried = variables.clone();
            let join = Join::new(self, term, &order, &mut tried);
            if best.as_ref().is_none_or(|(best, _)| join.cost < best.cost) {
                best = Some((join, tried));
            }
        }
        let (join, tried) = best.expect("there is at least one order");
        *variables = tried;
        join
    }

    /// Conditions as bounds of loops, and searches as loops over what is searched.
    fn improved(&self, block: Vec<Stmt>, variables: &mut Variables) -> Vec<Stmt> {
        let holds_runs = |level: loops::Level| self.summands[level.tensor].storage.levels[level.level].kind.is_copied();
        loops::coiterate(tighten(block, variables), variables, &holds_runs)
    }

    fn tensor(&self, number: usize) -> Tensor<'a> {
        let summand = &self.summands[number];
        Tensor {
            number,
            format: summand.format,
            storage: summand.storage,
            context: &self.contexts[number],
        }
    }

    /// The tensors that a read is of: its operand is their sum.
    fn tensors_of(&self, read: usize) -> Vec<usize> {
        let operand = self.kernel.reads[read].operand;
        let is_of = |summand: &Summand<'_>| summand.operand == operand && summand.read.is_none_or(|of| of == read);
        (0..self.summands.len())
            .filter(|&tensor| is_of(&self.summands[tensor]))
            .collect()
    }

    fn output_extents(&self) -> impl Iterator<Item = Expr> + '_ {
        self.kernel.output.iter().map(|&index| Expr::Var(self.extents[index]))
    }

    fn is_sparse(&self, read: usize) -> bool {
        self.kernel.is_sparse(read)
    }

    fn reduction(&self) -> loops::Reduction {
        self.kernel.reduction.into()
    }

    /// The row-major position in a dense operand.
    fn flat(&self, indices: &[usize], at: &[Option<Expr>]) -> Expr {
        let mut flat = Expr::zero();
        for &index in indices {
            let at = at[index].clone().unwrap_or(Expr::zero());
            flat = flat.mul(Expr::Var(self.extents[index])).add(at);
        }
        flat
    }

    /// The value of a node, where sparse reads give what `read` says: nothing if they are not stored.
    fn value(&self, node: &Node, at: &[Option<Expr>], read: &impl Fn(usize) -> Option<Value>) -> Option<Value> {
        let value = |node: &Node| self.value(node, at, read);
        let all = |nodes: &[Node]| nodes.iter().map(value).collect::<Option<Vec<Value>>>();
        let any =
            |nodes: &[Node]| Some(nodes.iter().filter_map(value).collect::<Vec<_>>()).filter(|any| !any.is_empty());
        let one = |mut values: Vec<Value>, several: fn(Vec<Value>) -> Value| match values.len() {
            1 => values.swap_remove(0),
            _ => several(values),
        };
        Some(match node {
            Node::Read(number) if self.is_sparse(*number) => read(*number)?,
            Node::Read(number) => {
                let dense = &self.kernel.reads[*number];
                Value::Load(Array::Dense(dense.operand), self.flat(&dense.indices, at))
            }
            Node::Scalar(operand) => Value::Scalar(*operand),
            Node::Literal(literal) => Value::Literal(*literal),
            Node::Index(index) => Value::Coordinate(at[*index].clone().unwrap_or(Expr::zero())),
            Node::Negated(inner) => Value::Negated(Box::new(value(inner)?)),
            Node::Product(factors) => one(all(factors)?, Value::Product),
            Node::And(factors) => one(all(factors)?, Value::And),
            Node::Call(function, arguments) => Value::Call(*function, all(arguments)?),
            Node::Sum(terms) if self.unites() => one(any(terms)?, Value::Sum),
            Node::Or(terms) if self.unites() => one(any(terms)?, Value::Or),
            Node::Sum(terms) => one(all(terms)?, Value::Sum),
            Node::Or(terms) => one(all(terms)?, Value::Or),
        })
    }

    /// Whether sums are evaluated where any of their terms is stored: where sums are what is reduced.
    fn unites(&self) -> bool {
        !matches!(self.kernel.reduction, Reduction::Min | Reduction::Max)
    }
}

fn concat(mut head: Vec<Stmt>, block: Vec<Stmt>) -> Vec<Stmt> {
    head.extend(block);
    head
}

/// All orders of so many things, the one they are in first.
fn orders(count: usize) -> Vec<Vec<usize>> {
    // More operands than this are walked in the order they are written in.
    const MOST: usize = 4;
    if count > MOST {
        return vec![(0..count).collect()];
    }
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        let longer = orders.iter().flat_map(|order: &Vec<usize>| {
            let left = (0..count).filter(|at| !order.contains(at));
            left.map(|at| order.iter().copied().chain([at]).collect())
                .collect::<Vec<_>>()
        });
        orders = longer.collect();
    }
    orders
}
