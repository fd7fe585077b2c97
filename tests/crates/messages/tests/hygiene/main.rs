//! Names of users that are also names in generated code.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

mod operands;
mod parameters;

/// The entries of `A`, and a product with them.
mod expected {
    pub(crate) const ENTRIES: [([usize; 2], f64); 4] = [([0, 1], 2.0), ([1, 0], 3.0), ([2, 2], 5.0), ([4, 3], 7.0)];
    pub(crate) const X: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
    pub(crate) const Y: [f64; 5] = [20.0, 3.0, 500.0, 0.0, 7000.0];

    pub(crate) fn tensor<F: ::unisparse::SparseTensor<2, Scalar = f64>>() -> F {
        ::unisparse::Triplets::try_from_triplets([5, 4], ENTRIES)
            .unwrap()
            .convert()
            .unwrap()
    }
}

/// Dims, levels, parameters and operands with the names that generated code uses.
mod captured {
    ::unisparse::sparse_format! {
        /// Dims and levels of one name.
        pub format Same = |i, j| (i: i, j: j) { merge(i); trim(j); }
        /// Dims and levels of each other's names.
        pub format Crossed = |row, col| (col: row, row: col) { merge(col); trim(row); }
        /// No names of levels.
        pub format Bare = |i, j| (i, j) { merge(0); trim(1); }
        /// The names of fields, methods and locals.
        pub format Locals = |shape, visit| (values: shape, value: visit) { merge(values); trim(value); }
        /// More of them.
        pub format Pieces = |extents, coordinate| (levels: extents, coordinates: coordinate) { trim(levels..=coordinates); }
        /// Keywords, raw.
        pub format Raw = |r#type, r#in| (r#fn: r#type, r#loop: r#in) { merge(r#fn); trim(r#loop); }
        /// Blocks with parameters called like dims of kernels and like types.
        pub format Sized<const N: usize = 2, const M: usize = 2> =
            |i, j| (shape: i / N, limit: j / M, source: i % N, position: j % M) { merge(shape, limit); trim(limit); }
        /// A third level that is fixed, diagonals, negative coordinates.
        pub format Dia = |x, y| (start: y - x, end: x, last: y) { merge(start); trim(start); }
        /// Quotients.
        pub format Tiles = |quotient0, quotient1| (
            size: quotient0 / 4, lo: quotient1 / 4, hi: quotient0 % 4 / 2, at: quotient1 % 4 / 2, p: quotient0 % 2, q: quotient1 % 2
        ) { merge(size, lo, hi); trim(lo); trim(at); }
    }

    ::unisparse::sparse_kernel! {
        pub fn values: out[row] = value[row, col] * x[col]
            where value: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
        pub fn visit: extents[shape] = row_ptr[shape, coordinate] * col_idx[coordinate]
            where row_ptr: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
        pub fn r#type: r#in[r#as] = r#dyn[r#as, r#ref] * r#mod[r#ref]
            where r#dyn: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
        pub fn sparse: result[i_extent] = Sparse[i_extent, j_extent] * output[j_extent]
            where Sparse: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
        pub fn upper: input0[N] = R[N, S] * T[S] where R: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
        pub fn x: y[i] = A[i, j] * x[j] where A: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
        pub fn scalars: y[i] = self_ * A[i, j] * x[j] * limit * position
            where A: Same | Crossed | Bare | Locals | Pieces | Raw | Sized | Dia | Tiles;
    }
}

#[test]
fn operands_levels_and_dims_may_have_the_names_of_our_locals() {
    use captured::{Bare, Crossed, Dia, Locals, Pieces, Raw, Same, Sized, Tiles};
    use expected::{ENTRIES, X, Y, tensor};

    macro_rules! check {
        ($($format:ident)*) => { $({
            let a = tensor::<$format<f64>>();
            let mut entries = a.iter().collect::<Vec<_>>();
            entries.sort_by_key(|(coordinate, _)| *coordinate);
            assert_eq!(entries, ENTRIES);
            let mut y = vec![-1.0; 5];
            captured::values(&mut y, &a, &X).unwrap();
            assert_eq!(y, Y);
            captured::visit(&mut y, &a, &X).unwrap();
            assert_eq!(y, Y);
            captured::r#type(&mut y, &a, &X).unwrap();
            assert_eq!(y, Y);
            captured::sparse(&mut y, &a, &X).unwrap();
            assert_eq!(y, Y);
            captured::upper(&mut y, &a, &X).unwrap();
            assert_eq!(y, Y);
            captured::x(&mut y, &a, &X).unwrap();
            assert_eq!(y, Y);
            captured::scalars(&mut y, 1.0, &a, &X, 1.0, 1.0).unwrap();
            assert_eq!(y, Y);
        })* };
    }
    check!(Same Crossed Bare Locals Pieces Raw Sized Dia Tiles);
    assert_eq!(tensor::<Raw<f64>>().loop_idx().len(), 4);
}

#[test]
#[ignore = "generated code names `usize`, `bool`, `str` and methods of prelude traits as the user's scope has them"]
fn types_of_the_user_and_a_missing_prelude_do_not_matter() {
    messages::compile("ui/hygiene");
}
