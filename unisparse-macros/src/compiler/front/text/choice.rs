//! Prints the text of a kernel over one choice of formats, whose declarations are known.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::{Input, Language, check, device, errors_in_place, function, nothing};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::c::{self, Dialect, Element};
use crate::compiler::emit::cuda;
#[cfg(feature = "hls")]
use crate::compiler::emit::hls;
use crate::compiler::emit::pim;
use crate::compiler::emit::rust::kernel::checks;
use crate::compiler::emit::text::{Described, Sparse, describe};
use crate::compiler::kernel::Kernel;
use crate::compiler::lower::{Program, Target, lower};
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::{FormatUse, TextDecl};

/// A kernel and one choice of formats for its inputs.
pub(super) struct Choice<'a> {
    pub(super) request: &'a TextDecl,
    pub(super) kernel: &'a Kernel,
    pub(super) inputs: &'a [Input<'a>],
    /// Assertions that the types and the macros of formats come from the same declarations.
    pub(super) same: TokenStream,
    /// The path of the run time.
    pub(super) runtime: TokenStream,
}

impl Choice<'_> {
    /// Returns what the invocation expands to: the text in the language of the request, or errors.
    pub(super) fn print(&self) -> TokenStream {
        let language = Language::parse(&self.request.language.to_string()).unwrap_or(Language::Loops);
        match language {
            Language::Loops => self.text(&self.described().loops),
            Language::Documentation => self.documentation(),
            Language::C | Language::Function => self.c(language),
            Language::Cuda | Language::Device => self.cuda(language),
            #[cfg(feature = "hls")]
            Language::Hls => self.hls(),
            Language::Cores => self.cores(),
        }
    }

    /// Returns a text as an expression.
    fn text(&self, text: &str) -> TokenStream {
        let same = &self.same;
        quote!({ #same #text })
    }

    fn lowered(&self, target: &Target) -> Program<'_> {
        let formats: Vec<(usize, &Operand)> = self.inputs.iter().map(|input| (input.number, &input.operand)).collect();
        lower(self.kernel, &formats, target)
    }

    fn described(&self) -> Described {
        let sparse = self.inputs.iter().map(|input| Sparse {
            number: input.number,
            operand: &input.operand,
            arguments: input.arguments.clone(),
        });
        describe(self.lowered(&Target::TEXT), &sparse.collect::<Vec<_>>())
    }

    fn documentation(&self) -> TokenStream {
        let described = self.described();
        let documentation = format!("\n# Loops\n\n```text\n{}```\n\n{}", described.loops, described.cost);
        // An attribute accepts only a literal.
        documentation.to_token_stream()
    }

    fn c(&self, language: Language) -> TokenStream {
        let Some(source) = self.source(&Target::C, Dialect::C) else {
            return nothing();
        };
        let (function, runtime) = (source.print(), &self.runtime);
        if language == Language::C {
            self.text(&format!("{}\n{}", function.prelude, function.text))
        } else {
            function::value(&function, &quote!(#runtime::__private::c))
        }
    }

    fn cuda(&self, language: Language) -> TokenStream {
        let Some(source) = self.source(&cuda::TARGET, cuda::DIALECT) else {
            return nothing();
        };
        if let Some(reason) = cuda::reason(&source.program) {
            return self.refused(language, &reason);
        }
        let (kernels, runtime) = (cuda::print(&source), &self.runtime);
        if language == Language::Cuda {
            self.text(&format!("{}\n{}", kernels.prelude, kernels.text))
        } else {
            device(&kernels, &quote!(#runtime::__private::c))
        }
    }

    #[cfg(feature = "hls")]
    fn hls(&self) -> TokenStream {
        let Some(mut source) = self.source(&hls::TARGET, hls::DIALECT) else {
            return nothing();
        };
        if let Some(reason) = hls::reason(&source.program) {
            return self.refused(Language::Hls, &reason);
        }
        let chosen = source.element;
        source.element = hls::element(chosen);
        self.text(&hls::print(&source).file(chosen))
    }

    fn refused(&self, language: Language, reason: &str) -> TokenStream {
        let mut errors = Diagnostics::default();
        check::refuse_program(self.request, self.kernel, language, reason, &mut errors);
        errors_in_place(errors)
    }

    /// Returns the program of the cores of a device, for `pim_kernel!`.
    fn cores(&self) -> TokenStream {
        let (program, runtime, same) = (self.lowered(&pim::TARGET), &self.runtime, &self.same);
        if let Some(reason) = pim::reason(&program) {
            let mut errors = Diagnostics::default();
            check::refuse_cores(self.request, self.kernel, &reason, &mut errors);
            return errors_in_place(errors);
        }
        let named = self.inputs.iter().flat_map(|input| {
            let parameters = input.operand.parameters.iter().cloned();
            parameters.zip(input.arguments.iter().cloned())
        });
        let of = self.inputs.iter().map(|input| {
            let FormatUse { path, arguments } = &input.written.format;
            let element = &input.written.element;
            quote!(#path<#element #(, #arguments)*>)
        });
        let element = self.inputs.first().map(|input| &input.written.element);
        let element = quote!(<#element as #runtime::Stored>::Value);
        let extents = Ident::new("extents", Span::mixed_site());
        let checks = checks::numbers(self.kernel, &element, &extents, &quote!(#runtime::__private));
        let elements = pim::ElementType {
            sum: quote!(<#element as #runtime::Scalar>::Sum),
            checks: quote!(|#extents| {
                #(#checks?;)*
                ::core::result::Result::Ok(())
            }),
            of: of.collect(),
            runtime: quote!(#runtime),
        };
        let data = pim::print(&program, &named.collect(), &elements);
        quote!({ #same #data })
    }

    /// Returns the kernel with its formats and its element type, as a function such as `spmv_csr_f64`.
    fn source(&self, target: &Target, dialect: Dialect) -> Option<c::Source<'_>> {
        let element = self.inputs.iter().find_map(|input| input.written.element.as_ref())?;
        let element = Element::parse(&element.to_string())?;
        let mut name = self.kernel.name.clone();
        for input in self.inputs {
            for word in std::iter::once(&input.operand.name.to_lowercase()).chain(&input.arguments) {
                name += &format!("_{word}");
            }
        }
        let operands = self.inputs.iter().map(|input| c::Sparse {
            number: input.number,
            operand: &input.operand,
            arguments: input.arguments.clone(),
        });
        Some(c::Source {
            program: self.lowered(target),
            operands: operands.collect(),
            element,
            dialect,
            name: format!("{name}_{}", element.suffix()),
        })
    }
}
