unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j)
    /// Another.
    #[allow(dead_code)]
    pub(crate) format Coo = |i, j| (row: i, col: j) { trim(rwo..=col); }
}

fn main() {}
