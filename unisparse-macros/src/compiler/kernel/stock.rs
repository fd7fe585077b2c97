//! The kernels that every declared format has, by its number of dims.

use proc_macro2::TokenStream;
use quote::quote;

/// The statements, with their documentation. The operand `A` stands for every format of two dims.
pub(crate) fn statements() -> Vec<TokenStream> {
    vec![
        quote! {
            /// Sparse matrix times dense vector.
            pub fn spmv: y[i] = A[i, j] * x[j] where A: _;
        },
        quote! {
            /// Sparse matrix times dense matrix, row-major.
            pub fn spmm: C[i, n] = A[i, j] * B[j, n] where A: _;
        },
    ]
}
