unisparse::sparse_format! {
    pub format Coo = |i, j| (row: i, col: j) { trim(row..=col); index(col: f32); }
}

fn main() {}
