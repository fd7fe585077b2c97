unisparse::sparse_format! {
    pub hybrid BdiaCsr<const B: usize = 64> = Bdia<B> + Csr
        split sum(value != 0 => 1, _ => 0).group_by(i / B, j - i) > threshold;
}

fn main() {}
