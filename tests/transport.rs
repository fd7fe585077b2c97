//! How a kernel finds its formats: by every kind of Rust path, in every order of declarations and crates.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

use unisparse::{Error, Scalar, SparseTensor, Triplets, sparse_format, sparse_kernel};

const ENTRIES: [([usize; 2], f64); 4] = [([0, 1], 2.0), ([1, 0], 3.0), ([2, 2], 5.0), ([4, 3], 7.0)];
const X: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
const Y: [f64; 5] = [20.0, 3.0, 500.0, 0.0, 7000.0];

fn tensor<F: SparseTensor<2, Scalar = f64>>() -> F {
    Triplets::try_from_triplets([5, 4], ENTRIES)
        .and_then(|triplets| triplets.convert())
        .expect("the entries fit")
}

/// Runs a kernel `y[i] = A[i, j] * x[j]` and checks the product.
fn multiplies<F: SparseTensor<2, Scalar = f64>>(kernel: impl FnOnce(&mut Vec<f64>, &F, &[f64]) -> Result<(), Error>) {
    let mut y = vec![-1.0; 5];
    kernel(&mut y, &tensor::<F>(), &X).expect("the shapes fit");
    assert_eq!(y, Y, "{}", F::NAME);
}

mod kernel_first {
    super::sparse_kernel! {
        pub(super) fn product: y[i] = A[i, j] * x[j] where A: Later | self::Private;
    }
    super::sparse_format! {
        pub(super) format Later = |i, j| (row: i, col: j) { merge(row); trim(col); }
        format Private = |i, j| (row: i, col: j) { trim(row..=col); }
    }

    #[test]
    fn a_kernel_may_be_declared_before_its_formats() {
        super::multiplies::<Later<_>>(product);
        super::multiplies::<Private<_>>(product);
    }
}

/// Formats that other modules use.
pub mod formats {
    unisparse::sparse_format! {
        /// Rows.
        pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
        /// Blocks.
        pub format Blocks<const R: usize = 2, const C: usize = 3> =
            |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
        pub(crate) format Inner = |i, j| (col: j, row: i) { merge(col); trim(row); }
    }

    pub(crate) mod deep {
        unisparse::sparse_format! {
            // The same name and the same tokens in another module of this crate.
            pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
            pub(in crate::formats) format Hidden = |i, j| (row: i, col: j) { trim(row..=col); }
        }

        unisparse::sparse_kernel! {
            pub(in crate::formats) fn hidden: y[i] = A[i, j] * x[j] where A: Hidden | super::Rows;
        }
    }

    #[test]
    fn a_restricted_format_is_used_where_it_is_visible() {
        use deep::{Hidden, hidden};
        super::multiplies::<Hidden<_>>(hidden);
        super::multiplies::<Rows<_>>(hidden);
    }
}

mod by_one_use {
    use crate::formats::{Blocks, Inner, Rows};

    unisparse::sparse_kernel! {
        pub(super) fn product: y[i] = A[i, j] * x[j] where A: Rows | Inner | Blocks;
    }
}

mod by_another_name {
    use crate::formats::Rows as Lines;
    use crate::formats::deep::Rows;

    unisparse::sparse_kernel! {
        pub(super) fn product: y[i] = A[i, j] * x[j] where A: Lines | Rows;
    }
}

mod by_path {
    unisparse::sparse_kernel! {
        pub(super) fn product: y[i] = A[i, j] * x[j] where A: super::formats::Rows
            | crate::formats::deep::Rows
            | crate::formats::Blocks<2, 3>
            | unisparse::formats::Csr
            | ::unisparse::formats::Bcsr<3, 2>;
    }
}

mod by_glob {
    use crate::formats::*;

    unisparse::sparse_kernel! {
        pub(super) fn product: y[i] = A[i, j] * x[j] where A: Rows | Blocks<4, 4>;
    }
}

mod hybrids_first {
    use super::formats::*;

    super::sparse_kernel! {
        pub(super) fn product: y[i] = A[i, j] * x[j] where A: Both | Renamed<2>;
    }
    super::sparse_format! {
        pub(super) hybrid Both<const N: usize = 1> = Parts + Blocks<N, N> + Rows
            split sum(value != 0 => 1, _ => 0).group_by(i) > high > low;
        hybrid Renamed<const R: usize> = Blocks<R> + self::Parts + super::reexported::Tiles
            split sum(value != 0 => 1, _ => 0).group_by(j) > 1 > 0;
        format Parts = |i, j| (row: i, col: j) { trim(row..=col); }
    }

