//! The tokens of a macro call, with the path of the run time that the user-facing macro puts before them.

use proc_macro2::TokenStream;
use syn::braced;
use syn::parse::{Parse, ParseStream};

use crate::compiler::transport::Runtime;

/// The tokens of an invocation, and the path of the run time that the user-facing macro passed before them.
pub(crate) struct Invocation {
    pub(crate) runtime: Runtime,
    pub(crate) tokens: TokenStream,
}

impl Parse for Invocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path;
        braced!(path in input);
        Ok(Invocation {
            runtime: Runtime::new(path.parse()?),
            tokens: input.parse()?,
        })
    }
}
