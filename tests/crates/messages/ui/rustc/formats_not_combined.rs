use unisparse::prelude::*;

sparse_kernel! {
    pub fn spgemm: C[i, j] = A[i, k] * B[k, j] where A: Csr, B: Csr | Csc, C: Csr;
}

fn main() -> Result<(), Error> {
    let a = Csr::try_from_triplets([2, 2], [([0, 1], 1.0)])?;
    let b: Coo<f64> = a.convert()?;
    let _: Csr<f64> = spgemm(&a, &b)?;
    let _: Csr<f32> = spgemm(&a, &a)?;
    Ok(())
}
