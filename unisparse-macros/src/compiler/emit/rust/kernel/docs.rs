//! The documentation of a kernel: its statement, a call, and what each argument is.

use quote::ToTokens;

use super::{Declaration, operand_name};
use crate::compiler::diagnostics::counted;
use crate::compiler::kernel::{Node, OperandKind, Reduction, stock};
use crate::compiler::syntax::kernel::FormatUse;

impl Declaration<'_> {
    /// Returns the documentation above the loops.
    pub(super) fn docs(&self) -> String {
        let kernel = self.kernel;
        let mut docs = format!(
            "\n```text\n{}\n```\n\nCalled as `{}?`.\n\n# Operands\n\n| | shape | |\n|---|---|---|\n",
            kernel.text,
            self.called()
        );
        for number in 0..kernel.operands.len() {
            docs += &self.row(number);
        }
        let has_dense = kernel.operands.iter().any(|operand| operand.kind == OperandKind::Dense);
        if has_dense {
            docs += "\nDense operands are slices, arrays or `Vec`s in row-major order.";
        }
        let is_for_every = self.declaration.sparse.iter().any(|operand| operand.every.is_some());
        if !self.documented.is_stock && !is_for_every {
            docs += &format!(
                "\nOther formats join by `sparse_kernel! {{ impl {} for .. }}`.",
                self.declaration.name
            );
        }
        if kernel.sparse().filter(|&number| number != 0).count() > 1 {
            docs += " In some combinations of formats, a lookup scans a whole operand: `SCANS` of the trait names the lookup and what to convert.";
        }
        docs
    }

    /// Returns the row of an operand in the table: its argument, its indices, and what it is.
    fn row(&self, number: usize) -> String {
        let operand = &self.kernel.operands[number];
        let name = match operand.kind {
            OperandKind::Dense => format!("`{}`", operand_name(&operand.name)),
            _ if number == 0 => "the result".to_owned(),
            _ => format!("`{}`", operand_name(&operand.name)),
        };
        let what = match operand.kind {
            OperandKind::Sparse => self.formats(number),
            OperandKind::Scalar => "a number".to_owned(),
            OperandKind::Dense if number == 0 => format!("dense, {}", self.treatment()),
            OperandKind::Dense if operand.is_mask => "dense, of any type of elements".to_owned(),
            OperandKind::Dense => "dense".to_owned(),
        };
        format!("| {name} | {} | {what} |\n", self.shape(number))
    }

    /// Returns what becomes of a dense output.
    fn treatment(&self) -> &'static str {
        match self.kernel.reduction {
            Reduction::Set => "overwritten",
            Reduction::Plus => "added to",
            Reduction::Min => "replaced where a value is less",
            Reduction::Max => "replaced where a value is greater",
            Reduction::Or | Reduction::And => "combined with each value",
        }
    }

    /// Returns the indices with which an operand is read or written, such as `i` by `j`.
    fn shape(&self, number: usize) -> String {
        let kernel = self.kernel;
        let read = kernel.reads.iter().find(|read| read.operand == number);
        let indices = match number {
            0 => Some(&kernel.output),
            _ => read.map(|read| &read.indices),
        };
        let names = indices
            .into_iter()
            .flatten()
            .map(|&index| format!("`{}`", kernel.indices[index]));
        names.collect::<Vec<_>>().join(" by ")
    }

    /// Returns the formats listed for a sparse operand, as links.
    fn formats(&self, number: usize) -> String {
        let operand = &self.kernel.operands[number];
        let mut sparse = self.declaration.sparse.iter();
        let listed = sparse.find(|listed| listed.name == operand.name);
        let formats: Vec<String> = listed.iter().flat_map(|listed| &listed.formats).map(link).collect();
        if let (Some(to), true) = (
            stock::converted_to(operand.rank),
            listed.is_some_and(|listed| listed.every.is_some()),
        ) {
            let loops: String = formats.iter().map(|format| format!("{format}, ")).collect();
            let dims = counted(operand.rank, "dim", "dims");
            return format!(
                "sparse: every declared format of {dims}. The loops are over {loops}`{to}`; a tensor in another format is converted to `{to}` at each call, in time and memory for its elements and the pointers of that format"
            );
        }
        match formats.as_slice() {
            [] if number == 0 => "sparse: any format, chosen by the type of the result".to_owned(),
            [] if self.documented.is_stock => format!("sparse: every declared format of {} dims", operand.rank),
            [] => "sparse: formats that join the kernel".to_owned(),
            formats => format!("sparse: {}", formats.join(", ")),
        }
    }

    /// Returns the section on errors.
    pub(super) fn errors(&self) -> String {
        let kernel = self.kernel;
        let mut errors = "`Shape` if the extents of the operands do not match; the error names the operand.".to_owned();
        if kernel.output_kind() == OperandKind::Sparse {
            errors += " `Overflow` or `Limit` if the result does not fit its format.";
        }
        if self.declaration.sparse.iter().any(|operand| operand.every.is_some()) {
            errors += " `Overflow`, `Limit` or `Duplicate` if an operand that is converted does not fit the format.";
        }
        if kernel.value.any(&|node: &Node| matches!(node, Node::Index(_))) {
            errors +=
                " `Overflow` if the element type cannot represent the coordinates of an index that is used as a value.";
        }
        if !kernel.functions.is_empty() && self.declaration.element.is_none() {
            errors += " `Type` if a called function is not one of the element type.";
        }
        format!("\n# Errors\n{errors}")
    }
}

/// Returns a link to the page of a format.
fn link(format: &FormatUse) -> String {
    let (text, path) = (
        format.text(),
        format.path.to_token_stream().to_string().replace(' ', ""),
    );
    // The crate of a macro has no name in documentation. A format is a struct and a macro.
    if path.contains('$') {
        return format!("`{text}`");
    }
    format!("[`{text}`](struct@{path})")
}
