//! Distributed vectors for the solvers of the examples for one machine.

use unisparse_mpi::{DistributedVec, Error};

use crate::solver::vector::Vector;

impl Vector for DistributedVec<f64> {
    type Error = Error;

    fn elements(&self) -> &[f64] {
        self.own()
    }

    fn elements_mut(&mut self) -> &mut [f64] {
        self.own_mut()
    }

    fn total(&self, own: f64) -> f64 {
        self.world().sum(own)
    }
}
