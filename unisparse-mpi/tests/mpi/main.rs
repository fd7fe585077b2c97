//! Tests on several ranks, each started under `mpirun` by itself.

#[path = "../../../tests/common/data.rs"]
mod data;
#[allow(dead_code, unreachable_pub)]
#[path = "../../../tests/common/random.rs"]
mod random;

#[path = "../../../examples/solver"]
mod solver {
    pub(crate) mod cg;
    pub(crate) mod vector;
}

#[path = "../../examples/over_mpi/vector.rs"]
mod vector;

mod algebra;
mod cases;
mod faults;
mod files;
mod formats;
mod launch;
mod products;
mod solves;
