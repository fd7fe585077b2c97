//! C: prints a kernel over one choice of formats as a function.
//!
//! The loops are the same as in Rust, printed plainly: a loop is a `for`, a tensor is a pointer to a struct of its
//! arrays. The functions that the text calls are in the prelude. The properties of the target that are not properties
//! of C are in the [`Dialect`].

mod dialect;
mod integers;
mod machine;
mod prefetch;
mod prelude;
mod results;
mod statements;
mod tensors;
mod text;
mod transposed;
mod types;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::encoding::IndexType;
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::loops::{Array, Entries, Stmt, Var, Variables};
use crate::compiler::lower::{Output, Program};
use crate::compiler::operand::Operand;
pub(crate) use dialect::Dialect;
pub(crate) use machine::Machine;
use machine::Processor;
pub(crate) use prelude::prelude;
use results::Along;
pub(crate) use statements::maybes_read;
pub(crate) use tensors::{Member, MemberKind, Tensor};
pub(crate) use text::{Lines, mentions};
pub(crate) use types::{Element, Operation, number};

/// A kernel and the format of each of its sparse inputs.
pub(crate) struct Source<'a> {
    pub(crate) program: Program<'a>,
    /// The sparse inputs, in order of appearance.
    pub(crate) operands: Vec<Sparse<'a>>,
    pub(crate) element: Element,
    pub(crate) dialect: Dialect,
    /// The name of the function.
    pub(crate) name: String,
}

/// The format of a sparse input.
#[derive(Clone)]
pub(crate) struct Sparse<'a> {
    /// The number of the operand in [`Kernel::operands`].
    pub(crate) number: usize,
    /// The format, whose parameters have different names than those of the other operands.
    pub(crate) operand: &'a Operand,
    /// The values of the const parameters; empty if the function takes them as arguments.
    pub(crate) arguments: Vec<String>,
}

/// A kernel as text.
pub(crate) struct Function {
    pub(crate) name: String,
    /// The helpers that the text calls. A file contains each of them once, even if several functions use it.
    pub(crate) prelude: String,
    /// The structs of the tensors, and the function. It returns 0, or 1 if there is no memory for its result.
    pub(crate) text: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// A parameter of the function.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: ParameterKind,
}

pub(crate) enum ParameterKind {
    /// A pointer to the elements of a dense operand, or to a scalar result.
    Dense,
    /// A scalar operand.
    Scalar,
    /// A pointer to the elements of a sparse result, which are unordered and may repeat if `scattered`.
    Output { scattered: bool },
    /// A pointer to a struct of arrays. For a partitioned tensor, it points to the structs of its parts, and their
    /// number follows.
    Tensor {
        /// The name of the struct.
        kind: String,
        is_cut: bool,
        members: Vec<Member>,
    },
    /// The extent of an index.
    Extent,
    /// A const parameter of a format.
    Constant,
    /// A pointer to room for one partial result of each block of threads.
    Partials,
    /// The number of partial results.
    Count,
    /// A pointer to room for the elements of one first coordinate of the output, for each worker.
    Carries,
    /// The number of workers of the last launch of kernels other than those with one block.
    Workers,
    /// A pointer to one number for each worker, and one more.
    Starts,
    /// A pointer to the keys of the workers' tables.
    Keys,
    /// A pointer to the elements of the workers' tables.
    Sums,
}

