//! Kernel statements: what they mean.

pub(crate) mod addends;
mod check;
pub(crate) mod stock;

use proc_macro2::TokenStream;

use crate::compiler::loops;
pub(crate) use crate::compiler::loops::Literal;
pub(crate) use crate::compiler::syntax::kernel::Reduction;
pub(crate) use check::{SummedCall, check, check_formats, summed_calls};

/// A validated statement.
///
/// Indices that the output does not have are summed over, in each term by itself. A product, `&` and the arguments of
/// a call are evaluated where all their sparse parts are stored, a sum and `|` where any is. Under `min=` and `max=` the
/// value is evaluated where all its sparse operands are stored.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The names of all indices, in order of first appearance in the statement.
    pub(crate) indices: Vec<String>,
    /// The output, then the inputs in order of appearance, each once.
    pub(crate) operands: Vec<Operand>,
    /// The indices of the output, each once.
    pub(crate) output: Vec<usize>,
    pub(crate) reduction: Reduction,
    /// Each different read of an operand that has indices.
    pub(crate) reads: Vec<Read>,
    pub(crate) value: Node,
    pub(crate) mask: Option<Mask>,
    /// The functions that are called, each once.
    pub(crate) functions: Vec<Function>,
    /// The statement on one line.
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) name: String,
    /// How many indices it has; 0 for a scalar.
    pub(crate) rank: usize,
    pub(crate) kind: OperandKind,
    /// Whether the mask alone reads it: its elements are of any type.
    pub(crate) is_mask: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandKind {
    Dense,
    Sparse,
    Scalar,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// By number in [`Kernel::operands`].
    pub(crate) operand: usize,
    /// By number in [`Kernel::indices`]; they may repeat, `A[i, i]`.
    pub(crate) indices: Vec<usize>,
}

/// Coordinates that are left out: where the operand is zero, or, `negated`, where it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask {
    /// By number in [`Kernel::reads`].
    pub(crate) read: usize,
    pub(crate) negated: bool,
}

/// What is computed at a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// By number in [`Kernel::reads`].
    Read(usize),
    /// By number in [`Kernel::operands`].
    Scalar(usize),
    Literal(Literal),
    /// The coordinate of an index, by number in [`Kernel::indices`].
    Index(usize),
    Negated(Box<Node>),
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Or(Vec<Node>),
    And(Vec<Node>),
    /// By number in [`Kernel::functions`].
    Call(usize, Vec<Node>),
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) path: TokenStream,
    pub(crate) arity: usize,
}

impl Function {
    /// The path as a person would write it.
    pub(crate) fn name(&self) -> String {
        path_text(&self.path)
    }
}

/// A path without the spaces that tokens are printed with.
fn path_text(path: &TokenStream) -> String {
    [(" ::", "::"), (":: ", "::"), ("< ", "<"), (" <", "<"), (" >", ">")]
        .iter()
        .fold(path.to_string(), |path, (from, to)| path.replace(from, to))
}

impl From<Reduction> for loops::Reduction {
    /// How values are put together; `=` is a sum that starts from zero.
    fn from(reduction: Reduction) -> Self {
        match reduction {
            Reduction::Set | Reduction::Plus => loops::Reduction::Plus,
            Reduction::Min => loops::Reduction::Min,
            Reduction::Max => loops::Reduction::Max,
            Reduction::Or => loops::Reduction::Or,
            Reduction::And => loops::Reduction::And,
        }
    }
}

impl Kernel {
    pub(crate) fn output_kind(&self) -> OperandKind {
        self.operands[0].kind
    }

    /// Whether a read is of a sparse operand.
    pub(crate) fn is_sparse(&self, read: usize) -> bool {
        self.operands[self.reads[read].operand].kind == OperandKind::Sparse
    }

    /// The reads of an operand, by number in [`Kernel::reads`].
    pub(crate) fn reads_of(&self, operand: usize) -> Vec<usize> {
        let is_of = |read: &usize| self.reads[*read].operand == operand;
        (0..self.reads.len()).filter(is_of).collect()
    }

    /// The sparse operand that implements the kernel's trait: the first one of the value.
    pub(crate) fn implementor(&self) -> usize {
        let leads = |operand: &Operand| operand.kind == OperandKind::Sparse && !operand.is_mask;
        self.operands
            .iter()
            .skip(1)
            .position(leads)
            .map_or(0, |position| position + 1)
    }

    /// The sparse operands that the kernel's trait has a type parameter for, the output last.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        let (implementor, operands) = (self.implementor(), &self.operands);
        let inputs = (1..operands.len()).chain([0]);
        inputs.filter(move |&number| operands[number].kind == OperandKind::Sparse && number != implementor)
    }

    /// All sparse operands: the one that implements the trait, the others, the output last.
    pub(crate) fn sparse(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.implementor()).chain(self.others())
    }
}

impl Node {
    /// The nodes that it is made of.
    fn inner(&self) -> &[Node] {
        match self {
            Node::Read(_) | Node::Scalar(_) | Node::Literal(_) | Node::Index(_) => &[],
            Node::Negated(inner) => std::slice::from_ref(&**inner),
            Node::Sum(parts) | Node::Product(parts) | Node::Or(parts) | Node::And(parts) | Node::Call(_, parts) => {
                parts.as_slice()
            }
        }
    }

    /// Whether it, or a part of it, is as asked.
    pub(crate) fn any(&self, asked: &impl Fn(&Node) -> bool) -> bool {
        asked(self) || self.inner().iter().any(|part| part.any(asked))
    }

    /// Calls `visit` on every read, by number in [`Kernel::reads`].
    pub(crate) fn for_each_read(&self, visit: &mut impl FnMut(usize)) {
        if let Node::Read(read) = self {
            visit(*read);
        }
        self.inner().iter().for_each(|part| part.for_each_read(visit));
    }

    /// Calls `visit` on every literal.
    pub(crate) fn for_each_literal(&self, visit: &mut impl FnMut(Literal)) {
        if let Node::Literal(literal) = self {
            visit(*literal);
        }
        self.inner().iter().for_each(|part| part.for_each_literal(visit));
    }

    /// Calls `visit` on every index that it depends on, by number in [`Kernel::indices`].
    pub(crate) fn for_each_index(&self, kernel: &Kernel, visit: &mut impl FnMut(usize)) {
        match self {
            Node::Read(read) => kernel.reads[*read].indices.iter().copied().for_each(&mut *visit),
            Node::Index(index) => visit(*index),
            _ => {}
        }
        self.inner().iter().for_each(|part| part.for_each_index(kernel, visit));
    }

    /// Whether there is a sum in it, or a disjunction.
    pub(crate) fn has_sum(&self) -> bool {
        self.any(&|node| matches!(node, Node::Sum(_) | Node::Or(_)))
    }

    /// Whether it is zero where one of its factors is.
    pub(crate) fn is_linear(&self) -> bool {
        !self.any(&|node| matches!(node, Node::Call(..) | Node::Or(_) | Node::And(_)))
    }
}
