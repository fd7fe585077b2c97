//! The kernels that every declared format implements, by its number of dims.

use proc_macro2::TokenStream;
use quote::quote;

/// Returns the stock format to which an operand with `*` is converted: the one whose levels are the dims in order.
pub(crate) fn converted_to(rank: usize) -> Option<&'static str> {
    [None, Some("SparseVec"), Some("Csr"), Some("Csf")]
        .get(rank)
        .copied()
        .flatten()
}

/// Returns the statements with their documentation. The operand `A` stands for every format of two dims.
pub(crate) fn statements() -> Vec<TokenStream> {
    vec![
        quote! {
            /// Sparse matrix times dense vector.
            ///
            /// ```
            /// use unisparse::prelude::*;
            ///
            /// let a = Csr::try_from_triplets([2, 3], [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)])?;
            /// let mut y = [0.0; 2];
            /// spmv(&mut y, &a, &[1.0, 10.0, 100.0])?;
            /// assert_eq!(y, [20.0, 403.0]);
            /// # Ok::<(), unisparse::Error>(())
            /// ```
            #[target(cuda, hls)]
            pub fn spmv: y[i] = A[i, j] * x[j] where A: _;
        },
        quote! {
            /// Sparse matrix times dense matrix, row-major.
            ///
            /// ```
            /// use unisparse::prelude::*;
            ///
            /// let a = Dia::try_from_triplets([2, 2], [([0, 0], 2.0), ([1, 1], 3.0)])?;
            /// let b = [[1.0, 10.0], [100.0, 1000.0]];
            /// let mut c = [0.0; 4];
            /// spmm(&mut c, &a, b.as_flattened())?;
            /// assert_eq!(c, [2.0, 20.0, 300.0, 3000.0]);
            /// # Ok::<(), unisparse::Error>(())
            /// ```
            #[target(cuda, hls)]
            pub fn spmm: C[i, n] = A[i, j] * B[j, n] where A: _;
        },
    ]
}
