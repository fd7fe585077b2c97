//! A crate that declares formats, and re-exports `unisparse` for its users.
#![deny(warnings, missing_docs, unreachable_pub, unused, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

/// The re-export, for crates that do not depend on `unisparse`.
pub use unisparse as sparse;

/// Formats in a module.
pub mod blocked {
    unisparse::sparse_format! {
        /// Blocks of `R` rows.
        pub format Bands<const R: usize = 2> = |i, j| (band: i / R, col: j, r: i % R) { merge(band); trim(col); }
    }
}

pub use blocked::Bands as Striped;

/// A hybrid whose parts are private.
mod hidden {
    unisparse::sparse_format! {
        /// Tiles of `W` columns.
        pub format Tiles<const W: usize = 4> = |r, c| (tile: c / W, row: r, col: c % W) { merge(tile); trim(row..=col); }
        /// Long rows in bands, the others in tiles.
        pub hybrid Rowwise<const R: usize = 2> = super::Striped<R> + Tiles<3>
            split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
    }
}

pub use hidden::Rowwise;

unisparse::sparse_format! {
    /// Compressed sparse rows under another name.
    pub format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
}

unisparse::sparse_kernel! {
    /// A kernel of this crate's formats.
    pub fn scaled: y[i] = alpha * A[i, j] * x[j] where A: Rows | blocked::Bands | unisparse::formats::Dia | Rowwise;
}

/// Declares a format in the user's module, through a macro of this crate.
#[macro_export]
macro_rules! declare_rows {
    ($visibility:vis $name:ident) => {
        $crate::sparse::sparse_format! {
            /// Rows, by a macro of another crate.
            $visibility format $name = |i, j| (row: i, col: j) { merge(row); trim(col); }
        }
    };
}
