//! Conversions between formats of one index map: they give the arrays that assembling the elements gives, and move those
//! that stay.

mod common;

use common::random::Random;
use unisparse::__private::reaches;
use unisparse::prelude::*;
use unisparse::{ErrorKind, sparse_format};

sparse_format! {
    /// Coordinates by column.
    format CooByColumn = |i, j| (col: j, row: i) { trim(col..=row); }
    /// As `Coo`, with other integers.
    format WideCoo = |i, j| (row: i, col: j) { trim(row..=col); index(row: u64, col: u16); }
    /// As `Csr`, with other integers.
    format WideCsr = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: i16); pointer(u64); }
    /// Tuples in `Dcsr`.
    format PackedDcsr = |i, j| (row: i, col: j) { merge(row); trim(row..=col); pack(col); index(row: u16); }

    format BlockDcsr<const R: usize = 2, const C: usize = 2> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(brow..=bcol); }
    format BlockCoo<const R: usize = 2, const C: usize = 2> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(bcol); trim(brow..=bcol); }

    format Blocks0<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); }
    format Blocks1<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(brow, bcol, r); trim(bcol..=c); }
    format Blocks2<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(brow, bcol, r); trim(c); }
    format Blocks3<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { trim(brow..=c); index(r: u8, c: u8); }
    format Blocks4<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(brow, r); trim(brow..=c); }
    format Blocks5<const B: usize = 3> = |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(brow, bcol, r); trim(bcol); trim(c); }

    format Diagonals0 = |i, j| (diag: j - i, row: i) { merge(diag); trim(row); }
    format Diagonals1 = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag..=row); }
    format Diagonals2 = |i, j| (diag: j - i, row: i) { trim(diag..=row); index(diag: i64); }

    format Cube0 = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); }
    format Cube1 = |i, j, k| (x: i, y: j, z: k) { merge(x); trim(x..=z); }
    format Cube2 = |i, j, k| (x: i, y: j, z: k) { merge(y); trim(x..=z); }
    format Cube3 = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(y..=z); }
    format Cube4 = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(z); }
    format Cube5 = |i, j, k| (x: i, y: j, z: k) { merge(x); trim(y..=z); }
    format Cube6 = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); pack(x..=z); }
}

/// The elements of a tensor in its order, as a source of which nothing else is known.
fn elements<S: Source<N>, const N: usize>(source: &S) -> Triplets<S::Scalar, N> {
    let mut elements = Triplets::new(source.shape());
    source.for_each(|at, value| elements.push(at, value).unwrap());
    elements
}

/// A format under test. Every function here is compiled once for each format, and not for each pair.
trait Compared<const N: usize>: SparseTensor<N, Scalar = f64> + Clone {
    /// The arrays as text: it distinguishes zeros of both signs, and NaN equals itself.
    fn text(self) -> String;

    fn assembled(elements: &Triplets<f64, N>) -> Self {
        Self::assemble(elements, Limit::none()).unwrap()
    }
}

macro_rules! compared {
    ($dims:literal: $($format:ty),*) => {$(
        impl Compared<$dims> for $format {
            fn text(self) -> String {
                format!("{:?}", self.into_parts())
            }
        }
    )*};
}

/// Fails unless both conversions from a source gave the arrays that its elements are assembled into.
fn judge(pair: &str, elements: &dyn Fn() -> String, assembled: &str, lent: &str, given: &str) {
    assert_eq!(lent, assembled, "{pair} of {}, which is lent", elements());
    assert_eq!(given, assembled, "{pair} of {}, which is given away", elements());
}

fn converts<S: Compared<N>, F: Compared<N>, const N: usize>(source: &S, elements: &Triplets<f64, N>) {
    const { assert!(reaches::<S, F, N>()) };
    let lent: F = source.convert_within(Limit::none()).unwrap();
    let given: F = source.clone().convert_into_within(Limit::none()).unwrap();
    judge(
        &format!("{} to {}", S::NAME, F::NAME),
        &|| format!("{elements:?}"),
        &F::assembled(elements).text(),
        &lent.text(),
        &given.text(),
    );
}

