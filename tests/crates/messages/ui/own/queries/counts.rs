unisparse::sparse_format! {
    pub format NoBuckets = |i, j| (bank, i, j)
        where {
            len = sum(_ => 1).group_by(i);
            bank = schedule(len, 0).traverse_by(i);
        } { merge(bank, i); trim(i..=j); }
    pub format OfADim = |i, j| (slot, i, j) where { slot = slot(i).group_by().key(i).traverse_by(j, i); } { merge(slot); trim(slot); }
}

fn main() {}
