use unisparse::prelude::*;

fn main() {
    Csr!(1, 2);
}
