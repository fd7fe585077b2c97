//! Where one coordinate comes twice: what has no sum is refused, unless the policy keeps one.

use unisparse::formats::*;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Narrow, Pattern};

type Ones = Pattern<f64>;

fn twice<T: Copy + Stored>(value: T, policy: Duplicates) -> Triplets<T, 2> {
    let at = [[2, 1], [0, 3], [2, 1], [1, 0]];
    let triplets = Triplets::try_from_triplets([3, 4], at.map(|at| (at, value)));
    triplets.unwrap().duplicates(policy)
}

#[test]
fn one_and_one_are_not_one() {
    let patterns = twice(Ones::new(), Duplicates::default());
    macro_rules! refused {
        ($($name:ident)*) => {$(
            let refused = patterns.convert::<$name<Ones>>().unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Duplicate, stringify!($name));
            let refused = patterns.estimate::<$name<Ones>>().unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Duplicate, stringify!($name));
        )*};
    }
    // By sorting, by bins, and by queries.
    refused!(Coo Csr Csc Dcsr HiCoo Jds Cisr C2sr Dok Lil);
    let refused = Csr::try_from_triplets([1, 1], [([0, 0], Ones::new()); 2]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Duplicate);
    assert!(refused.to_string().contains("[0, 0] twice"), "{refused}");
}

#[test]
fn a_policy_that_keeps_one_duplicate_needs_no_sum() {
    for policy in [Duplicates::First, Duplicates::Last] {
        let patterns = twice(Ones::new(), policy);
        assert_eq!(patterns.convert::<Csr<Ones>>().unwrap().nnz(), 3);
        assert_eq!(patterns.convert::<Jds<Ones>>().unwrap().nnz(), 3);
        assert_eq!(patterns.estimate::<Csr<Ones>>().unwrap().stored(), 3);
    }
}

#[test]
fn sums_that_would_be_rounded_are_refused() {
    let narrow = twice(Narrow::<u8, f64>::new(200), Duplicates::Sum);
    assert_eq!(
        narrow.convert::<Csr<_>>().map(|a: Csr<_>| a.nnz()).unwrap_err().kind(),
        ErrorKind::Duplicate
    );
    assert_eq!(
        narrow.convert::<Ell<_>>().map(|a: Ell<_>| a.nnz()).unwrap_err().kind(),
        ErrorKind::Duplicate
    );
    // Summed first, then stored as less.
    let a: Csr<f64> = twice(200.0, Duplicates::Sum).convert().unwrap();
    let a = a.map_values(|value| Narrow::<f32, f64>::new(value as f32));
    assert_eq!(a.values()[2].stored(), 400.0);
}
