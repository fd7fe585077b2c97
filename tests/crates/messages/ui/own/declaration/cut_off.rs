unisparse::sparse_format! {
    pub format Csr =
}

fn main() {}
