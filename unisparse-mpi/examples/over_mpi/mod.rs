//! Distributed vectors for the solvers of the examples for one machine, and where their matrices come from.

mod vector;

use std::path::PathBuf;

use unisparse_mpi::prelude::*;
use unisparse_mpi::{Error, ErrorKind};

/// Reads the file that the first argument of the program names, or one of the examples.
pub(crate) fn read(world: &World, bundled: &str) -> Result<Distributed<Csr<f64>>, Error> {
    let bundled = || {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../examples/data")
            .join(bundled)
    };
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let a: Distributed<Csr<f64>> = Distributed::read_matrix_market(world, &path)?;
    let [rows, columns] = a.shape();
    if world.rank() == 0 {
        println!(
            "{}: {rows} x {columns}, {} elements, {} ranks",
            path.display(),
            a.nnz(),
            world.size()
        );
    }
    if rows != columns || rows == 0 {
        return Err(Error::new(ErrorKind::User, "the matrix is empty or not square"));
    }
    Ok(a)
}