/// Functions that convert a tensor of `$dims` dims between all formats of a list; those in brackets only with `--cfg every_product`.
macro_rules! pairs {
    ($($name:ident<$dims:literal>: $($format:ty),* $([$($further:ty),*])?;)*) => {$(
        compared!($dims: $($format),* $(, $($further),*)?);
        #[cfg(not(every_product))]
        fn $name(triplets: &Triplets<f64, $dims>) {
            pairs!(@all $dims triplets [$($format),*] [$($format),*]);
        }
        #[cfg(every_product)]
        fn $name(triplets: &Triplets<f64, $dims>) {
            pairs!(@all $dims triplets [$($format),* $(, $($further),*)?] [$($format),* $(, $($further),*)?]);
        }
    )*};
    (@all $dims:literal $triplets:ident [$($from:ty),*] $all:tt) => { $(pairs!(@each $dims $triplets $from => $all);)* };
    (@each $dims:literal $triplets:ident $from:ty => [$($to:ty),*]) => {
        let source = <$from>::assembled($triplets);
        let elements = elements(&source);
        $(converts::<$from, $to, $dims>(&source, &elements);)*
    };
}

pairs! {
    by_row<2>: Coo<f64>, Csr<f64>, Dcsr<f64>, WideCoo<f64>, PackedDcsr<f64> [Lil<f64>, Dok<f64>, WideCsr<f64>];
    by_column<2>: CooByColumn<f64>, Csc<f64>, Dcsc<f64>;
    by_diagonal<2>: Diagonals0<f64>, Diagonals1<f64>, Diagonals2<f64>;
    by_block<2>: Bcsr<f64>, BlockDcsr<f64>, BlockCoo<f64>;
    by_wide_block<2>: Bcsr<f64, 3, 4>, BlockCoo<f64, 3, 4> [BlockDcsr<f64, 3, 4>];
    by_square<2>: Csb<f64, 3>, HiCoo<f64, 3>, Blocks2<f64>, Blocks3<f64>, Blocks4<f64> [Blocks0<f64>, Blocks1<f64>, Blocks5<f64>];
    cubes<3>: Csf<f64>, Cube1<f64>, Cube3<f64>, Cube5<f64>, Cube6<f64> [Cube0<f64>, Cube2<f64>, Cube4<f64>];
}

/// Tensors of many shapes, with explicit zeros of both signs.
fn tensors<const N: usize>(largest: usize, mut check: impl FnMut(&Triplets<f64, N>)) {
    let mut random = Random::new(7);
    for case in 0..60 {
        let shape: [usize; N] = core::array::from_fn(|_| random.below(largest + 1));
        let mut triplets = Triplets::new(shape);
        let volume: usize = shape.iter().product();
        let most = if case % 3 == 0 { volume } else { volume.isqrt() };
        for _ in 0..random.below(most + 1) {
            let at = shape.map(|extent| random.below(extent));
            let value = [0.0, -0.0, f64::NAN, 1.0, 2.0, 3.0][random.below(6)];
            triplets.push(at, value).unwrap();
        }
        check(&triplets);
    }
}

#[test]
fn rows_and_columns() {
    tensors(12, |triplets| {
        by_row(triplets);
        by_column(triplets);
        by_diagonal(triplets);
    });
}

#[test]
fn blocks_with_holes() {
    tensors(17, |triplets| {
        by_block(triplets);
        by_wide_block(triplets);
    });
}

#[test]
fn blocks_of_coordinates() {
    tensors(14, by_square);
}

#[test]
fn three_dimensions() {
    tensors(9, cubes);
}

#[test]
fn other_pairs_are_assembled() {
    const {
        assert!(!reaches::<Csr<f64>, Csc<f64>, 2>());
        assert!(!reaches::<Bcsr<f64, 2, 2>, BlockDcsr<f64, 2, 3>, 2>());
        assert!(!reaches::<Csr<f64>, Bcsr<f64>, 2>());
        assert!(!reaches::<Triplets<f64, 2>, Csr<f64>, 2>());
        assert!(!reaches::<Ell<f64>, Ell<f64>, 2>());
        assert!(!reaches::<Dia<f64>, Diagonals1<f64>, 2>());
        assert!(!reaches::<Csr<f64>, C2sr<f64>, 2>());
    };
    tensors(12, |triplets| {
        let csr: Csr<f64> = triplets.convert().unwrap();
        let csc: Csc<f64> = csr.clone().convert_into().unwrap();
        let expected = csr.convert::<Csc<f64>>().unwrap();
        assert_eq!(format!("{csc:?}"), format!("{expected:?}"));
        let hybrid: BdiaCsr<f64> = csr.convert_into().unwrap();
        let expected = C2sr::<f64>::assemble(&hybrid, Limit::default()).unwrap();
        let banks: C2sr<f64> = hybrid.convert_into().unwrap();
        assert_eq!(format!("{banks:?}"), format!("{expected:?}"));
    });
}

