//! The loops of a kernel over one combination of formats.

use proc_macro2::TokenStream;
use quote::quote;

use super::around::Around;
use super::{SparseOperand, extents_name, function_name, operand_name};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{NestArrays, TensorArrays, reserve};
use crate::compiler::encoding::Format;
use crate::compiler::kernel::{self, Kernel, nests};
use crate::compiler::loops::Variables;
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
            // Each read goes through the parts of a tensor that is cut apart by itself.
            let reads = kernel.reads_of(sparse.number);
            let own = summand.is_cut && reads.len() > 1;
            for (number, read) in reads.into_iter().enumerate().take(if own { usize::MAX } else { 1 }) {
                let prefix = match own {
                    true => format!("{prefix}read{number}_"),
                    false => prefix.clone(),
                };
                tensors.push(TensorArrays {
                    format: summand.format,
                    storage: summand.storage,
                    prefix,
                    is_cut: summand.is_cut,
                    tensor: summand.tensor.clone(),
                });
                summands.push(kernel::Summand {
                    operand: sparse.number,
                    read: own.then_some(read),
                    format: summand.format,
                    storage: summand.storage,
                    is_cut: summand.is_cut,
                });
            }
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
    let around = |kernel: &Kernel, print: &dyn Fn(&Around<'_>, &mut Variables) -> TokenStream| {
        let mut variables = Variables::default();
        reserve(&mut variables, &arrays);
        let nests = nests(kernel, &summands, &mut variables);
        let around = Around {
            kernel,
            names,
            runtime,
            private: &private,
            arrays: &arrays,
            nests: &nests,
            given: &extents,
        };
        print(&around, &mut variables)
    };
    let body = around(kernel, &|around_loops, variables| {
        let body = around_loops.body(&summands, variables);
        if around_loops.nests.across.is_empty() {
            return body;
        }
        let turned = kernel.turned(&around_loops.nests.across);
        let turned = around(&turned, &|around, variables| around.body(&summands, variables));
        around_loops.unless_turned(&turned, &body, variables)
    });
    // The operators of sums, whose type is not the element's.
    let operators = quote! {
        #[allow(unused_imports)]
        use #runtime::{Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _, Stored as _};
    };
    quote!(#operators #constants #body)
}
