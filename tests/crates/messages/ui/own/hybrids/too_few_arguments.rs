use unisparse::prelude::*;

sparse_format! {
    pub format Blocks<const R: usize, const C: usize = 2> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
    pub hybrid H = Coo + Blocks split sum(value != 0 => 1, _ => 0).group_by(i) > t;
}

fn main() {}
