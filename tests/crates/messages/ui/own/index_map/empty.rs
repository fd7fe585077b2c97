unisparse::sparse_format! {
    pub format Nothing = |i, j| () {}
}

fn main() {}
