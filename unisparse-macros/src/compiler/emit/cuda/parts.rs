//! Parameters of kernels that carry results from one launch to the next: partial sums, arrays of a sparse output.

use super::super::c::{Lines, Parameter, ParameterKind, Source, c_name};
use super::runs::{in_order_of, rows_of};
use crate::compiler::loops::Stmt;
use crate::compiler::lower::Output;

/// Adds the parameters for results that a later launch completes.
pub(super) fn add(source: &Source<'_>, nests: &[Vec<Stmt>], parameters: &mut Vec<Parameter>) {
    let added = match source.program.output {
        Output::Scalar => [
            ("partials", ParameterKind::Partials),
            ("partial_count", ParameterKind::Count),
        ],
        Output::Dense { .. }
            if nests
                .iter()
                .any(|nest| in_order_of(nest).is_some() || rows_of(nest).is_some()) =>
        {
            [
                ("carries", ParameterKind::Carries),
                ("worker_count", ParameterKind::Workers),
            ]
        }
        _ => return add_for_sparse(source, parameters),
    };
    parameters.extend(added.map(|(name, kind)| Parameter {
        name: name.to_owned(),
        kind,
    }));
}

/// Whether the output is sparse.
pub(super) fn is_sparse(source: &Source<'_>) -> bool {
    matches!(source.program.output, Output::Fibers { .. } | Output::Unordered)
}

/// Whether fibers are summed in tables.
pub(super) fn has_tables(source: &Source<'_>) -> bool {
    matches!(source.program.output, Output::Fibers { workspace: Some(_), .. })
}

/// Returns the names of the arrays of the output's coordinates, in the order of its dims.
pub(super) fn arrays(source: &Source<'_>) -> Vec<String> {
    let kernel = source.kernel();
    let name = |&index: &usize| format!("{}_idx", c_name(&kernel.indices[index]));
    kernel.output.iter().map(name).collect()
}

/// Prints the struct of the output's arrays.
pub(super) fn define(source: &Source<'_>, output: &str, lines: &mut Lines) {
    lines.open(format!("struct {}_{output}", source.name));
    for array in arrays(source) {
        lines.line(format!("size_t *{array};"));
    }
    lines.line(format!("{} *values;", source.element.text));
    lines.close_with("};");
    lines.line("");
}

/// Adds the parameters of kernels with a sparse output.
fn add_for_sparse(source: &Source<'_>, parameters: &mut Vec<Parameter>) {
    if !is_sparse(source) {
        return;
    }
    let mut added = vec![("starts", ParameterKind::Starts)];
    if has_tables(source) {
        added.extend([
            ("tables", ParameterKind::Starts),
            ("table_keys", ParameterKind::Keys),
            ("table_sums", ParameterKind::Sums),
        ]);
    }
    added.push(("worker_count", ParameterKind::Workers));
    parameters.extend(added.into_iter().map(|(name, kind)| Parameter {
        name: name.to_owned(),
        kind,
    }));
}
