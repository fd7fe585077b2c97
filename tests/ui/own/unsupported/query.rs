unisparse::sparse_format! {
    pub format Ell = |i, j| (slot, row: i, col: j)
        where {
            len = sum(value != 0 => 1, _ => 0).group_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot); }
}

fn main() {}
