//! The loops of a kernel over one combination of formats, and what stands around them.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

use super::{SparseOperand, extents_name, function_name, operand_name};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{NestArrays, TensorArrays, bind_extents, own_name, reserve};
use crate::compiler::emit::rust::print::{Printer, count, import};
use crate::compiler::encoding::Format;
use crate::compiler::kernel::{self, Kernel, Shape, nests};
use crate::compiler::loops::{Stmt, Variables};
use crate::compiler::storage::Storage;

/// What a kernel runs over: a tensor of one format, or one of the parts of a hybrid.
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
    kernel: &Kernel,
    operands: &[SparseOperand<'_>],
    names: Names,
    runtime: &TokenStream,
) -> TokenStream {
    let (extents, private) = (extents_name(kernel, names), quote!(#runtime::__private));
    let (mut summands, mut tensors, mut constants) = (Vec::new(), Vec::new(), TokenStream::new());
    let inputs: Vec<&SparseOperand<'_>> = operands.iter().filter(|operand| operand.number != 0).collect();
    for sparse in &inputs {
        let tensor = if sparse.number == kernel.implementor() {
            quote!(self)
        } else {
            let name = super::parameter(&kernel.operands[sparse.number], names);
            quote!(#name)
        };
        let of_operand = sparse.operand.summands(&tensor, names);
        let several = of_operand.len() > 1;
        for (at, summand) in of_operand.into_iter().enumerate() {
            let mut prefix = String::new();
            if inputs.len() > 1 {
                prefix += &format!("{}_", operand_name(&kernel.operands[sparse.number].name));
            }
            if several {
                prefix += &format!("part{at}_");
            }
            constants.extend(summand.constants);
            tensors.push(TensorArrays {
                format: summand.format,
                storage: summand.storage,
                prefix,
                is_cut: summand.is_cut,
                tensor: summand.tensor,
            });
            summands.push(kernel::Summand {
                operand: sparse.number,
                format: summand.format,
                storage: summand.storage,
                is_cut: summand.is_cut,
            });
        }
    }
    let arrays = NestArrays {
        names,
        runtime: runtime.clone(),
        tensors,
        operands: kernel
            .operands
            .iter()
            .map(|operand| operand_name(&operand.name))
            .collect(),
        functions: (0..kernel.functions.len())
            .map(|number| function_name(number, names))
            .collect(),
    };
    let mut variables = Variables::default();
    reserve(&mut variables, &arrays);
    let nests = nests(kernel, &summands, &mut variables);
    let (mut loops, several) = (TokenStream::new(), nests.blocks.len() > 1);
    for block in &nests.blocks {
        let printed = Printer::new(names, &arrays, &nests.numbers, &mut variables).print(block);
        let bind = arrays.bind(&nests.numbers, &variables, &printed);
        loops.extend(if several {
            quote!({ #bind #printed })
        } else {
            quote!(#bind #printed)
        });
    }
    let around = Around {
        kernel,
        names,
        runtime,
        private: &private,
        arrays: &arrays,
    };
    let is_fiber = nests.blocks.iter().flatten().any(has_fiber);
    let body = match &nests.output {
        Shape::Dense => around.dense(&nests.extents, nests.zero_first, loops, &variables),
        Shape::Total => around.total(loops),
        Shape::Fibers(order) => around.fibers(order, is_fiber, loops, &nests.extents, &variables),
        Shape::Scattered => around.scattered(loops, &nests.extents, &variables),
    };
    let bound = bind_extents(&nests.extents, &variables, names, &quote!(#extents), &body);
    let import = import(names, &private, &body);
    // The operators of sums, whose type is not the element's.
    let operators = quote! {
        #[allow(unused_imports)]
        use #runtime::{Negate as _, Ordered as _, Scalar as _};
    };
    quote!(#operators #import #constants #bound #body)
}

fn has_fiber(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Fiber { .. }) || stmt.body().iter().any(has_fiber)
}

/// What stands around the loops, by how the output comes out of them.
struct Around<'a> {
    kernel: &'a Kernel,
    names: Names,
    runtime: &'a TokenStream,
    private: &'a TokenStream,
    arrays: &'a NestArrays<'a>,
}

impl Around<'_> {
    /// A name that is not that of an operand.
    fn local(&self, name: &str) -> Ident {
        own_name(self.names, name, || self.arrays.operands.iter().map(String::as_str))
    }

    fn dense(
        &self,
        extents: &[crate::compiler::loops::Var],
        zero_first: bool,
        loops: TokenStream,
        variables: &Variables,
    ) -> TokenStream {
        let (output, runtime) = (self.names.local(&self.arrays.operands[0]), self.runtime);
        // A vector of known length: a loop over it needs no check.
        let exact = match self.kernel.output.as_slice() {
            [index] if mentions_index(&loops, &output) => {
                let extent = self.names.local(variables.name(extents[*index]));
                Some(quote!(let #output = &mut #output[..#extent];))
            }
            _ => None,
        };
        let zero = zero_first.then(|| quote!(#output.fill(<T::Sum as #runtime::Scalar>::ZERO);));
        quote!(#exact #zero #loops ::core::result::Result::Ok(()))
    }

    fn total(&self, loops: TokenStream) -> TokenStream {
        let (total, runtime) = (self.local("total"), self.runtime);
        let start = match self.kernel.reduction {
            kernel::Reduction::Min => quote!(<T::Sum as #runtime::Ordered>::GREATEST),
            kernel::Reduction::Max => quote!(<T::Sum as #runtime::Ordered>::LEAST),
            _ => quote!(<T::Sum as #runtime::Scalar>::ZERO),
        };
        quote!(let mut #total = #start; #loops ::core::result::Result::Ok(T::narrow(#total)))
    }

    /// The extents of the output's dims.
    fn shape(&self, extents: &[crate::compiler::loops::Var], variables: &Variables) -> TokenStream {
        let extents = self
            .kernel
            .output
            .iter()
            .map(|&index| self.names.local(variables.name(extents[index])));
        quote!([#(#extents),*])
    }

    fn fibers(
        &self,
        order: &[usize],
        is_fiber: bool,
        loops: TokenStream,
        extents: &[crate::compiler::loops::Var],
        variables: &Variables,
    ) -> TokenStream {
        let (private, runtime, output) = (self.private, self.runtime, self.local("output"));
        let (shape, dims) = (self.shape(extents, variables), count(order.len()));
        let loop_order = self.loop_order(order);
        let fiber = is_fiber.then(|| {
            let fiber = self.local("fiber");
            // The outermost loops go through one dim at least: the others are numbered within it.
            let inner = order[1..].iter().map(|&dim| {
                let extent = self.names.local(variables.name(extents[self.kernel.output[dim]]));
                quote!(#extent)
            });
            quote!(let mut #fiber = #private::Workspace::new(1 #( * #inner)*, 0);)
        });
        quote! {
            #loop_order
            let mut #output = #private::Fibers::<T, LoopOrder, #dims>::new(#shape)?;
            #fiber
            #loops
            #output.into_format(#runtime::Limit::default())
        }
    }

    /// The order of the loops as the encoding of a format: entries down to the last level but one, and a fiber below each.
    fn loop_order(&self, order: &[usize]) -> TokenStream {
        let private = self.private;
        let names: Vec<&str> = self
            .kernel
            .output
            .iter()
            .map(|&index| self.kernel.indices[index].as_str())
            .collect();
        let numbers: Vec<_> = order.iter().map(|&dim| count(dim)).collect();
        let levels = order.iter().enumerate().map(|(level, &dim)| {
            let (name, number, merged) = (names[dim], count(dim), level + 2 == order.len());
            quote! {
                #private::LevelForm {
                    name: #name,
                    text: #name,
                    form: #private::Form { terms: &[(#private::Atom::Dim(#number), 1)], constant: 0 },
                    merged: #merged,
                    trimmed: true,
                }
            }
        });
        quote! {
            struct LoopOrder;
            impl #private::LoopOrder for LoopOrder {
                const ENCODING: &'static #private::Encoding = &#private::Encoding {
                    name: "the loops",
                    dims: &[#(#names),*],
                    levels: &[#(#levels),*],
                    queries: &[],
                    packs: &[],
                    partition: ::core::option::Option::None,
                };
                const DIMS: &'static [usize] = &[#(#numbers),*];
            }
        }
    }

    fn scattered(
        &self,
        loops: TokenStream,
        extents: &[crate::compiler::loops::Var],
        variables: &Variables,
    ) -> TokenStream {
        let (private, runtime, output) = (self.private, self.runtime, self.local("output"));
        let shape = self.shape(extents, variables);
        let combined = match self.kernel.reduction {
            kernel::Reduction::Set | kernel::Reduction::Plus => quote!(left.plus(right)),
            kernel::Reduction::Min => quote!(left.lesser(right)),
            kernel::Reduction::Max => quote!(left.greater(right)),
            kernel::Reduction::Or => quote!(left | right),
            kernel::Reduction::And => quote!(left & right),
        };
        quote! {
            let mut #output = #private::Scattered::new(#shape)?;
            #loops
            #output.into_format(|left: T::Sum, right: T::Sum| #combined, #runtime::Limit::default())
        }
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
