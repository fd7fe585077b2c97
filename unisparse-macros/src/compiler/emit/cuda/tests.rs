//! Snapshots of printed kernels, and what is refused.

use super::super::c::{Element, Sparse};
use super::{Count, DIALECT, Source, TARGET, Terms, print, reason};
use crate::compiler::compiled::{Compiled, checked, declared, stock};
use crate::compiler::golden::{golden, report};
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::lower::lower_tensors;

/// Statements with the format of their sparse inputs. Each has a mapping of its own.
const SHOWN: [(&str, &str); 14] = [
    // Lanes divide a row, whose sum they reduce.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Csr"),
    // Lanes own neighbouring columns.
    ("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;", "Csr"),
    // Lanes own neighbouring rows.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Dia"),
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Sell"),
    // Rows of a block share a tile.
    ("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;", "Bcsr"),
    // Lanes add the terms of each row, which has one owner.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Coo"),
    // Threads add atomically.
    ("fn scattered: y[j] = A[i, j] * x[i] where A: _;", "Csr"),
    // Lanes divide the innermost sum.
    ("fn sampled: D[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: _;", "Csr"),
    // Blocks reduce their parts of a scalar.
    ("fn dot: t = A[i, j] * B[i, j] where A: _, B: _;", "Csr"),
    // Workers count the elements of a sparse output, then append them.
    ("fn add: C[i, j] = A[i, j] + B[i, j] where A: _, B: _, C: _;", "Csr"),
    (
        "fn common: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: _, S: _;",
        "Csr",
    ),
    // Workers sum fibers in tables.
    ("fn product: C[i, j] = A[i, k] * B[k, j] where A: _, B: _, C: _;", "Csr"),
    // A worker takes entries in order, its lanes columns.
    ("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;", "Coo"),
    // Workers divide two loops, numbered as one.
    ("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;", "Sell"),
];

/// Returns the source of a statement whose sparse inputs all have the format.
fn source<'a>(kernel: &Kernel, format: &'a Compiled, element: &str) -> Source<'a> {
    let is_sparse = |number: &usize| kernel.operands[*number].kind == OperandKind::Sparse;
    let inputs = (1..kernel.operands.len()).filter(is_sparse);
    let tensors = inputs.map(|number| format.summand(number));
    Source {
        program: lower_tensors(kernel, tensors.collect(), &TARGET),
        operands: Vec::<Sparse<'_>>::new(),
        element: Element::parse(element).expect("an element type"),
        dialect: DIALECT,
        name: format!("{}_{}_{element}", kernel.name, format.format.name.to_lowercase()),
    }
}

#[test]
fn kernels_of_each_mapping() {
    report(SHOWN.iter().map(|(statement, format)| {
        let (kernel, format) = (checked(statement), stock(format));
        let source = source(&kernel, &format, "f32");
        golden(&format!("cuda/{}.cu", source.name), &print(&source).text)
    }));
}

/// What the host needs to choose lanes: the positions and the terms of the launch over the elements.
#[test]
fn terms_of_each_mapping() {
    let number = |number| Count::Number(number);
    let entries = |parameter, level| Count::Entries { parameter, level };
    let columns = |positions| Count::Times(Box::new([positions, Count::Parameter(4)]));
    let rows = || Count::Parameter(3);
    let cases = [
        (0, (rows(), Terms::Summed(entries(1, 1)))),
        (1, (rows(), Terms::Tiled(columns(rows())))),
        // Entries by lanes, in groups of as many as a warp has.
        (5, (Count::Ceil(Box::new([entries(1, 1), number(32)])), Terms::Unknown)),
        (6, (Count::Parameter(4), Terms::Each(entries(1, 1)))),
        (12, (entries(1, 1), Terms::Each(columns(entries(1, 1))))),
    ];
    for (shown, expected) in cases {
        let (statement, format) = SHOWN[shown];
        let (kernel, format) = (checked(statement), stock(format));
        let mut launches = print(&source(&kernel, &format, "f32")).launches.into_iter();
        let launch = launches
            .find(|launch| !launch.kernel.ends_with("_zero"))
            .expect("a launch");
        assert_eq!((launch.positions, launch.terms), expected, "{statement}");
    }
}

/// Dense blocks of half precision are multiplied by the matrix instructions of a warp.
#[test]
fn blocks_of_half_precision() {
    let kernel = checked("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;");
    let formats = ["Bcsr", "Bell"].map(stock);
    report(formats.iter().map(|format| {
        let source = source(&kernel, format, "f16");
        golden(&format!("cuda/{}.cu", source.name), &print(&source).text)
    }));
}

#[test]
fn statements_without_a_counterpart_in_cuda_are_refused() {
    let cases = [
        ("fn s: y[i] = relu(A[i, j]) where A: _;", "`relu` is a function in Rust"),
        (
            "fn s: C[i, j] = relu(A[i, j]) where A: _, C: _;",
            "`relu` is a function in Rust",
        ),
    ];
    let format = declared("format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }");
    for (statement, expected) in cases {
        let found = reason(&source(&checked(statement), &format, "f32").program);
        let found = found.unwrap_or_else(|| panic!("{statement} is printed"));
        assert!(found.starts_with(expected), "{statement}: {found}");
    }
}
