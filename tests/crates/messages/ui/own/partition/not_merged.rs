unisparse::sparse_format! {
    format A = |i, j| (row: i, col: j) { trim(row..=col); partition(row); }
}

fn main() {}
