//! Nothing of the prelude is in scope.
#![no_implicit_prelude]
#![deny(warnings, unused)]

mod bare {
    ::unisparse::sparse_format! {
        /// Skewed, banded, blocked: every kind of level.
        pub format Skew<const B: usize = 2> = |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
        /// Rows.
        pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
        /// Half of the positions are holes.
        pub format Diamond = |i, j| (anti: i + j, diff: j - i) { merge(anti); }
        /// All short.
        pub format Short<const B: usize = 128> =
            |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); index(r: u8, c: u8); }
    }

    ::unisparse::sparse_kernel! {
        pub fn product: y[i] = alpha * A[i, j] * x[j] where A: Skew | Rows | Diamond | Short;
        pub fn product_and_sum: y[i] += A[i, j] * x[j] + beta * z[i] where A: Skew<2> | Rows;
    }
}

fn main() {
    let entries = [([0, 1], 2.0), ([1, 0], 3.0)];
    let rows: bare::Rows<f64> = ::std::result::Result::unwrap(bare::Rows::try_from_triplets([2, 2], entries));
    let mut y = [0.0; 2];
    ::std::result::Result::unwrap(bare::product(&mut y[..], 1.0, &rows, &[1.0, 10.0][..]));
    ::std::assert_eq!(y, [20.0, 3.0]);
}
