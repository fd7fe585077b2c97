unisparse::sparse_format! {
    pub format Bad = |i, j| (brow: k / 4, bcol: j / 0, r: i * j, c: j % i) { trim(bcol); }
}

fn main() {}
