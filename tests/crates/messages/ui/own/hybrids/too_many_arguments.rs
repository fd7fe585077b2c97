use unisparse::prelude::*;

sparse_format! {
    pub hybrid H = Coo<2> + Bdia<3, 4> split sum(value != 0 => 1, _ => 0).group_by(i) > t;
}

fn main() {}
