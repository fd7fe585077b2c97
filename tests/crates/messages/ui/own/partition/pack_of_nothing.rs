unisparse::sparse_format! {
    pub format OneArray = |i, j| (row: i, col: j) { merge(row); trim(row..=col); partition(row); pack(row); }
    pub format Above = |i, j, k| (x: i, y: j, z: k) { merge(y); trim(x..=z); partition(y); pack(y); }
    pub format Crossing = |i, j| (rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(rank); trim(col); partition(rank); pack(rank..=row); }
}

fn main() {}