fn some() -> Triplets<f64, 2> {
    let elements = (0..40).map(|at| ([at * at % 31, at * 7 % 23], at as f64 + 1.0));
    Triplets::try_from_triplets([31, 23], elements).unwrap()
}

#[test]
fn arrays_that_stay_are_not_copied() {
    let csr: Csr<f64> = some().convert().unwrap();
    let (ptr, idx, values) = (csr.row_ptr().as_ptr(), csr.col_idx().as_ptr(), csr.values().as_ptr());
    let again: Csr<f64> = csr.convert_into().unwrap();
    assert_eq!((again.row_ptr().as_ptr(), again.col_idx().as_ptr()), (ptr, idx));
    let dcsr: Dcsr<f64> = again.convert_into().unwrap();
    assert_eq!((dcsr.col_idx().as_ptr(), dcsr.values().as_ptr()), (idx, values));
    let coo: Coo<f64> = dcsr.convert_into().unwrap();
    assert_eq!((coo.col_idx().as_ptr(), coo.values().as_ptr()), (idx, values));
    let csr: Csr<f64> = coo.convert_into().unwrap();
    assert_eq!((csr.col_idx().as_ptr(), csr.values().as_ptr()), (idx, values));

    let dcsc: Dcsc<f64> = some().convert().unwrap();
    let (idx, values) = (dcsc.row_idx().as_ptr(), dcsc.values().as_ptr());
    let csc: Csc<f64> = dcsc.convert_into().unwrap();
    assert_eq!((csc.row_idx().as_ptr(), csc.values().as_ptr()), (idx, values));

    let bcsr: Bcsr<f64> = some().convert().unwrap();
    let (idx, values) = (bcsr.bcol_idx().as_ptr(), bcsr.values().as_ptr());
    let blocks: BlockDcsr<f64> = bcsr.convert_into().unwrap();
    assert_eq!((blocks.bcol_idx().as_ptr(), blocks.values().as_ptr()), (idx, values));

    // The levels below the one that differs, in three dims: the pointers, too.
    let triplets = Triplets::try_from_triplets([4, 5, 6], (0..20).map(|at| ([at % 4, at % 5, at % 6], 1.0)));
    let cube: Cube3<f64> = triplets.unwrap().convert().unwrap();
    let (ptr, idx) = (cube.y_ptr().as_ptr(), [cube.y_idx(), cube.z_idx()].map(<[u32]>::as_ptr));
    let csf: Csf<f64> = cube.convert_into().unwrap();
    assert_eq!(
        (csf.y_ptr().as_ptr(), [csf.y_idx(), csf.z_idx()].map(<[u32]>::as_ptr)),
        (ptr, idx)
    );
}

#[test]
fn filling_keeps_to_the_limit() {
    let triplets = Triplets::try_from_triplets([1 << 31, 4], [([5, 1], 1.0), ([1 << 30, 2], 2.0)]).unwrap();
    let dcsr: Dcsr<f64> = triplets.convert().unwrap();
    let error = dcsr.convert::<Csr<f64>>().unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Limit, "format `Csr`"));
    assert_eq!(error, triplets.convert::<Csr<f64>>().unwrap_err());
    assert_eq!(dcsr.clone().convert_into::<Csr<f64>>().unwrap_err(), error);
    // What other arrays take counts.
    let csr: Csr<f64> = some().convert().unwrap();
    let bytes = csr.bytes() as u128;
    let coo: Coo<f64> = csr.convert().unwrap();
    assert!(coo.convert_within::<Csr<f64>>(Limit::bytes(bytes)).is_ok());
    let error = coo
        .convert_into_within::<Csr<f64>>(Limit::bytes(bytes - 1))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let dok: Dok<f64> = csr.convert().unwrap();
    assert!(
        csr.convert_within::<Dok<f64>>(Limit::bytes(dok.bytes() as u128))
            .is_ok()
    );
    assert!(
        csr.convert_within::<Dok<f64>>(Limit::bytes(dok.bytes() as u128 - 1))
            .is_err()
    );
}

