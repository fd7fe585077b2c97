unisparse::sparse_format! {
    pub format Morton = |i, j| (high: i >> 4, low: i % 16, col: j) { trim(col); }
}

fn main() {}
