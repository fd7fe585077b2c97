//! Lookups that scan a whole operand are reported: in the documentation of the implementation, and in
//! `SCANS` of the kernel's trait.

use unisparse::formats::{Bcsr, Coo, Csc, Csr, Dcsr, Dia, Ell, Jds, Sell};
use unisparse::prelude::*;

sparse_format! {
    /// Coordinates, column by column.
    pub format CooColumns = |i, j| (col: j, row: i) { trim(col..=row); }
}

sparse_kernel! {
    fn multiply: C[i, j] = A[i, k] * B[k, j]
        where A: Csr, B: Csr | Csc | Coo | CooColumns | Dcsr | Bcsr | Dia | Ell | Jds, C: Csr;
    fn dot: t = A[i, j] * B[i, j] where A: Csr | Ell, B: Csr | Csc | Coo | Ell | Jds | Sell;
    fn masked: C[i, j] = A[i, j] if !M[i, j] where A: Csr, M: Csr | Jds, C: Csr;
    fn twice: t = A[i, j] * A[j, k] where A: Csr | Jds;
    fn product: y[i] = A[i, j] * x[j] where A: Csr | Csc | Coo | Jds;
}

macro_rules! scans {
    ($kernel:ident $left:ty, $right:ty $(, $output:ty)?) => { <$left as $kernel<$right $(, $output)?>>::SCANS };
}

#[test]
fn formats_whose_first_level_is_known_are_not_scanned() {
    type A = Csr<f64>;
    assert!(scans!(multiply A, Csr<f64>, A).is_empty());
    assert!(scans!(multiply A, Coo<f64>, A).is_empty());
    assert!(scans!(multiply A, Dcsr<f64>, A).is_empty());
    assert!(scans!(multiply A, Bcsr<f64>, A).is_empty());
    // Every diagonal, and every slot, has one place of a row, so no comparison is wasted.
    assert!(scans!(multiply A, Dia<f64>, A).is_empty());
    assert!(scans!(multiply A, Ell<f64>, A).is_empty());
    assert!(scans!(dot A, Csr<f64>).is_empty());
    assert!(scans!(dot A, Csc<f64>).is_empty());
    assert!(scans!(dot A, Coo<f64>).is_empty());
    assert!(scans!(dot A, Sell<f64>).is_empty());
    // One row is scanned, not all.
    assert!(<Ell<f64> as dot<Ell<f64>>>::SCANS.is_empty());
    // The loops run over `B`, and look up its elements in `A`.
    assert!(scans!(dot A, Jds<f64>).is_empty());
    assert!(scans!(masked A, Csr<f64>, A).is_empty());
    assert!(<A as twice>::SCANS.is_empty());
    assert!(<A as product>::SCANS.is_empty() && <Csc<f64> as product>::SCANS.is_empty());
    assert!(<Coo<f64> as product>::SCANS.is_empty() && <Jds<f64> as product>::SCANS.is_empty());
}

#[test]
fn formats_that_are_scanned_are_named() {
    type A = Csr<f64>;
    let sentence = |operand: &str, format: &str, first: &str, known: &str| {
        format!(
            "Slow: each look-up of {known} in `{operand}` goes through all that `{operand}` stores, because the first level of \
             `{format}`, `{first}`, does not follow from {known}. Convert `{operand}` first to a format whose first level does."
        )
    };
    assert_eq!(scans!(multiply A, Csc<f64>, A), [sentence("B", "Csc", "col", "`k`")]);
    // Here the outer loops run over `B`, and the lookups are in columns of `A`.
    assert_eq!(
        scans!(multiply A, CooColumns<f64>, A),
        [sentence("A", "Csr", "row", "`k`")]
    );
    assert_eq!(scans!(multiply A, Jds<f64>, A), [sentence("A", "Csr", "row", "`k`")]);
    // Two reads with different indices, so the sentence names the level.
    assert_eq!(<Jds<f64> as twice>::SCANS, [sentence("A", "Jds", "slot", "a `row`")]);
    assert_eq!(scans!(masked A, Jds<f64>, A), [sentence("M", "Jds", "slot", "`j`")]);
}
