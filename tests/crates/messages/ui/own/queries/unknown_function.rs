unisparse::sparse_format! {
    pub format A = |i, j| (row: i, col: j) where { len = summ(value != 0 => 1, _ => 0).group_by(i); } { merge(row); trim(col); }
    pub format B = |i, j| (row: i, col: j) where { len = histogram(i).group_by(i); } { merge(row); trim(col); }
}

fn main() {}
