unisparse::sparse_format! {
    format A = |i, j| (row: i, double: 2 * i, col: j) { trim(col); partition(double); }
}

fn main() {}
