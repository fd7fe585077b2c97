//! Prints the types of sparse operands.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::compiler::emit::rust::Names;
use crate::compiler::operand::Operand;

/// The format of a sparse operand.
pub(crate) struct SparseOperand<'a> {
    /// The number of the operand in [`Kernel::operands`].
    pub(crate) number: usize,
    /// The format, whose parameters have different names than those of the other operands.
    pub(crate) operand: &'a Operand,
    /// The path of the type, without the element type.
    pub(crate) path: TokenStream,
    /// The const arguments, if they are given; empty for an implementation for all values of the parameters.
    pub(crate) arguments: &'a [TokenStream],
}

impl<'a> SparseOperand<'a> {
    /// Returns the operands that a kernel's loops read: all but the output.
    pub(crate) fn inputs(operands: &[SparseOperand<'a>]) -> Vec<(usize, &'a Operand)> {
        let inputs = operands.iter().filter(|operand| operand.number != 0);
        inputs.map(|operand| (operand.number, operand.operand)).collect()
    }

    pub(super) fn parameters(&self, names: Names) -> Vec<Ident> {
        let parameters = self.operand.parameters.iter();
        parameters.map(|parameter| names.public(parameter)).collect()
    }

    /// Returns the declared parameters, such as `const R: usize, const C: usize,`.
    pub(super) fn declared(&self, names: Names) -> TokenStream {
        if !self.arguments.is_empty() {
            return TokenStream::new();
        }
        let parameters = self.parameters(names);
        quote!(#(const #parameters: usize,)*)
    }

    /// Returns the type, such as `Bcsr<T, R, C>`.
    pub(super) fn typed(&self, element: &TokenStream, names: Names) -> TokenStream {
        let path = &self.path;
        if self.arguments.is_empty() {
            let parameters = self.parameters(names);
            quote!(#path<#element, #(#parameters),*>)
        } else {
            let arguments = self.arguments;
            quote!(#path<#element, #(#arguments),*>)
        }
    }

    /// Returns the values of the parameters.
    pub(super) fn values(&self, names: Names) -> Vec<TokenStream> {
        if self.arguments.is_empty() {
            let parameters = self.parameters(names).into_iter();
            return parameters.map(|parameter| quote!(#parameter)).collect();
        }
        self.arguments.to_vec()
    }

    /// Returns the parameters as constants of the body, if arguments are given.
    pub(super) fn constants(&self, names: Names) -> TokenStream {
        let parameters = self.parameters(names);
        let constants = parameters
            .iter()
            .zip(self.arguments)
            .map(|(name, value)| quote!(const #name: usize = #value;));
        constants.collect()
    }
}
