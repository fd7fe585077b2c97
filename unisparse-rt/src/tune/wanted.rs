//! `Use`: the products for which a matrix is tuned.

/// What a matrix will be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Use {
    /// Products with a dense vector.
    Spmv {
        /// How many there will be.
        calls: usize,
    },
    /// Products with a dense matrix.
    Spmm {
        /// Its number of columns.
        columns: usize,
        /// How many products there will be.
        calls: usize,
    },
}

impl Use {
    pub(crate) fn calls(self) -> usize {
        match self {
            Use::Spmv { calls } | Use::Spmm { calls, .. } => calls,
        }
    }

    /// Returns the number of columns of the dense operands.
    pub(crate) fn columns(self) -> usize {
        match self {
            Use::Spmv { .. } => 1,
            Use::Spmm { columns, .. } => columns,
        }
    }
}
