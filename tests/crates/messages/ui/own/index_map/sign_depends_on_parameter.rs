unisparse::sparse_format! {
    pub format Skew<const P: usize = 2> = |i, j| (diag: (P - 2) * i + j, row: i) { trim(diag); }
}

fn main() {}
