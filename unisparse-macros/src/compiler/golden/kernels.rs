//! Snapshots of kernels with several operands: their loops, and the Rust code of some of them.

use proc_macro2::Span;
use quote::{ToTokens, format_ident, quote};

use super::{golden, loops_of, report, stock_declarations};
use crate::compiler::compiled::{checked, compile};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::kernel::{Implementation, SparseOperand};
use crate::compiler::kernel::OperandKind;
use crate::compiler::loops::Text;
use crate::compiler::lower::{Target, lower, lower_observed};
use crate::compiler::operand::Operand;
use crate::compiler::storage::Stored;
use crate::compiler::syntax;

/// The statements, with the formats of their sparse operands: the inputs in order of appearance, then the output.
const KERNELS: [(&str, &[&str]); 11] = [
    (
        "fn spgemm: C[i, j] = A[i, k] * B[k, j] where A: _, B: _, C: _;",
        &["Csr", "Csr", "Csr"],
    ),
    (
        "fn add: C[i, j] = A[i, j] + B[i, j] where A: _, B: _, C: _;",
        &["Csr", "Csr", "Csr"],
    ),
    (
        "fn add_dia: C[i, j] = A[i, j] + B[i, j] where A: _, B: _, C: _;",
        &["Csr", "Dia", "Csr"],
    ),
    (
        "fn sddmm: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: _, S: _;",
        &["Csr", "Csr"],
    ),
    (
        "fn hadamard: C[i, j] = A[i, j] * B[i, j] where A: _, B: _, C: _;",
        &["Dia", "Dcsr", "Csr"],
    ),
    (
        "fn relu_sum: C[i, j] = relu(A[i, j] + B[i, j]) where A: _, B: _, C: _;",
        &["Csr", "Csr", "Csr"],
    ),
    (
        "fn frontier: next[j] |= front[i] & A[i, j] if !seen[j] where A: _;",
        &["Csr"],
    ),
    ("fn triangles: s = L[i, j] * L[j, k] * L[i, k] where L: _;", &["Csr"]),
    ("fn batch_first: H[b, o] = W[o, i] * X[b, i] where W: _;", &["Csr"]),
    ("fn relax: d[j] min= s[i] + A[i, j] where A: _;", &["Csr"]),
    (
        "fn masked: C[i, j] = A[i, k] * B[k, j] if M[i, j] where A: _, B: _, M: _, C: _;",
        &["Csr", "Csr", "Csr", "Csr"],
    ),
];

fn stock_declaration(name: &str) -> proc_macro2::TokenStream {
    let named = |tokens: &proc_macro2::TokenStream| syntax::format::name_in(tokens).is_some_and(|found| found == name);
    stock_declarations()
        .into_iter()
        .find(named)
        .unwrap_or_else(|| panic!("{name} is no stock format"))
}

#[test]
fn loops_of_kernels_of_several_operands() {
    let results = KERNELS.iter().map(|&(statement, formats)| {
        let kernel = checked(statement);
        let compiled = |name: &&str| compile(stock_declaration(name)).unwrap_or_else(|errors| panic!("{errors}"));
        let compiled: Vec<_> = formats.iter().map(compiled).collect();
        let text = format!(
            "{}\n{}\n\n{}",
            kernel.text,
            formats.join(", "),
            loops_of(&kernel, &compiled.iter().collect::<Vec<_>>())
        );
        golden(&format!("kernels/{}.txt", kernel.name), &text)
    });
    report(results);
}

#[test]
fn rust_of_kernels_of_several_operands() {
    let printed = KERNELS.iter().filter(|(statement, _)| {
        ["fn spgemm:", "fn add:", "fn frontier:", "fn batch_first:"]
            .iter()
            .any(|name| statement.starts_with(name))
    });
    let results = printed.map(|&(statement, formats)| {
        let kernel = checked(statement);
        let compiled = |name: &&str| compile(stock_declaration(name)).unwrap_or_else(|errors| panic!("{errors}"));
        let operands: Vec<Operand> = formats
            .iter()
            .map(|name| Operand::of_format(Stored::new(compiled(name).format)))
            .collect();
        // The output is last in both lists.
        let inputs = (1..kernel.operands.len()).filter(|&number| kernel.operands[number].kind == OperandKind::Sparse);
        let numbers: Vec<usize> = inputs.chain([0]).collect();
        let operands: Vec<SparseOperand<'_>> = kernel
            .sparse()
            .map(|number| {
                let at = numbers
                    .iter()
                    .position(|&other| other == number)
                    .expect("a sparse operand");
                SparseOperand {
                    number,
                    operand: &operands[at],
                    path: format_ident!("{}", formats[at]).to_token_stream(),
                    arguments: &[],
                }
            })
            .collect();
        let implementation = Implementation {
            program: lower(&kernel, &SparseOperand::inputs(&operands), &Target::RUST),
            operands,
            path: format_ident!("{}", kernel.name).to_token_stream(),
            names: Names::new(Span::call_site()),
            runtime: quote!(::unisparse),
            cfg: proc_macro2::TokenStream::new(),
            device: None,
            hardware: None,
            converted: Vec::new(),
            before: Vec::new(),
        };
        let file: syn::File = syn::parse2(implementation.print()).expect("Rust items");
        golden(&format!("kernels/{}.rs", kernel.name), &prettyplease::unparse(&file))
    });
    report(results);
}

/// A statement, with the formats of its sparse inputs, whose loops are shown after every pass.
const PASSES: [(&str, &[&str]); 6] = [
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", &["Csr"]),
    ("fn spmv_dia: y[i] = A[i, j] * x[j] where A: _;", &["Dia"]),
    ("fn spmv_sell: y[i] = A[i, j] * x[j] where A: _;", &["Sell"]),
    ("fn spmm_bcsr: C[i, k] = A[i, j] * B[j, k] where A: _;", &["Bcsr"]),
    ("fn batch_first: H[b, o] = W[o, i] * X[b, i] where W: _;", &["Csr"]),
    ("fn triangles: s = L[i, j] * L[j, k] * L[i, k] where L: _;", &["Csr"]),
];

#[test]
fn loops_after_every_pass() {
    let results = PASSES.iter().map(|&(statement, formats)| {
        let kernel = checked(statement);
        let compiled = formats.iter().map(|name| stock_declaration(name));
        let compiled: Vec<_> = compiled
            .map(|tokens| compile(tokens).unwrap_or_else(|errors| panic!("{errors}")))
            .collect();
        let inputs = (1..kernel.operands.len()).filter(|&number| kernel.operands[number].kind == OperandKind::Sparse);
        let tensors = inputs.zip(&compiled).map(|(number, format)| format.summand(number));
        let (mut text, mut before) = (format!("{}\n{}\n", kernel.text, formats.join(", ")), String::new());
        lower_observed(&kernel, tensors.collect(), &Target::RUST, &mut |pass, program| {
            let nests = program.nests.iter();
            let nests = nests.map(|nest| Text::numbered(&nest.body, &program.variables));
            let mut after = format!("{:?}\n{}", program.output, nests.collect::<String>());
            if let Some(transposed) = &program.transposed {
                after += &format!("or, where transposed copies pay: {:?}\n", transposed.copies);
            }
            text += &if after == before {
                format!("\n{pass}: changes nothing\n")
            } else {
                format!("\n{pass}: {after}")
            };
            before = after;
        });
        golden(&format!("passes/{}.txt", kernel.name), &text)
    });
    report(results);
}
