//! Kernel statements: what they mean, and the loops they become.

mod check;
mod nest;
pub(crate) mod stock;

pub(crate) use check::check;
pub(crate) use nest::nests;

/// A validated statement: a sum of products, at most one factor of each sparse.
#[derive(Clone)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The names of all indices, those of the sparse operand first.
    pub(crate) indices: Vec<String>,
    /// The sparse operand's name.
    pub(crate) sparse: String,
    /// The indices of the sparse operand's dims.
    pub(crate) sparse_indices: Vec<usize>,
    /// The output, then the dense inputs in order of appearance.
    pub(crate) dense: Vec<DenseOperand>,
    /// The scalars, in order of appearance.
    pub(crate) scalars: Vec<String>,
    pub(crate) accumulates: bool,
    pub(crate) terms: Vec<Vec<Factor>>,
    /// The operands after the output, in order of appearance.
    pub(crate) inputs: Vec<Factor>,
    /// The statement as text.
    pub(crate) text: String,
}

impl Kernel {
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

#[derive(Clone)]
pub(crate) struct DenseOperand {
    pub(crate) name: String,
    pub(crate) indices: Vec<usize>,
}

/// A factor of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    Sparse,
    /// By number in [`Kernel::dense`].
    Dense(usize),
    /// By number in [`Kernel::scalars`].
    Scalar(usize),
}
