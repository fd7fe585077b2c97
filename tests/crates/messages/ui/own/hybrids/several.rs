use unisparse::prelude::*;

sparse_format! {
    pub hybrid H<const B: usize = 0> = Coo<f64> + Bdia<C> split sum(value != 0 => 1, _ => 0).group_by(i) > t > t;
    pub hybrid G = Csf + Csr + Csr<1> split count(value != 0 => 1).group_by(i, k) > 1 > 2;
}

fn main() {}
