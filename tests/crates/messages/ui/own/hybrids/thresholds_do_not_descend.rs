use unisparse::prelude::*;

sparse_format! {
    pub hybrid Ascending = Csr + Coo + Ell split sum(value != 0 => 1, _ => 0).group_by(i) > 3 > 5;
    pub hybrid Equal = Csr + Coo + Ell + Dia split sum(value != 0 => 1, _ => 0).group_by(i) > 3 > most > 3;
    pub hybrid Falling = Csr + Coo + Ell split sum(value != 0 => 1, _ => 0).group_by(i) > 5 > 3;
}

fn main() {}
