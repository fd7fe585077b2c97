//! Conversions that a limit refuses, and the same under a greater limit.

use unisparse::ErrorKind;
use unisparse::prelude::*;

#[test]
fn a_conversion_that_is_too_large_is_refused_and_one_that_is_allowed_is_made() {
    // 2000 elements on 3998 diagonals of 4000 rows: 64 MB.
    let scattered = (0..2000)
        .map(|at| ([at * 2, 3999 - at * 2], 1.0f32))
        .chain([([0, 3999], 1.0)]);
    let triplets = Triplets::try_from_triplets([4000, 4000], scattered).unwrap();
    let coo: Coo<f32> = triplets.convert().unwrap();
    let error = coo.convert::<Dia<f32>>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("32008000"), "{error}");
    let dia: Dia<f32> = coo.convert_within(Limit::bytes(40_000_000)).unwrap();
    assert_eq!(
        (dia.nnz(), dia.stored(), dia.bytes()),
        (2000, 2000 * 4000, 2000 * 4 + 2000 * 4000 * 4)
    );
    assert!(dia.convert_within::<Coo<f32>>(Limit::bytes(1000)).is_err());
    assert!(dia.convert::<Coo<f32>>().unwrap() == coo);
}
