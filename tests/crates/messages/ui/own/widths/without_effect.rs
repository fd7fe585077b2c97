unisparse::sparse_format! {
    pub format Wide = |i, j| (row: i, col: j) { merge(row); trim(col); index(row: u64, 1: u64); }
    pub format Dense = |i, j| (row: i, col: j) { index(col: u16); pointer(u64); }
    pub format Fixed = |i, j| (row: i, again: i, col: j) { trim(row..=col); index(again: u64); pointer(u64); }
    pub format Counted = |i, j| (row: i, slot, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(row); trim(slot); index(slot: u8, col: u16); pointer(u64); }
}

fn main() {}
