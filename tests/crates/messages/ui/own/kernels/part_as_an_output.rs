unisparse::sparse_format! {
    pub format Banked = |i, j| (bank: j % 2, row: i, col: j) { merge(bank, row); trim(col); partition(bank); }
}

unisparse::sparse_kernel! {
    pub fn scaled: C[i, j] = alpha * A[i, j] where A: unisparse::formats::Csr, C: BankedPart;
}

fn main() {}
