unisparse::sparse_kernel! {
    impl spmv for MyFormat;
}

fn main() {}
