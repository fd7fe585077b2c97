//! Lowers a kernel over one choice of formats to a program of loops.
//!
//! The statement is split into terms, each with a set of reads that must all be stored. Each term becomes one nest of
//! loops, which descends level by level in every sparse operand: levels with known coordinates are located, the others
//! are looped over. A sum into a sparse output becomes one merging nest if all operands have the same level order. The
//! passes of [`passes`] then improve the nests.

mod join;
mod lanes;
mod ownership;
mod parallel;
mod passes;
mod pipelines;
mod program;
mod scans;
mod sparse;
pub(crate) mod target;
mod terms;
mod transpose;
mod union;
mod vectorise;
mod workers;
mod zero;

use crate::compiler::kernel::{Kernel, Node, OperandKind, Reduction};
use crate::compiler::loops::{self, Array, Destination, Expr, Lvalue, Stmt, Value, Var, Variables};
use crate::compiler::operand::{Operand, Summand};
use crate::compiler::traversal::{Context, Tensor};
use join::Join;
#[cfg(feature = "hls")]
pub(crate) use pipelines::updated;
pub(crate) use program::{Across, Nest, Output, Program, Vectors};
pub(crate) use target::{Copies, Target};
use terms::{Term, terms};

/// Returns the program of a kernel for these formats of its sparse inputs, which are numbered as in
/// [`Kernel::operands`].
pub(crate) fn lower<'a>(kernel: &Kernel, operands: &[(usize, &'a Operand)], target: &Target) -> Program<'a> {
    let tensors = operands
        .iter()
        .flat_map(|&(number, operand)| operand.summands(kernel, number));
    lower_tensors(kernel, tensors.collect(), target)
}

/// Returns the program of a kernel whose sparse inputs are these tensors.
pub(crate) fn lower_tensors<'a>(kernel: &Kernel, tensors: Vec<Summand<'a>>, target: &Target) -> Program<'a> {
    lower_observed(kernel, tensors, target, &mut |_, _| {})
}

/// Like `lower_tensors`, and calls `after` with each pass name and the program after that pass. The name of the initial
/// program is `plan`.
pub(crate) fn lower_observed<'a>(
    kernel: &Kernel,
    tensors: Vec<Summand<'a>>,
    target: &Target,
    after: &mut dyn FnMut(&str, &Program<'a>),
) -> Program<'a> {
    let mut program = plan(kernel, tensors);
    after("plan", &program);
    passes::run(&mut program, target, after);
    program.scans = scans::scans(&program);
    program
}

/// Returns the loops of all terms, in the order written, before any pass. (No relation to the plan of a conversion in the run time.)
fn plan<'a>(kernel: &Kernel, tensors: Vec<Summand<'a>>) -> Program<'a> {
    let mut variables = Variables::default();
    let parameters: Vec<Vec<Var>> = tensors
        .iter()
        .map(|tensor| {
            let parameters = tensor.format.parameters.iter();
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
    for (tensor, parameters) in tensors.iter().zip(parameters) {
        let first = kernel.reads.iter().position(|read| read.operand == tensor.operand);
        let read = tensor.read.or(first).map(|read| &kernel.reads[read]);
        let indices = read.map_or(&[][..], |read| &read.indices);
        contexts.push(Context {
            extents: indices.iter().map(|&index| extents[index]).collect(),
            parameters,
            numbers: Context::numbers(tensor.format, tensor.storage, &mut variables),
        });
    }
    let planner = Planner {
        kernel,
        summands: &tensors,
        contexts: &contexts,
        extents: &extents,
    };
    let (output, nests) = planner.nests(&mut variables);
    let is_free = |index: &usize| {
        let mut reads = (0..kernel.reads.len()).filter(|&read| kernel.is_sparse(read));
        !reads.any(|read| kernel.reads[read].indices.contains(index))
    };
    let free = (0..kernel.indices.len()).filter(is_free);
    Program {
        free_extents: free.map(|index| extents[index]).collect(),
        kernel: kernel.clone(),
        numbers: contexts.into_iter().map(|context| context.numbers).collect(),
        tensors,
        variables,
        extents,
        output,
        nests,
        scans: Vec::new(),
        transposed: None,
    }
}

/// Returns the names that these statements bind, with their values.
fn sizes(stmts: &[Stmt]) -> Vec<(Var, Expr)> {
    let size = |stmt: &Stmt| match stmt {
        Stmt::Let { var, value } => Some((*var, value.clone())),
        _ => None,
    };
    stmts.iter().filter_map(size).collect()
}

/// Returns the value of a size, which may be a name in `sizes`.
fn resolved<'a>(size: &'a Expr, sizes: &'a [(Var, Expr)]) -> &'a Expr {
    let of_name = |(var, _): &&(Var, Expr)| *size == Expr::Var(*var);
    sizes.iter().find(of_name).map_or(size, |(_, value)| value)
}

/// The inputs of the planner for all nests of a kernel.
struct Planner<'a> {
    kernel: &'a Kernel,
    summands: &'a [Summand<'a>],
    contexts: &'a [Context],
    extents: &'a [Var],
}

