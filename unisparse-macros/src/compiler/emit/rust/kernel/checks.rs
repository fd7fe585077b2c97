//! Prints the checks that the element type, known only at the call, can represent the numbers in a statement.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use crate::compiler::emit::rust::print::{count, integer};
use crate::compiler::kernel::{Kernel, Literal, Node};

/// Returns checks of all numbers that are values, at a call with these extents. Each is an expression of type `Result`.
pub(crate) fn numbers(
    kernel: &Kernel,
    element: &impl ToTokens,
    extents: &Ident,
    private: &TokenStream,
) -> Vec<TokenStream> {
    let mut checks = literals(kernel, element, private);
    checks.extend(coordinates(kernel, element, extents, private));
    checks
}

/// Returns checks of the literals. Each is an expression of type `Result`.
pub(super) fn literals(kernel: &Kernel, element: &impl ToTokens, private: &TokenStream) -> Vec<TokenStream> {
    let (mut integers, mut floats) = (Vec::new(), Vec::new());
    kernel.value.for_each_literal(&mut |literal| match literal {
        Literal::Integer(number) => integers.push(integer(i128::from(number))),
        Literal::Float(number) => floats.push(proc_macro2::Literal::f64_unsuffixed(number)),
    });
    let integers = (!integers.is_empty()).then(|| quote!(#private::integers::<#element>(&[#(#integers),*])));
    let floats = (!floats.is_empty()).then(|| quote!(#private::floats::<#element>(&[#(#floats),*])));
    integers.into_iter().chain(floats).collect()
}

/// Returns checks of the coordinates that are used as values. Each is an expression of type `Result`.
pub(super) fn coordinates(
    kernel: &Kernel,
    element: &impl ToTokens,
    extents: &Ident,
    private: &TokenStream,
) -> Vec<TokenStream> {
    let is_value = |index: &usize| kernel.value.any(&|node: &Node| *node == Node::Index(*index));
    let checks = (0..kernel.indices.len()).filter(is_value).map(|index| {
        let (name, index) = (&kernel.indices[index], count(index));
        quote!(#private::check_coordinates::<#element>(#name, #extents[#index]))
    });
    checks.collect()
}
