unisparse::sparse_format! {
    pub format Bad<const R, C> = |i, j| (row: i +, col: j * , lane: (i % )) { merge(row) ; trim(row..col); trim; 7; }
}

fn main() {}
