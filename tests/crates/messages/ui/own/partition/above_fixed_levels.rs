unisparse::sparse_format! {
    format A = |i, j| (diag: j - i, row: i, col: j) { merge(diag); trim(diag); partition(row); }
}

fn main() {}
