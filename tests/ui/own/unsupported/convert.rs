unisparse::sparse_format! {
    convert Csr -> Dcsr, Csc -> Bcsr;
}

fn main() {}
