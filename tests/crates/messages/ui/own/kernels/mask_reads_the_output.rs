unisparse::sparse_kernel! {
    pub fn relax: d[j] min= s[i] + A[i, j] if !d[j] where A: unisparse::formats::Csr;
}

fn main() {}
