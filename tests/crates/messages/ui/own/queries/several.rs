unisparse::sparse_format! {
    pub format Several<const BANKS: usize = 4> = |i, j| (bank, row: i / 0, col: k)
        where {
            len = sum(value != 0 => 1, _ => 0).group_by(x);
            bank = schedule(len, BANKS - 4).traverse_by(j);
            next = enumerate(value != 0 => 1).group_by(i).traverse_by(y);
        } { merge(bank, ro); trim(col..=bank); }
}

fn main() {}
