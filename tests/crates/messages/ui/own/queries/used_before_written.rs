unisparse::sparse_format! {
    pub format Plus = |i, j| (bank, row: i, col: j)
        where {
            bank = schedule(len, 4).traverse_by(rank);
            len = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(bank, row); trim(row..=col); }
}

fn main() {}
