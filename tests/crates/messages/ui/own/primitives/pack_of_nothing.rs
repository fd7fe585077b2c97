unisparse::sparse_format! {
    pub format OneArray = |i, j| (row: i, col: j) { trim(row..=col); pack(row); }
    pub format NotTheLast = |i, j| (row: i, col: j) { merge(row); trim(col); pack(row); }
    pub format Dense = |i, j| (row: i, col: j) { pack(row..=col); }
    pub format DenseBelow = |i, j| (row: i, col: j) { trim(row); pack(row..=col); }
}

fn main() {}