    #[test]
    fn a_hybrid_may_be_declared_before_its_parts() {
        super::multiplies::<Both<_>>(product);
        super::multiplies::<Both<_, 3>>(product);
        super::multiplies::<Renamed<_, 2>>(product);
    }
}

mod reexported {
    pub(super) use crate::formats::Blocks as Tiles;
    pub(super) use unisparse::formats::{Bcsr, Csc as Elsewhere};
}

sparse_kernel! {
    fn here: y[i] = A[i, j] * x[j] where A: reexported::Tiles | reexported::Elsewhere | self::reexported::Bcsr;
}

#[test]
fn a_format_is_found_by_one_use_by_path_and_by_glob() {
    use crate::formats::{Blocks, Inner, Rows, deep};
    multiplies::<Rows<_>>(by_one_use::product);
    multiplies::<Inner<_>>(by_one_use::product);
    multiplies::<Blocks<_, 5, 1>>(by_one_use::product);
    multiplies::<Rows<_>>(by_another_name::product);
    multiplies::<deep::Rows<_>>(by_another_name::product);
    multiplies::<Rows<_>>(by_path::product);
    multiplies::<deep::Rows<_>>(by_path::product);
    multiplies::<Blocks<_>>(by_path::product);
    multiplies::<unisparse::formats::Csr<_>>(by_path::product);
    multiplies::<unisparse::formats::Bcsr<_, 3, 2>>(by_path::product);
    multiplies::<Rows<_>>(by_glob::product);
    multiplies::<Blocks<_, 4, 4>>(by_glob::product);
    multiplies::<reexported::Tiles<_>>(here);
    multiplies::<reexported::Elsewhere<_>>(here);
    multiplies::<reexported::Bcsr<_>>(here);
}

#[test]
fn one_use_imports_a_kernel_as_it_does_formats() {
    use by_one_use::product as go;
    multiplies::<formats::Rows<_>>(go);
}

/// Kernels that formats join elsewhere.
pub mod kernels {
    unisparse::sparse_kernel! {
        /// Over all formats that join.
        pub fn open: y[i] = A[i, j] * x[j] where A: _;
        /// Over one format before others join.
        pub fn begun: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
        pub(crate) fn inner: y[i] = Left[i, j] * x[j] where Left: _;
    }
}

mod joined {
    use super::kernels::{begun, open as renamed};

    unisparse::sparse_format! {
        pub(super) format Own = |i, j| (row: i, col: j) { trim(row..=col); }
        pub(super) hybrid Both = Own + crate::formats::Rows split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
    }
    unisparse::sparse_kernel! {
        impl renamed for Own | Both | crate::formats::Blocks<2, 3> | unisparse::formats::Bcsr;
        impl begun for A: Own;
        #[cfg(any())]
        impl begun for unisparse::formats::Csr;
        impl crate::kernels::inner for Left: Own | crate::formats::Rows;
        fn later: y[i] = A[i, j] * x[j] where A: Own;
        impl self::later for Both;
    }

    #[test]
    fn a_format_joins_a_kernel_that_was_declared_before_it() {
        super::multiplies::<Own<_>>(renamed);
        super::multiplies::<Both<_>>(renamed);
        super::multiplies::<crate::formats::Blocks<_, 2, 3>>(renamed);
        super::multiplies::<unisparse::formats::Bcsr<_, 4, 1>>(renamed);
        super::multiplies::<unisparse::formats::Csr<_>>(begun);
        super::multiplies::<Own<_>>(begun);
        super::multiplies::<Own<_>>(crate::kernels::inner);
        super::multiplies::<crate::formats::Rows<_>>(crate::kernels::inner);
        super::multiplies::<Own<_>>(later);
        super::multiplies::<Both<_>>(later);
    }
}

#[test]
fn a_format_of_a_function_joins_a_kernel_of_the_crate() {
    sparse_format! {
        format Local = |i, j| (row: i, col: j) { merge(row); trim(col); }
    }
    sparse_kernel! {
        impl kernels::open for Local;
    }
    multiplies::<Local<_>>(kernels::open);
}

