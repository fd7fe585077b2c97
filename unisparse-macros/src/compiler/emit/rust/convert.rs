//! Prints a validated conversion as `TryFrom` of a tensor and of a reference to a tensor.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Attribute;

use super::{Names, stored};
use crate::compiler::operand::Operand;
use crate::compiler::syntax::convert::Pair;
use crate::compiler::syntax::kernel::FormatUse;
use crate::compiler::transport::Runtime;

/// One of the two formats of a conversion.
pub(crate) struct Side<'a> {
    pub(crate) written: &'a FormatUse,
    pub(crate) operand: &'a Operand,
    /// The const parameters that the `impl` declares for this format; empty if arguments are given.
    pub(crate) parameters: Vec<String>,
}

impl Side<'_> {
    /// Returns the declared parameters, such as `const R: usize, const C: usize,`.
    fn declared(&self, names: Names) -> TokenStream {
        let parameters = self.parameters.iter().map(|name| names.public(name));
        quote!(#(const #parameters: ::core::primitive::usize,)*)
    }

    /// Returns the type, such as `Bcsr<T, R, C>`.
    fn tensor(&self, names: Names) -> TokenStream {
        let (path, arguments) = (&self.written.path, &self.written.arguments);
        let parameters = self.parameters.iter().map(|name| names.public(name));
        quote!(#path<T, #(#parameters,)* #(#arguments,)*>)
    }
}

/// Returns `TryFrom<A<T>>` and `TryFrom<&A<T>>` for `B<T>`.
pub(crate) fn implementations(
    attributes: &[Attribute],
    pair: &Pair,
    from: &Side<'_>,
    to: &Side<'_>,
    runtime: &Runtime,
) -> TokenStream {
    let span = to.written.name().map_or_else(Span::call_site, Ident::span);
    let (names, runtime) = (Names::new(span), runtime.at(span));
    let element = stored(from.operand.holes() || to.operand.holes(), &runtime);
    let declared = [from, to].map(|side| side.declared(names));
    let (source, target) = (from.tensor(names), to.tensor(names));
    let text = format!(
        "`{}`: moves the arrays that both formats share, as `convert_into` does.",
        pair.text()
    );
    let of_reference = format!("`{}`, as `convert` does.", pair.text());
    let assemble = quote! {
        #runtime::SparseTensor::assemble(tensor, #runtime::Limit::default())
    };
    // A part of a tensor can be a source, but is not a tensor itself.
    let consume = if from.operand.is_part() {
        quote!(<Self as ::core::convert::TryFrom<&#source>>::try_from(&tensor))
    } else {
        quote!(#runtime::SparseTensor::convert_into(tensor))
    };
    let one = |source: &TokenStream, text: &str, body: &TokenStream| {
        quote! {
            #(#attributes)*
            #[automatically_derived]
            impl<T: #element, #(#declared)*> ::core::convert::TryFrom<#source> for #target {
                type Error = #runtime::Error;

                #[doc = #text]
                fn try_from(tensor: #source) -> ::core::result::Result<Self, #runtime::Error> {
                    #body
                }
            }
        }
    };
    let (moved, read) = (
        one(&source, &text, &consume),
        one(&quote!(&#source), &of_reference, &assemble),
    );
    quote!(#moved #read)
}
