unisparse::sparse_format! {
    pub format Typed<const T: usize = 2> = |i, j| (row: i / T, col: j, r: i % T) { trim(col); }
}

fn main() {}
