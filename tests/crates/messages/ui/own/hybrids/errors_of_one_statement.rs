use unisparse::prelude::*;

sparse_format! {
    pub hybrid H = Csr + 3 + Coo split sum(value ! 0 => 1).group_by(i j) > 3 > 'a' > low;
}

fn main() {}
