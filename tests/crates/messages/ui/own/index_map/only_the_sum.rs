unisparse::sparse_format! {
    pub format Anti = |i, j| (anti: i + j, twice: 2 * i + 2 * j) { trim(twice); }
}

fn main() {}
