//! Validated kernel statements.

pub(crate) mod addends;
mod check;
pub(crate) mod stock;

use proc_macro2::TokenStream;

use crate::compiler::loops;
pub(crate) use crate::compiler::loops::Literal;
pub(crate) use crate::compiler::syntax::kernel::Reduction;
pub(crate) use check::{Warning, check, check_formats, warnings};

/// A validated statement.
///
/// Each term is summed separately over the indices that the output does not have, and is added to a dense output at every
/// coordinate of the indices that the term does not have. A product, `&` and a call are
/// evaluated where all of their sparse operands are stored, a sum and `|` where any of them is. Under `min=` and `max=`
/// the value is evaluated where all of its sparse operands are stored.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The names of all indices, in order of first appearance in the statement.
    pub(crate) indices: Vec<String>,
    /// The output, then the inputs in order of first appearance.
    pub(crate) operands: Vec<Operand>,
    /// The distinct indices of the output.
    pub(crate) output: Vec<usize>,
    pub(crate) reduction: Reduction,
    /// The distinct reads of operands with indices.
    pub(crate) reads: Vec<Read>,
    pub(crate) value: Node,
    pub(crate) mask: Option<Mask>,
    /// The distinct functions that are called.
    pub(crate) functions: Vec<Function>,
    /// The statement on one line.
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) name: String,
    /// The number of indices; 0 for a scalar.
    pub(crate) rank: usize,
    pub(crate) kind: OperandKind,
    /// Whether only the mask reads the operand; then its elements can have any type.
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
    /// The number of the operand in [`Kernel::operands`].
    pub(crate) operand: usize,
    /// The numbers of the indices in [`Kernel::indices`]; they may repeat, as in `A[i, i]`.
    pub(crate) indices: Vec<usize>,
}

/// A mask, which skips the coordinates where the operand is zero, or where it is not zero if `negated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask {
    /// The number of the read in [`Kernel::reads`].
    pub(crate) read: usize,
    pub(crate) negated: bool,
}

/// The value of a statement at a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A read, by its number in [`Kernel::reads`].
    Read(usize),
    /// A scalar operand, by its number in [`Kernel::operands`].
    Scalar(usize),
    Literal(Literal),
    /// The coordinate of an index, by its number in [`Kernel::indices`].
    Index(usize),
    Negated(Box<Node>),
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Or(Vec<Node>),
    And(Vec<Node>),
    /// A call of a function, by its number in [`Kernel::functions`].
    Call(usize, Vec<Node>),
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) path: TokenStream,
    pub(crate) arity: usize,
}

impl Function {
    /// Returns the path as a person would write it.
    pub(crate) fn name(&self) -> String {
        path_text(&self.path)
    }
}

/// Returns a path without the spaces between printed tokens.
fn path_text(path: &TokenStream) -> String {
    [(" ::", "::"), (":: ", "::"), ("< ", "<"), (" <", "<"), (" >", ">")]
        .iter()
        .fold(path.to_string(), |path, (from, to)| path.replace(from, to))
}

impl From<Reduction> for loops::Reduction {
    /// Returns the operation that combines values; `=` is a sum that starts from zero.
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

    /// Whether the read is of a sparse operand.
    pub(crate) fn is_sparse(&self, read: usize) -> bool {
        self.operands[self.reads[read].operand].kind == OperandKind::Sparse
    }

    /// Returns the reads of an operand, by their numbers in [`Kernel::reads`].
    pub(crate) fn reads_of(&self, operand: usize) -> Vec<usize> {
        let is_of = |read: &usize| self.reads[*read].operand == operand;
        (0..self.reads.len()).filter(is_of).collect()
    }

    /// Returns the sparse operand that implements the kernel's trait: the first one of the value.
    pub(crate) fn implementor(&self) -> usize {
        let leads = |operand: &Operand| operand.kind == OperandKind::Sparse && !operand.is_mask;
        self.operands
            .iter()
            .skip(1)
            .position(leads)
            .map_or(0, |position| position + 1)
    }

    /// Returns the sparse operands that are type parameters of the kernel's trait, with the output last.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        let (implementor, operands) = (self.implementor(), &self.operands);
        let inputs = (1..operands.len()).chain([0]);
        inputs.filter(move |&number| operands[number].kind == OperandKind::Sparse && number != implementor)
    }

    /// Returns all sparse operands: the one that implements the trait, then the others, with the output last.
    pub(crate) fn sparse(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.implementor()).chain(self.others())
    }
}

impl Node {
    /// Returns the operands of the node.
    fn inner(&self) -> &[Node] {
        match self {
            Node::Read(_) | Node::Scalar(_) | Node::Literal(_) | Node::Index(_) => &[],
            Node::Negated(inner) => std::slice::from_ref(&**inner),
            Node::Sum(parts) | Node::Product(parts) | Node::Or(parts) | Node::And(parts) | Node::Call(_, parts) => {
                parts.as_slice()
            }
        }
    }

    /// Whether `holds` holds for the node or for a node inside it.
    pub(crate) fn any(&self, holds: &impl Fn(&Node) -> bool) -> bool {
        holds(self) || self.inner().iter().any(|part| part.any(holds))
    }

    /// Calls `visit` on every read, by its number in [`Kernel::reads`].
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

    /// Calls `visit` on every index on which the node depends, by its number in [`Kernel::indices`].
    pub(crate) fn for_each_index(&self, kernel: &Kernel, visit: &mut impl FnMut(usize)) {
        match self {
            Node::Read(read) => kernel.reads[*read].indices.iter().copied().for_each(&mut *visit),
            Node::Index(index) => visit(*index),
            _ => {}
        }
        self.inner().iter().for_each(|part| part.for_each_index(kernel, visit));
    }

    /// Whether the node contains a sum or a disjunction.
    pub(crate) fn has_sum(&self) -> bool {
        self.any(&|node| matches!(node, Node::Sum(_) | Node::Or(_)))
    }

    /// Whether the node is zero where one of its factors is: it contains no call and no boolean operator.
    pub(crate) fn is_linear(&self) -> bool {
        !self.any(&|node| matches!(node, Node::Call(..) | Node::Or(_) | Node::And(_)))
    }
}
