fn main() {
    unisparse::kernels::spmv!();
}
