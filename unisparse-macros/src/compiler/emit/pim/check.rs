//! Determines whether a program runs on the cores of a device that processes in memory.

use crate::compiler::kernel::{self, Kernel};
use crate::compiler::loops::{Array, Condition, Destination, Lvalue, Segment, Stmt, Value};
use crate::compiler::lower::{Nest, Output, Program};

/// Returns the reason why a program has no data, or `None` if it has.
pub(crate) fn reason(program: &Program<'_>) -> Option<String> {
    let Kernel {
        operands, functions, ..
    } = &program.kernel;
    let output = &operands[0].name;
    if !matches!(program.output, Output::Dense { .. } | Output::Scalar) {
        return Some(format!(
            "`{output}` is sparse, and a core writes to elements of a dense output or a scalar only"
        ));
    }
    if program.kernel.reduction == kernel::Reduction::And {
        return Some(format!(
            "cores start with an output of their own, and `{output} &= ..` has no value to start with"
        ));
    }
    if let Some(function) = functions.first() {
        return Some(format!(
            "`{}` is a function in Rust, which a core cannot call",
            function.name()
        ));
    }
    if program.tensors.len() != 1 {
        return Some(
            "a core holds one part of one sparse operand, and the statement reads several sparse tensors".to_owned(),
        );
    }
    if program.nests.iter().any(|nest| !reads_part(&nest.body)) {
        return Some("a term without the sparse operand would be added by every core".to_owned());
    }
    let of_nest = |nest: &Nest| nest.body.iter().find_map(statement);
    program
        .nests
        .iter()
        .find_map(of_nest)
        .map(|what| format!("the loops need {what}, which a core does not run"))
}

/// Whether the loops read the values of the part.
fn reads_part(block: &[Stmt]) -> bool {
    let mut reads = false;
    for stmt in block {
        stmt.for_each_load(&mut |array, _| reads |= matches!(array, Array::Values(_)));
    }
    reads
}

/// Returns what in a statement a core does not run.
fn statement(stmt: &Stmt) -> Option<&'static str> {
    let own = match stmt {
        Stmt::Range(range) if range.slices.is_some() || range.nonempty.is_some() => Some("iterations over slices"),
        Stmt::Tiles(tiles) if tiles.rows.is_some() || tiles.through.is_some() => Some("tiles of several rows"),
        Stmt::Entries(entries) => segment(&entries.within),
        Stmt::If { conditions, .. } => conditions.iter().find_map(condition),
        Stmt::Accumulate { place, value, .. } => match place {
            Lvalue::Element(..) | Lvalue::Sum => unsupported(value),
            _ => Some("a sparse result"),
        },
        Stmt::Bind(bind) => unsupported(&bind.value),
        Stmt::Sum { into, .. } => match into {
            Destination::Element { .. } | Destination::Total => None,
            Destination::Item { .. } | Destination::Output { .. } => Some("a sparse result"),
        },
        Stmt::Fill { array, .. } => (*array != Array::Dense(0)).then_some("a workspace"),
        Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Let { .. } | Stmt::Lookup { .. } => None,
        Stmt::Merge(_) => Some("a merge of segments"),
        Stmt::First { .. } | Stmt::Open { .. } | Stmt::Between { .. } | Stmt::Find(_) | Stmt::Step { .. } => {
            Some("a search in the coordinates")
        }
        Stmt::Fiber { .. } | Stmt::Maybe { .. } | Stmt::Visit { .. } | Stmt::Count(_) => Some("a workspace"),
        Stmt::Parallel(_) | Stmt::Parts { .. } => Some("loops over parts"),
    };
    own.or_else(|| stmt.body().iter().find_map(statement))
}

fn segment(segment: &Segment) -> Option<&'static str> {
    match segment {
        Segment::All | Segment::Of(_) | Segment::Between(..) => None,
        Segment::Run(_) | Segment::Below(_) => Some("a search in the coordinates"),
    }
}

fn condition(condition: &Condition) -> Option<&'static str> {
    match condition {
        Condition::Nonnegative(_) | Condition::Zero(_) | Condition::Divisible(..) => None,
        Condition::Nonzero { .. } => None,
        Condition::Missing(_) => Some("a value that may be missing"),
    }
}

fn unsupported(value: &Value) -> Option<&'static str> {
    match value {
        Value::Load(..) | Value::Scalar(_) | Value::Bound(_) | Value::Literal(_) | Value::Coordinate(_) => None,
        Value::Negated(value) => unsupported(value),
        Value::Product(values) | Value::Sum(values) | Value::Or(values) | Value::And(values) => {
            values.iter().find_map(unsupported)
        }
        Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_) => Some("a value that may be missing"),
        Value::Call(..) => Some("a function in Rust"),
    }
}
