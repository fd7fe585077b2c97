//! Visits in pieces: the pieces have the elements of one visit, and none has much more than its share.

use crate::common::random::tensors;
use unisparse::formats::{
    Bcsc, Bcsr, Bdia, BdiaCsr, Bell, BellCoo, C2sr, Cisr, CisrPlus, Coo, Csb, Csc, Csf, Csr, Dcsc, Dcsr, Dia,
    DiaVariant, Dok, Ell, HiCoo, Jds, Lil, Sell, Serpens,
};
use unisparse::{Limit, Source, SparseTensor, Triplets};

unisparse::sparse_format! {
    /// A dense root whose coordinates start below zero.
    pub format Sheared = |i, j| (diag: j - i, row: i) { merge(diag); }
    /// Conditions on the coordinates of the root itself: the last rows have no element.
    pub format Strided = |i, j| (twice: 2 * i, col: j) { merge(twice); trim(col); }
    pub format Vector = |i| (at: i) { trim(at); }
    pub format Whole = |i| (at: i) { }
    pub format Tuples = |i| (at: i) { trim(at); pack(at); }
    pub format Blocks = |i| (block: i / 4, lane: i % 4) { merge(block); trim(block); }
    pub format Cut = |i, j, k| (y: j, x: i, z: k) { merge(y, x); trim(y..=z); partition(x); }
}

const PIECES: [usize; 7] = [0, 1, 2, 3, 7, 16, 1000];

fn check<S: Source<N, Scalar = f64>, const N: usize>(name: &str, source: &S) {
    let mut all = Vec::new();
    source.for_each(|coordinate, value| all.push((coordinate, value)));
    for pieces in PIECES {
        let borders = source.borders(pieces);
        assert!(
            borders.len() >= 2 && borders.len() <= pieces.max(1) + 1,
            "{name}: {borders:?}"
        );
        assert!(borders[0] == 0 && borders.is_sorted(), "{name}: {borders:?}");
        let mut visited = Vec::new();
        for piece in borders.windows(2) {
            source.for_each_between(piece[0]..piece[1], |coordinate, value| {
                visited.push((coordinate, value));
            });
            source.for_each_between(piece[1]..piece[1], |_, _| panic!("{name}: an empty piece"));
        }
        assert_eq!(visited, all, "{name} in {pieces} pieces, of {:?}", source.shape());
    }
}

fn converted<F: SparseTensor<N, Scalar = f64>, const N: usize>(all: &[Triplets<f64, N>]) -> usize {
    for triplets in all {
        check(F::NAME, &triplets.convert_within::<F>(Limit::none()).unwrap());
    }
    all.len()
}

#[test]
fn pieces_make_the_whole() {
    let mut matrices: Vec<Triplets<f64, 2>> = Vec::new();
    for (at, shape) in [[0, 0], [0, 3], [1, 1], [1, 40], [13, 9], [40, 33]]
        .into_iter()
        .enumerate()
    {
        matrices.extend(tensors(shape, at as u64));
    }
    matrices.iter().for_each(|triplets| check("Triplets", triplets));
    macro_rules! each {
        ($($format:ty),*) => { [$(converted::<$format, 2>(&matrices)),*] };
    }
    let checked = each![
        Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64>, Bcsr<f64, 3, 4>, Bcsc<f64>,
        Csb<f64>, Csb<f64, 7>, Bdia<f64>, Bdia<f64, 3>, HiCoo<f64>, HiCoo<f64, 6>, Dok<f64>, Lil<f64>, Ell<f64>,
        Sell<f64>, Sell<f64, 2, 5>, Jds<f64>, Bell<f64, 3>, C2sr<f64, 4>, Cisr<f64, 3>, CisrPlus<f64, 3>,
        Serpens<f64, 4, 64, 3>, BdiaCsr<f64, 8>, BellCoo<f64, 4>, Sheared<f64>, Strided<f64>
    ];
    assert!(checked.iter().all(|&count| count > 20));
    // The parts of a tensor are tensors themselves.
    for triplets in &matrices {
        let cut: C2sr<f64, 4> = triplets.convert().unwrap();
        cut.parts().iter().for_each(|part| check("C2srPart", part));
        let cut: Cisr<f64, 3> = triplets.convert().unwrap();
        cut.parts().iter().for_each(|part| check("CisrPart", part));
    }
}

