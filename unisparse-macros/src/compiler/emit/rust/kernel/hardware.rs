//! Prints the function that makes a project for high-level synthesis of a call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::Declaration;
use crate::compiler::emit::rust::HAS_HARDWARE;
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::kernel::OperandKind;

impl Declaration<'_> {
    /// Whether the kernel has a function for high-level synthesis.
    fn has_hardware(&self) -> bool {
        HAS_HARDWARE && self.declaration.in_hardware
    }

    /// Returns the constant of the kernel's trait that has the function of a choice of formats.
    pub(super) fn hardware_constant(&self) -> Option<TokenStream> {
        let runtime = &self.runtime;
        self.has_hardware()
            .then(|| quote!(#[doc(hidden)] const __HARDWARE: #runtime::__private::hls::OfFormats;))
    }

    /// Returns the function, such as `spmv_hls`, or nothing if the kernel is for processors only.
    pub(super) fn hardware_function(&self) -> Option<TokenStream> {
        if !self.has_hardware() {
            return None;
        }
        let Declaration {
            declaration,
            kernel,
            runtime,
            ..
        } = self;
        let (visibility, cfg) = (&declaration.visibility, cfgs_in(&declaration.attributes));
        let name = format_ident!("{}_hls", declaration.name.unraw(), span = declaration.name.span());
        let (trait_name, call) = (&declaration.name, self.own("call"));
        let implementor = kernel.implementor();
        let of = self.type_of(implementor);
        let element = self.element_of(&of);
        let dense = quote!(#runtime::Dense::<#element>::elements);
        let (mut parameters, mut types, mut wheres) = (Vec::new(), Vec::new(), Vec::new());
        let (mut given, mut passed) = (Vec::new(), Vec::new());
        for (number, operand) in kernel.operands.iter().enumerate() {
            let parameter = self.parameter_of(number);
            match operand.kind {
                OperandKind::Dense if number == 0 => {
                    parameters
                        .push(quote!(#parameter: &mut (impl #runtime::DenseMut<#element> + ?::core::marker::Sized)));
                    given.push(quote!(#call.dense::<#element>(&#dense(#parameter)[..]);));
                    passed.push(quote!(#parameter));
                }
                OperandKind::Dense => {
                    parameters.push(quote!(#parameter: &(impl #runtime::Dense<#element> + ?::core::marker::Sized)));
                    given.push(quote!(#call.dense::<#element>(&#dense(#parameter)[..]);));
                    passed.push(quote!(#parameter));
                }
                // A scalar result is an array of one element.
                OperandKind::Scalar if number == 0 => {
                    given.push(quote!(#call.dense::<#element>(&[<#element as ::core::default::Default>::default()]);));
                }
                OperandKind::Scalar => {
                    parameters.push(quote!(#parameter: #element));
                    given.push(quote!(#call.scalar::<#element>(#parameter);));
                    passed.push(quote!(#parameter));
                }
                OperandKind::Sparse => {
                    let of = self.type_of(number);
                    parameters.push(quote!(#parameter: &#of));
                    given.push(quote!(#call.tensor(#parameter);));
                    passed.push(quote!(#parameter));
                    wheres.push(quote!(#of: #runtime::__private::hls::Summands<Element = #element>));
                    if number != implementor {
                        let dims = self.dims(number);
                        wheres.push(quote!(#of: #runtime::Source<#dims, Scalar: #runtime::Stored<Value = #element>>));
                    }
                    types.push(of);
                }
            }
        }
        let others: Vec<_> = kernel.others().map(|number| self.type_of(number)).collect();
        let arguments = (!others.is_empty()).then(|| quote!(<#(#others),*>));
        let (extents, bind_extents) = self.extents(&element);
        let text = declaration.name.unraw().to_string();
        let run = quote!(#runtime::__private::hls::in_one_piece(|| #trait_name(#(#passed),*)));
        let project = match kernel.output_kind() {
            OperandKind::Scalar => quote!({
                let total = #run?;
                ::core::result::Result::Ok(#call.project::<#element>(&[total]))
            }),
            _ => {
                let output = self.parameter_of(0);
                quote!({
                    #run?;
                    ::core::result::Result::Ok(#call.project::<#element>(&#dense(#output)[..]))
                })
            }
        };
        let docs = format!(
            "[`{text}`](fn@{text}) for high-level synthesis, with these operands as its data.\n\n```text\n{}\n```\n\nRuns the kernel on one thread of this machine: its result is what a simulation has to give.\n\n# Errors\nThose of `{text}`.",
            kernel.text
        );
        Some(quote! {
            #cfg
            #[doc = #docs]
            #[allow(clippy::all, clippy::pedantic)]
            #visibility fn #name<#(#types),*>(
                #(#parameters),*
            ) -> ::core::result::Result<#runtime::hls::Project, #runtime::Error>
            where #of: #trait_name #arguments, #element: #runtime::hls::Element, #(#wheres),*
            {
                #bind_extents
                let mut #call = #runtime::__private::hls::Call::new::<#element>(
                    <#of as #trait_name #arguments>::__HARDWARE, &#extents,
                );
                #(#given)*
                #project
            }
        })
    }
}
