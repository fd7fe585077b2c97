use unisparse::Narrow;
use unisparse::prelude::*;

sparse_kernel! {
    fn added: C[i, j] = A[i, j] + B[i, j] where A: Csr, B: Csr, C: Csr;
}

fn main() -> Result<(), Error> {
    let a = Csr::try_from_triplets([1, 1], [([0, 0], 1.0f64)])?;
    let b = a.clone().map_values(|value| value as f32);
    let _: Csr<f64> = added(&a, &b)?;
    let _ = a.map_values(|value| Narrow::<f64, f32>::new(value));
    Ok(())
}
