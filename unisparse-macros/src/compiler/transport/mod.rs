//! The transport of declarations: from formats to kernels, and from kernels to the formats that join them.
//!
//! `sparse_format!` emits, besides the struct, a carrier: a macro of the same name that passes the declaration's tokens
//! to a callback. `sparse_kernel!` calls the carriers of its formats and resumes with their answers. A single `use`
//! imports both the struct and the carrier, in any module or crate. A kernel has a carrier too.

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

/// Returns the carrier macro of a format or a kernel, and the `use` that names it. `what` describes the declaration.
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

/// Returns an assertion that a type and a macro of one name, which are resolved separately, come from the same
/// declaration.
pub(crate) fn same_declaration(path: &Path, parameters: usize, name: &str, id: &LitInt) -> TokenStream {
    let arguments = (0..parameters).map(|_| quote!(1));
    let mixed = format!("the type `{name}` and the macro `{name}` come from different declarations");
    quote!(
        const _: () = ::core::assert!(<#path<f64, #(#arguments),*>>::__ID == #id, #mixed);
    )
}

/// Requests the tokens of these declarations from their carriers, one after another. The tokens are passed to
/// `callback`, with the tokens of the request.
pub(crate) fn request(paths: &[Path], runtime: &Runtime, callback: &str, request: &TokenStream) -> TokenStream {
    request_next(&[], paths, runtime, callback, request)
}

fn request_next(
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

/// The answers of carriers: the run time, the declarations so far, the paths still to request, and the request.
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
    /// Returns the request to the next carrier, if there is one left.
    pub(crate) fn request_next(&self, callback: &str) -> Option<TokenStream> {
        let next = request_next(&self.payloads, &self.rest, &self.runtime, callback, &self.request);
        (!self.rest.is_empty()).then_some(next)
    }
}

/// Returns the contents of each remaining brace group.
fn groups(input: ParseStream<'_>) -> syn::Result<Vec<TokenStream>> {
    let mut groups = Vec::new();
    while !input.is_empty() {
        let content;
        braced!(content in input);
        groups.push(content.parse()?);
    }
    Ok(groups)
}

/// A declaration as its carrier passes it.
pub(crate) struct Declared {
    pub(crate) id: LitInt,
    /// The crate that contains the declaration; empty if unknown.
    pub(crate) origin: String,
    pub(crate) kind: DeclaredKind,
}

pub(crate) enum DeclaredKind {
    Format(FormatDecl),
    /// The parts of a partitioned format.
    Part(FormatDecl),
    /// A hybrid, with the payloads of its parts' carriers at its declaration, so that its users need not know their
    /// paths.
    Hybrid(HybridDecl, Vec<TokenStream>),
    /// A kernel, and whether every declared format implements it.
    Kernel {
        declaration: Box<KernelDecl>,
        is_stock: bool,
    },
}

impl Parse for Declared {
    /// Fails if the declaration has errors or is of a later version; the declaration reports this itself.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let origin = input.parse::<LitStr>()?.value();
        let id = input.parse()?;
        let is_stock = input.parse::<Option<stock>>()?.is_some();
        // A kernel may have an attribute, `#[target(..)]`.
        let kind = if is_stock || input.peek(Token![fn]) || input.peek(Token![#]) {
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

/// Returns the name of the crate that is being compiled, if the build system sets it, as Cargo does.
pub(crate) fn origin() -> Option<String> {
    std::env::var("CARGO_CRATE_NAME").ok()
}

/// Returns an identifier that differs between declarations.
pub(crate) fn id(name: &Ident, tokens: &TokenStream) -> u64 {
    fnv(&format!("{tokens}{}", place_of(name.span())))
}

/// Returns a name for the crate root, where exported macros are defined: a hash of the declaration and its place.
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

/// Returns the line and column of a span, as far as the compiler provides them.
fn place_of(span: Span) -> String {
    let start = span.start();
    format!("{}:{}", start.line, start.column)
}

/// Returns the 64-bit FNV-1a hash. The standard library does not guarantee stable hashes.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
