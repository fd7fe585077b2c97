use unisparse::prelude::*;

sparse_format! {
    pub hybrid H = Coo + Csr + Csc split sum(value != 0 => 1, _ => 0).group_by(i) > t > t;
}

fn main() {}
