unisparse::sparse_format! {
    pub format F<const R usize> = |i j, 3| (row: i +, col: j)
        where {
            len = sum(value ! 0 => 1, 7, _ => ).group_by(i j, k +).traverse by();
            rank = ;
        } {
            merge(row col, 3 4);
            trim(x .. y);
            index(row u8, col: 7, 3: u8);
        }
}

fn main() {}
