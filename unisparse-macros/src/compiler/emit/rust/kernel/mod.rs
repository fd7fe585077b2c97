//! A kernel as Rust: a trait that formats implement, and one function for all of them.

mod around;
mod body;
mod declaration;
mod implementation;

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::Names;
use super::print::count;
use crate::compiler::kernel::{Kernel, Literal, Node, Operand, OperandKind, Reduction};

pub(crate) use declaration::{Declaration, Documented};
pub(crate) use implementation::{Implementation, SparseOperand};

/// The Rust name of an operand: as in the statement, in lower case.
fn operand_name(name: &str) -> String {
    name.to_lowercase()
}

/// The parameter of an operand.
fn parameter(operand: &Operand, names: Names) -> Ident {
    names.local(&operand_name(&operand.name))
}

/// The types that the hidden method of a kernel's trait is written with.
struct Signature<'a> {
    kernel: &'a Kernel,
    names: Names,
    runtime: &'a TokenStream,
    /// The type of elements.
    element: TokenStream,
    /// The type of each sparse operand, by number.
    sparse: &'a dyn Fn(usize) -> TokenStream,
}

impl Signature<'_> {
    /// `fn __run(&self, y: &mut [T], x: &[T], extents: [usize; 2]) -> Result<(), Error>`: a dense output, the other
    /// inputs in order of appearance, the extent of each index, the functions.
    fn print(&self) -> TokenStream {
        let Signature {
            kernel,
            names,
            runtime,
            element,
            sparse,
        } = self;
        let mut parameters = Vec::new();
        for (number, operand) in kernel.operands.iter().enumerate() {
            let name = parameter(operand, *names);
            parameters.push(match operand.kind {
                OperandKind::Dense if number == 0 => {
                    let place = sum_type(element, runtime);
                    quote!(#name: &mut [#place])
                }
                _ if number == 0 || number == kernel.implementor() => continue,
                OperandKind::Dense if operand.is_mask => quote!(#name: &[impl #runtime::Scalar]),
                OperandKind::Dense => quote!(#name: &[#element]),
                OperandKind::Scalar => quote!(#name: #element),
                OperandKind::Sparse => {
                    let of = sparse(number);
                    quote!(#name: &#of)
                }
            });
        }
        let indices = count(kernel.indices.len());
        let functions = kernel.functions.iter().enumerate().map(|(number, function)| {
            let (name, taken) = (function_name(number, *names), vec![element; function.arity]);
            quote!(#name: &(impl ::core::ops::Fn(#(#taken),*) -> #element + ::core::marker::Sync))
        });
        let result = match kernel.output_kind() {
            OperandKind::Dense => quote!(()),
            OperandKind::Scalar => quote!(#element),
            OperandKind::Sparse => sparse(0),
        };
        let extents = extents_name(kernel, *names);
        quote! {
            fn __run(
                &self, #(#parameters,)* #extents: [usize; #indices], #(#functions),*
            ) -> ::core::result::Result<#result, #runtime::Error>
        }
    }
}

/// The parameter of a function that the kernel calls.
fn function_name(number: usize, names: Names) -> Ident {
    names.local(&format!("__function{number}"))
}

/// The parameter of the extents, which no operand is called like.
fn extents_name(kernel: &Kernel, names: Names) -> Ident {
    let operands: Vec<String> = kernel
        .operands
        .iter()
        .map(|operand| operand_name(&operand.name))
        .collect();
    super::access::own_name(names, "extents", || operands.iter().map(String::as_str))
}

/// What a place of a dense output holds while a kernel runs.
fn sum_type(element: &TokenStream, runtime: &TokenStream) -> TokenStream {
    quote!(<#element as #runtime::Scalar>::Sum)
}

/// Runs a kernel on what the places of a dense output hold while it runs.
fn with_sums(output: &Ident, run: &TokenStream, runtime: &TokenStream) -> TokenStream {
    quote!(#runtime::Scalar::with_sums(#output, |#output| #run))
}

/// What the operators of the statement need of the element type, and of its sums, beside `Scalar`.
fn bounds(kernel: &Kernel, of: &TokenStream, runtime: &TokenStream) -> Vec<TokenStream> {
    let has = |asked: &dyn Fn(&Node) -> bool| kernel.value.any(&|node: &Node| asked(node));
    let reduction = kernel.reduction;
    let needs = [
        (
            matches!(reduction, Reduction::Min | Reduction::Max),
            quote!(#runtime::Ordered),
        ),
        (has(&|node| matches!(node, Node::Negated(_))), quote!(#runtime::Negate)),
        (
            has(&|node| matches!(node, Node::Literal(Literal::Integer(_)) | Node::Index(_))),
            quote!(#runtime::FromInteger),
        ),
        (
            has(&|node| matches!(node, Node::Literal(Literal::Float(_)))),
            quote!(#runtime::FromFloat),
        ),
        (
            reduction == Reduction::Or || has(&|node| matches!(node, Node::Or(_))),
            quote!(::core::ops::BitOr<Output = #of>),
        ),
        (
            reduction == Reduction::And || has(&|node| matches!(node, Node::And(_))),
            quote!(::core::ops::BitAnd<Output = #of>),
        ),
    ];
    needs
        .into_iter()
        .filter_map(|(needed, bound)| needed.then_some(bound))
        .collect()
}

/// The type parameter of a sparse operand: as in the statement, with a capital, unless the user's tokens say that name.
fn type_name(kernel: &Kernel, number: usize, taken: &BTreeSet<String>, names: Names) -> Ident {
    let mut name = capitalized(&kernel.operands[number].name);
    // Operands differ in more than case, so that only what is taken already is in the way.
    while taken.contains(&name) {
        name += "_";
    }
    names.local(&name)
}

/// A name with a capital.
fn capitalized(name: &str) -> String {
    let mut characters = name.trim_start_matches("r#").chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

/// All identifiers in the tokens.
fn identifiers(tokens: &TokenStream, into: &mut BTreeSet<String>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(ident.to_string());
            }
            TokenTree::Group(group) => identifiers(&group.stream(), into),
            _ => {}
        }
    }
}
