use unisparse::prelude::*;

sparse_format! {
    pub hybrid H = Coo + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > 3u8;
}

fn main() {}
