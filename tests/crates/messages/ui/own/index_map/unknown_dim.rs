unisparse::sparse_format! {
    pub format Csr = |row, col| (r: row, c: co) { merge(r); trim(c); }
}

fn main() {}
