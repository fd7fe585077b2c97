unisparse::sparse_format! {
    pub format Mixed<const P: usize = 2> = |i, j| (row: i + j, mix: P * i + 2 * j) { trim(mix); }
}

fn main() {}
