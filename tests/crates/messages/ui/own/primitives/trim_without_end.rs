unisparse::sparse_format! {
    pub format Coo = |i, j| (row: i, col: j) { trim(row..=); }
}

fn main() {}
