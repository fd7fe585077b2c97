unisparse::sparse_format! {
    pub format Bcsr = |i, j| (brow: i / BLOCK, bcol: j, r: i % BLOCK) { merge(brow); trim(bcol); }
}

fn main() {}
