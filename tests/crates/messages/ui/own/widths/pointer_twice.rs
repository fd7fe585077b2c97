unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); pointer(u32); pointer(u64); }
}

fn main() {}
