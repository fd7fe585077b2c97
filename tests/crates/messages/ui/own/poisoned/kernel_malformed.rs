use unisparse::prelude::*;

sparse_kernel! {
    pub fn broken: y[i] = A[i, j] x[j] where A: Csr;
}

mod other {
    use unisparse::prelude::*;

    pub fn call(a: &Csr<f64>) -> Result<Vec<f64>, Error> {
        let mut y = vec![0.0; 2];
        super::broken(&mut y, a, &[1.0, 2.0])?;
        crate::broken(&mut y[..], a, &vec![1.0, 2.0]).map(|()| y)
    }
}

fn main() -> Result<(), Error> {
    let a = Csr::try_from_triplets([2, 2], [([0, 1], 1.0)])?;
    let mut y = vec![0.0; 2];
    broken(&mut y, &a, &[1.0, 2.0])?;
    broken(&mut y, &a, &[1.0, 2.0]).unwrap();
    println!("{:?} {y:?}", other::call(&a)?);
    Ok(())
}
