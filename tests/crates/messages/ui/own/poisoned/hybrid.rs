use unisparse::prelude::*;

sparse_format! {
    pub hybrid Broken<const B: usize = 2> = Csr + Bdia<C> split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
    pub hybrid OfHybrids = Coo + Broken split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
    format Wrong<const B: usize = 2> = |i, j| (row: i, col: k, row_in: i % B) { trim(row..=col); }
    hybrid OfWrong<const B: usize = 2> = Wrong<B> + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
}

sparse_kernel! {
    pub fn scaled: y[i] = alpha * A[i, j] * x[j] where A: Broken | OfWrong | OfHybrids | Csr;
}

struct Holder {
    tensor: Broken<f64>,
    other: OfWrong<f64, 3>,
}

fn half(a: &Broken<f64>) -> Result<Csr<f64>, Error> {
    println!("{:?} {:?} {}", a, Broken::<f64>::describe(), a.explain());
    println!("{} {} {} {:?}", a.nnz(), a.stored(), a.bytes(), a.shape());
    a.iter().for_each(|([i, j], value)| println!("{i} {j} {value}"));
    a.convert()
}

fn main() -> Result<(), Error> {
    let triplets = Triplets::try_from_triplets([2, 2], [([0, 1], 1.0)])?;
    let a: Broken<f64> = triplets.convert()?;
    let b = Broken::<f64>::split(&triplets, 3)?;
    let (first, second) = b.parts();
    println!("{} {}", first.nnz(), second.nnz());
    assert_eq!(a, b);
    for ([i, j], value) in &b.iter().collect::<Vec<_>>() {
        println!("{i} {j} {value}");
    }
    let holder = Holder { tensor: half(&a)?.convert()?, other: OfWrong::split(&triplets, 3)? };
    let mut y = vec![0.0; 2];
    spmv(&mut y, &holder.tensor, &[1.0, 2.0])?;
    scaled(&mut y, 2.0, &holder.other, &[1.0, 2.0])?;
    scaled(&mut y, 2.0, &half(&b)?, &[1.0, 2.0])
}
