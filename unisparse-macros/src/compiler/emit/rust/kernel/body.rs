//! Prints the loops of a kernel over one combination of formats.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::around::Around;
use super::sparse_operand::SparseOperand;
use super::{extents_name, function_name, operand_name};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{NestArrays, TensorArrays, reserved};
use crate::compiler::emit::rust::print::count;
use crate::compiler::loops::Variables;
use crate::compiler::lower::Program;

/// Returns the body of the method of an implementation. Operands that are `converted` have their names in it, also the one that
/// implements the trait.
pub(super) fn body(
    program: &Program<'_>,
    operands: &[SparseOperand<'_>],
    converted: &[usize],
    names: Names,
    runtime: &TokenStream,
) -> TokenStream {
    let kernel = &program.kernel;
    let (extents, private) = (extents_name(kernel, names), quote!(#runtime::__private));
    let inputs: Vec<&SparseOperand<'_>> = operands.iter().filter(|operand| operand.number != 0).collect();
    let constants = inputs.iter().flat_map(|sparse| sparse.operand.constants());
    let constants = constants.map(|(name, number)| {
        let (name, number) = (names.public(name), Literal::u32_unsuffixed(number));
        quote! {
            #[allow(dead_code, non_upper_case_globals)]
            const #name: usize = #number;
        }
    });
    let constants: TokenStream = constants.collect();
    let arrays = NestArrays {
        names,
        runtime: runtime.clone(),
        tensors: tensors(program, converted, names),
        operands: kernel
            .operands
            .iter()
            .map(|operand| operand_name(&operand.name))
            .collect(),
        functions: (0..kernel.functions.len())
            .map(|number| function_name(number, names))
            .collect(),
    };
    let around = |program: &Program<'_>, print: &dyn Fn(&Around<'_>, &mut Variables) -> TokenStream| {
        let mut variables = program.variables.clone();
        let (reserved, elements) = reserved(&arrays);
        variables.avoid(&reserved, &elements);
        let around = Around {
            program,
            names,
            runtime,
            private: &private,
            arrays: &arrays,
            given: &extents,
        };
        print(&around, &mut variables)
    };
    let body = around(program, &|around_loops, variables| {
        let body = around_loops.body(variables);
        let Some(transposed) = &program.transposed else {
            return body;
        };
        let over_copies = around(&transposed.program, &|around, variables| around.body(variables));
        around_loops.with_transposed_copies(&transposed.copies, &over_copies, &body, variables)
    });
    // Imports the operators of sums, whose type is not the element type.
    let operators = quote! {
        #[allow(unused_imports)]
        use #runtime::{Negate as _, Ordered as _, Scalar as _, Source as _, SparseTensor as _, Stored as _};
    };
    quote!(#operators #constants #body)
}

/// Returns the names of each tensor's arrays in the loops.
fn tensors<'a>(program: &Program<'a>, converted: &[usize], names: Names) -> Vec<TensorArrays<'a>> {
    let kernel = &program.kernel;
    let tensors = program.tensors.iter().enumerate().map(|(number, tensor)| {
        let of_operand = if tensor.operand == kernel.implementor() && !converted.contains(&tensor.operand) {
            quote!(self)
        } else {
            let name = super::parameter(&kernel.operands[tensor.operand], names);
            quote!(#name)
        };
        let part = tensor.part.map(count).map(|number| quote!(.parts().#number));
        TensorArrays {
            format: tensor.format,
            storage: tensor.storage,
            prefix: program.prefix(number),
            is_cut: tensor.is_cut,
            tensor: quote!(#of_operand #part),
        }
    });
    tensors.collect()
}
