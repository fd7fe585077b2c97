//! Determines what has a counterpart in hardware.

use super::super::c::Element;
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::loops::{Segment, Stmt, Value};
use crate::compiler::lower::Program;

/// Whether kernels can have elements of this type.
pub(crate) fn has(element: Element) -> bool {
    !element.is_complex() && !element.is_half()
}

/// Returns the reason why a statement has no counterpart, whatever its formats.
pub(crate) fn reason_of_statement(kernel: &Kernel) -> Option<String> {
    if kernel.output_kind() == OperandKind::Sparse {
        let output = &kernel.operands[0].name;
        return Some(format!(
            "`{output}` is sparse, and the memory of hardware is not allocated while it runs"
        ));
    }
    let name = kernel.functions.first()?.name();
    Some(format!("`{name}` is a function in Rust, which hardware cannot call"))
}

/// Returns the reason why a program is not printed, or `None` if it is.
pub(crate) fn reason(program: &Program<'_>) -> Option<String> {
    let of_loops = || {
        let mut stmts = program.nests.iter().flat_map(|nest| &nest.body);
        let what = stmts.find_map(statement)?;
        Some(format!("the loops need {what}, for which there is no hardware yet"))
    };
    reason_of_statement(&program.kernel).or_else(of_loops)
}

/// Returns what in a statement has no counterpart.
fn statement(stmt: &Stmt) -> Option<&'static str> {
    let own = match stmt {
        Stmt::Merge(_) => Some("a merge of two operands"),
        Stmt::Open { .. } | Stmt::Between { .. } | Stmt::Find(_) | Stmt::Step { .. } => {
            Some("a search in the coordinates of an operand")
        }
        Stmt::Entries(entries) => match entries.within {
            Segment::Run(_) | Segment::Below(_) => Some("a search in the coordinates of an operand"),
            Segment::All | Segment::Of(_) | Segment::Between(..) => None,
        },
        Stmt::Accumulate { value, .. } if finds(value) => Some("a search in the coordinates of an operand"),
        _ => None,
    };
    own.or_else(|| stmt.body().iter().find_map(statement))
}

/// Whether a value is that of a search.
fn finds(value: &Value) -> bool {
    match value {
        Value::At { .. } => true,
        Value::Negated(inner) => finds(inner),
        Value::Product(all) | Value::Sum(all) | Value::Or(all) | Value::And(all) | Value::Call(_, all) => {
            all.iter().any(finds)
        }
        _ => false,
    }
}
