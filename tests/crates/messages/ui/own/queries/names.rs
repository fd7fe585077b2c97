unisparse::sparse_format! {
    pub format LikeADim = |i, j| (i, j) where { i = sum(_ => 1).group_by(j); } { merge(i); trim(j); }
    pub format Twice = |i, j| (i, j)
        where {
            len = sum(_ => 1).group_by(i);
            len = sum(_ => 1).group_by(j);
        } { merge(i); trim(j); }
}

fn main() {}
