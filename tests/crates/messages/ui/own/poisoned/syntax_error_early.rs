use unisparse::prelude::*;

sparse_format! {
    pub format Broken |i, j| (row: i, col: j) { merge(row); trim(col); }
}

sparse_kernel! {
    pub fn scaled: y[i] = alpha * A[i, j] * x[j] where A: Broken | Csr;
}

struct Holder {
    tensor: Broken<f64>,
}

fn half(a: &Broken<f64>) -> Result<Csr<f64>, Error> {
    println!("{:?} {:?} {}", a, Broken::<f64>::describe(), a.explain());
    println!("{} {} {} {:?}", a.nnz(), a.stored(), a.bytes(), a.shape());
    println!("{:?} {:?}", a.row_ptr(), a.col_idx());
    a.iter().for_each(|([i, j], value)| println!("{i} {j} {value}"));
    a.convert()
}

fn main() -> Result<(), Error> {
    let triplets = Triplets::try_from_triplets([2, 2], [([0, 1], 1.0)])?;
    let a: Broken<f64> = triplets.convert()?;
    let b = Broken::<f64>::try_from_triplets([2, 2], [([0, 1], 1.0)])?;
    let c = Broken::<f64>::try_from_parts([2, 2], vec![0, 1, 1], vec![1], vec![1.0])?;
    let (shape, row_ptr, col_idx, values) = c.clone().into_parts();
    println!("{shape:?} {} {} {}", row_ptr.len(), col_idx.len(), values.len());
    assert_eq!(a, b);
    for ([i, j], value) in &b.iter().collect::<Vec<_>>() {
        println!("{i} {j} {value}");
    }
    let holder = Holder { tensor: half(&a)?.convert()? };
    let mut y = vec![0.0; 2];
    spmv(&mut y, &holder.tensor, &[1.0, 2.0])?;
    scaled(&mut y, 2.0, &a, &[1.0, 2.0])?;
    scaled(&mut y, 2.0, &half(&b)?, &[1.0, 2.0])
}
