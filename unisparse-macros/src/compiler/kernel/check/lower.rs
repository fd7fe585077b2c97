//! Replaces the checked names of a statement by numbers.

use proc_macro2::Ident;

use super::text::text;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::kernel::{Function, Kernel, Literal, Mask, Node, Operand, OperandKind, Read};
use crate::compiler::syntax::kernel::{Access, Expression, ExpressionKind, KernelDecl};

/// Returns the kernel, which must not be used if errors were reported.
pub(super) fn lower(declaration: &KernelDecl, errors: &mut Diagnostics) -> Kernel {
    let output = &declaration.output;
    let mut lowering = Lowering {
        declaration,
        errors,
        indices: Vec::new(),
        operands: vec![Operand {
            name: output.name.to_string(),
            rank: output.indices.len(),
            kind: declaration.kind_of(output),
            is_mask: false,
        }],
        reads: Vec::new(),
        functions: Vec::new(),
    };
    let output = output.indices.iter().map(|index| lowering.index(index)).collect();
    let value = lowering.node(&declaration.value);
    let mask = declaration.mask.as_ref().map(|mask| {
        let known = lowering.operands.len();
        let read = lowering.read(&mask.access);
        for operand in &mut lowering.operands[known..] {
            operand.is_mask = true;
        }
        Mask {
            read,
            negated: mask.negated,
        }
    });
    Kernel {
        name: declaration.name.to_string(),
        indices: lowering.indices,
        operands: lowering.operands,
        output,
        reduction: declaration.reduction,
        reads: lowering.reads,
        value,
        mask,
        functions: lowering.functions,
        text: text(declaration),
    }
}

struct Lowering<'a> {
    declaration: &'a KernelDecl,
    errors: &'a mut Diagnostics,
    indices: Vec<String>,
    operands: Vec<Operand>,
    reads: Vec<Read>,
    functions: Vec<Function>,
}

impl Lowering<'_> {
    fn node(&mut self, value: &Expression) -> Node {
        match &value.kind {
            ExpressionKind::Access(access) if access.indices.is_empty() => Node::Scalar(self.operand(access)),
            ExpressionKind::Access(access) => Node::Read(self.read(access)),
            ExpressionKind::Index(index) => Node::Index(self.index(index)),
            ExpressionKind::Integer(number) => Node::Literal(Literal::Integer(*number)),
            ExpressionKind::Float(number) => Node::Literal(Literal::Float(*number)),
            ExpressionKind::Negated(inner) => Node::Negated(Box::new(self.node(inner))),
            ExpressionKind::Sum(parts) => Node::Sum(self.nodes(parts)),
            ExpressionKind::Product(parts) => Node::Product(self.nodes(parts)),
            ExpressionKind::And(parts) => Node::And(self.nodes(parts)),
            ExpressionKind::Or(parts) => Node::Or(self.nodes(parts)),
            ExpressionKind::Call(path, arguments) => {
                let arity = arguments.len();
                let same = |known: &Function| known.path.to_string() == path.to_string() && known.arity == arity;
                let number = self.functions.iter().position(same).unwrap_or_else(|| {
                    self.functions.push(Function {
                        path: path.clone(),
                        arity,
                    });
                    self.functions.len() - 1
                });
                Node::Call(number, self.nodes(arguments))
            }
        }
    }

    fn nodes(&mut self, parts: &[Expression]) -> Vec<Node> {
        parts.iter().map(|part| self.node(part)).collect()
    }

    fn read(&mut self, access: &Access) -> usize {
        let operand = self.operand(access);
        let indices = access.indices.iter().map(|index| self.index(index)).collect();
        number(&mut self.reads, Read { operand, indices })
    }

    fn index(&mut self, index: &Ident) -> usize {
        number(&mut self.indices, index.to_string())
    }

    /// Returns the number of an operand, and adds the operand if it is new.
    fn operand(&mut self, access: &Access) -> usize {
        let (name, rank) = (access.name.to_string(), access.indices.len());
        let Some(number) = self.operands.iter().position(|known| known.name == name) else {
            self.operands.push(Operand {
                name,
                rank,
                kind: self.declaration.kind_of(access),
                is_mask: false,
            });
            return self.operands.len() - 1;
        };
        let known = &self.operands[number];
        // Reads of the output, and sparse operands without indices, were reported before.
        if number == 0 || known.rank == rank || known.kind == OperandKind::Sparse && known.rank.min(rank) == 0 {
            return number;
        }
        let message = match (known.rank, rank) {
            (0, _) => {
                format!("`{name}` is a scalar elsewhere\nhelp: an operand is a scalar or a tensor, not both")
            }
            (_, 0) => format!("`{name}` has indices elsewhere\nhelp: an operand is a scalar or a tensor, not both"),
            (other, _) => {
                let s = if other == 1 { "index" } else { "indices" };
                format!("`{name}` has {other} {s} elsewhere\nhelp: give it the same number of indices everywhere")
            }
        };
        self.errors.error(&access.tokens, message);
        number
    }
}

/// Returns the number of an item, and adds the item if it is new.
fn number<T: PartialEq>(known: &mut Vec<T>, thing: T) -> usize {
    known.iter().position(|other| *other == thing).unwrap_or_else(|| {
        known.push(thing);
        known.len() - 1
    })
}
