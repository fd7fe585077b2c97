//! Snapshots of printed kernels, and what is refused.

use super::super::c::{Element, Sparse};
use super::{DIALECT, Source, TARGET, element, print, reason};
use crate::compiler::compiled::{Compiled, checked, declared, stock};
use crate::compiler::golden::{golden, report};
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::lower::lower_tensors;

/// Statements with the format of their sparse inputs. Each has loops of another kind.
const SHOWN: [(&str, &str); 11] = [
    // Rows of many terms have independent sums.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Csr"),
    // Neighbouring columns are computed at once.
    ("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;", "Csr"),
    // The columns of a row differ, so that its iterations never wait.
    ("fn scattered: y[j] = A[i, j] * x[i] where A: _;", "Csr"),
    // The rows of entries may be the same.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Coo"),
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Dia"),
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Sell"),
    // Blocks.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "Bcsr"),
    ("fn spmm: C[i, k] = A[i, j] * B[j, k] where A: _;", "Bcsr"),
    // Parts are in one array, one after another.
    ("fn spmv: y[i] = A[i, j] * x[j] where A: _;", "C2sr"),
    ("fn longest: t max= A[i, j] where A: _;", "Csr"),
    ("fn sampled: D[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: _;", "Csr"),
];

/// Returns the source of a statement whose sparse inputs all have the format.
fn source<'a>(kernel: &Kernel, format: &'a Compiled, of: &str) -> Source<'a> {
    let is_sparse = |number: &usize| kernel.operands[*number].kind == OperandKind::Sparse;
    let inputs = (1..kernel.operands.len()).filter(is_sparse);
    let tensors = inputs.map(|number| format.summand(number));
    Source {
        program: lower_tensors(kernel, tensors.collect(), &TARGET),
        operands: Vec::<Sparse<'_>>::new(),
        element: element(Element::parse(of).expect("an element type")),
        dialect: DIALECT,
        name: format!("{}_{}_{of}", kernel.name, format.format.name.to_lowercase()),
    }
}

#[test]
fn kernels_of_each_kind() {
    report(SHOWN.iter().map(|(statement, format)| {
        let (kernel, format) = (checked(statement), stock(format));
        let source = source(&kernel, &format, "f32");
        golden(
            &format!("hls/{}.cpp", source.name),
            &print(&source).file(Element::OPERATORS),
        )
    }));
}

#[test]
fn integers_and_interleaved_arrays() {
    let packed = declared("pub format Packed = |i, j| (row: i, col: j) { merge(row); trim(col); pack(col); }");
    let kernel = checked("fn longest: t max= A[i, j] where A: _;");
    let source = source(&kernel, &packed, "i16");
    let chosen = Element::parse("i16").expect("an element type");
    report(std::iter::once(golden(
        &format!("hls/{}.cpp", source.name),
        &print(&source).file(chosen),
    )));
}

#[test]
fn searches_are_refused() {
    let kernel = checked("fn dot: t = A[i, j] * B[i, j] where A: _, B: _;");
    let csr = stock("Csr");
    let reason = reason(&source(&kernel, &csr, "f32").program);
    assert_eq!(
        reason.as_deref(),
        Some("the loops need a merge of two operands, for which there is no hardware yet")
    );
}
