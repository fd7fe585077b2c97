unisparse::sparse_kernel! {
    pub fn long: s = 2 * (w[i] + v[j]) * (w[j] + v[k]) * (w[k] + v[l]) * (w[l] + v[m])
        * (w[m] + v[n]) * (w[n] + v[o]) * (w[o] + v[p]) * (w[p] + v[q]) * A[i, j] + A[i, j]
        where A: unisparse::formats::Csr;
    pub fn inner: s = A[i, j] * (w[i] + w[j]) - (A[i, j] * w[k] + v[l])
        * (w[i] + v[j]) * (w[j] + v[k]) * (w[k] + v[l]) * (w[l] + v[m]) * (w[m] + v[n]) * (w[n] + v[i])
        where A: unisparse::formats::Csr;
}

fn main() {}
