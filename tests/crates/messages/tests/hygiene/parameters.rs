//! Const parameters called like the type parameters of generated methods.

unisparse::sparse_format! {
    format Blocks<const S: usize = 2, const F: usize = 2> =
        |i, j| (brow: i / S, bcol: j / F, r: i % S, c: j % F) { merge(brow, bcol); trim(bcol); }
}

#[test]
fn parameters_may_have_the_names_of_generated_code() {
    let a: Blocks<f64> = Blocks::try_from_triplets([2, 2], [([0, 1], 2.0)]).unwrap();
    assert_eq!(a.nnz(), 1);
}
