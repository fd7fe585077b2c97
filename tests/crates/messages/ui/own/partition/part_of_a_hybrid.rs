use unisparse::formats::{C2srPart, Csr};

unisparse::sparse_format! {
    hybrid A = C2srPart + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > 2;
}

fn main() {}
