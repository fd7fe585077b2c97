use unisparse::prelude::*;

sparse_format! {
    pub hybrid H<const B: usize = 2> = Coo + Bdia<B> split sum(value != 0 => 1, _ => 0).group_by(i) > B;
}

fn main() {}
