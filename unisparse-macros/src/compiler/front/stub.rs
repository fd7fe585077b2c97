//! Stand-ins for declarations with errors, so that the code that uses them has no further errors.
//!
//! The type of a stand-in contains an error. The compiler assumes that such a type fits the code around it and reports
//! nothing more, so that one line covers every constructor, accessor and call.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Visibility;

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::format::{cfgs, cfgs_in};
use crate::compiler::encoding::part_name;
use crate::compiler::syntax::format::{FormatDecl, ParameterDecl, name_in};
use crate::compiler::syntax::hybrid::HybridDecl;
use crate::compiler::syntax::kernel::{FormatUse, KernelDecl};
use crate::compiler::syntax::primitive::{Primitive, PrimitiveKind};
use crate::compiler::transport;

/// Returns the error of an item that could not be parsed, and a stand-in if the item has a name.
pub(super) fn unparsed(tokens: &TokenStream, error: &syn::Error) -> TokenStream {
    let stub = name_in(tokens).map(|name| {
        let crate_visible: Visibility = syn::parse_quote!(pub(crate));
        stand_in(&name, &crate_visible, &TokenStream::new(), &[], &error_in_type(error))
    });
    let error = error.to_compile_error();
    quote!(#error #stub)
}

/// Returns the errors of a format, and its stand-in.
pub(super) fn format(declaration: &FormatDecl, errors: Diagnostics) -> TokenStream {
    let stub = errors.first().map(|error| {
        let (cfg, broken) = (cfgs(declaration), error_in_type(error));
        let stand_in = |name| stand_in(name, &declaration.visibility, &cfg, &declaration.parameters, &broken);
        let cut = |primitive: &Primitive| matches!(primitive.kind, PrimitiveKind::Partition(_));
        let part = Ident::new(&part_name(&declaration.name.to_string()), declaration.name.span());
        let part = declaration.primitives.iter().any(cut).then(|| stand_in(&part));
        let whole = stand_in(&declaration.name);
        quote!(#whole #part)
    });
    with_errors(errors, stub)
}

/// Returns the errors of a hybrid, and its stand-in.
pub(super) fn hybrid(declaration: &HybridDecl, errors: Diagnostics) -> TokenStream {
    let stub = errors
        .first()
        .map(|error| hybrid_of(declaration, &error_in_type(error)));
    with_errors(errors, stub)
}

/// Returns the stand-in for a hybrid of a part with errors, which uses the part's stand-in.
pub(super) fn hybrid_of_poisoned(declaration: &HybridDecl, part: &FormatUse) -> TokenStream {
    let (path, arguments) = (&part.path, part.arguments.iter().map(|_| quote!(1)));
    hybrid_of(declaration, &quote!(#path<(), #(#arguments),*>))
}

fn hybrid_of(declaration: &HybridDecl, broken: &TokenStream) -> TokenStream {
    stand_in(
        &declaration.name,
        &declaration.visibility,
        &cfgs_in(&declaration.attributes),
        &declaration.parameters,
        broken,
    )
}

/// Returns the errors of a kernel, and its stand-in.
pub(super) fn kernel(declaration: &KernelDecl, errors: Diagnostics) -> TokenStream {
    let stub = errors.first().map(|error| {
        let (name, visibility) = (&declaration.name, &declaration.visibility);
        let (cfg, error) = (cfgs_in(&declaration.attributes), error_in_type(error));
        let carrier = transport::carrier("a kernel", name, visibility, &cfg, &quote!(poisoned));
        quote! {
            #cfg
            #[doc(hidden)]
            #[allow(non_upper_case_globals, dead_code)]
            #visibility const #name: #error = ::core::panic!();
            #carrier
        }
    });
    with_errors(errors, stub)
}

/// Returns a stand-in for a format. `broken` is a type that contains an error.
fn stand_in(
    name: &Ident,
    visibility: &Visibility,
    cfg: &TokenStream,
    parameters: &[ParameterDecl],
    broken: &TokenStream,
) -> TokenStream {
    let carrier = transport::carrier("a sparse format", name, visibility, cfg, &quote!(poisoned));
    // Only the number of parameters is kept, because their names and defaults may be wrong.
    let names = Names::new(name.span());
    let defaulted = parameters
        .iter()
        .rev()
        .take_while(|parameter| parameter.default.is_some())
        .count();
    let required = parameters.len() - defaulted;
    let parameters = (0..parameters.len()).map(|at| {
        let parameter = names.local(&format!("P{at}"));
        let default = (at >= required).then(|| quote!(= 1));
        quote!(const #parameter: ::core::primitive::usize #default)
    });
    let element = names.local("T");
    quote! {
        #cfg
        #[doc(hidden)]
        #[allow(dead_code)]
        #visibility type #name<#element, #(#parameters),*> = (#element, #broken);
        #carrier
    }
}

/// Returns an array type whose length is the error. The declaration reports it too; the compiler shows equal errors
/// once.
fn error_in_type(error: &syn::Error) -> TokenStream {
    let first = error.into_iter().next().map(|error| error.to_compile_error());
    quote!([(); #first])
}

fn with_errors(errors: Diagnostics, stub: Option<TokenStream>) -> TokenStream {
    let errors = errors.into_tokens();
    quote!(#errors #stub)
}
