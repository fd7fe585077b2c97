unisparse::sparse_format! {
    pub format Missing = |i, j| (slot, i, j) where { slot = enumerate(_ => 0).group_by(i); } { merge(slot); trim(slot); }
    pub format Twice = |i, j| (i, j) where { len = sum(_ => 1).group_by(i).group_by(j); } { merge(i); trim(j); }
    pub format Foreign = |i, j| (i, j) where { len = sum(_ => 1).group_by(i).traverse_by(j); } { merge(i); trim(j); }
    pub format Misspelled = |i, j| (slot, i, j) where { slot = enumerate(_ => 0).group_by(i).travers_by(j); } { merge(slot); trim(slot); }
    pub format Order = |i, j| (r, i, j) where { len = sum(_ => 1).group_by(j - i); r = reorder(len, descending); } { merge(r, i); trim(j); }
    pub format Groups = |i, j| (r, i, j) where { len = sum(_ => 1); r = reorder(len, descending).traverse_by(i); } { merge(r, i); trim(j); }
}

fn main() {}
