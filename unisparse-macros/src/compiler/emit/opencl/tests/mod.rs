//! Tests of the printed kernels: their text, the rejected statements, and their results.

mod arrays;
mod cases;
mod host;

use super::{TARGET, Text, print};
use crate::compiler::compiled::{Compiled, checked, declared, stock};
use crate::compiler::golden::{golden, report};
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::lower::lower_tensors;
use crate::compiler::operand::Summand;
use host::Host;

const STATEMENTS: [&str; 3] = [
    "fn spmv: y[i] = A[i, j] * x[j] where A: _;",
    "fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;",
    "fn sddmm: D[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: _;",
];

/// A sum that is added to the output, with all kinds of values, where a mask is not zero.
const ADDED: &str = "fn added: y[i] += alpha * A[i, j] * (x[j] - 2 * i) if m[j] where A: _;";

/// Five stock formats, and one that is new to every target.
fn formats() -> Vec<Compiled> {
    let mut formats: Vec<Compiled> = ["Csr", "Csc", "Dcsr", "Dia", "Bcsr"].map(stock).into();
    formats.push(declared(
        "format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); }",
    ));
    formats
}

/// Formats whose kernels have statements that the kernels of [`formats`] do not have: chains of levels, loops with
/// strides, dense levels below entries.
fn more_formats() -> Vec<Compiled> {
    let declarations = [
        "format Coo = |i, j| (row: i, col: j) { trim(row..=col); }",
        "format DenseAnti = |i, j| (anti: i + j, diff: j - i) {}",
        "format Untrimmed = |i, j| (row: i, col: j) { merge(row); trim(row); }",
        "format Blocks = |i, j| (part: i % 2, row: i / 2, col: j) { trim(col); }",
    ];
    declarations.map(declared).into()
}

/// Returns the prefix of the names of a statement's kernels.
fn named(kernel: &Kernel, format: &Compiled) -> String {
    format!("{}_{}", kernel.name, format.format.name.to_lowercase())
}

/// Prints the kernels of a statement whose sparse inputs all have the format.
fn printed(kernel: &Kernel, format: &Compiled) -> Result<Text, String> {
    let is_sparse = |number: &usize| kernel.operands[*number].kind == OperandKind::Sparse;
    let inputs = (1..kernel.operands.len()).filter(is_sparse);
    let tensors = inputs.map(|number| Summand {
        is_cut: format.format.partition.is_some(),
        ..format.summand(number)
    });
    print(
        &lower_tensors(kernel, tensors.collect(), &TARGET),
        &named(kernel, format),
    )
}

#[test]
fn kernels_of_five_formats_and_a_new_one() {
    let (formats, more) = (formats(), more_formats());
    let of_formats = STATEMENTS
        .iter()
        .flat_map(|statement| formats.iter().map(move |format| (statement, format)));
    let added = more.iter().map(|format| (&ADDED, format));
    report(of_formats.chain(added).map(|(statement, format)| {
        let kernel = checked(statement);
        let text = printed(&kernel, format).unwrap_or_else(|reason| panic!("{}: {reason}", named(&kernel, format)));
        let mut shown = format!("/* `{}` where A: {} */\n", kernel.text, format.format.text);
        for launch in &text.launches {
            let sizes = launch.sizes.iter().map(|(size, value)| format!(", {size} = {value}"));
            let sizes: String = sizes.collect();
            let items = launch.items.join(" x ");
            shown += &format!("/* {}: {items} work items{sizes} */\n", launch.kernel);
        }
        let file = format!("opencl/{}.cl", named(&kernel, format));
        golden(&file, &format!("{shown}\n{}", text.kernels))
    }));
}

#[test]
fn statements_without_a_counterpart_in_opencl_are_refused() {
    let packed = || declared("format Packed = |i, j| (row: i, col: j) { trim(row..=col); pack(row..=col); }");
    let cut = || declared("format Cut = |i, j| (row: i, col: j) { merge(row); trim(col); partition(row); }");
    let cases: [(&str, Compiled, &str); 10] = [
        (
            STATEMENTS[0],
            stock("Ell"),
            "the shape does not determine all levels of `A`",
        ),
        (STATEMENTS[0], packed(), "arrays of `A` are packed"),
        (STATEMENTS[0], cut(), "`A` is partitioned"),
        (
            "fn s: C[i, j] = A[i, j] * B[i, j] where A: _, B: _, C: _;",
            stock("Csr"),
            "the output is sparse",
        ),
        ("fn s: s = A[i, j] where A: _;", stock("Csr"), "the output is a scalar"),
        (
            "fn s: y[i] min= A[i, j] where A: _;",
            stock("Csr"),
            "the statement reduces by something else",
        ),
        (
            "fn s: y[i] = relu(A[i, j]) where A: _;",
            stock("Csr"),
            "`relu` is a function of the caller",
        ),
        (
            "fn s: y[i] = 0.5 * A[i, j] where A: _;",
            stock("Csr"),
            "`0.5` is not a value of every element type",
        ),
        (
            "fn s: D[i, j] = A[i, j] * B[i, j] where A: _, B: _;",
            stock("Dcsr"),
            "levels are merged",
        ),
        (
            "fn s: D[i, j] = A[i, j] * B[j, i] where A: _, B: _;",
            stock("Csr"),
            "a level is searched",
        ),
    ];
    for (statement, format, reason) in cases {
        let refused = printed(&checked(statement), &format).err();
        let refused = refused.unwrap_or_else(|| panic!("{statement} over {} is printed", format.format.name));
        assert!(refused.starts_with(reason), "{statement}: {refused}");
    }
}

#[test]
fn kernels_compute_the_sums_of_the_statement() {
    host::run(Host::Shim);
}

#[test]
#[ignore = "needs OpenCL: headers, `-lOpenCL` and a CPU device, as of PoCL"]
fn kernels_give_the_sums_of_the_statement_on_a_device() {
    host::run(Host::Device);
}
