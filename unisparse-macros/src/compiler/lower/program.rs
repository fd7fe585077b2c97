//! The result of lowering a kernel over one choice of formats, with everything that a printer needs.

use crate::compiler::kernel::Kernel;
use crate::compiler::loops::{Expr, Stmt, Var, Variables};
use crate::compiler::operand::Summand;

/// A kernel over one choice of formats, as loops.
#[derive(Clone)]
pub(crate) struct Program<'a> {
    pub(crate) kernel: Kernel,
    /// The sparse tensors that the loops read, numbered as in the loops.
    pub(crate) tensors: Vec<Summand<'a>>,
    pub(crate) variables: Variables,
    /// The extent of each index of the kernel.
    pub(crate) extents: Vec<Var>,
    /// For each tensor, the variable of each level's size or given coordinate, if the level has one.
    pub(crate) numbers: Vec<Vec<Option<Var>>>,
    pub(crate) output: Output,
    /// The nests, in the order of execution.
    pub(crate) nests: Vec<Nest>,
    /// The extents of the indices that no sparse operand has.
    pub(crate) free_extents: Vec<Var>,
    /// Sentences about lookups that scan all elements of a tensor.
    pub(crate) scans: Vec<String>,
    /// The same kernel over transposed copies of dense operands; the run time chooses it where the copies pay.
    pub(crate) transposed: Option<Box<Transposed<'a>>>,
}

/// A program over transposed copies of dense operands.
#[derive(Clone)]
pub(crate) struct Transposed<'a> {
    pub(crate) copies: Vec<Across>,
    pub(crate) program: Program<'a>,
}

/// A dense operand that the innermost loops access with a stride.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Across {
    /// The number of the operand in [`Kernel::operands`]; 0 is the output.
    pub(crate) operand: usize,
    /// The dims along which the innermost loops run, the innermost loop's last. A copy has these dims last.
    pub(crate) along: Dims,
}

/// The dims `first..end` of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dims {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

/// The loops of one term of the statement, or of several merged terms.
#[derive(Clone)]
pub(crate) struct Nest {
    /// The coordinates of a dense output to which the loops add, in the order of its dims.
    pub(super) coordinate: Vec<Expr>,
    /// The vectors for which compiling the loops pays.
    pub(crate) vectors: Vectors,
    /// Definitions of sizes, openings of searches, then the loops. A parallel outermost loop is in a final
    /// [`Stmt::Parallel`].
    pub(crate) body: Vec<Stmt>,
}

/// The vector instructions for which loops are compiled besides those of every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vectors {
    /// No loop covers neighbouring elements.
    Unused,
    /// Loops over neighbouring elements gather others.
    Usual,
    /// All that loops over neighbouring elements access is contiguous.
    Widest,
}

impl Program<'_> {
    /// Returns the prefix of a tensor's array names: its operand, if several are sparse, its part and its read.
    pub(crate) fn prefix(&self, tensor: usize) -> String {
        let of = &self.tensors[tensor];
        let several = self.tensors.iter().any(|other| other.operand != of.operand);
        let operand = several.then(|| self.kernel.operands[of.operand].name.to_lowercase());
        let part = of.part.map(|part| format!("part{part}"));
        let read = of.read.map(|read| format!("read{read}"));
        let words = operand.into_iter().chain(part).chain(read);
        words.map(|word| word + "_").collect()
    }

    /// Whether both programs have the same loops.
    #[cfg(test)]
    pub(crate) fn has_same_loops(&self, other: &Program<'_>) -> bool {
        let bodies = |program: &Program<'_>| program.nests.iter().map(|nest| nest.body.clone()).collect::<Vec<_>>();
        let transposed = |program: &Program<'_>| program.transposed.is_some();
        self.output == other.output && bodies(self) == bodies(other) && transposed(self) == transposed(other)
    }
}

impl Nest {
    pub(super) fn of(body: Vec<Stmt>) -> Self {
        Nest {
            coordinate: Vec::new(),
            vectors: Vectors::Unused,
            body,
        }
    }
}

/// The form in which the loops produce the output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    Dense {
        /// Whether the whole output is zeroed before the loops.
        zero_first: bool,
    },
    Scalar,
    /// The elements of a sparse output in lexicographic order, each once.
    Fibers {
        /// The dims of the output from the outermost loop to the innermost.
        order: Vec<usize>,
        /// The dims whose coordinates number the workspace's elements, if there is one: the last dims of `order`.
        workspace: Option<Vec<usize>>,
    },
    /// The elements of a sparse output in any order, possibly with repetitions.
    Unordered,
}

impl Output {
    /// Creates the output of loops that bind the dims in this order.
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
