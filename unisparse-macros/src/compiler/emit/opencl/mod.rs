//! OpenCL C: prints a kernel over one choice of formats as OpenCL kernels that are launched in order.
//!
//! This printer is compiled for tests only. It shows what a new target needs: this folder and the value [`TARGET`]. It
//! matches all of [`Stmt`], and rejects statements without a counterpart with an error message.

mod arguments;
mod integers;
mod statements;
mod tests;
mod text;
mod tiles;
mod values;

use crate::compiler::loops::{Ownership, Stmt, Variables};
use crate::compiler::lower::target::Threads;
use crate::compiler::lower::{Copies, Nest, Output, Program, Target};
use arguments::{Argument, ArgumentKind, arguments};
use text::Lines;

/// OpenCL devices, where work items execute the iterations of a loop, and dense operands are not copied.
pub(crate) const TARGET: Target = Target {
    // Work items of two dimensions.
    levels: &[Threads::Iterations, Threads::Iterations],
    is_machine: true,
    tiles: &[],
    copies: Copies::Nowhere,
    slices: false,
};

/// The functions that the kernels call, which precede the kernels of a program.
const PRELUDE: &str = include_str!("prelude.cl");

/// A program as OpenCL kernels. `ELEMENT` is a macro: `-DELEMENT=float` or `-DELEMENT=int`.
struct Text {
    kernels: String,
    /// The arguments of every kernel, in order.
    arguments: Vec<Argument>,
    /// The launches, in order. Each starts after all work items of the previous one.
    launches: Vec<Launch>,
}

/// One launch of a kernel.
struct Launch {
    kernel: String,
    /// The names and values of sizes, besides the arguments, that `items` uses.
    sizes: Vec<(String, String)>,
    /// The minimum number of work items in each dimension, as expressions in C. Further work items do nothing.
    items: Vec<String>,
}

/// Prints a program, or returns a sentence about a statement that has no counterpart in a kernel.
fn print(program: &Program<'_>, name: &str) -> Result<Text, String> {
    for (tensor, numbers) in program.tensors.iter().zip(&program.numbers) {
        let operand = &program.kernel.operands[tensor.operand].name;
        if tensor.is_cut {
            return Err(format!(
                "`{operand}` is partitioned: a kernel has one argument for each array"
            ));
        }
        if !tensor.format.queries.is_empty() || numbers.iter().any(Option::is_some) {
            return Err(format!(
                "the shape does not determine all levels of `{operand}`: the results of queries are not printed"
            ));
        }
        if !tensor.storage.tuple_arrays.is_empty() {
            return Err(format!(
                "arrays of `{operand}` are packed: a kernel has one argument for each array"
            ));
        }
    }
    let mut variables = program.variables.clone();
    let arguments = arguments(program, &mut variables);
    let mut printer = Printer {
        program,
        arguments: &arguments,
        variables,
        lines: Lines::default(),
    };
    let mut launches = Vec::new();
    match &program.output {
        Output::Dense { zero_first: true } => launches.push(printer.zero(&format!("{name}_zero"))),
        Output::Dense { zero_first: false } => {}
        Output::Scalar => return Err("the output is a scalar: work items do not add to one place".to_owned()),
        Output::Fibers { .. } | Output::Unordered => {
            return Err("the output is sparse: the lengths of its arrays are not known before the launch".to_owned());
        }
    }
    for (number, nest) in program.nests.iter().enumerate() {
        let kernel = match program.nests.len() {
            1 => name.to_owned(),
            _ => format!("{name}_{number}"),
        };
        launches.push(printer.nest(kernel, nest)?);
    }
    Ok(Text {
        kernels: printer.lines.into_text(),
        arguments,
        launches,
    })
}

/// The printer of the kernels of one program.
struct Printer<'a> {
    program: &'a Program<'a>,
    arguments: &'a [Argument],
    variables: Variables,
    lines: Lines,
}

impl Printer<'_> {
    /// Returns the name of an argument.
    fn argument(&self, kind: ArgumentKind) -> &str {
        let argument = self.arguments.iter().find(|argument| argument.kind == kind);
        argument.map_or_else(|| panic!("{kind:?} is no argument"), |argument| &argument.name)
    }

    /// Opens a kernel: `__kernel void name(..) {`.
    fn open(&mut self, name: &str) {
        let taken: Vec<String> = self.arguments.iter().map(Argument::declaration).collect();
        if !self.lines.is_empty() {
            self.lines.line("");
        }
        self.lines.open(format!("__kernel void {name}({})", taken.join(", ")));
    }

    /// Prints a kernel that zeroes the output, with one element per work item.
    fn zero(&mut self, name: &str) -> Launch {
        let (kernel, extents) = (&self.program.kernel, &self.program.extents);
        let extents = kernel.output.iter().map(|&index| self.var(extents[index]));
        let elements = extents.reduce(|all, extent| format!("{all} * {extent}"));
        let elements = elements.unwrap_or_else(|| "1".to_owned());
        let output = self.argument(ArgumentKind::Dense(0)).to_owned();
        self.open(name);
        self.lines.line("const long at = (long)get_global_id(0);");
        self.lines.open(format!("if (at < {elements})"));
        self.lines.line(format!("{output}[at] = 0;"));
        self.lines.close();
        self.lines.close();
        Launch {
            kernel: name.to_owned(),
            sizes: Vec::new(),
            items: vec![elements],
        }
    }

    /// Prints the kernel of one nest. It has one work item per position of the outermost loops that own their elements,
    /// else one.
    fn nest(&mut self, name: String, nest: &Nest) -> Result<Launch, String> {
        self.open(&name);
        let mut launch = Launch {
            kernel: name,
            sizes: Vec::new(),
            items: Vec::new(),
        };
        let sizes = nest
            .body
            .iter()
            .take_while(|stmt| matches!(stmt, Stmt::Let { .. }))
            .count();
        match nest.body.split_at(sizes) {
            (sizes, [Stmt::Parallel(parallel)]) if matches!(parallel.ownership, Ownership::Owned(_)) => {
                if parallel.piece.is_some() {
                    return Err("the outermost loop is cut into pieces: the target has work items".to_owned());
                }
                for size in sizes {
                    if let Stmt::Let { var, value } = size {
                        launch.sizes.push((self.var(*var), self.bound(*var, value)));
                    }
                }
                self.block(sizes)?;
                self.work_items(&parallel.body, &mut launch.items)?;
            }
            _ => {
                launch.items.push("1".to_owned());
                self.lines.open("if (get_global_id(0) == 0)");
                self.block(&nest.body)?;
                self.lines.close();
            }
        }
        self.lines.close();
        Ok(launch)
    }
}
