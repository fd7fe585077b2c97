//! How a kernel learns an encoding that was declared elsewhere, and a format a kernel that it joins.
//!
//! `sparse_format!` emits, beside the struct, a macro of the same name that hands the declaration's tokens to
//! a callback; `sparse_kernel!` calls the macros of its formats and is resumed with what they give. Both names
//! are brought into scope by one `use`, in any module or crate. A kernel has such a macro, too.

mod runtime;

use std::collections::BTreeMap;
use std::sync::Mutex;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, LitStr, Path, Token, Visibility, braced, custom_keyword};

pub(crate) use runtime::Runtime;

use crate::compiler::syntax::format::{FormatDecl, keyword};
use crate::compiler::syntax::hybrid::HybridDecl;
use crate::compiler::syntax::kernel::KernelDecl;

/// The carrier macro of a format or a kernel, which is `what`, and the `use` that names it.
pub(crate) fn carrier(
    what: &str,
    name: &Ident,
    visibility: &Visibility,
    cfg: &TokenStream,
    payload: &TokenStream,
) -> TokenStream {
    let (hidden, origin) = (hidden_name(name, payload), origin().unwrap_or_default());
    let exported = matches!(visibility, Visibility::Public(_));
    let export = exported.then(|| quote!(#[macro_export]));
    let version = format!("`{name}` was declared with another version of `unisparse`");
    let misuse = format!("`{name}` is {what}, not a macro to call");
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
                $($callback)*! { $runtime {$($done)* {#origin #payload}} $rest $request }
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

/// A type and a macro of one name are found apart: that they are of one declaration.
pub(crate) fn same_declaration(path: &Path, parameters: usize, name: &str, id: &LitInt) -> TokenStream {
    let arguments = (0..parameters).map(|_| quote!(1));
    let mixed = format!("the type and the macro called `{name}` here come from different declarations");
    quote!(
        const _: () = ::core::assert!(<#path<f64, #(#arguments),*>>::__ID == #id, #mixed);
    )
}

/// What the carriers of these formats are asked, one after another: their tokens go to `callback`, with the
/// tokens of the request.
pub(crate) fn ask(paths: &[Path], runtime: &Runtime, callback: &str, request: &TokenStream) -> TokenStream {
    ask_next(&[], paths, runtime, callback, request)
}

fn ask_next(
    done: &[TokenStream],
    paths: &[Path],
    runtime: &Runtime,
    callback: &str,
    request: &TokenStream,
) -> TokenStream {
    let Some((path, rest)) = paths.split_first() else {
        return TokenStream::new();
    };
    let at = path
        .segments
        .last()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let runtime = runtime.at(at);
    let callback = Ident::new(callback, Span::mixed_site().located_at(at));
    quote! {
        #path! { @unisparse_v1 {#runtime::__private::#callback} {{#runtime} {#({#done})*}} {#({#rest})*} {#request} }
    }
}

custom_keyword!(stock);

/// What carriers handed back: the run time, the declarations so far, the formats still to be asked, the request.
pub(crate) struct Answers {
    pub(crate) runtime: Runtime,
    pub(crate) payloads: Vec<TokenStream>,
    rest: Vec<Path>,
    pub(crate) request: TokenStream,
}

impl Parse for Answers {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (path, done, rest, request);
        braced!(path in input);
        braced!(done in input);
        braced!(rest in input);
        braced!(request in input);
        Ok(Answers {
            runtime: Runtime::new(path.parse()?),
            payloads: groups(&done)?,
            rest: groups(&rest)?
                .into_iter()
                .map(syn::parse2)
                .collect::<syn::Result<_>>()?,
            request: request.parse()?,
        })
    }
}

impl Answers {
    /// The question to the next carrier, if there is one left.
    pub(crate) fn ask_next(&self, callback: &str) -> Option<TokenStream> {
        let asked = ask_next(&self.payloads, &self.rest, &self.runtime, callback, &self.request);
        (!self.rest.is_empty()).then_some(asked)
    }
}

/// What is in each of the braces that are left.
fn groups(input: ParseStream<'_>) -> syn::Result<Vec<TokenStream>> {
    let mut groups = Vec::new();
    while !input.is_empty() {
        let content;
        braced!(content in input);
        groups.push(content.parse()?);
    }
    Ok(groups)
}

/// A declaration as its carrier hands it over.
pub(crate) struct Declared {
    pub(crate) id: LitInt,
    /// The crate it was declared in; empty where that is not known.
    pub(crate) origin: String,
    pub(crate) kind: DeclaredKind,
}

pub(crate) enum DeclaredKind {
    Format(FormatDecl),
    /// The parts of a format that is cut apart.
    Part(FormatDecl),
    /// With what its parts' carriers handed over when it was declared: nobody else need know their paths.
    Hybrid(HybridDecl, Vec<TokenStream>),
    /// A kernel, and whether every declared format has it.
    Kernel {
        declaration: Box<KernelDecl>,
        is_stock: bool,
    },
}

impl Parse for Declared {
    /// An error where the declaration has some, or is of a later version: it says so itself.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let origin = input.parse::<LitStr>()?.value();
        let id = input.parse()?;
        let is_stock = input.parse::<Option<stock>>()?.is_some();
        let kind = if is_stock || input.peek(Token![fn]) {
            DeclaredKind::Kernel {
                declaration: input.parse()?,
                is_stock,
            }
        } else if input.peek(keyword::hybrid) {
            DeclaredKind::Hybrid(input.parse()?, groups(input)?)
        } else if input.parse::<Option<keyword::part>>()?.is_some() {
            DeclaredKind::Part(input.parse()?)
        } else {
            DeclaredKind::Format(input.parse()?)
        };
        Ok(Declared { id, origin, kind })
    }
}

/// The crate that is being compiled, where the build system says so: Cargo does.
pub(crate) fn origin() -> Option<String> {
    std::env::var("CARGO_CRATE_NAME").ok()
}

/// What tells one declaration from another, wherever it is seen.
pub(crate) fn id(name: &Ident, tokens: &TokenStream) -> u64 {
    fnv(&format!("{tokens}{}", place_of(name.span())))
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
