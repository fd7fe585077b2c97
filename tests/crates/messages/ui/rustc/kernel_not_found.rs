unisparse::sparse_kernel! {
    impl sddmm for unisparse::formats::Csr;
}

fn main() {}
