//! Formats and kernels of other crates, under other names and through other crates.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

use ext_formats::blocked::Bands;
use ext_formats::{Rows, Rowwise, Striped};
use only_through_another::{Diagonals, Public};
use renamed_user::Columns;
use tensors::{SparseTensor, Triplets, sparse_format, sparse_kernel};

const ENTRIES: [([usize; 2], f64); 4] = [([0, 1], 2.0), ([1, 0], 3.0), ([2, 2], 5.0), ([4, 3], 7.0)];
const X: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
const Y: [f64; 5] = [20.0, 3.0, 500.0, 0.0, 7000.0];

fn tensor<F: SparseTensor<2, Scalar = f64>>() -> F {
    Triplets::try_from_triplets([5, 4], ENTRIES)
        .and_then(|triplets| triplets.convert())
        .expect("the entries fit")
}

sparse_format! {
    /// A hybrid of formats from three crates.
    pub hybrid Everywhere<const B: usize = 3> = Bands<B> + only_through_another::Diagonals + ::tensors::formats::Bdia<B> + Columns
        split sum(value != 0 => 1, _ => 0).group_by(j - i) > 2 > middle > low;
}

sparse_kernel! {
    fn product: y[i] = A[i, j] * x[j]
        where A: Bands | ext_formats::Rows | ::only_through_another::Public | Diagonals | Columns | tensors::formats::Csr;
    impl ext_formats::scaled for Own | Wide<2>;
    fn of_hybrids: y[i] = A[i, j] * x[j] where A: Everywhere | Rowwise | tensors::formats::BdiaCsr<2>;
}

macro_rules! check {
    ($($format:ty),*) => { $({
        let mut y = vec![-1.0; 5];
        product(&mut y, &tensor::<$format>(), &X).expect("the shapes fit");
        assert_eq!(y, Y);
    })* };
}

#[test]
fn a_kernel_takes_formats_of_every_crate() {
    check!(Bands<f64>, Striped<f64, 3>, Rows<f64>, Public<f64>, Diagonals<f64>, Columns<f64>, tensors::formats::Csr<f64>);
}

#[test]
fn a_kernel_of_another_crate_is_called() {
    let mut y = vec![-1.0; 5];
    ext_formats::scaled(&mut y, 2.0, &tensor::<Rows<f64>>(), &X).expect("the shapes fit");
    assert_eq!(y, Y.map(|value| 2.0 * value));
    renamed_user::shifted(
        &mut y,
        &tensor::<Striped<f64>>(),
        &X,
        1.0,
        &X.map(|_| 0.0)[..].repeat(2)[..5],
    )
    .expect("the shapes fit");
    assert_eq!(y, Y);
    renamed_user::shifted(&mut y, &tensor::<Columns<f64>>(), &X, 1.0, &[1.0; 5]).expect("the shapes fit");
    assert_eq!(y, Y.map(|value| value + 1.0));
    y.fill(0.0);
    only_through_another::weighted(&mut y, &tensor::<Diagonals<f64>>(), &X, &[1.0; 5]).expect("the shapes fit");
    assert_eq!(y, Y);
    assert_eq!(
        only_through_another::local(&ENTRIES[..3]).expect("the entries fit"),
        ENTRIES[..3]
    );
}

sparse_format! {
    format Own = |i, j| (row: i, col: j) { trim(row..=col); }
    hybrid Wide<const B: usize = 3> = Bands<B> + Own split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
}

#[test]
fn a_format_joins_a_kernel_of_another_crate() {
    macro_rules! check {
        ($($format:ty),*) => { $({
            let mut y = vec![-1.0; 5];
            ext_formats::scaled(&mut y, 2.0, &tensor::<$format>(), &X).expect("the shapes fit");
            assert_eq!(y, Y.map(|value| 2.0 * value));
        })* };
    }
    check!(Columns<f64>, Own<f64>, Wide<f64, 2>);
}

#[test]
fn a_kernel_takes_hybrids_of_every_crate() {
    macro_rules! check {
        ($($format:ty),*) => { $({
            let (mut y, tensor) = (vec![-1.0; 5], tensor::<$format>());
            of_hybrids(&mut y, &tensor, &X).expect("the shapes fit");
            assert_eq!(y, Y);
            tensors::kernels::spmv(&mut y, &tensor, &X).expect("the shapes fit");
            assert_eq!(y, Y);
        })* };
    }
    check!(Everywhere<f64>, Everywhere<f64, 2>, Rowwise<f64>, Rowwise<f64, 5>, tensors::formats::BdiaCsr<f64, 2>);
    let mut y = vec![-1.0; 5];
    ext_formats::scaled(&mut y, 2.0, &tensor::<Rowwise<f64>>(), &X).expect("the shapes fit");
    assert_eq!(y, Y.map(|value| 2.0 * value));
}

#[test]
fn texts_of_kernels_of_every_crate() {
    let text = tensors::kernel_text!(loops, ext_formats::scaled, A: ext_formats::blocked::Bands<f64, 2>);
    assert!(
        text.starts_with("// y[i] = alpha * A[i, j] * x[j] where A: Bands<2>\n"),
        "{text}"
    );
    let text = tensors::kernel_text!(loops, only_through_another::weighted, A: Diagonals<f64>);
    assert!(text.contains("A.diag_idx[diag_position]"), "{text}");
    let text = ext_formats::sparse::kernel_text!(c, renamed_user::shifted, A: Columns<f32>);
    assert!(text.contains("int shifted_columns_f32("), "{text}");
    let text = tensors::kernel_text!(loops, tensors::kernels::spmv, A: Rowwise<f64, 2>);
    assert!(text.contains("A.0.band_ptr") && text.contains("A.1.tile_ptr"), "{text}");
}
