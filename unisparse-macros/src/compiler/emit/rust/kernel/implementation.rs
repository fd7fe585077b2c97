//! Prints the implementation of a kernel for one combination of formats.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::body::body;
use super::sparse_operand::SparseOperand;
use super::{Signature, bounds, capitalized, checks, extents_name, parameter, sum_type};
use crate::compiler::emit::rust::print::count;
use crate::compiler::emit::rust::{Names, stored};
use crate::compiler::kernel::OperandKind;
use crate::compiler::lower::Program;

/// One `impl` of a kernel's trait.
pub(crate) struct Implementation<'a> {
    pub(crate) program: Program<'a>,
    /// The operands in the order of [`Kernel::sparse`], without the output if it can be in any format.
    pub(crate) operands: Vec<SparseOperand<'a>>,
    /// The operands that can be in any format, by number: those in other formats are converted.
    pub(crate) converted: Vec<usize>,
    /// The loops over formats of these operands that are not converted.
    pub(crate) before: Vec<(Program<'a>, Vec<SparseOperand<'a>>)>,
    /// The path of the trait.
    pub(crate) path: TokenStream,
    pub(crate) names: Names,
    pub(crate) runtime: TokenStream,
    pub(crate) cfg: TokenStream,
    /// The kernels for a device as a value of the run time, if the kernel is for devices, too.
    pub(crate) device: Option<TokenStream>,
    /// The function for high-level synthesis as a value of the run time, if the kernel has one.
    pub(crate) hardware: Option<TokenStream>,
}