/// The printer of one function.
pub(crate) struct Printer<'a, M> {
    pub(crate) element: Element,
    pub(crate) tensors: Vec<Tensor<'a>>,
    /// The names of the kernel's operands, by number.
    pub(crate) operands: Vec<String>,
    functions: Vec<String>,
    pub(crate) variables: &'a mut Variables,
    /// For each tensor, the variable of each level's size or given coordinate, if the level has one.
    level_numbers: Vec<Vec<Option<Var>>>,
    pub(crate) lines: Lines,
    /// The dims of a sparse output in the order of its loops.
    order: Vec<usize>,
    /// The variables of each value that may be missing: whether it is there, and the value.
    maybes: BTreeMap<usize, (String, String)>,
    /// The optional values that are read; for the others, only their presence is tested.
    pub(crate) read: BTreeSet<usize>,
    /// Whether additions to the current sum must be recorded.
    notes_any: bool,
    /// The extents of the dense operands, by number.
    extents: BTreeMap<usize, Vec<Var>>,
    /// All loops over entries, by their position variable.
    entry_loops: BTreeMap<Var, Entries>,
    /// The line before a parallel loop.
    parallel_mark: &'static str,
    /// The line before the parallel loop, until that loop is printed.
    parallel: Option<&'static str>,
    /// The width of a tile, and the form of loops along it if that is special.
    along_tile: Option<(Var, Along)>,
    /// The types of searched coordinates, by name.
    pub(crate) indices: BTreeMap<String, IndexType>,
    pub(crate) machine: M,
}

impl<M: Machine> Printer<'_, M> {
    /// Returns an unused name.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let var = self.variables.fresh(name, true);
        self.var(var)
    }
}

