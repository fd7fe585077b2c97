unisparse::sparse_format! {
    /// Two good ones, two bad ones.
    pub format Coo = |i, j| (row: i, col: j) { trim(row..=col); }
    pub format Csr = |i, j| (row: i, col: k) { trim(col); }
    pub format Csc = |i, j| (col: j, row: i) { merge(col); trim(row); }
    format Dcsr |i, j| (row: i, col: j) {}
}

fn main() {}
