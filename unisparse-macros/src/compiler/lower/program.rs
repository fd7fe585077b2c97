//! What a kernel over one choice of formats becomes: all that a printer needs.

use crate::compiler::kernel::Kernel;
use crate::compiler::loops::{Expr, Stmt, Var, Variables};
use crate::compiler::operand::Summand;

/// A kernel over one choice of formats, as loops.
#[derive(Clone)]
pub(crate) struct Program<'a> {
    pub(crate) kernel: Kernel,
    /// The sparse tensors that the loops read, by the number that the loops give them.
    pub(crate) tensors: Vec<Summand<'a>>,
    pub(crate) variables: Variables,
    /// The extent of each index of the kernel.
    pub(crate) extents: Vec<Var>,
    /// Of each tensor, the size or the given number of each level that has one.
    pub(crate) numbers: Vec<Vec<Option<Var>>>,
    pub(crate) output: Output,
    /// One after another.
    pub(crate) nests: Vec<Nest>,
    /// The extents of the indices that no sparse operand has.
    pub(crate) free_extents: Vec<Var>,
    /// Look-ups that go through all that a tensor stores, each as a sentence.
    pub(crate) scans: Vec<String>,
    /// The same kernel over transposed copies of dense operands, which the run time chooses where the copies pay.
    pub(crate) transposed: Option<Box<Transposed<'a>>>,
}

/// A program over transposed copies of dense operands.
#[derive(Clone)]
pub(crate) struct Transposed<'a> {
    pub(crate) copies: Vec<Across>,
    pub(crate) program: Program<'a>,
}

/// A dense operand whose neighbours in memory are not those that follow each other in the innermost loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Across {
    /// By number in [`Kernel::operands`]; 0 is the output.
    pub(crate) operand: usize,
    /// The dims that the innermost loops go along, the last of them innermost: a copy has them last.
    pub(crate) along: Dims,
}

/// The dims `first..end` of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dims {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

/// The loops of one term of the statement, or of several terms together.
#[derive(Clone)]
pub(crate) struct Nest {
    /// The coordinates of a dense output that the loops add to, in the order of its dims.
    pub(super) coordinate: Vec<Expr>,
    /// Whether the loops go over neighbouring elements, so that they are worth compiling for the vectors of the machine.
    pub(crate) vectorised: bool,
    /// Sizes, searches, then the loops; an outermost loop for threads is in a [`Stmt::Parallel`], which comes last.
    pub(crate) body: Vec<Stmt>,
}

impl Program<'_> {
    /// What the names of a tensor's arrays begin with: its operand, if several are sparse, its part and its read.
    pub(crate) fn prefix(&self, tensor: usize) -> String {
        let of = &self.tensors[tensor];
        let several = self.tensors.iter().any(|other| other.operand != of.operand);
        let operand = several.then(|| self.kernel.operands[of.operand].name.to_lowercase());
        let part = of.part.map(|part| format!("part{part}"));
        let read = of.read.map(|read| format!("read{read}"));
        let words = operand.into_iter().chain(part).chain(read);
        words.map(|word| word + "_").collect()
    }

    /// Whether both have the same loops.
    #[cfg(test)]
    pub(crate) fn is_alike(&self, other: &Program<'_>) -> bool {
        let bodies = |program: &Program<'_>| program.nests.iter().map(|nest| nest.body.clone()).collect::<Vec<_>>();
        let transposed = |program: &Program<'_>| program.transposed.is_some();
        self.output == other.output && bodies(self) == bodies(other) && transposed(self) == transposed(other)
    }
}

impl Nest {
    pub(super) fn of(body: Vec<Stmt>) -> Self {
        Nest {
            coordinate: Vec::new(),
            vectorised: false,
            body,
        }
    }
}

/// How the output comes out of the loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    Dense {
        /// Whether all of it is zeroed before the loops.
        zero_first: bool,
    },
    Scalar,
    /// The elements of a sparse output in lexicographic order, each once.
    Fibers {
        /// The dims of the output from the outermost loop to the innermost.
        order: Vec<usize>,
        /// The dims whose coordinates number the elements of a workspace, if the loops sum in one: the last of `order`.
        workspace: Option<Vec<usize>>,
    },
    /// The elements of a sparse output in no order, some more than once.
    Unordered,
}

impl Output {
    /// The output of loops that give the dims in this order.
    pub(super) fn fibers(order: Vec<usize>, nests: &[Nest]) -> Self {
        fn inner_dims(statements: &[Stmt]) -> Option<usize> {
            statements.iter().find_map(|stmt| match stmt {
                Stmt::Fiber { extents, .. } => Some(extents.len()),
                _ => inner_dims(stmt.body()),
            })
        }
        let inner = nests.iter().find_map(|nest| inner_dims(&nest.body));
        let workspace = inner.map(|inner| order[order.len() - inner..].to_vec());
        Output::Fibers { order, workspace }
    }
}
