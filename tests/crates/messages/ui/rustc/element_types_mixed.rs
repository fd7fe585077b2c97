use unisparse::prelude::*;

sparse_kernel! {
    fn product: C[i, j] = A[i, k] * B[k, j] where A: Csr, B: Csr | Csc, C: Csr;
}

fn main() {
    let a: Csr<f64> = Csr::try_from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    let b: Csc<f32> = Csc::try_from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    spmv(&mut vec![0.0f64], &a, &vec![1.0f32]).unwrap();
    let _: Csr<f64> = product(&a, &b).unwrap();
}
