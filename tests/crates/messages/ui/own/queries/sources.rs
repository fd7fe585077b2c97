unisparse::sparse_format! {
    pub format OfElements = |i, j| (bank, i, j)
        where {
            slot = enumerate(_ => 0).group_by(i).traverse_by(j);
            bank = schedule(slot, 2).traverse_by(i);
        } { merge(bank, i); trim(i..=j); }
    pub format OfADim = |i, j| (rank, i, j) where { rank = reorder(i, descending).traverse_by(i); } { merge(rank, i); trim(j); }
    pub format Downwards = |i, j| (rank, i, j)
        where {
            len = sum(_ => 1).group_by(i);
            rank = reorder(len, down).traverse_by(i);
        } { merge(rank, i); trim(j); }
}

fn main() {}
