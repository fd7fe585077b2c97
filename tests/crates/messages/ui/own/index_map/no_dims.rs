unisparse::sparse_format! {
    pub format Nothing = || (row: 1) {}
}

fn main() {}