#[test]
fn integers_that_do_not_fit_are_refused_as_in_assembling() {
    sparse_format! {
        format Short = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u8, col: u8); }
        format Few = |i, j| (row: i, col: j) { merge(row); trim(col); pointer(u8); }
    }
    let wide = Triplets::try_from_triplets([300, 300], (0..300).map(|at| ([at, at], 1.0))).unwrap();
    let csr: Csr<f64> = wide.convert().unwrap();
    let error = csr.convert::<Short<f64>>().unwrap_err();
    assert_eq!(error, wide.convert::<Short<f64>>().unwrap_err());
    assert_eq!(
        (error.kind(), error.subject(), error.position()),
        (ErrorKind::Overflow, "`row_idx`", Some(256))
    );
    assert_eq!(csr.clone().convert_into::<Short<f64>>().unwrap_err(), error);
    let error = csr.convert::<Few<f64>>().unwrap_err();
    assert_eq!(error, wide.convert::<Few<f64>>().unwrap_err());
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Overflow, "`row_ptr`"));
}

#[test]
fn a_block_of_zeros_is_left_out() {
    // The first block has an explicit zero only, which no conversion reads.
    let triplets = Triplets::try_from_triplets([4, 4], [([0, 0], -0.0), ([3, 3], 1.0), ([2, 3], -0.0)]).unwrap();
    let bcsr: Bcsr<f64> = triplets.convert().unwrap();
    assert_eq!(bcsr.stored(), 8);
    let blocks: BlockDcsr<f64> = bcsr.clone().convert_into().unwrap();
    assert_eq!((blocks.brow_idx(), blocks.bcol_idx()), (&[1][..], &[1][..]));
    assert_eq!(
        blocks.values().iter().map(|value| value.to_bits()).collect::<Vec<_>>(),
        [0, 0, 0, 1f64.to_bits()]
    );
}

mod statements {
    use super::*;

    const SIZE: usize = 3;

    sparse_format! {
        /// Banks of rows.
        pub format Banks<const R: usize = 2> =
            |i, j| (bank: i % R, local: i / R, col: j) { merge(bank, local); trim(col); partition(bank); }
        pub hybrid Both<const R: usize = 4> = Bdia<R> + Csr split sum(value != 0 => 1, _ => 0).group_by(i / R, j - i) > most;

        /// From rows and blocks.
        convert Csr -> WideCsr, WideCsr -> Csr, crate::CooByColumn -> unisparse::formats::Csc;
        // All of their parameters, which have the same names; and some of them.
        convert BlockDcsr -> BlockCoo, Bcsr -> BlockDcsr<SIZE, 4>, BlockCoo<2, 2> -> BlockCoo<SIZE, 3>;
        convert Csr -> Banks, BanksPart -> Csr, Both -> Csr, Csr -> Both<8>, Cube0 -> Csf;
        #[cfg(any())]
        convert Nothing -> Csr;
    }

    #[test]
    fn become_try_from() {
        let csr: Csr<f64> = some().convert().unwrap();
        let (ptr, values) = (csr.row_ptr().to_vec(), csr.values().as_ptr());
        let wide = WideCsr::try_from(&csr).unwrap();
        assert_ne!(wide.values().as_ptr(), values);
        let wide = WideCsr::try_from(csr).unwrap();
        assert_eq!(wide.values().as_ptr(), values);
        let csr: Result<Csr<f64>, Error> = wide.try_into();
        let csr = csr.unwrap();
        assert_eq!((csr.values().as_ptr(), csr.row_ptr()), (values, &ptr[..]));

        let blocks: BlockDcsr<f64, 5, 3> = csr.convert().unwrap();
        let blocks: BlockCoo<f64, 5, 3> = blocks.try_into().unwrap();
        assert!(csr == blocks.convert().unwrap());
        let bcsr: Bcsr<f64, 7, 1> = csr.convert().unwrap();
        let blocks = BlockDcsr::try_from(bcsr).unwrap();
        assert_eq!((blocks.r_size(), blocks.c_size()), (SIZE, 4));
        let blocks: BlockCoo<f64, 2, 2> = csr.convert().unwrap();
        assert!(csr == BlockCoo::<f64, 3, 3>::try_from(blocks).unwrap().convert().unwrap());

        let banks = Banks::<f64, 2>::try_from(&csr).unwrap();
        let rows = banks.parts().iter().map(|part| Csr::try_from(part).unwrap().nnz());
        assert_eq!(rows.sum::<usize>(), csr.nnz());
        assert!(csr == Csr::try_from(Both::<f64, 8>::try_from(&csr).unwrap()).unwrap());
        let csc = Csc::try_from(csr.convert::<CooByColumn<f64>>().unwrap()).unwrap();
        assert!(csr == csc.convert().unwrap());
    }
}
