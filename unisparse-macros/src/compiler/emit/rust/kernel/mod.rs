//! Prints a kernel as Rust: a trait that formats implement, and one function for all of them.

mod around;
mod body;
pub(crate) mod checks;
mod declaration;
mod device;
mod docs;
mod hardware;
mod implementation;
mod sparse_operand;

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::Names;
use super::print::count;
use crate::compiler::kernel::{Kernel, Literal, Node, Operand, OperandKind, Reduction};

pub(crate) use declaration::{Declaration, Documented};
pub(crate) use implementation::Implementation;
pub(crate) use sparse_operand::SparseOperand;

/// Returns the Rust name of an operand: its name in the statement, in lower case.
fn operand_name(name: &str) -> String {
    name.to_lowercase()
}

/// Returns the parameter of an operand.
fn parameter(operand: &Operand, names: Names) -> Ident {
    names.local(&operand_name(&operand.name))
}

/// The types in the signature of the hidden method of a kernel's trait.
struct Signature<'a> {
    kernel: &'a Kernel,
    names: Names,
    runtime: &'a TokenStream,
    /// The type of elements.
    element: TokenStream,
    /// Returns the type of each sparse operand, by number.
    sparse: &'a dyn Fn(usize) -> TokenStream,
}

impl Signature<'_> {
    /// Returns `fn __run(&self, y: &mut [T], x: &[T], extents: [usize; 2]) -> Result<(), Error>`: a dense output, the
    /// other inputs in order of appearance, the extent of each index, and the functions.
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

/// Returns the parameter of a function that the kernel calls.
fn function_name(number: usize, names: Names) -> Ident {
    names.local(&format!("__function{number}"))
}

/// Returns the parameter of the extents, whose name no operand has.
fn extents_name(kernel: &Kernel, names: Names) -> Ident {
    let operands: Vec<String> = kernel
        .operands
        .iter()
        .map(|operand| operand_name(&operand.name))
        .collect();
    super::access::own_name(names, "extents", || operands.iter().map(String::as_str))
}

/// Returns the type of a dense output's elements while a kernel runs.
fn sum_type(element: &TokenStream, runtime: &TokenStream) -> TokenStream {
    quote!(<#element as #runtime::Scalar>::Sum)
}

/// Returns code that runs a kernel on a dense output whose elements have the type of sums.
fn with_sums(output: &Ident, run: &TokenStream, runtime: &TokenStream) -> TokenStream {
    quote!(#runtime::Scalar::with_sums(#output, |#output| #run))
}

/// Returns the traits besides `Scalar` that the operators of the statement require of the element type and its sums.
fn bounds(kernel: &Kernel, of: &TokenStream, runtime: &TokenStream) -> Vec<TokenStream> {
    let has = |holds: &dyn Fn(&Node) -> bool| kernel.value.any(&|node: &Node| holds(node));
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

/// Returns the type parameter of a sparse operand: its capitalized name, with underscores if the user's tokens contain
/// that name.
fn type_name(kernel: &Kernel, number: usize, taken: &BTreeSet<String>, names: Names) -> Ident {
    let mut name = capitalized(&kernel.operands[number].name);
    // Operands differ in more than case, so only the taken names can clash.
    while taken.contains(&name) {
        name += "_";
    }
    names.local(&name)
}

/// Returns a name with a capital first letter.
fn capitalized(name: &str) -> String {
    let mut characters = name.trim_start_matches("r#").chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

/// Adds all identifiers in the tokens to `into`.
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
