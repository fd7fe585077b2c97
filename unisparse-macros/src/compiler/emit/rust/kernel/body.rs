//! The loops of a kernel over one sparse operand.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::{SparseOperand, extents_name, operand_name};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{FormatArrays, bind_extents, own_name, reserve};
use crate::compiler::emit::rust::print::{Printer, import};
use crate::compiler::encoding::Format;
use crate::compiler::kernel::legacy::Kernel;
use crate::compiler::kernel::{self, nests};
use crate::compiler::loops::Variables;
use crate::compiler::storage::Storage;
use crate::compiler::traversal::Context;

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

/// What the method of an implementation does.
pub(super) fn body(
    kernel: &kernel::Kernel,
    operands: &[SparseOperand<'_>],
    names: Names,
    runtime: &TokenStream,
) -> TokenStream {
    let extents = extents_name(kernel, names);
    let (Some(kernel), [sparse]) = (Kernel::of(kernel), operands) else {
        return TokenStream::new();
    };
    let loops = Loops {
        names,
        runtime,
        extents,
    };
    let further = kernel.added();
    let bodies: Vec<TokenStream> = sparse
        .operand
        .summands(names)
        .iter()
        .enumerate()
        .map(|(at, summand)| loops.summand(if at == 0 { &kernel } else { &further }, summand))
        .collect();
    let body = match bodies.as_slice() {
        [only] => quote!(#only),
        several => quote!(#({ #several })*),
    };
    quote!(#body ::core::result::Result::Ok(()))
}

struct Loops<'a> {
    names: Names,
    runtime: &'a TokenStream,
    extents: Ident,
}

impl Loops<'_> {
    /// The kernel over one tensor, whole or in parts.
    fn summand(&self, kernel: &Kernel, summand: &Summand<'_>) -> TokenStream {
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
            &self.extents.to_token_stream(),
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