/// Returns a name in C, where some names are keywords, and names that begin with two underscores are reserved.
pub(crate) fn c_name(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    let name = name.strip_prefix("__").unwrap_or(name);
    if types::RESERVED.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

impl<'a> Source<'a> {
    /// Prints the function.
    pub(crate) fn print(&self) -> Function {
        let operands = self.operand_names();
        let over_copies = self.over_copies();
        let tensors = self.tensors(&operands, over_copies.as_ref());
        let mut lines = Lines::default();
        for tensor in arguments(&tensors) {
            tensor.define(self.element, &mut lines);
        }
        for function in &self.kernel().functions {
            let (element, name) = (self.element.text, called(&function.name()));
            let taken = vec![element; function.arity].join(", ");
            lines.line(format!("extern {element} {name}({taken});"));
        }
        let mut indices = BTreeMap::new();
        if let Some(over_copies) = &over_copies {
            over_copies.function(&operands, tensors.clone(), None, &mut indices, &mut lines);
            lines.line("");
        }
        self.document(&mut lines);
        let parameters = self.function(&operands, tensors, over_copies.as_ref(), &mut indices, &mut lines);
        Function {
            name: self.name.clone(),
            prelude: prelude(self.dialect, self.element, &indices),
            text: lines.into_text(),
            parameters,
        }
    }

    /// Returns the names of the kernel's operands in C, by number.
    pub(crate) fn operand_names(&self) -> Vec<String> {
        let operands = self.kernel().operands.iter();
        operands.map(|operand| c_name(&operand.name.to_lowercase())).collect()
    }

    /// Returns the tensors that the loops read, with the entry counts that these loops and the loops over copies read.
    pub(crate) fn tensors(&self, operands: &[String], over_copies: Option<&Source<'a>>) -> Vec<Tensor<'a>> {
        let tensors = self.program.tensors.iter();
        let mut tensors: Vec<Tensor<'_>> = tensors
            .map(|tensor| Tensor::new(&self.name, operands, tensor, self.dialect))
            .collect();
        for source in [Some(self), over_copies].into_iter().flatten() {
            for nest in &source.program.nests {
                prefetch::count_levels(&nest.body, &mut tensors);
            }
        }
        if over_copies.is_some() {
            transposed::count_entries(&mut tensors);
        }
        tensors
    }

    /// Prints the function over these tensors, and returns its parameters. `over_copies` is the function over copies of
    /// operands, which this one calls where copies pay.
    fn function(
        &self,
        operands: &[String],
        tensors: Vec<Tensor<'_>>,
        over_copies: Option<&Source<'_>>,
        indices: &mut BTreeMap<String, IndexType>,
        lines: &mut Lines,
    ) -> Vec<Parameter> {
        let program = &self.program;
        let mut variables = program.variables.clone();
        variables.avoid(&self.reserved(operands, &tensors), &[]);
        let mut nests: Vec<Vec<Stmt>> = program.nests.iter().map(|nest| nest.body.clone()).collect();
        let read = maybes_read(&mut nests);
        let mut entry_loops = Vec::new();
        nests
            .iter()
            .for_each(|nest| prefetch::entry_loops(nest, &mut entry_loops));
        let parameters = self.parameters(&tensors, operands, &variables);
        let mut printer = self.printer(operands, tensors, &mut variables, Lines::inside(1), Processor);
        printer.read = read;
        printer.entry_loops = entry_loops
            .into_iter()
            .map(|entries| (entries.position, entries))
            .collect();
        printer.indices = std::mem::take(indices);
        if let Some(over_copies) = over_copies {
            printer.call_over_copies(self, &over_copies.name, &parameters);
        }
        self.body(&nests, &mut printer);
        lines.open(self.head(&parameters, &printer));
        let body = &printer.lines;
        let constants = self.constants();
        for (at, (name, value)) in constants.iter().enumerate() {
            let in_others = constants[at + 1..].iter().any(|(_, other)| other == name);
            if in_others || body.mention(name) {
                lines.line(format!("const size_t {name} = {value};"));
            }
        }
        lines.append(body);
        lines.close();
        *indices = printer.indices;
        parameters
    }

    /// Returns a printer of statements over these tensors.
    pub(crate) fn printer<'p, M>(
        &self,
        operands: &[String],
        tensors: Vec<Tensor<'p>>,
        variables: &'p mut Variables,
        lines: Lines,
        machine: M,
    ) -> Printer<'p, M> {
        let functions = self.kernel().functions.iter();
        Printer {
            element: self.element,
            tensors,
            operands: operands.to_vec(),
            functions: functions.map(|function| called(&function.name())).collect(),
            variables,
            level_numbers: self.program.numbers.clone(),
            lines,
            order: match &self.program.output {
                Output::Fibers { order, .. } => order.clone(),
                _ => Vec::new(),
            },
            maybes: BTreeMap::new(),
            read: BTreeSet::new(),
            notes_any: false,
            extents: self.extents(),
            entry_loops: BTreeMap::new(),
            parallel_mark: self.dialect.parallel,
            parallel: None,
            along_tile: None,
            indices: BTreeMap::new(),
            machine,
        }
    }

    /// Returns the const parameters of the formats, with their values.
    pub(crate) fn constants(&self) -> Vec<(String, String)> {
        let mut constants = Vec::new();
        for sparse in &self.operands {
            let values = sparse.operand.parameters.iter().zip(&sparse.arguments);
            constants.extend(values.map(|(parameter, value)| (c_name(parameter), c_name(value))));
            let of_parts = sparse.operand.constants().into_iter();
            constants.extend(of_parts.map(|(parameter, value)| (c_name(parameter), value.to_string())));
        }
        constants
    }

    pub(crate) fn kernel(&self) -> &Kernel {
        &self.program.kernel
    }

    /// Returns the extents of each dense input.
    fn extents(&self) -> BTreeMap<usize, Vec<Var>> {
        let reads = self.kernel().reads.iter();
        let extents = |indices: &[usize]| indices.iter().map(|&index| self.program.extents[index]).collect();
        reads.map(|read| (read.operand, extents(&read.indices))).collect()
    }

    /// Returns the names that variables must not have.
    pub(crate) fn reserved(&self, operands: &[String], tensors: &[Tensor<'_>]) -> Vec<String> {
        let mut reserved: Vec<String> = types::RESERVED.iter().map(ToString::to_string).collect();
        reserved.extend(operands.iter().cloned());
        for Tensor { argument, name, .. } in tensors {
            reserved.push(name.clone());
            reserved.extend(["", "_parts", "_part_count"].map(|suffix| format!("{argument}{suffix}")));
        }
        reserved.extend(self.kernel().functions.iter().map(|function| called(&function.name())));
        for sparse in &self.operands {
            let of_parts = sparse.operand.constants().into_iter().map(|(parameter, _)| parameter);
            let parameters = sparse.operand.parameters.iter().map(String::as_str).chain(of_parts);
            reserved.extend(parameters.map(c_name));
        }
        reserved
    }

    /// Returns the output, the inputs in order of appearance, the extent of each index, and the const parameters
    /// without values.
    pub(crate) fn parameters(
        &self,
        tensors: &[Tensor<'_>],
        operands: &[String],
        variables: &Variables,
    ) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (number, operand) in self.kernel().operands.iter().enumerate() {
            let kind = match operand.kind {
                OperandKind::Dense => ParameterKind::Dense,
                OperandKind::Scalar if number == 0 => ParameterKind::Dense,
                OperandKind::Scalar => ParameterKind::Scalar,
                OperandKind::Sparse if number == 0 => ParameterKind::Output {
                    scattered: self.program.output == Output::Unordered,
                },
                OperandKind::Sparse => {
                    let of_operand = arguments(tensors).filter(|tensor| tensor.operand == number);
                    parameters.extend(of_operand.map(|tensor| Parameter {
                        name: tensor.argument.clone(),
                        kind: ParameterKind::Tensor {
                            kind: tensor.kind.clone(),
                            is_cut: tensor.is_cut,
                            members: tensor.members(self.element),
                        },
                    }));
                    continue;
                }
            };
            parameters.push(Parameter {
                name: operands[number].clone(),
                kind,
            });
        }
        parameters.extend(self.program.extents.iter().map(|&extent| Parameter {
            name: c_name(variables.name(extent)),
            kind: ParameterKind::Extent,
        }));
        let free = self.operands.iter().filter(|sparse| sparse.arguments.is_empty());
        parameters.extend(
            free.flat_map(|sparse| &sparse.operand.parameters)
                .map(|name| Parameter {
                    name: c_name(name),
                    kind: ParameterKind::Constant,
                }),
        );
        parameters
    }

    /// Prints a comment with the statement and the formats.
    pub(crate) fn document(&self, lines: &mut Lines) {
        lines.line(format!("/* {}. */", self.about()));
    }

    /// Returns the statement and the formats.
    pub(crate) fn about(&self) -> String {
        let of_operand = |sparse: &Sparse<'_>| {
            let (name, format) = (&self.kernel().operands[sparse.number].name, &sparse.operand.name);
            match sparse.arguments.as_slice() {
                [] => format!("{name}: {format}"),
                arguments => format!("{name}: {format}<{}>", arguments.join(", ")),
            }
        };
        let formats: Vec<String> = self.operands.iter().map(of_operand).collect();
        format!("`{}` where {}", self.kernel().text, formats.join(", "))
    }

    /// Returns the head of the function, such as `int spmv_csr_f64(double *restrict y, ..)`.
    fn head(&self, parameters: &[Parameter], printer: &Printer<'_, Processor>) -> String {
        let Dialect {
            function, unaliased, ..
        } = self.dialect;
        let element = self.element.stored;
        let written = parameters.iter().flat_map(|Parameter { name, kind }| match kind {
            ParameterKind::Dense if *name == printer.operands[0] => {
                vec![format!("{} *{unaliased}{name}", self.element.text)]
            }
            ParameterKind::Dense => vec![format!("const {element} *{unaliased}{name}")],
            ParameterKind::Scalar => vec![format!("{element} {name}")],
            ParameterKind::Output { .. } => {
                let output = self.element.function("output");
                vec![format!("struct {output} *{unaliased}{name}")]
            }
            ParameterKind::Tensor { kind, .. } => {
                let tensor = printer.tensors.iter().find(|tensor| tensor.kind == *kind);
                tensor.map(|tensor| tensor.parameters(self.dialect)).unwrap_or_default()
            }
            ParameterKind::Extent | ParameterKind::Constant => vec![format!("size_t {name}")],
            ParameterKind::Partials
            | ParameterKind::Count
            | ParameterKind::Carries
            | ParameterKind::Workers
            | ParameterKind::Starts
            | ParameterKind::Keys
            | ParameterKind::Sums => unreachable!("a function of C has one thread's result"),
        });
        let written: Vec<String> = written.collect();
        format!("{function} {}({})", self.name, written.join(", "))
    }

    /// Prints the loops, with the code around them.
    fn body(&self, nests: &[Vec<Stmt>], printer: &mut Printer<'_, Processor>) {
        let (kernel, element, output) = (self.kernel(), self.element, printer.operands[0].clone());
        let extent =
            |printer: &Printer<'_, Processor>, dim: usize| printer.var(self.program.extents[kernel.output[dim]]);
        let workspace = match &self.program.output {
            Output::Fibers { workspace, .. } => workspace.as_deref(),
            _ => None,
        };
        match &self.program.output {
            Output::Dense { zero_first: true } => {
                let places = (0..kernel.output.len()).map(|dim| extent(printer, dim));
                let places = places.reduce(|all, extent| format!("{all} * {extent}"));
                let places = places.unwrap_or_else(|| "1".to_owned());
                printer.fill(Array::Dense(0), None, &places);
            }
            Output::Dense { .. } => {}
            Output::Scalar => {
                let start = element.start(kernel.reduction.into());
                printer.lines.line(format!("{} total = {start};", element.text));
            }
            Output::Fibers { .. } | Output::Unordered => {
                printer.lines.line(format!("{output}->dims = {};", kernel.output.len()));
            }
        }
        if let Some(dims) = workspace {
            let keys = dims.iter().map(|&dim| extent(printer, dim));
            let keys = keys.reduce(|all, extent| format!("unisparse_product({all}, {extent})"));
            let keys = keys.unwrap_or_else(|| "1".to_owned());
            let (open, kind) = (element.function("open"), element.function("fiber"));
            // `unisparse_product` returns `SIZE_MAX` if the coordinates cannot be numbered.
            let refused = if dims.len() > 1 {
                format!("{keys} == SIZE_MAX || ")
            } else {
                String::new()
            };
            printer.lines.line(format!("struct {kind} fiber;"));
            printer.lines.open(format!("if ({refused}!{open}(&fiber, {keys}))"));
            printer.lines.line("return 1;");
            printer.lines.close();
        }
        let several = nests.len() > 1;
        for block in nests {
            if several {
                printer.lines.open("");
            }
            for tensor in 0..printer.tensors.len() {
                if !printer.tensors[tensor].is_cut {
                    printer.numbers(tensor, block);
                }
            }
            printer.block(block);
            if several {
                printer.lines.close();
            }
        }
        if workspace.is_some() {
            printer.lines.line(format!("{}(&fiber);", element.function("close")));
        }
        match &self.program.output {
            Output::Dense { .. } => printer.lines.line("return 0;"),
            Output::Scalar => {
                printer.lines.line(format!("*{output} = total;"));
                printer.lines.line("return 0;");
            }
            Output::Fibers { .. } | Output::Unordered => printer.lines.line(format!("return {output}->failed;")),
        }
    }
}

/// Returns one tensor per argument of the function: the reads of a partitioned tensor share its argument.
pub(crate) fn arguments<'t, 'a>(tensors: &'t [Tensor<'a>]) -> impl Iterator<Item = &'t Tensor<'a>> {
    let same = |one: &Tensor<'_>, other: &Tensor<'_>| one.argument == other.argument;
    tensors.chunk_by(same).map(|of_argument| &of_argument[0])
}

/// Returns the name of a user's function in C, which is the last name of its path.
fn called(path: &str) -> String {
    let last = path.rsplit("::").next().unwrap_or(path);
    c_name(last.split('<').next().unwrap_or(last))
}
