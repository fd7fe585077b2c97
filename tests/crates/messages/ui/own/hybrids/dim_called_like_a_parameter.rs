use unisparse::prelude::*;

sparse_format! {
    pub hybrid H<const i: usize = 2> = Bdia<i> + Csr split sum(value != 0 => 1, _ => 0).group_by(j) > t;
}

fn main() {}
