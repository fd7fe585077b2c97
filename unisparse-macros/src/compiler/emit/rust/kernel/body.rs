//! The loops of a kernel over one combination of formats.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::around::Around;
use super::{SparseOperand, extents_name, function_name, operand_name};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{NestArrays, TensorArrays, reserve};
use crate::compiler::emit::rust::print::count;
use crate::compiler::kernel::{Kernel, nests, scans};
use crate::compiler::loops::Variables;

/// What the method of an implementation does.
pub(super) struct Body {
    pub(super) tokens: TokenStream,
    /// The slow look-ups in it, each as a sentence.
    pub(super) scans: Vec<String>,
}

/// The method of an implementation.
pub(super) fn body(kernel: &Kernel, operands: &[SparseOperand<'_>], names: Names, runtime: &TokenStream) -> Body {
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
        for (name, number) in sparse.operand.constants() {
            let (name, number) = (names.public(name), Literal::u32_unsuffixed(number));
            constants.extend(quote! {
                #[allow(dead_code, non_upper_case_globals)]
                const #name: usize = #number;
            });
        }
        let operand = (inputs.len() > 1).then(|| operand_name(&kernel.operands[sparse.number].name));
        for summand in sparse.operand.summands(kernel, sparse.number) {
            let part = summand.part.map(|part| format!("part{part}"));
            let read = summand.read.map(|read| format!("read{read}"));
            let prefix = operand.iter().cloned().chain(part).chain(read);
            let number = summand.part.map(count);
            let part = number.map(|number| quote!(.parts().#number));
            tensors.push(TensorArrays {
                format: summand.format,
                storage: summand.storage,
                prefix: prefix.map(|word| word + "_").collect(),
                is_cut: summand.is_cut,
                tensor: quote!(#tensor #part),
            });
            summands.push(summand);
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
    let around = |kernel: &Kernel, print: &mut dyn FnMut(&Around<'_>, &mut Variables) -> TokenStream| {
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
    let mut slow = Vec::new();
    let body = around(kernel, &mut |around_loops, variables| {
        slow = scans(kernel, &summands, around_loops.nests);
        let body = around_loops.body(&summands, variables);
        if around_loops.nests.across.is_empty() {
            return body;
        }
        let turned = kernel.turned(&around_loops.nests.across);
        let turned = around(&turned, &mut |around, variables| around.body(&summands, variables));
        around_loops.unless_turned(&turned, &body, variables)
    });
    // The operators of sums, whose type is not the element's.
    let operators = quote! {
        #[allow(unused_imports)]
        use #runtime::{Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _, Stored as _};
    };
    Body {
        tokens: quote!(#operators #constants #body),
        scans: slow,
    }
}
