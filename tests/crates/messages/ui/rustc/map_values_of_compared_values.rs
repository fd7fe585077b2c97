use unisparse::prelude::*;

sparse_format! {
    pub format LargeFirst = |i, j| (slot, row: i, col: j)
        where { slot = enumerate(value > 1 => 0, _ => 4).group_by(i).traverse_by(j); } { merge(slot); trim(slot); }
}

fn main() {
    let a = LargeFirst::try_from_triplets([1, 1], [([0, 0], 1.0f64)]).unwrap();
    let _ = a.map_values(|value| value + 1.0);
}
