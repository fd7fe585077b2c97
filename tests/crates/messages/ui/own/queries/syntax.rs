unisparse::sparse_format! {
    pub format NoBraces = |i, j| (i, j) where len = sum(_ => 1).group_by(i); { merge(i); trim(j); }
    pub format NoSemicolon = |i, j| (i, j) where { len = sum(_ => 1).group_by(i) } { merge(i); trim(j); }
    pub format NoName = |i, j| (i, j) where { sum(_ => 1).group_by(i); len = sum(_ => ).group_by(i); } { merge(i); trim(j); }
    pub format NoArrow = |i, j| (i, j) where { len = sum(value != 0, _ => 1).group_by(i); } { merge(i); trim(j); }
    pub format NoOrder = |i, j| (r, i, j) where { len = sum(_ => 1).group_by(i); r = reorder(len).traverse_by(i); } { merge(r, i); trim(j); }
}

fn main() {}
