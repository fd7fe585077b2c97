unisparse::sparse_kernel! {
    pub fn scaled: y[i] = A * x[i] where A: unisparse::formats::Csr;
}

fn main() {}
