use unisparse::prelude::*;

sparse_format! {
    convert Csr -> Dcsr, Bcsr<2, 2> -> unisparse::formats::Coo;
}

fn main() {}
