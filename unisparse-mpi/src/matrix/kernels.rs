//! The error of a call that passes a distributed matrix to a kernel of one machine.

use unisparse::{Source, SparseTensor};

use super::Distributed;
use crate::element::Element;

/// What no matrix here is: the compiler reports that it is missing, with what to write instead.
#[diagnostic::on_unimplemented(
    message = "a kernel of one machine does not take a `Distributed` matrix, whose elements are on several ranks",
    label = "called with a `Distributed` matrix",
    note = "a kernel that reads `x` as `spmv` does, `y[i] op= f(A[i, j], x[j])`, runs on the parts of each rank: `a.apply(&mut y, &x, identity, op, kernel, kernel)?`",
    note = "`spmv`, `spmm` and `spgemm` of `unisparse_mpi::prelude` take distributed operands"
)]
pub trait OnOneMachine: Sync {}

#[doc(hidden)]
impl<F, H> Source<2> for Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element>,
    H: SparseTensor<2, Scalar = F::Scalar>,
    Self: OnOneMachine,
{
    type Scalar = F::Scalar;

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn count(&self) -> usize {
        self.own.nnz() + self.halo.nnz()
    }

    fn for_each(&self, visit: impl FnMut([usize; 2], F::Scalar)) {
        Distributed::for_each(self, visit);
    }
}
