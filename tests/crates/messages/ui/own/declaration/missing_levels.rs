unisparse::sparse_format! {
    pub format Csr = |i, j| { merge(row); trim(col); }
}

fn main() {}
