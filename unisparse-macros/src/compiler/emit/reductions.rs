//! Prints what a reduction of sums needs in Rust: its function, its identity, and the start value of its result.

use proc_macro2::TokenStream;
use quote::quote;

use crate::compiler::loops::Reduction;

/// Returns the path of the function that reduces two values of the type `sum`.
pub(super) fn function(reduction: Reduction, sum: &TokenStream, runtime: &TokenStream) -> TokenStream {
    match reduction {
        Reduction::Plus => quote!(<#sum as #runtime::Scalar>::plus),
        Reduction::Min => quote!(<#sum as #runtime::Ordered>::lesser),
        Reduction::Max => quote!(<#sum as #runtime::Ordered>::greater),
        Reduction::Or => quote!(<#sum as ::core::ops::BitOr>::bitor),
        Reduction::And => quote!(<#sum as ::core::ops::BitAnd>::bitand),
    }
}

/// Returns the identity of a reduction, which preserves NaN; `None` for a conjunction.
pub(super) fn identity(reduction: Reduction, sum: &TokenStream, runtime: &TokenStream) -> Option<TokenStream> {
    match reduction {
        Reduction::Plus | Reduction::Or => Some(quote!(<#sum as #runtime::Scalar>::ZERO)),
        Reduction::Min => Some(quote!(<#sum as #runtime::Ordered>::NO_LESSER)),
        Reduction::Max => Some(quote!(<#sum as #runtime::Ordered>::NO_GREATER)),
        Reduction::And => None,
    }
}

/// Returns the start value of a result, which is what a minimum or a maximum of no values is; `None` for a conjunction.
pub(super) fn start(reduction: Reduction, sum: &TokenStream, runtime: &TokenStream) -> Option<TokenStream> {
    match reduction {
        Reduction::Min => Some(quote!(<#sum as #runtime::Ordered>::GREATEST)),
        Reduction::Max => Some(quote!(<#sum as #runtime::Ordered>::LEAST)),
        Reduction::Plus | Reduction::Or | Reduction::And => identity(reduction, sum, runtime),
    }
}
