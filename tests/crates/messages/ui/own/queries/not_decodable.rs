unisparse::sparse_format! {
    pub format Lost = |i, j| (slot, row: i) where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(slot); trim(slot); }
}

fn main() {}