impl<'a> Planner<'a> {
    fn nests(&self, variables: &mut Variables) -> (Output, Vec<Nest>) {
        let kernel = self.kernel;
        match kernel.operands[0].kind {
            OperandKind::Dense => {
                let nest = |term: Term| {
                    let join = self.join(&term, variables);
                    let place = Lvalue::Element(Array::Dense(0), self.flat(&kernel.output, &join.at));
                    let (head, loops) = join.block(self, place);
                    Nest {
                        coordinate: join.coordinate(self),
                        ..Nest::of(concat(head, loops))
                    }
                };
                let nests = terms(self).into_iter().map(nest).collect();
                let zero_first = kernel.reduction == Reduction::Set;
                (Output::Dense { zero_first }, nests)
            }
            OperandKind::Scalar => {
                let nest = |term: Term| {
                    let (head, loops) = self.join(&term, variables).block(self, Lvalue::Sum);
                    let total = Stmt::Sum {
                        body: loops,
                        reduction: self.reduction(),
                        into: Destination::Total,
                        unrolled: false,
                    };
                    Nest::of(concat(head, vec![total]))
                };
                (Output::Scalar, terms(self).into_iter().map(nest).collect())
            }
            OperandKind::Sparse => self.sparse(variables),
        }
    }

    /// Returns the loops of one term. It tries all orders of the term's operands and keeps the one of least estimated
    /// cost.
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

    fn tensor(&self, number: usize) -> Tensor<'a> {
        let summand = &self.summands[number];
        Tensor {
            number,
            format: summand.format,
            storage: summand.storage,
            context: &self.contexts[number],
        }
    }

    /// Returns the tensors of a read. A hybrid operand is the sum of several tensors.
    fn tensors_of(&self, read: usize) -> Vec<usize> {
        let operand = self.kernel.reads[read].operand;
        let is_of = |summand: &Summand<'_>| summand.operand == operand && summand.read.is_none_or(|of| of == read);
        (0..self.summands.len())
            .filter(|&tensor| is_of(&self.summands[tensor]))
            .collect()
    }

    fn is_sparse(&self, read: usize) -> bool {
        self.kernel.is_sparse(read)
    }

    fn reduction(&self) -> loops::Reduction {
        self.kernel.reduction.into()
    }

    /// Returns the row-major position in a dense operand.
    fn flat(&self, indices: &[usize], at: &[Option<Expr>]) -> Expr {
        let mut flat = Expr::zero();
        for &index in indices {
            let at = at[index].clone().unwrap_or(Expr::zero());
            flat = flat.mul(Expr::Var(self.extents[index])).add(at);
        }
        flat
    }

    /// Returns the value of a node, or `None` if it is missing because sparse reads are absent. `read` gives the values
    /// of sparse reads.
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

    /// Whether a sum is evaluated where any of its terms is stored. Min and max reductions need all terms.
    fn unites(&self) -> bool {
        !matches!(self.kernel.reduction, Reduction::Min | Reduction::Max)
    }
}

fn concat(mut head: Vec<Stmt>, block: Vec<Stmt>) -> Vec<Stmt> {
    head.extend(block);
    head
}

/// Returns all orders of `count` items, beginning with the given one.
fn orders(count: usize) -> Vec<Vec<usize>> {
    // More operands than this are walked only in the order written.
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
