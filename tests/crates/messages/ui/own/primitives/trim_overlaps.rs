unisparse::sparse_format! {
    pub format Csf = |i, j, k| (x: i, y: j, z: k) { trim(x..=y); trim(y..=z); }
}

fn main() {}
