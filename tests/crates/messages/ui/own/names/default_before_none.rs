unisparse::sparse_format! {
    pub format Blocks<const R: usize = 2, const C: usize> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { trim(bcol); }
}

fn main() {}
