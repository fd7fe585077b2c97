unisparse::sparse_format! {
    pub format Odd = |i, j| (row: i, rest: (i + j) % j) { trim(rest); }
}

fn main() {}
