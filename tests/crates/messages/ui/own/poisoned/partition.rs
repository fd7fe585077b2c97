//! A use of the parts of a format with errors has none of its own.
unisparse::sparse_format! {
    pub format Broken<const R: usize = 2> = |i, j| (row: i / R, col: j) { merge(row); trim(col); partition(row); }
}

unisparse::sparse_kernel! {
    fn product: y[i] = A[i, j] * x[j] where A: Broken | BrokenPart;
}

fn first(broken: &BrokenPart<f64, 3>) -> &BrokenPart<f64, 3> {
    broken
}

fn main() {
    let _ = first;
}
