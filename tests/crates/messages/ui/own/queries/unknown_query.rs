unisparse::sparse_format! {
    pub format Ell = |i, j| (slot, row: i, col: j) { merge(slot); trim(slot); }
}

fn main() {}
