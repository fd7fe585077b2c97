unisparse::sparse_format! {
    pub format Shifted = |i, j| (shift: rank - i, row: i, col: j)
        where {
            len = sum(_ => 1).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(row); trim(col); }
}

fn main() {}
