unisparse::sparse_format! {
    pub format Bad = |i, j| (row: i, col: j) { mrege(row); trim(col..=row); index(row: u7); pointer(i32); merge(2); }
}

fn main() {}
