unisparse::sparse_format! {
    pub format Coo = |i, j| (row: i, col: j) { trim(row..=col); index(col: u16); index(col: u32); }
}

fn main() {}
