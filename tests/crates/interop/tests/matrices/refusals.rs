//! Repeated triplets, and what the other library does not hold.

use faer::sparse::{SparseRowMat, SparseRowMatRef, SymbolicSparseRowMatRef};
use nalgebra_sparse::CooMatrix;
use ndarray::{Array2, Array3};
use sprs::CsMatI;
use unisparse::ErrorKind;
use unisparse::io::{self, NpzKind};
use unisparse::prelude::*;

#[test]
fn repeated_triplets_are_combined_by_their_policy() {
    let repeated = || Triplets::try_from_triplets([2, 2], [([0, 1], 1.0), ([0, 1], 2.0), ([1, 0], 4.0)]).unwrap();
    for (policy, expected) in [
        (Duplicates::Sum, 3.0),
        (Duplicates::First, 1.0),
        (Duplicates::Last, 2.0),
    ] {
        let triplets = repeated().duplicates(policy);
        let dense: Array2<f64> = triplets.to_foreign().unwrap();
        assert_eq!(dense, ndarray::array![[0.0, expected], [4.0, 0.0]]);
        let coo: CooMatrix<f64> = triplets.to_foreign().unwrap();
        let elements: Vec<_> = coo.triplet_iter().map(|(i, j, &value)| (i, j, value)).collect();
        assert_eq!(elements, [(0, 1, expected), (1, 0, 4.0)]);
        for kind in [NpzKind::Dia, NpzKind::Csr, NpzKind::Bsr([2, 2])] {
            let mut bytes = Vec::new();
            io::write_npz_to(&mut bytes, &triplets, kind).unwrap();
            let read: Csr<f64> = io::parse_npz::<f64, 2, _>(&bytes[..]).unwrap().convert().unwrap();
            assert_eq!(read.values(), [expected, 4.0], "{kind:?}");
        }
    }
    let refused = repeated().duplicates(Duplicates::Reject);
    assert_eq!(
        refused.to_foreign::<Array2<f64>>().unwrap_err().kind(),
        ErrorKind::Duplicate
    );
    assert_eq!(
        refused.to_foreign::<CooMatrix<f64>>().unwrap_err().kind(),
        ErrorKind::Duplicate
    );
    assert!(io::write_npz_to(&mut Vec::new(), &refused, NpzKind::Dia).is_err());
}

#[test]
fn extents_that_the_other_library_does_not_hold_are_errors() {
    let wide = Csr::try_from_triplets([2, 3_000_000_000], [([0, 0], 1.0)]).unwrap();
    let kinds = [
        wide.as_foreign::<SparseRowMatRef<'_, u32, f64>>().unwrap_err().kind(),
        wide.to_foreign::<SparseRowMat<u32, f64>>().unwrap_err().kind(),
        wide.clone()
            .into_foreign::<SparseRowMat<u32, f64>>()
            .unwrap_err()
            .kind(),
        Csr::try_from_triplets([2, 1 << 32], [([0, 0], 1.0)])
            .unwrap()
            .to_foreign::<CsMatI<f64, u32>>()
            .unwrap_err()
            .kind(),
        Triplets::<f64, 2>::new([0, usize::MAX])
            .to_foreign::<Array2<f64>>()
            .map(drop)
            .unwrap_err()
            .kind(),
        Triplets::<f64, 3>::new([0, 1 << 40, 1 << 40])
            .to_foreign::<Array3<f64>>()
            .unwrap_err()
            .kind(),
    ];
    use ErrorKind::{Limit, Overflow};
    assert_eq!(kinds, [Overflow, Overflow, Overflow, Overflow, Limit, Limit]);
}

#[test]
fn segments_of_faer_may_begin_and_end_inside_the_arrays() {
    let symbolic = SymbolicSparseRowMatRef::new_checked(1, 2, &[1_u32, 2], None, &[0, 1, 0]);
    let matrix = SparseRowMatRef::new(symbolic, &[9.0, 5.0, 7.0]);
    let read: Csr<f64> = matrix.into_format().unwrap();
    assert_eq!(read.iter().collect::<Vec<_>>(), [([0, 1], 5.0)]);
}
