unisparse::sparse_format! {
    pub format Direct = |i, j| (i, j) { merge(i); pad(j); }
    pub format Both = |i, j| (slot, i, j) where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(slot); trim(slot); pad(slot); }
    pub format Unmerged = |i, j| (slot, i, j) where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { pad(slot); }
    pub format BelowUnmerged = |i, j| (i, slot, j) where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(slot); pad(slot); }
    pub format Fixed = |i, j| (i, j, slot) where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(i); trim(j); pad(slot); }
    pub format Again = |i, j| (slot, i, j) where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(slot); pad(slot); pad(0); }
}

fn main() {}
