//! Prints a kernel over one choice of formats as pseudo-code, and its cost in words.

mod cost;
mod names;

use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::loops::{self, Text};
use crate::compiler::lower::{Output, Program};
#[cfg(test)]
use crate::compiler::lower::{Target, lower_tensors};
use crate::compiler::operand::Operand;
#[cfg(test)]
use crate::compiler::operand::Summand;

/// The format of a sparse input.
pub(crate) struct Sparse<'a> {
    /// The number of the operand in [`Kernel::operands`].
    pub(crate) number: usize,
    pub(crate) operand: &'a Operand,
    /// The values of the const parameters; empty if the text is for all values.
    pub(crate) arguments: Vec<String>,
}

/// The description of a kernel over one choice of formats.
pub(crate) struct Described {
    /// The statement, the formats and the loops.
    pub(crate) loops: String,
    /// Sentences on the ranges of the loops.
    pub(crate) cost: String,
}

/// Describes the loops of a program over these formats of its sparse inputs, in order of appearance.
pub(crate) fn describe(mut program: Program<'_>, sparse: &[Sparse<'_>]) -> Described {
    rename(&mut program);
    let formats: Vec<String> = sparse
        .iter()
        .map(|operand| format_of(&program.kernel, operand))
        .collect();
    let mut names = names::names(&program);
    names.shown_as.extend(sparse.iter().flat_map(names::parameters));
    Described {
        loops: format!(
            "// {} where {}\n{}",
            program.kernel.text,
            formats.join(", "),
            print(&program, &names)
        ),
        cost: cost::cost(&program, &names),
    }
}

/// Returns the loops of a kernel over tensors, without the statement.
#[cfg(test)]
pub(crate) fn loops_of(kernel: &Kernel, tensors: Vec<Summand<'_>>) -> String {
    let mut program = lower_tensors(kernel, tensors, &Target::TEXT);
    rename(&mut program);
    let names = names::names(&program);
    format!("{}\n{}", cost::cost(&program, &names), print(&program, &names))
}

/// Renames variables with the name of an operand, or with a name that the text uses for sums.
fn rename(program: &mut Program<'_>) {
    let operands = program.kernel.operands.iter().map(|operand| operand.name.clone());
    let sums = ["sum", "sums", "least", "greatest", "any", "all", "workspace"];
    let taken: Vec<String> = operands.chain(sums.map(str::to_owned)).collect();
    program.variables.avoid(&taken, &[]);
}

/// Returns the format of an operand, such as `A: Bcsr<2, 2>`.
fn format_of(kernel: &Kernel, sparse: &Sparse<'_>) -> String {
    let (name, format) = (&kernel.operands[sparse.number].name, &sparse.operand.name);
    match sparse.arguments.as_slice() {
        [] => format!("{name}: {format}"),
        arguments => format!("{name}: {format}<{}>", arguments.join(", ")),
    }
}

fn print(program: &Program<'_>, names: &loops::Names) -> String {
    let kernel = &program.kernel;
    let output = &kernel.operands[0].name;
    let mut text = String::new();
    if program.output == (Output::Dense { zero_first: true }) {
        text += &format!("{output} = 0\n");
    }
    if names.several && kernel.output_kind() == OperandKind::Scalar {
        let start = loops::Reduction::from(kernel.reduction).start();
        text += &format!("{output} = {start}\n");
    }
    for nest in &program.nests {
        text += &Text {
            block: &nest.body,
            variables: &program.variables,
            names,
        }
        .to_string();
    }
    if program.output == Output::Unordered {
        text += &format!("sort the elements of {output}, adding up those at one coordinate\n");
    }
    text
}
