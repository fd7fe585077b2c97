unisparse::sparse_format! {
    pub format Traversed = |i, j| (bank, i, j)
        where {
            len = sum(_ => 1).group_by(i / 2);
            bank = schedule(len, 2).traverse_by(i);
        } { merge(bank, i); trim(i..=j); }
    pub format Grouped = |i, j| (rank, i, j)
        where {
            len = sum(_ => 1).group_by(i);
            rank = reorder(len, ascending).group_by(j).traverse_by(i);
        } { merge(rank, i); trim(j); }
}

fn main() {}
