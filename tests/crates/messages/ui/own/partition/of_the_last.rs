unisparse::sparse_format! {
    format A = |i, j| (row: i, col: j) { merge(row); trim(col); partition(col); }
}

fn main() {}
