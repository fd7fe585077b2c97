unisparse::sparse_format! {
    pub format Csf = |i, j, k| (x: i, y: j, z: k) { merge(x..=y); trim(x..=z); }
}

fn main() {}
