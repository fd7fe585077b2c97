//! A kernel as Rust: a trait that formats implement, and one function for all of them.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Visibility};

use super::Names;
use super::access::{FormatArrays, bind_extents, own_name, reserve};
use super::print::{Printer, count, import};
use crate::compiler::encoding::Format;
use crate::compiler::kernel::{Factor, Kernel, nests};
use crate::compiler::loops::Variables;
use crate::compiler::runtime::Runtime;
use crate::compiler::storage::Storage;
use crate::compiler::traversal::Context;

/// The trait and the function of a kernel.
pub(crate) fn declaration(
    kernel: &Kernel,
    name: &Ident,
    attributes: &[Attribute],
    visibility: &Visibility,
    runtime: &Runtime,
) -> TokenStream {
    let names = Names::new(name.span());
    let runtime = runtime.at(names.span());
    let private = quote!(#runtime::__private);
    let dims = count(kernel.sparse_indices.len());
    let indices = count(kernel.indices.len());
    let scalar = quote!(<Self as #runtime::Source<#dims>>::Scalar);
    let element = quote!(<Sparse as #runtime::Source<#dims>>::Scalar);
    let local = |name: &str| names.local(name);

    let (mut run_parameters, mut parameters) = (Vec::new(), Vec::new());
    let output = local(&operand_name(&kernel.dense[0].name));
    run_parameters.push(quote!(#output: &mut [#scalar]));
    parameters.push(quote!(#output: &mut (impl #runtime::DenseMut<#element> + ?::core::marker::Sized)));
    for input in &kernel.inputs {
        match input {
            Factor::Sparse => {
                let sparse = local(&operand_name(&kernel.sparse));
                parameters.push(quote!(#sparse: &Sparse));
            }
            Factor::Dense(at) => {
                let operand = local(&operand_name(&kernel.dense[*at].name));
                run_parameters.push(quote!(#operand: &[#scalar]));
                parameters.push(quote!(#operand: &(impl #runtime::Dense<#element> + ?::core::marker::Sized)));
            }
            Factor::Scalar(at) => {
                let scalar_name = local(&operand_name(&kernel.scalars[*at]));
                run_parameters.push(quote!(#scalar_name: #scalar));
                parameters.push(quote!(#scalar_name: #element));
            }
        }
    }
    let sparse = local(&operand_name(&kernel.sparse));
    let operand_names: Vec<String> = kernel.operands().map(|name| operand_name(name)).collect();
    let own = |name: &str| own_name(names, name, || operand_names.iter().map(String::as_str));
    let (shape, extents) = (own("shape"), own("extents"));
    let index_names = kernel.indices.iter();
    let known = (0..kernel.indices.len()).map(|index| {
        match kernel.sparse_indices.iter().position(|&at| at == index).map(count) {
            Some(dim) => quote!(::core::option::Option::Some(#shape[#dim])),
            None => quote!(::core::option::Option::None),
        }
    });
    let operands = kernel.dense.iter().map(|operand| {
        let (text, indices, operand) = (
            &operand.name,
            operand.indices.iter().map(|&index| count(index)),
            local(&operand_name(&operand.name)),
        );
        quote! {
            #private::Operand {
                name: #text,
                indices: &[#(#indices),*],
                extents: #runtime::Dense::<#element>::extents(#operand),
                len: #runtime::Dense::<#element>::len(#operand),
            }
        }
    });
    let passed = kernel.inputs.iter().filter_map(|input| match input {
        Factor::Sparse => None,
        Factor::Dense(at) => {
            let operand = local(&operand_name(&kernel.dense[*at].name));
            Some(quote!(&#operand.elements()))
        }
        Factor::Scalar(at) => {
            let scalar = local(&operand_name(&kernel.scalars[*at]));
            Some(quote!(#scalar))
        }
    });
    let text = &kernel.text;
    let docs = format!(
        "\n```text\n{text}\n```\n\nDense operands are in row-major order. `{}` is any of the formats that implement this kernel.\n\n# Errors\n`Shape` if the extents of the operands do not fit, naming the operand.",
        operand_name(&kernel.sparse),
    );
    let trait_docs = format!(
        "The formats of [`{name}`](fn@{name}): `{text}`.\n\nGeneric code asks for one by `A: {name}<Scalar = f64>`."
    );
    let missing = format!("the kernel `{name}` is not declared for `{{Self}}`");
    let missing_note = format!(
        "the operand has {} dims; list its format in the kernel's `where` clause, or bound a type parameter by `{name}`",
        kernel.sparse_indices.len(),
    );
    let borrow_mut = quote!(#runtime::DenseMut::<#element>::write);
    quote! {
        #[doc = #trait_docs]
        #[allow(non_camel_case_types)]
        #[diagnostic::on_unimplemented(
            message = #missing,
            note = #missing_note
        )]
        #visibility trait #name: #runtime::Source<#dims> {
            #[doc(hidden)]
            fn __run(&self, extents: [usize; #indices], #(#run_parameters),*);
        }

        #(#attributes)*
        #[doc = #docs]
        #[allow(clippy::all, clippy::pedantic)]
        #visibility fn #name<Sparse: #name>(#(#parameters),*) -> ::core::result::Result<(), #runtime::Error> {
            #[allow(unused_imports)]
            use #runtime::Dense as _;
            let #shape = #runtime::Source::shape(#sparse);
            let #extents = #private::extents([#(#index_names),*], [#(#known),*], &[#(#operands),*])?;
            #borrow_mut(#output, |#output| #sparse.__run(#extents, #output, #(#passed),*));
            ::core::result::Result::Ok(())
        }
    }
}

/// The Rust name of an operand: as in the statement, in lower case.
fn operand_name(name: &str) -> String {
    name.to_lowercase()
}

/// What a kernel runs over: a tensor of one format, or the parts of a hybrid.
pub(crate) struct Summand<'a> {
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    /// Whether the tensor is cut into parts, which the loops run over one after another.
    pub(crate) is_cut: bool,
    /// The tensor: `self`, or a part of it.
    pub(crate) tensor: TokenStream,
    /// What the loops are preceded by: the values of the format's parameters, where they are not the type's.
    pub(crate) constants: TokenStream,
}

/// A format's side of a kernel. The kernel of a tensor in parts is run over the first of them, and adds the terms
/// of the sparse operand over each of the others.
pub(crate) struct Implementation<'a> {
    pub(crate) kernel: &'a Kernel,
    /// The const parameters of the type.
    pub(crate) parameters: Vec<&'a str>,
    pub(crate) summands: Vec<Summand<'a>>,
    /// The trait.
    pub(crate) path: TokenStream,
    /// The format's type, without the element.
    pub(crate) format_path: TokenStream,
    /// The arguments given; empty for every value of the parameters.
    pub(crate) arguments: &'a [TokenStream],
    pub(crate) names: Names,
    pub(crate) runtime: TokenStream,
    pub(crate) cfg: TokenStream,
}

impl Implementation<'_> {
    /// `impl spmv for Csr`
    pub(crate) fn print(&self) -> TokenStream {
        let Implementation {
            kernel,
            path,
            format_path,
            runtime,
            cfg,
            names,
            ..
        } = self;
        let parameters: Vec<Ident> = self
            .parameters
            .iter()
            .map(|parameter| names.public(parameter))
            .collect();
        let (declared, given) = if self.arguments.is_empty() {
            (quote!(#(const #parameters: usize,)*), quote!(#(#parameters),*))
        } else {
            let arguments = self.arguments;
            (TokenStream::new(), quote!(#(#arguments),*))
        };
        // With arguments, the parameters are constants of the body.
        let constants = parameters
            .iter()
            .zip(self.arguments)
            .map(|(name, value)| quote!(const #name: usize = #value;));
        let constants = quote!(#(#constants)*);
        let indices = count(kernel.indices.len());
        let run_parameters = self.run_parameters();
        let further = kernel.added();
        let bodies: Vec<TokenStream> = self
            .summands
            .iter()
            .enumerate()
            .map(|(at, summand)| self.body(if at == 0 { kernel } else { &further }, summand))
            .collect();
        let body = match bodies.as_slice() {
            [only] => quote!(#only),
            several => quote!(#({ #several })*),
        };
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, unused_braces, non_snake_case)]
            impl<T: #runtime::Scalar, #declared> #path for #format_path<T, #given> {
                fn __run(&self, extents: [usize; #indices], #(#run_parameters),*) {
                    #constants
                    #body
                }
            }
        }
    }

    fn run_parameters(&self) -> Vec<TokenStream> {
        let local = |name: &str| self.names.local(name);
        let output = local(&operand_name(&self.kernel.dense[0].name));
        let mut parameters = vec![quote!(#output: &mut [T])];
        for input in &self.kernel.inputs {
            match input {
                Factor::Sparse => {}
                Factor::Dense(at) => {
                    let operand = local(&operand_name(&self.kernel.dense[*at].name));
                    parameters.push(quote!(#operand: &[T]));
                }
                Factor::Scalar(at) => {
                    let scalar = local(&operand_name(&self.kernel.scalars[*at]));
                    parameters.push(quote!(#scalar: T));
                }
            }
        }
        parameters
    }

    /// The kernel over one tensor, whole or in parts.
    fn body(&self, kernel: &Kernel, summand: &Summand<'_>) -> TokenStream {
        if !summand.is_cut {
            return self.loops(kernel, summand, &summand.tensor);
        }
        let operands = kernel.operands().map(|name| operand_name(name)).collect::<Vec<_>>();
        let part = own_name(self.names, "part", || operands.iter().map(String::as_str));
        let (first, each, tensor) = (
            self.loops(&kernel.rest(), summand, &summand.tensor),
            self.loops(&kernel.added(), summand, &quote!(#part)),
            &summand.tensor,
        );
        quote! {
            { #first }
            for #part in #tensor.parts() { #each }
        }
    }

    /// The kernel over one tensor, or one part of it.
    fn loops(&self, kernel: &Kernel, summand: &Summand<'_>, tensor: &TokenStream) -> TokenStream {
        let mut variables = Variables::default();
        let dense: Vec<String> = kernel.dense.iter().map(|operand| operand_name(&operand.name)).collect();
        let scalars: Vec<String> = kernel.scalars.iter().map(|scalar| operand_name(scalar)).collect();
        let arrays = FormatArrays {
            format: summand.format,
            storage: summand.storage,
            names: self.names,
            dense,
            scalars,
        };
        reserve(&mut variables, &arrays);
        let nests = nests(kernel, summand.format, summand.storage, &mut variables);
        let runtime = &self.runtime;
        let private = quote!(#runtime::__private);
        let mut body = TokenStream::new();
        let several = nests.terms.len() > 1;
        for nest in &nests.terms {
            let printed = Printer::new(self.names, &arrays, &mut variables).print(nest);
            let bind = arrays.bind_of(tensor, &printed);
            body.extend(if several {
                quote!({ #bind #printed })
            } else {
                quote!(#bind #printed)
            });
        }
        let output = self.names.local(&arrays.dense[0]);
        let owned = matches!(kernel.dense[0].indices.as_slice(), [_]) && mentions_index(&body, &output);
        // A vector of known length: a loop over it needs no check.
        let exact = owned.then(|| {
            let extent = self
                .names
                .local(variables.name(nests.extents[kernel.dense[0].indices[0]]));
            quote!(let #output = &mut #output[..#extent];)
        });
        let zero = nests.zero_first.then(|| quote!(#output.fill(T::ZERO);));
        let context = Context {
            extents: nests.extents,
            parameters: Vec::new(),
            numbers: nests.numbers,
        };
        let extents = bind_extents(
            &context,
            &variables,
            self.names,
            &quote!(extents),
            &quote!(#exact #body),
        );
        let import = import(self.names, &private, &body);
        let constants = &summand.constants;
        quote!(#import #constants #extents #exact #zero #body)
    }
}

/// Whether the array is accessed by index somewhere in the tokens.
fn mentions_index(tokens: &TokenStream, array: &Ident) -> bool {
    let mut after_array = false;
    tokens.clone().into_iter().any(|token| {
        let found = match &token {
            TokenTree::Group(group) => {
                (after_array && group.delimiter() == Delimiter::Bracket) || mentions_index(&group.stream(), array)
            }
            _ => false,
        };
        after_array = matches!(&token, TokenTree::Ident(ident) if ident == array);
        found
    })
}
