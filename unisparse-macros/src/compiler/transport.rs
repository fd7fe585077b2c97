//! How a kernel learns an encoding that was declared elsewhere.
//!
//! `sparse_format!` emits, beside the struct, a macro of the same name that hands the declaration's tokens to
//! a callback; `sparse_kernel!` calls the macros of its formats and is resumed with what they give. Both names
//! are brought into scope by one `use`, in any module or crate.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Visibility;
use syn::ext::IdentExt;

use super::runtime::Runtime;
use super::syntax::format::FormatDecl;

/// The carrier macro of a format, and the `use` that names it.
pub(crate) fn carrier(name: &Ident, visibility: &Visibility, cfg: &TokenStream, payload: &TokenStream) -> TokenStream {
    let hidden = hidden_name(name, payload);
    let exported = matches!(visibility, Visibility::Public(_));
    let export = exported.then(|| quote!(#[macro_export]));
    let version = format!("`{name}` was declared with another version of `unisparse`");
    let misuse = format!("`{name}` is a sparse format, not a macro to call");
    let import = if matches!(visibility, Visibility::Inherited) {
        quote!(pub(self))
    } else {
        quote!(#visibility)
    };
    quote! {
        #cfg
        #[doc(hidden)]
        #[allow(non_local_definitions, unused_macros)]
        #export
        macro_rules! #hidden {
            (@unisparse_v1 {$($callback:tt)*} {$runtime:tt {$($done:tt)*}} $rest:tt $request:tt) => {
                $($callback)*! { $runtime {$($done)* {#payload}} $rest $request }
            };
            (@ $($other:tt)*) => { ::core::compile_error! { #version } };
            ($($other:tt)*) => { ::core::compile_error! { #misuse } };
        }
        #cfg
        #[doc(hidden)]
        #[allow(unused_imports)]
        #import use #hidden as #name;
    }
}

/// What a carrier is asked: its tokens go to `callback`, with the tokens of the request.
pub(crate) fn ask(path: &syn::Path, runtime: &Runtime, callback: &str, request: &TokenStream) -> TokenStream {
    let at = path
        .segments
        .last()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let runtime = runtime.at(at);
    let callback = Ident::new(callback, Span::mixed_site().located_at(at));
    quote!(#path! { @unisparse_v1 {#runtime::__private::#callback} {{#runtime} {}} {} {#request} })
}

/// What tells one declaration from another, wherever it is seen.
pub(crate) fn id(declaration: &FormatDecl) -> u64 {
    fnv(&format!("{}{}", declaration.tokens, place_of(declaration.name.span())))
}

/// A name for the crate root, where exported macros live: a hash of the declaration and its place.
fn hidden_name(name: &Ident, payload: &TokenStream) -> Ident {
    static USED: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());
    let place = place_of(name.span());
    let hash = fnv(&format!("{payload}{place}"));
    let unique = format!("__unisparse_{}_{hash:016x}", name.unraw());
    // A user's macro that is expanded twice declares equal tokens at one place.
    let mut used = USED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let times = used.entry(unique.clone()).or_insert(0);
    *times += 1;
    let unique = if *times == 1 {
        unique
    } else {
        format!("{unique}_{times}")
    };
    Ident::new(&unique, name.span())
}

/// The line and column of a span, as far as they are known.
fn place_of(span: Span) -> String {
    let start = span.start();
    format!("{}:{}", start.line, start.column)
}

/// The 64-bit FNV-1a hash: the standard library's hashers are not promised to be stable.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
