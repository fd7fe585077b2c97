//! Functions whose assembly `tests/codegen.rs` reads.

use unisparse::formats::{Csr, Lil};
use unisparse::kernels::spmv;

/// The loops of `spmv` over `Csr`, as expanded.
#[unsafe(no_mangle)]
pub fn probe_csr_spmv(y: &mut [f64], a: &Csr<f64>, x: &[f64], extents: [usize; 2]) {
    let _ = spmv::__run(a, y, x, extents);
}

/// The same over `Lil`, whose indices and values are packed.
#[unsafe(no_mangle)]
pub fn probe_lil_spmv(y: &mut [f64], a: &Lil<f64>, x: &[f64], extents: [usize; 2]) {
    let _ = spmv::__run(a, y, x, extents);
}

/// The same with indexing, whose loops keep their checks: the reader of the assembly must find them.
#[unsafe(no_mangle)]
pub fn probe_indexed_spmv(y: &mut [f64], a: &Csr<f64>, x: &[f64], extents: [usize; 2]) {
    let (row_ptr, col_idx, values) = (a.row_ptr(), a.col_idx(), a.values());
    for row in 0..extents[0] {
        for at in row_ptr[row] as usize..row_ptr[row + 1] as usize {
            y[row] += values[at] * x[col_idx[at] as usize];
        }
    }
}
