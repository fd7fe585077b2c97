use unisparse::prelude::*;

sparse_format! {
    convert;
    convert Csr -> ;
    convert 3 -> Csr;
}

fn main() {}
