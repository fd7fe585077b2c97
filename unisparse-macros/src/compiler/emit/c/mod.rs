//! C: a kernel over one choice of formats as a function.
//!
//! The same loops as those of Rust, printed plainly: a loop is a `for`, a tensor a pointer to a struct of its arrays. What the
//! text calls stands in the prelude; what is of the target and not of the language, in the [`Dialect`].

mod dialect;
mod integers;
mod prefetch;
mod prelude;
mod results;
mod statements;
mod tensors;
mod text;
mod types;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::encoding::IndexType;
use crate::compiler::kernel::{Kernel, OperandKind, Reduction};
use crate::compiler::loops::{self, Array, Entries, Stmt, Var, Variables};
use crate::compiler::lower::{Output, Program};
use crate::compiler::operand::Operand;
pub(crate) use dialect::Dialect;
use tensors::Tensor;
pub(crate) use tensors::{Member, MemberKind};
use text::Lines;
pub(crate) use types::Element;

/// A kernel and the format of each of its sparse inputs.
pub(crate) struct Source<'a> {
    pub(crate) program: Program<'a>,
    /// In order of appearance.
    pub(crate) operands: Vec<Sparse<'a>>,
    pub(crate) element: Element,
    pub(crate) dialect: Dialect,
    /// What the function is called.
    pub(crate) name: String,
}

/// The format of a sparse input.
pub(crate) struct Sparse<'a> {
    /// By number in [`Kernel::operands`].
    pub(crate) number: usize,
    /// Its parameters have names that differ from those of the other operands.
    pub(crate) operand: &'a Operand,
    /// The values of its const parameters; empty where the function takes them.
    pub(crate) arguments: Vec<String>,
}

/// A kernel as text.
pub(crate) struct Function {
    pub(crate) name: String,
    /// What the text calls: pieces that stand once in a file however often they are written.
    pub(crate) prelude: String,
    /// The structs of the tensors, and the function. It returns 0, or 1 if there is no memory for its result.
    pub(crate) text: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// What the function takes, in order.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: ParameterKind,
}

pub(crate) enum ParameterKind {
    /// A pointer to the elements of a dense operand, or to a scalar result.
    Dense,
    /// A scalar operand.
    Scalar,
    /// A pointer to the elements of a sparse result, in no order if scattered, and some more than once.
    Output { scattered: bool },
    /// A pointer to a struct of arrays; if the tensor is cut, to those of its parts, and how many there are.
    Tensor {
        /// The struct's name.
        kind: String,
        is_cut: bool,
        members: Vec<Member>,
    },
    /// The extent of an index.
    Extent,
    /// A const parameter of a format.
    Constant,
}

/// A printer of one function.
struct Printer<'a> {
    element: Element,
    tensors: Vec<Tensor<'a>>,
    /// The names of the kernel's operands, by number.
    operands: Vec<String>,
    functions: Vec<String>,
    variables: &'a mut Variables,
    /// Of each tensor, the number of each level that has one.
    level_numbers: Vec<Vec<Option<Var>>>,
    lines: Lines,
    /// The dims of a sparse output in the order of its loops.
    order: Vec<usize>,
    /// The variables of each value that may be missing.
    maybes: BTreeMap<usize, (String, String)>,
    /// Those whose value is read: of others it is asked whether they are missing.
    read: BTreeSet<usize>,
    /// Whether it has to be noted that something was added to the sum.
    notes_any: bool,
    /// The extents of the dense operands, by number.
    extents: BTreeMap<usize, Vec<Var>>,
    /// All passes over entries, by their position.
    passes: BTreeMap<Var, Entries>,
    /// What stands before a parallel loop.
    parallel_mark: &'static str,
    /// The same, until the loop is printed.
    parallel: Option<&'static str>,
    /// The types that coordinates are searched in, by name.
    indices: BTreeMap<String, IndexType>,
}

impl Printer<'_> {
    /// A name that nothing else has.
    fn fresh(&mut self, name: &str) -> String {
        let var = self.variables.fresh(name, true);
        self.var(var)
    }
}

