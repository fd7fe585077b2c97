unisparse::sparse_format! {
    pub format Typed<E> = |i, j| (row: i, col: j) { trim(col); }
}

fn main() {}
