unisparse::sparse_format! {
    pub format Dia = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); index(diag: u32); }
}

fn main() {}
