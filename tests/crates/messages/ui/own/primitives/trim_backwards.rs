unisparse::sparse_format! {
    pub format Coo = |i, j| (row: i, col: j) { trim(col..=row); }
}

fn main() {}