#[test]
fn one_and_three_dims() {
    let mut cubes: Vec<Triplets<f64, 3>> = Vec::new();
    for (at, shape) in [[0, 2, 2], [1, 1, 1], [6, 5, 7], [1, 9, 30]].into_iter().enumerate() {
        cubes.extend(tensors(shape, 50 + at as u64));
    }
    converted::<Csf<f64>, 3>(&cubes);
    converted::<Cut<f64>, 3>(&cubes);
    let mut vectors: Vec<Triplets<f64, 1>> = tensors([0], 1);
    vectors.extend(tensors([1], 2));
    vectors.extend(tensors([70], 3));
    converted::<Vector<f64>, 1>(&vectors);
    converted::<Whole<f64>, 1>(&vectors);
    converted::<Tuples<f64>, 1>(&vectors);
    converted::<Blocks<f64>, 1>(&vectors);
}

/// Returns the elements of each piece.
fn sizes<F: SparseTensor<2, Scalar = f64>>(triplets: &Triplets<f64, 2>, pieces: usize) -> Vec<usize> {
    let tensor: F = triplets.convert_within(Limit::none()).unwrap();
    let borders = tensor.borders(pieces);
    let size = |piece: &[usize]| {
        let mut count = 0;
        tensor.for_each_between(piece[0]..piece[1], |_, _| count += 1);
        count
    };
    borders.windows(2).map(size).collect()
}

#[test]
fn pieces_are_balanced() {
    // Row 100 has as many elements as the sum of all others.
    let light = (0..1000).filter(|&row| row != 100).map(|row| [row, row * 7 % 1000]);
    let heavy = (0..999).map(|col| [100, col]);
    let elements = light.chain(heavy).map(|coordinate| (coordinate, 1.0));
    let triplets = Triplets::try_from_triplets([1000, 1000], elements).unwrap();
    for pieces in [1, 2, 3, 8, 100] {
        let (share, heaviest) = (1998_usize.div_ceil(pieces), 999);
        let by_element = [
            sizes::<Coo<f64>>(&triplets, pieces),
            sizes::<Dok<f64>>(&triplets, pieces),
        ];
        for sizes in by_element {
            assert_eq!(sizes.len(), pieces);
            assert!(sizes.iter().all(|&size| size <= share), "{sizes:?}");
        }
        let by_row = [
            sizes::<Csr<f64>>(&triplets, pieces),
            sizes::<Dcsr<f64>>(&triplets, pieces),
            sizes::<Lil<f64>>(&triplets, pieces),
        ];
        for sizes in by_row {
            assert!(sizes.iter().all(|&size| size <= share + heaviest), "{sizes:?}");
            // The equally long rows share the rest of the work.
            assert!(sizes.iter().filter(|&&size| size > share).count() <= 1, "{sizes:?}");
        }
        // Two columns have elements in the column of the heavy row; no column has more than two elements.
        assert!(
            sizes::<Csc<f64>>(&triplets, pieces)
                .iter()
                .all(|&size| size <= share + 2)
        );
    }
}

/// The visits of `drop_zeros`.
#[test]
fn explicit_zeros_stay_in_their_piece() {
    let elements = (0..60).map(|at| ([at / 6, at % 6], f64::from(at as u8 % 3)));
    let triplets = Triplets::try_from_triplets([10, 6], elements).unwrap();
    check("Ell", &triplets.convert::<Ell<f64>>().unwrap());
    check("Bcsr", &triplets.convert::<Bcsr<f64, 4, 4>>().unwrap());
}
