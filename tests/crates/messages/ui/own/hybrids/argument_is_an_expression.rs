use unisparse::prelude::*;

sparse_format! {
    pub hybrid H<const B: usize = 2> = Coo + Bcsr<B, { B + 1 }> split sum(value != 0 => 1, _ => 0).group_by(i) > t;
}

fn main() {}
