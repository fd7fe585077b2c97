//! Prints the function of a kernel whose operands are on a device of CUDA.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::{Declaration, bounds, checks, sum_type};
use crate::compiler::emit::reductions;
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::emit::rust::print::count;
use crate::compiler::kernel::OperandKind;

impl Declaration<'_> {
    /// Returns the constant of the kernel's trait that has the kernels of a choice of formats.
    pub(super) fn device_constant(&self) -> Option<TokenStream> {
        let runtime = &self.runtime;
        self.has_device()
            .then(|| quote!(#[doc(hidden)] const __DEVICE: #runtime::__private::c::OfFormats;))
    }

    /// Returns the function, such as `spmv_on`, or nothing if the kernel is for processors only.
    pub(super) fn device_function(&self) -> Option<TokenStream> {
        if !self.has_device() {
            return None;
        }
        let Declaration {
            declaration,
            kernel,
            runtime,
            ..
        } = self;
        let (visibility, cfg) = (&declaration.visibility, cfgs_in(&declaration.attributes));
        let name = format_ident!("{}_on", declaration.name.unraw(), span = declaration.name.span());
        let (stream, trait_name) = (self.own("stream"), &declaration.name);
        let implementor = kernel.implementor();
        let of = self.type_of(implementor);
        let element = self.element_of(&of);
        let sum = quote!(<#element as #runtime::cuda::Element>::Result);
        let (mut parameters, mut types, mut wheres) = (Vec::new(), Vec::new(), Vec::new());
        for (number, operand) in kernel.operands.iter().enumerate() {
            let parameter = self.parameter_of(number);
            match operand.kind {
                OperandKind::Dense if number == 0 => {
                    parameters.push(quote!(#parameter: &mut #runtime::cuda::Array<#sum>));
                }
                OperandKind::Dense => parameters.push(quote!(#parameter: &#runtime::cuda::Array<#element>)),
                OperandKind::Scalar if number == 0 => {}
                OperandKind::Sparse if number == 0 => {
                    let (of, dims) = (self.type_of(0), self.dims(0));
                    wheres.push(quote! {
                        #of: #runtime::SparseTensor<#dims, Scalar = #element> + #runtime::__private::cuda::Summands
                    });
                    types.push(of);
                }
                OperandKind::Scalar => parameters.push(quote!(#parameter: #element)),
                OperandKind::Sparse => {
                    let of = self.type_of(number);
                    parameters.push(quote!(#parameter: &#runtime::cuda::Tensor<#of>));
                    if number != implementor {
                        let dims = self.dims(number);
                        wheres.push(quote!(#of: #runtime::Source<#dims, Scalar: #runtime::Stored<Value = #element>>));
                    }
                    types.push(of);
                }
            }
        }
        let others: Vec<Ident> = kernel.others().map(|number| self.type_of(number)).collect();
        let arguments = (!others.is_empty()).then(|| quote!(<#(#others),*>));
        let (extents, bind_extents) = self.device_extents();
        let checks = self.device_checks(&element, &extents);
        if !checks.is_empty() || kernel.output_kind() == OperandKind::Sparse {
            wheres.extend([element.clone(), sum_type(&element, runtime)].map(|of| {
                let bounds = bounds(kernel, &of, runtime);
                quote!(#of: #(#bounds)+*)
            }));
        }
        let inputs = self.device_inputs();
        let text = declaration.name.unraw().to_string();
        let kernels = quote!(<#of as #trait_name #arguments>::__DEVICE);
        let private = quote!(#runtime::__private::cuda);
        let (result, run, waits) = match kernel.output_kind() {
            OperandKind::Dense => {
                let (output, indices) = (self.parameter_of(0), indices(&kernel.output));
                (
                    quote!(()),
                    quote!(#private::run::<#element>(#stream, #kernels, (#output, #indices), &[#(#inputs),*], &#extents)),
                    "The call enqueues the work in the stream, and does not wait for it.",
                )
            }
            OperandKind::Scalar => (
                sum.clone(),
                quote!(#private::reduce::<#element>(#stream, #kernels, &[#(#inputs),*], &#extents)),
                "The call returns when the result is there.",
            ),
            OperandKind::Sparse => {
                let (of, shape) = (self.type_of(0), kernel.output.iter().map(|&index| count(index)));
                let combined = reductions::function(kernel.reduction.into(), &sum, runtime);
                (
                    quote!(#runtime::cuda::Tensor<#of>),
                    quote! {
                        #private::sparse::<#element, #of, _>(
                            #stream, #kernels, [#(#extents[#shape]),*], &[#(#inputs),*], &#extents, #combined,
                        )
                    },
                    "The result is a tensor on the device. The call returns when it is there.",
                )
            }
        };
        let docs = format!(
            "[`{text}`](fn@{text}) on a device: its operands are there, and so is what it writes.\n\n```text\n{}\n```\n\n{waits}\n\n# Errors\n`Host` if the extents of the operands do not match or an element cannot represent a number of the statement, `OtherDevice` if an operand is not on the device of the stream, otherwise what the device reports.",
            kernel.text
        );
        Some(quote! {
            #cfg
            #[doc = #docs]
            #[allow(clippy::all, clippy::pedantic)]
            #visibility fn #name<#(#types),*>(
                #stream: &#runtime::cuda::Stream, #(#parameters),*
            ) -> ::core::result::Result<#result, #runtime::cuda::Error>
            where #of: #trait_name #arguments, #element: #runtime::cuda::Element, #(#wheres),*
            {
                #bind_extents
                #checks
                #run
            }
        })
    }

    /// Returns the inputs in the order of the statement.
    fn device_inputs(&self) -> Vec<TokenStream> {
        let private = {
            let runtime = &self.runtime;
            quote!(#runtime::__private::cuda)
        };
        let operands = self.kernel.operands.iter().enumerate().skip(1);
        operands
            .map(|(number, operand)| {
                let parameter = self.parameter_of(number);
                let reads = self.kernel.reads_of(number).into_iter();
                let reads = reads.map(|read| indices(&self.kernel.reads[read].indices));
                let reads = quote!(&[#(#reads),*]);
                match operand.kind {
                    OperandKind::Dense => quote!(#private::Argument::dense(#parameter, #reads)),
                    OperandKind::Scalar => quote!(#private::Argument::scalar(#parameter)),
                    OperandKind::Sparse => quote!(#private::Argument::tensor(#parameter, #reads)),
                }
            })
            .collect()
    }

    /// Returns the checks of the host that the element type can represent the numbers in the statement.
    fn device_checks(&self, element: &TokenStream, extents: &Ident) -> TokenStream {
        let Declaration { kernel, runtime, .. } = self;
        let private = quote!(#runtime::__private);
        let coordinates = checks::coordinates(kernel, element, extents, &private);
        let literals = checks::literals(kernel, element, &private);
        let checks = coordinates.iter().chain(&literals).map(|check| self.in_kernel(check));
        quote!(#(#checks?;)*)
    }

    /// Returns code that computes the extents of all indices.
    fn device_extents(&self) -> (Ident, TokenStream) {
        self.extents_by(
            |name| quote!(#name.shape()),
            |name, _| quote!(::core::option::Option::None, #name.len()),
        )
    }
}

/// Returns the indices of a read or of the output, by their numbers.
fn indices(indices: &[usize]) -> TokenStream {
    let indices = indices.iter().map(|&index| count(index));
    quote!(&[#(#indices),*])
}
