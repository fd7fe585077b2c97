//! Statements that the loops of one sparse operand can do, as they take them. To be deleted with them.

use super::{Node, OperandKind, Reduction};

/// Whether kernels sum in `Scalar::Sum`: these loops sum elements.
pub(crate) const WIDE_SUMS: bool = false;

/// A sum of products, at most one factor of each sparse.
#[derive(Clone)]
pub(crate) struct Kernel {
    pub(crate) indices: Vec<String>,
    pub(crate) sparse: String,
    pub(crate) sparse_indices: Vec<usize>,
    /// The output, then the dense inputs in order of appearance.
    pub(crate) dense: Vec<DenseOperand>,
    pub(crate) scalars: Vec<String>,
    pub(crate) accumulates: bool,
    pub(crate) terms: Vec<Vec<Factor>>,
}

#[derive(Clone)]
pub(crate) struct DenseOperand {
    pub(crate) name: String,
    pub(crate) indices: Vec<usize>,
}

/// A factor of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    Sparse,
    Dense(usize),
    Scalar(usize),
}

impl Kernel {
    /// `None` for what only the new loops do.
    pub(crate) fn of(kernel: &super::Kernel) -> Option<Kernel> {
        let plain = kernel.others().next().is_none()
            && kernel.mask.is_none()
            && kernel.output_kind() == OperandKind::Dense
            && matches!(kernel.reduction, Reduction::Set | Reduction::Plus);
        let operand_read_once = |number: usize| kernel.reads.iter().filter(|read| read.operand == number).count() <= 1;
        if !plain || !(0..kernel.operands.len()).all(operand_read_once) {
            return None;
        }
        let implementor = kernel.implementor();
        let sparse_indices = kernel
            .reads
            .iter()
            .find(|read| read.operand == implementor)?
            .indices
            .clone();
        if (1..sparse_indices.len()).any(|at| sparse_indices[..at].contains(&sparse_indices[at])) {
            return None;
        }
        let mut legacy = Kernel {
            indices: kernel.indices.clone(),
            sparse: kernel.operands[implementor].name.clone(),
            sparse_indices,
            dense: vec![DenseOperand {
                name: kernel.operands[0].name.clone(),
                indices: kernel.output.clone(),
            }],
            scalars: Vec::new(),
            accumulates: kernel.reduction == Reduction::Plus,
            terms: Vec::new(),
        };
        let terms = match &kernel.value {
            Node::Sum(terms) => terms.as_slice(),
            term => std::slice::from_ref(term),
        };
        for term in terms {
            let factors = match term {
                Node::Product(factors) => factors.as_slice(),
                factor => std::slice::from_ref(factor),
            };
            let factors: Vec<Factor> = factors
                .iter()
                .map(|factor| legacy.factor(kernel, factor))
                .collect::<Option<_>>()?;
            if factors.iter().filter(|factor| **factor == Factor::Sparse).count() > 1 {
                return None;
            }
            legacy.terms.push(factors);
        }
        Some(legacy)
    }

    fn factor(&mut self, kernel: &super::Kernel, factor: &Node) -> Option<Factor> {
        match factor {
            Node::Read(read) => {
                let read = &kernel.reads[*read];
                let operand = &kernel.operands[read.operand];
                if operand.kind == OperandKind::Sparse {
                    return Some(Factor::Sparse);
                }
                let known = self.dense.iter().position(|known| known.name == operand.name);
                Some(Factor::Dense(known.unwrap_or_else(|| {
                    self.dense.push(DenseOperand {
                        name: operand.name.clone(),
                        indices: read.indices.clone(),
                    });
                    self.dense.len() - 1
                })))
            }
            Node::Scalar(number) => {
                let name = &kernel.operands[*number].name;
                let known = self.scalars.iter().position(|known| known == name);
                Some(Factor::Scalar(known.unwrap_or_else(|| {
                    self.scalars.push(name.clone());
                    self.scalars.len() - 1
                })))
            }
            _ => None,
        }
    }

    /// What a statement does with a further part of its sparse operand, after it was run over the first: it adds
    /// the terms that the operand is a factor of.
    pub(crate) fn added(&self) -> Kernel {
        let mut added = self.clone();
        added.accumulates = true;
        added.terms.retain(|term| term.contains(&Factor::Sparse));
        added
    }

    /// What is left of a statement without the terms that its sparse operand is a factor of.
    pub(crate) fn rest(&self) -> Kernel {
        let mut rest = self.clone();
        rest.terms.retain(|term| !term.contains(&Factor::Sparse));
        rest
    }

    /// The names of all operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &String> {
        let dense = self.dense.iter().map(|operand| &operand.name);
        std::iter::once(&self.sparse).chain(dense).chain(&self.scalars)
    }
}