/// A name in C, where some are keywords, and those that begin with two underscores the compiler's.
fn c_name(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    let name = name.strip_prefix("__").unwrap_or(name);
    if types::RESERVED.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

impl Source<'_> {
    /// The function.
    pub(crate) fn print(&self) -> Function {
        let (program, kernel) = (&self.program, self.kernel());
        let operands: Vec<String> = kernel
            .operands
            .iter()
            .map(|operand| c_name(&operand.name.to_lowercase()))
            .collect();
        let tensors = program.tensors.iter();
        let mut tensors: Vec<Tensor<'_>> = tensors
            .map(|tensor| Tensor::new(&self.name, &operands, tensor))
            .collect();
        let mut constants = Vec::new();
        for sparse in &self.operands {
            let values = sparse.operand.parameters.iter().zip(&sparse.arguments);
            constants.extend(values.map(|(parameter, value)| (c_name(parameter), c_name(value))));
            let of_parts = sparse.operand.constants().into_iter();
            constants.extend(of_parts.map(|(parameter, value)| (c_name(parameter), value.to_string())));
        }
        let mut variables = program.variables.clone();
        variables.avoid(&self.reserved(&operands, &tensors), &[]);
        let mut nests: Vec<Vec<Stmt>> = program.nests.iter().map(|nest| nest.body.clone()).collect();
        let read = statements::maybes_read(&mut nests);
        let mut passes = Vec::new();
        for nest in &nests {
            prefetch::count_levels(nest, &mut passes, &mut tensors);
        }
        let parameters = self.parameters(&tensors, &operands, &variables);
        let mut printer = Printer {
            element: self.element,
            tensors,
            operands,
            functions: kernel
                .functions
                .iter()
                .map(|function| called(&function.name()))
                .collect(),
            variables: &mut variables,
            level_numbers: program.numbers.clone(),
            lines: Lines::inside(1),
            order: match &program.output {
                Output::Fibers { order, .. } => order.clone(),
                _ => Vec::new(),
            },
            maybes: BTreeMap::new(),
            read,
            notes_any: false,
            extents: self.extents(),
            passes: passes.into_iter().map(|pass| (pass.position, pass)).collect(),
            parallel_mark: self.dialect.parallel,
            parallel: None,
            indices: BTreeMap::new(),
        };
        self.body(&nests, &mut printer);
        let mut lines = Lines::default();
        for tensor in arguments(&printer.tensors) {
            tensor.define(self.element, &mut lines);
        }
        for (function, name) in kernel.functions.iter().zip(&printer.functions) {
            let (element, taken) = (self.element.text, vec![self.element.text; function.arity].join(", "));
            lines.line(format!("extern {element} {name}({taken});"));
        }
        self.document(&mut lines);
        lines.open(self.head(&parameters, &printer));
        let body = &printer.lines;
        for (at, (name, value)) in constants.iter().enumerate() {
            let in_others = constants[at + 1..].iter().any(|(_, other)| other == name);
            if in_others || body.mention(name) {
                lines.line(format!("const size_t {name} = {value};"));
            }
        }
        lines.append(body);
        lines.close();
        Function {
            name: self.name.clone(),
            prelude: prelude::prelude(self.dialect, self.element, &printer.indices),
            text: lines.into_text(),
            parameters,
        }
    }

    fn kernel(&self) -> &Kernel {
        &self.program.kernel
    }

    /// The extents of each dense input.
    fn extents(&self) -> BTreeMap<usize, Vec<Var>> {
        let reads = self.kernel().reads.iter();
        let extents = |indices: &[usize]| indices.iter().map(|&index| self.program.extents[index]).collect();
        reads.map(|read| (read.operand, extents(&read.indices))).collect()
    }

    /// The names that are no variable's.
    fn reserved(&self, operands: &[String], tensors: &[Tensor<'_>]) -> Vec<String> {
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

    /// The output, the inputs in order of appearance, the extent of each index, the const parameters that are not given.
    fn parameters(&self, tensors: &[Tensor<'_>], operands: &[String], variables: &Variables) -> Vec<Parameter> {
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

    /// What the function computes.
    fn document(&self, lines: &mut Lines) {
        let of_operand = |sparse: &Sparse<'_>| {
            let (name, format) = (&self.kernel().operands[sparse.number].name, &sparse.operand.name);
            match sparse.arguments.as_slice() {
                [] => format!("{name}: {format}"),
                arguments => format!("{name}: {format}<{}>", arguments.join(", ")),
            }
        };
        let formats: Vec<String> = self.operands.iter().map(of_operand).collect();
        lines.line(format!("/* `{}` where {}. */", self.kernel().text, formats.join(", ")));
    }

    /// `int spmv_csr_f64(double *restrict y, ..)`
    fn head(&self, parameters: &[Parameter], printer: &Printer<'_>) -> String {
        let Dialect {
            function, unaliased, ..
        } = self.dialect;
        let element = self.element.text;
        let written = parameters.iter().flat_map(|Parameter { name, kind }| match kind {
            ParameterKind::Dense if *name == printer.operands[0] => vec![format!("{element} *{unaliased}{name}")],
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
        });
        let written: Vec<String> = written.collect();
        format!("{function} {}({})", self.name, written.join(", "))
    }

    /// The loops, and what stands around them.
    fn body(&self, nests: &[Vec<Stmt>], printer: &mut Printer<'_>) {
        let (kernel, element, output) = (self.kernel(), self.element, printer.operands[0].clone());
        let extent = |printer: &Printer<'_>, dim: usize| printer.var(self.program.extents[kernel.output[dim]]);
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
                let start = element.start(match kernel.reduction {
                    Reduction::Min => loops::Reduction::Min,
                    Reduction::Max => loops::Reduction::Max,
                    _ => loops::Reduction::Plus,
                });
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
            // `unisparse_product` gives `SIZE_MAX` where coordinates could not be numbered.
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

/// A tensor for each argument of the function: the reads of a partitioned one share theirs.
fn arguments<'t, 'a>(tensors: &'t [Tensor<'a>]) -> impl Iterator<Item = &'t Tensor<'a>> {
    let same = |one: &Tensor<'_>, other: &Tensor<'_>| one.argument == other.argument;
    tensors.chunk_by(same).map(|of_argument| &of_argument[0])
}

/// What C calls a function of the user's: the last name of its path.
fn called(path: &str) -> String {
    let last = path.rsplit("::").next().unwrap_or(path);
    c_name(last.split('<').next().unwrap_or(last))
}
