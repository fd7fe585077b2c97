use unisparse::formats::C2srPart;

unisparse::sparse_kernel! {
    fn sums: s[i, j] = A[i, j, k] * x[k] where A: C2srPart;
}

fn main() {}
