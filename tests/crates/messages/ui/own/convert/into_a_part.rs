use unisparse::prelude::*;

sparse_format! {
    format Banks = |i, j| (bank: i % 2, local: i / 2, col: j) { merge(bank, local); trim(col); partition(bank); }
    convert Csr -> BanksPart, BanksPart -> Csr;
}

fn main() {}
