//! Operands called like the locals of generated code.

unisparse::sparse_kernel! {
    fn of_sum: sum[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
    fn of_value: y[i] = sum * A[i, j] * value[j] where A: unisparse::formats::Csr;
    fn of_scalar: y[i] = value * A[i, j] * x[j] where A: unisparse::formats::Csr;
    fn of_shape: shape[i] = A[i, j] * extents[j] where A: unisparse::formats::Csr;
    fn of_values: values[i] = A[i, j] * visit[j] where A: unisparse::formats::Csr;
}

#[test]
fn operands_may_have_the_names_of_generated_code() {
    let a = unisparse::formats::Csr::try_from_triplets([2, 2], [([0, 1], 2.0), ([1, 0], 3.0)]).unwrap();
    let mut y = [0.0; 2];
    of_sum(&mut y, &a, &[1.0, 10.0]).unwrap();
    assert_eq!(y, [20.0, 3.0]);
    of_value(&mut y, 1.0, &a, &[1.0, 10.0]).unwrap();
    assert_eq!(y, [20.0, 3.0]);
    of_scalar(&mut y, 1.0, &a, &[1.0, 10.0]).unwrap();
    assert_eq!(y, [20.0, 3.0]);
    of_shape(&mut y, &a, &[1.0, 10.0]).unwrap();
    assert_eq!(y, [20.0, 3.0]);
    of_values(&mut y, &a, &[1.0, 10.0]).unwrap();
    assert_eq!(y, [20.0, 3.0]);
}
