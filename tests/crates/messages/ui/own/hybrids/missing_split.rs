use unisparse::prelude::*;

sparse_format! {
    pub hybrid H = Coo + Csr;
}

fn main() {}