impl Implementation<'_> {
    /// Returns the `impl`, such as `impl spgemm<Csr<T>, Csr<T>> for Csr<T>`.
    pub(crate) fn print(&self) -> TokenStream {
        let Implementation {
            program,
            operands,
            path,
            names,
            runtime,
            cfg,
            ..
        } = self;
        let kernel = &program.kernel;
        let Some((implementor, others)) = operands.split_first() else {
            return TokenStream::new();
        };
        let element = quote!(T);
        // Each input has its own stored type, and all inputs except a mask are read as `T`.
        let element_of = |operand: &SparseOperand<'_>| match operand.number {
            0 => element.clone(),
            number => {
                let name = capitalized(&kernel.operands[number].name);
                names.local(&format!("Stored{name}")).into_token_stream()
            }
        };
        let inputs = operands.iter().filter(|operand| operand.number != 0);
        let inputs = inputs.map(|operand| {
            let before = self.before.iter().flat_map(|(_, operands)| operands);
            let holes = before
                .chain([operand])
                .any(|other| other.number == operand.number && other.operand.holes());
            let (stored, of) = (stored(holes, runtime), element_of(operand));
            if kernel.operands[operand.number].is_mask {
                quote!(#of: #stored,)
            } else {
                quote!(#of: #stored<Value = T>,)
            }
        });
        let listed_type = |operand: &SparseOperand<'_>| operand.typed(&element_of(operand), *names);
        let is_converted = |operand: &SparseOperand<'_>| self.converted.contains(&operand.number);
        let typed = |operand: &SparseOperand<'_>| match is_converted(operand) {
            true => self.any(operand.number).into_token_stream(),
            false => listed_type(operand),
        };
        let declared = operands.iter().map(|operand| match is_converted(operand) {
            true => {
                let (any, dims) = (self.any(operand.number), count(operand.operand.dims));
                let of = element_of(operand);
                quote!(#any: #runtime::SparseTensor<#dims, Scalar = #of> + 'static,)
            }
            false => operand.declared(*names),
        });
        let listed = operands.iter().any(|operand| operand.number == 0);
        let any = (kernel.output_kind() == OperandKind::Sparse && !listed).then(|| names.local("Output"));
        let any_bound = any.as_ref().map(|any| {
            let dims = count(kernel.output.len());
            quote!(#any: #runtime::SparseTensor<#dims, Scalar = #element>,)
        });
        let given: Vec<TokenStream> = others
            .iter()
            .map(typed)
            .chain(any.as_ref().map(|any| quote!(#any)))
            .collect();
        let given = (!given.is_empty()).then(|| quote!(<#(#given),*>));
        let of = typed(implementor);
        let bounds = self.bounds(&element);
        let sparse = |number: usize| {
            let operand = operands.iter().find(|operand| operand.number == number);
            operand.map(typed).unwrap_or_else(|| quote!(#any))
        };
        let run = Signature {
            kernel,
            names: *names,
            runtime,
            element: element.clone(),
            sparse: &sparse,
        };
        let run = run.print();
        let body = self.body(&listed_type);
        let programs = self.before.iter().map(|(program, _)| program).chain([program]);
        let scans: BTreeSet<&String> = programs.flat_map(|program| &program.scans).collect();
        let scans = scans.iter();
        let scans = (scans.len() > 0).then(|| quote!(const SCANS: &'static [&'static str] = &[#(#scans),*];));
        let (coordinates, device, hardware) = (self.coordinates(&element), self.device(), self.hardware());
        quote! {
            #cfg
            #[doc(hidden)]
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            #[allow(clippy::all, clippy::pedantic, unused_braces, unused_qualifications, unused_variables, non_snake_case)]
            impl<T: #runtime::Scalar, #(#inputs)* #any_bound #(#declared)*> #path #given for #of #bounds {
                #scans
                #device
                #hardware
                #run {
                    #coordinates
                    #body
                }
            }
        }
    }

    /// Returns the type of an operand in any format.
    fn any(&self, number: usize) -> Ident {
        let name = capitalized(&self.program.kernel.operands[number].name);
        self.names.local(&format!("Any{name}"))
    }

    /// Returns the loops: over the formats that are not converted, if the operands have these, else over what they are
    /// converted to.
    fn body(&self, typed: &dyn Fn(&SparseOperand<'_>) -> TokenStream) -> TokenStream {
        let (names, runtime) = (self.names, &self.runtime);
        let private = quote!(#runtime::__private);
        let loops = |program: &Program<'_>, operands: &[SparseOperand<'_>]| {
            let constants = operands.iter().map(|operand| operand.constants(names));
            let body = body(program, operands, &self.converted, names, runtime);
            quote!(#(#constants)* #body)
        };
        let (mut given, mut local, mut converted) = (Vec::new(), Vec::new(), Vec::new());
        for operand in self
            .operands
            .iter()
            .filter(|operand| self.converted.contains(&operand.number))
        {
            let kernel = &self.program.kernel;
            let name = parameter(&kernel.operands[operand.number], names);
            given.push(match operand.number == kernel.implementor() {
                true => quote!(self),
                false => quote!(#name),
            });
            converted.push(typed(operand));
            local.push(name);
        }
        let last = loops(&self.program, &self.operands);
        let last = quote! {
            #(let #local = &*#private::in_format::<_, #converted, _>(#given)?;)*
            #last
        };
        self.before.iter().rev().fold(last, |after, (program, operands)| {
            let formats = operands.iter().filter(|operand| self.converted.contains(&operand.number)).map(typed);
            let body = loops(program, operands);
            quote! {
                if let (#(::core::option::Option::Some(#local),)*) = (#(#private::same_format::<_, #formats, _>(#given),)*) {
                    #body
                } else {
                    #after
                }
            }
        })
    }

    /// Returns the kernels for a device, with the const arguments of the formats.
    fn device(&self) -> Option<TokenStream> {
        let (runtime, kernels) = (&self.runtime, self.device.as_ref()?);
        let constants = self.constants();
        Some(quote! {
            const __DEVICE: #runtime::__private::c::OfFormats = #runtime::__private::c::OfFormats {
                kernels: &#kernels,
                constants: &[#(#constants),*],
            };
        })
    }

    /// Returns the function for high-level synthesis, with the const arguments of the formats.
    fn hardware(&self) -> Option<TokenStream> {
        let (runtime, design) = (&self.runtime, self.hardware.as_ref()?);
        let constants = self.constants();
        Some(quote! {
            const __HARDWARE: #runtime::__private::hls::OfFormats = #runtime::__private::hls::OfFormats {
                function: &#design,
                constants: &[#(#constants),*],
            };
        })
    }

    /// Returns the values of the const parameters of all inputs.
    fn constants(&self) -> Vec<TokenStream> {
        let inputs = self.operands.iter().filter(|operand| operand.number != 0);
        inputs
            .flat_map(|operand| operand.values(self.names))
            .map(|value| value.to_token_stream())
            .collect()
    }

    /// Returns checks that the element type can represent the coordinates that are used as values.
    fn coordinates(&self, element: &TokenStream) -> TokenStream {
        let (kernel, runtime) = (&self.program.kernel, &self.runtime);
        let extents = extents_name(kernel, self.names);
        let checks = checks::coordinates(kernel, element, &extents, &quote!(#runtime::__private));
        quote!(#(#checks?;)*)
    }

    /// Returns the bounds of the `impl`, such as `where T: Ordered, <T as Scalar>::Sum: Ordered`.
    fn bounds(&self, element: &TokenStream) -> Option<TokenStream> {
        let of = |element: &TokenStream| {
            let bounds = bounds(&self.program.kernel, element, &self.runtime);
            (!bounds.is_empty()).then(|| quote!(#element: #(#bounds)+*,))
        };
        let (of_element, of_sum) = (of(element)?, of(&sum_type(element, &self.runtime)));
        Some(quote!(where #of_element #of_sum))
    }
}
