unisparse::sparse_format! {
    pub format Open = |i, j| (i, j) where { len = sum(value != 0 => 1).group_by(i); } { merge(i); trim(j); }
    pub format Unreachable = |i, j| (i, j) where { len = sum(_ => 1, value == 0 => 0).group_by(i); } { merge(i); trim(j); }
    pub format Negative = |i, j| (i, j) where { len = sum(value > 0.5 => 1, _ => -1).group_by(i); } { merge(i); trim(j); }
    pub format Empty = |i, j| (i, j) where { len = sum().group_by(i); } { merge(i); trim(j); }
    pub format Other = |i, j| (i, j) where { len = sum(entry != 0 => 1, _ => 0).group_by(i); } { merge(i); trim(j); }
    pub format NotANumber = |i, j| (i, j) where { len = sum(value != zero => 1, _ => 0).group_by(i); } { merge(i); trim(j); }
    pub format Assigned = |i, j| (i, j) where { len = sum(value = 0 => 1, _ => 0).group_by(i); } { merge(i); trim(j); }
    pub format Infinite = |i, j| (i, j) where { len = sum(value > 1e400 => 1, _ => 0).group_by(i); } { merge(i); trim(j); }
    pub format Absent = |i, j| (i, j) where { len = sum(value == 0 => j, _ => 0).group_by(i); } { merge(i); trim(j); }
}

fn main() {}
