unisparse::sparse_format! {
    format A = |i, j, k| (x: i, y: j, z: k) { trim(z); partition(x); }
}

fn main() {}
