//! The unisparse compiler, as procedural macros.
//!
//! Use the `unisparse` crate: its `sparse_format!` and `sparse_kernel!` call these macros, and pass `$crate`.
#![forbid(unsafe_code)]

mod compiler;

use proc_macro::TokenStream;

#[doc(hidden)]
#[proc_macro]
pub fn __sparse_format(tokens: TokenStream) -> TokenStream {
    compiler::sparse_format(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __sparse_hybrid_resume(tokens: TokenStream) -> TokenStream {
    compiler::hybrid_resume(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __sparse_convert_resume(tokens: TokenStream) -> TokenStream {
    compiler::convert_resume(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __sparse_kernel(tokens: TokenStream) -> TokenStream {
    compiler::sparse_kernel(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __sparse_kernel_resume(tokens: TokenStream) -> TokenStream {
    compiler::kernel_resume(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __sparse_kernel_join(tokens: TokenStream) -> TokenStream {
    compiler::kernel_join(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __stock_kernels(tokens: TokenStream) -> TokenStream {
    compiler::stock_kernels(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __kernel_text(tokens: TokenStream) -> TokenStream {
    compiler::kernel_text(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __kernel_text_join(tokens: TokenStream) -> TokenStream {
    compiler::kernel_text_join(tokens.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __kernel_text_resume(tokens: TokenStream) -> TokenStream {
    compiler::kernel_text_resume(tokens.into()).into()
}
