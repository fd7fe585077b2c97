unisparse::sparse_format! {
    format A = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); partition(x); partition(y); }
}

fn main() {}