mod called_like_a_stock_kernel {
    use unisparse::prelude::*;

    sparse_format! {
        pub(super) format Own = |i, j| (row: i, col: j) { merge(row); trim(col); }
    }
    sparse_kernel! {
        pub(super) fn spmv: y[i] += A[i, j] * x[j] where A: Csr;
        impl spmv for Own;
    }

    mod deeper {
        unisparse::sparse_kernel! {
            impl super::spmv for unisparse::formats::Csc;
        }
    }

    #[test]
    fn a_format_joins_a_kernel_called_like_one_of_the_prelude() -> Result<(), Error> {
        let mut y = vec![0.0; 5];
        spmv(&mut y, &super::tensor::<Csr<_>>(), &super::X)?;
        spmv(&mut y, &super::tensor::<Csc<_>>(), &super::X)?;
        spmv(&mut y, &super::tensor::<Own<_>>(), &super::X)?;
        assert_eq!(y, super::Y.map(|value| 3.0 * value));
        Ok(())
    }
}

sparse_kernel! {
    #[cfg(not(any(unix, windows, not(windows))))]
    fn either: y[i] = A[i, j] * x[j] where A: Missing;
    #[cfg(any(unix, windows, not(windows)))]
    fn either: y[i] = A[i, j] * x[j] where A: formats::Rows;
}

#[test]
fn a_cfg_chooses_one_kernel_of_a_pair() {
    multiplies::<formats::Rows<_>>(either);
}

macro_rules! declare {
    ($module:ident, $visibility:vis $name:ident, $kernel:ident, $block:literal) => {
        mod $module {
            unisparse::sparse_format! {
                $visibility format $name = |i, j| (band: i / $block, col: j, r: i % $block) { merge(band); trim(col); }
                $visibility format Fixed = |i, j| (row: i, col: j) { merge(row); trim(col); }
            }
            unisparse::sparse_kernel! {
                pub(super) fn $kernel: y[i] = A[i, j] * x[j] where A: $name | Fixed;
            }
        }
    };
}

declare!(first, pub(crate) Made, product, 2);
declare!(second, pub Made, product, 2);

#[test]
fn a_macro_of_the_user_declares_several_formats() {
    multiplies::<first::Made<_>>(first::product);
    multiplies::<second::Made<_>>(second::product);
    multiplies::<first::Fixed<_>>(first::product);
    multiplies::<second::Fixed<_>>(second::product);
}

#[test]
fn a_function_body_is_a_place_for_declarations() {
    sparse_format! {
        format Local = |i, j| (row: i, col: j) { merge(row); trim(col); }
        pub format LocalPublic = |i, j| (row: i, col: j) { trim(row..=col); }
        hybrid LocalHybrid = Local + LocalPublic split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
    }
    sparse_kernel! {
        fn product: y[i] = A[i, j] * x[j] where A: Local | LocalPublic | LocalHybrid | unisparse::formats::Coo;
    }
    multiplies::<LocalHybrid<_>>(product);
    multiplies::<Local<_>>(product);
    multiplies::<LocalPublic<_>>(product);
    multiplies::<unisparse::formats::Coo<_>>(product);
}

sparse_format! {
    #[cfg(not(any(unix, windows, not(windows))))]
    pub format Chosen = |i, j| (row: i, col: j) { trim(row..=col); }

    /// One of two formats.
    #[cfg(any(unix, windows, not(windows)))]
    pub format Chosen = |i, j| (row: i, col: j) { merge(row); trim(col); }
}

sparse_kernel! {
    fn chosen: y[i] = A[i, j] * x[j] where A: Chosen;
}

#[test]
fn a_cfg_chooses_one_format_of_a_pair() {
    multiplies::<Chosen<_>>(chosen);
    assert!(tensor::<Chosen<_>>().row_ptr().len() == 6);
}

#[test]
fn generic_code_takes_any_format() {
    fn total<T: Scalar, F: SparseTensor<2, Scalar = T>>(tensor: &F) -> usize {
        tensor.count()
    }
    assert_eq!(total(&tensor::<formats::Rows<_>>()), 4);
}
