//! What stands in for a declaration with errors, so that the code that uses it has none of its own.
//!
//! The stand-in's type contains an error. The compiler takes such a type for whatever the code around it
//! wants and says nothing more, so one line answers every constructor, accessor and call.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Visibility;

use super::diagnostics::Diagnostics;
use super::emit::rust::Names;
use super::emit::rust::format::{cfgs, cfgs_in};
use super::encoding::part_name;
use super::syntax::format::{FormatDecl, ParameterDecl, is_hybrid, name_in};
use super::syntax::hybrid::HybridDecl;
use super::syntax::kernel::{FormatUse, KernelDecl};
use super::syntax::primitive::{Primitive, PrimitiveKind};
use super::transport;

/// A format that could not be parsed: its name is all there is.
pub(crate) fn unparsed(tokens: &TokenStream) -> TokenStream {
    let error = if is_hybrid(tokens) {
        syn::parse2::<HybridDecl>(tokens.clone()).err()
    } else {
        syn::parse2::<FormatDecl>(tokens.clone()).err()
    };
    let (Some(name), Some(error)) = (name_in(tokens), error) else {
        return TokenStream::new();
    };
    let crate_visible: Visibility = syn::parse_quote!(pub(crate));
    stand_in(&name, &crate_visible, &TokenStream::new(), &[], &error_in_type(error))
}

/// A format with errors.
pub(crate) fn format(declaration: &FormatDecl) -> TokenStream {
    let mut errors = Diagnostics::default();
    super::check(declaration, &mut errors);
    let Some(error) = errors.into_first() else {
        return TokenStream::new();
    };
    let (cfg, broken) = (cfgs(declaration), error_in_type(error));
    let stand_in = |name| stand_in(name, &declaration.visibility, &cfg, &declaration.parameters, &broken);
    let cut = |primitive: &Primitive| matches!(primitive.kind, PrimitiveKind::Partition(_));
    let part = Ident::new(&part_name(&declaration.name.to_string()), declaration.name.span());
    let part = declaration.primitives.iter().any(cut).then(|| stand_in(&part));
    let whole = stand_in(&declaration.name);
    quote!(#whole #part)
}

/// A hybrid with errors.
pub(crate) fn hybrid(declaration: &HybridDecl, errors: &Diagnostics) -> TokenStream {
    let Some(error) = errors.first() else {
        return TokenStream::new();
    };
    hybrid_of(declaration, &error_in_type(error.clone()))
}

/// A hybrid of a part with errors: the part's stand-in is all it needs.
pub(crate) fn hybrid_of_poisoned(declaration: &HybridDecl, part: &FormatUse) -> TokenStream {
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

/// `broken` is a type that contains an error.
fn stand_in(
    name: &Ident,
    visibility: &Visibility,
    cfg: &TokenStream,
    parameters: &[ParameterDecl],
    broken: &TokenStream,
) -> TokenStream {
    let carrier = transport::carrier("a sparse format", name, visibility, cfg, &quote!(poisoned));
    // Only as many as declared: their names and defaults may be what is wrong.
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

/// An array whose length is the error. It is noted by the declaration too; the compiler shows equal errors once.
fn error_in_type(error: syn::Error) -> TokenStream {
    let error = error.into_iter().next().map(|error| error.to_compile_error());
    quote!([(); #error])
}

/// A kernel with errors.
pub(crate) fn kernel(declaration: &KernelDecl, errors: &Diagnostics) -> TokenStream {
    let Some(error) = errors.first() else {
        return TokenStream::new();
    };
    let (name, visibility) = (&declaration.name, &declaration.visibility);
    let (cfg, error) = (cfgs_in(&declaration.attributes), error_in_type(error.clone()));
    let carrier = transport::carrier("a kernel", name, visibility, &cfg, &quote!(poisoned));
    quote! {
        #cfg
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code)]
        #visibility const #name: #error = ::core::panic!();
        #carrier
    }
}
