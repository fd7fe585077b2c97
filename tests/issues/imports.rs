//! Arrays and triplets from outside: SciPy, PyData, sprs, Finch, JAX.

use unisparse::formats::{Coo, Csc, Csr, Dia};
use unisparse::prelude::*;
use unisparse::{ErrorKind, TripletsView};

use super::nonzeros;

/// <https://github.com/pydata/sparse/issues/861>: compressed rows that are not sorted, and hold coordinates twice, were
/// taken as they are.
#[test]
fn pydata_861() {
    let (pointers, columns, values) = (vec![0, 2, 5], vec![1, 0, 0, 1, 1], vec![2.0, 1.0, 3.0, 3.0, 1.0]);
    let rows = [0usize, 0, 1, 1, 1];
    let view = TripletsView::try_new([2, 2], [&rows, &[1, 0, 0, 1, 1]], &values).unwrap();
    let a: Csr<f64> = view.convert().unwrap();
    assert_eq!(
        nonzeros(&a),
        [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 3.0), ([1, 1], 4.0)]
    );
    let refused = Csr::try_from_parts([2, 2], pointers, columns, values).unwrap_err();
    assert_eq!((refused.kind(), refused.subject()), (ErrorKind::Order, "`col_idx`"));
}

/// <https://github.com/scipy/scipy/issues/20670>: triplets that hold a coordinate twice were not summed.
#[test]
fn scipy_20670() {
    let triplets = Triplets::try_from_triplets([2, 2], [([0, 1], 1), ([1, 0], 1), ([1, 0], 1)]).unwrap();
    let a: Csc<i64> = triplets.convert().unwrap();
    assert_eq!(
        (a.col_ptr(), a.row_idx(), a.values()),
        (&[0, 1, 2][..], &[1, 0][..], &[2, 1][..])
    );
}

/// <https://github.com/scipy/scipy/pull/23055>: a matrix whose one diagonal is outside of it had -2 elements.
#[test]
fn scipy_23055() {
    let refused = Dia::try_from_parts([3, 3], vec![5], vec![1.0, 2.0, 3.0]).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.subject()),
        (ErrorKind::OutOfBounds, "`diag_idx`")
    );
    let empty: Dia<f64> = Dia::try_from_triplets([3, 3], []).unwrap();
    assert_eq!((empty.nnz(), empty.stored()), (0, 0));
}

/// <https://github.com/scipy/scipy/issues/13997>: the main diagonal of two rows and four columns had one element.
#[test]
fn scipy_13997() {
    let a: Dia<f64> = Dia::try_from_triplets([2, 4], [([0, 0], 1.0)]).unwrap();
    assert_eq!((a.diag_idx(), a.values()), (&[0][..], &[1.0, 0.0][..]));
    assert_eq!(nonzeros(&a), [([0, 0], 1.0)]);
}

/// <https://github.com/scipy/scipy/issues/14551>: diagonals of more values than there are columns were read past the end.
#[test]
fn scipy_14551() {
    let values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let refused = Dia::try_from_parts([3, 3], vec![0], values.clone()).unwrap_err();
    assert_eq!((refused.kind(), refused.subject()), (ErrorKind::Length, "`values`"));
    let a: Dia<f64> = Dia::try_from_parts([3, 3], vec![0], values[..3].to_vec()).unwrap();
    assert_eq!(nonzeros(&a), [([0, 0], 1.0), ([1, 1], 2.0), ([2, 2], 3.0)]);
}

/// <https://github.com/scipy/scipy/issues/10050>: the coordinates of diagonals came diagonal by diagonal.
#[test]
fn scipy_10050() {
    let a = [([0, 0], 1.0), ([0, 1], 2.0), ([1, 0], 3.0), ([1, 1], 4.0)];
    let a: Coo<f64> = Dia::try_from_triplets([2, 2], a).unwrap().convert().unwrap();
    assert_eq!((a.row_idx(), a.col_idx()), (&[0, 0, 1, 1][..], &[0, 1, 0, 1][..]));
    assert_eq!(a.values(), [1.0, 2.0, 3.0, 4.0]);
}

/// <https://github.com/sparsemat/sprs/issues/170>: the pointers of a matrix with an empty row were not valid.
#[test]
fn sprs_170() {
    let a: Csr<f64> = Csr::try_from_triplets([2, 4], [([1, 2], 5.0)]).unwrap();
    assert_eq!(
        (a.row_ptr(), a.col_idx(), a.values()),
        (&[0, 0, 1][..], &[2][..], &[5.0][..])
    );
}

/// <https://github.com/finch-tensor/Finch.jl/blob/main/test/suites/issue_tests.jl>, #99: arrays that count from zero were
/// read as if they counted from one.
#[test]
fn finch_99() {
    let (pointers, rows) = (vec![0, 3, 3, 5], vec![1, 2, 3, 0, 2]);
    let a = Csc::try_from_parts([4, 3], pointers, rows, vec![1.1, 2.2, 3.3, 4.4, 5.5]).unwrap();
    assert_eq!(
        nonzeros(&a),
        [
            ([0, 2], 4.4),
            ([1, 0], 1.1),
            ([2, 0], 2.2),
            ([2, 2], 5.5),
            ([3, 0], 3.3)
        ]
    );
}

/// <https://github.com/jax-ml/jax/issues/18124>: an element outside the shape was dropped silently.
#[test]
fn jax_18124() {
    let elements = [([0, 0], 1.0), ([5, 0], 2.0)];
    let refused = Coo::try_from_triplets([3, 3], elements).unwrap_err();
    assert_eq!((refused.kind(), refused.position()), (ErrorKind::OutOfBounds, Some(1)));
    let view = TripletsView::try_new([3, 3], [&[0, 5], &[0, 0]], &[1.0, 2.0]).unwrap_err();
    assert_eq!((view.kind(), view.position()), (ErrorKind::OutOfBounds, Some(1)));
}
