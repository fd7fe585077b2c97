//! Prints the kernels of a program, and describes their launches.

use std::collections::{BTreeMap, BTreeSet};

use super::super::c::{self, Lines, Operation, Parameter, ParameterKind, Source, Tensor, mentions};
use super::counts::{Count, Counts, Terms};
use super::device::{Device, Names, Sharing};
use super::divided::has_parallel;
use super::launch::{Launch, When, Work, has_lanes};
use super::parts::arrays;
use super::runs::{RowLoop, in_order_of, rows_of};
use super::tiles::has_tiles;
use super::{DIALECT, given};
use crate::compiler::encoding::IndexType;
use crate::compiler::loops::{self, Array, Stmt, Var, Variables};
use crate::compiler::lower::Output;

/// The printer of all kernels of a program.
pub(super) struct Printer<'a, 's> {
    pub(super) source: &'a Source<'s>,
    pub(super) operands: &'a [String],
    pub(super) parameters: &'a [Parameter],
    pub(super) tensors: &'a [Tensor<'s>],
    pub(super) variables: Variables,
    /// The optional values that are read.
    pub(super) read: BTreeSet<usize>,
    pub(super) indices: BTreeMap<String, IndexType>,
    pub(super) lines: Lines,
    pub(super) launches: Vec<Launch>,
}

impl Printer<'_, '_> {
    pub(super) fn all(&mut self, nests: &[Vec<Stmt>]) {
        let is_scalar = self.source.program.output == Output::Scalar;
        match self.source.program.output {
            Output::Dense { zero_first: true } => self.zero(),
            Output::Dense { .. } => {}
            Output::Scalar => self.start(),
            Output::Fibers { .. } | Output::Unordered => return self.phases(nests),
        }
        for (number, nest) in nests.iter().enumerate() {
            let suffix = if nests.len() == 1 {
                String::new()
            } else {
                format!("_{number}")
            };
            self.nest(&suffix, nest, is_scalar);
            if is_scalar {
                self.finish(&format!("{suffix}_total"));
            } else if let Some(parallel) = in_order_of(nest) {
                self.carries(&format!("{suffix}_carries"), nest, |printer| {
                    printer.carries_in_order(parallel);
                });
            } else if let Some(rows) = rows_of(nest) {
                self.split(&suffix, nest, &rows);
            }
        }
    }

    /// Prints one kernel. `body` prints its statements.
    pub(super) fn kernel(
        &mut self,
        suffix: &str,
        (work, has_lanes): (Work, bool),
        (positions, terms): (Count, Terms),
        body: impl FnOnce(&mut c::Printer<'_, Device>),
    ) {
        let name = format!("{}{suffix}", self.source.name);
        let mut variables = self.variables.clone();
        let mut fresh = |name: &str| {
            let var = variables.fresh(name, true);
            variables.name(var).to_owned()
        };
        let names = Names {
            lanes: fresh("lanes"),
            lane: fresh("lane"),
            worker: fresh("worker"),
            workers: fresh("workers"),
        };
        let device = Device {
            names: names.clone(),
            reduction: self.reduction(),
            has_lanes,
            is_uniform: true,
            in_workers: false,
            next: None,
            sharing: Sharing::Nobody,
            lookups: Vec::new(),
            has_term: false,
            divides_sum: false,
            tile: None,
            phase: None,
            arrays: arrays(self.source),
            adds_alone: false,
            notes_any: false,
        };
        let tensors = self.tensors.to_vec();
        let mut printer = self
            .source
            .printer(self.operands, tensors, &mut variables, Lines::inside(1), device);
        printer.read.clone_from(&self.read);
        body(&mut printer);
        self.indices.append(&mut printer.indices);
        let lines = printer.lines;
        let taken: Vec<String> = self
            .parameters
            .iter()
            .flat_map(|parameter| self.declared(parameter))
            .collect();
        self.lines.line("");
        self.lines
            .open(format!("{} {name}({})", DIALECT.function, taken.join(", ")));
        for line in used(self.constants(&names, has_lanes), &lines) {
            self.lines.line(line);
        }
        self.lines.append(&lines);
        self.lines.close();
        self.launches.push(Launch {
            kernel: name,
            work,
            has_lanes,
            positions,
            terms,
            when: When::Always,
            divided: Count::Unknown,
            leaves_carries: false,
            allocates: None,
        });
    }

    /// Returns the declarations of a parameter.
    fn declared(&self, Parameter { name, kind }: &Parameter) -> Vec<String> {
        let (element, unaliased) = (self.source.element, DIALECT.unaliased);
        match kind {
            ParameterKind::Dense if *name == self.operands[0] => vec![format!("{} *{unaliased}{name}", element.text)],
            ParameterKind::Dense => vec![format!("const {} *{unaliased}{name}", element.stored)],
            ParameterKind::Scalar => vec![format!("const {} {name}", element.stored)],
            ParameterKind::Tensor {
                kind, is_cut: false, ..
            } => vec![format!("const struct {kind} {}", given(name))],
            ParameterKind::Tensor { kind, .. } => vec![
                format!("const struct {kind} *{unaliased}{name}_parts"),
                format!("const uint64_t {}", given(&format!("{name}_part_count"))),
            ],
            ParameterKind::Extent | ParameterKind::Constant | ParameterKind::Count | ParameterKind::Workers => {
                vec![format!("const uint64_t {}", given(name))]
            }
            ParameterKind::Partials | ParameterKind::Carries | ParameterKind::Sums => {
                vec![format!("{} *{unaliased}{name}", element.text)]
            }
            ParameterKind::Starts => vec![format!("uint64_t *{unaliased}{name}")],
            ParameterKind::Keys => vec![format!("size_t *{unaliased}{name}")],
            ParameterKind::Output { .. } => vec![format!("const struct {}_{name} {name}", self.source.name)],
        }
    }

    /// Returns the constants that a kernel may need.
    fn constants(&self, names: &Names, has_lanes: bool) -> Vec<Constant> {
        let constant = |kind: &str, name: &str, value: String| Constant {
            kind: kind.to_owned(),
            name: name.to_owned(),
            value,
        };
        let mut constants = Vec::new();
        for Parameter { name, kind } in self.parameters {
            let given = given(name);
            constants.push(match kind {
                ParameterKind::Tensor {
                    kind, is_cut: false, ..
                } => constant(&format!("const struct {kind} *const"), name, format!("&{given}")),
                ParameterKind::Tensor { .. } => {
                    let count = format!("{name}_part_count");
                    constant(SIZE, &count, format!("(size_t){given}_part_count"))
                }
                ParameterKind::Extent | ParameterKind::Constant | ParameterKind::Count | ParameterKind::Workers => {
                    constant(SIZE, name, format!("(size_t){given}"))
                }
                _ => continue,
            });
        }
        let of_formats = self.source.constants().into_iter();
        constants.extend(of_formats.map(|(name, value)| constant(SIZE, &name, value)));
        let Names {
            lanes,
            lane,
            worker,
            workers,
        } = names;
        let count = if has_lanes { "UNISPARSE_LANES" } else { "1" };
        constants.extend([
            constant("constexpr unsigned", lanes, count.to_owned()),
            constant("const unsigned", lane, format!("threadIdx.x % {lanes}")),
            constant(SIZE, worker, format!("unisparse_worker<{lanes}>()")),
            constant(SIZE, workers, format!("unisparse_workers<{lanes}>()")),
        ]);
        constants
    }

    /// Prints a kernel that zeroes the output.
    fn zero(&mut self) {
        let (kernel, program) = (self.source.kernel(), &self.source.program);
        let extents: Vec<Var> = kernel.output.iter().map(|&index| program.extents[index]).collect();
        let elements = extents.iter().map(|&extent| self.counts().variable(extent));
        let elements = elements.reduce(|all, extent| Count::Times(Box::new([all, extent])));
        let counts = (elements.unwrap_or(Count::Number(1)), Terms::Unknown);
        self.kernel("_zero", (Work::Divided, false), counts, |printer| {
            let factors = extents.iter().map(|&extent| printer.var(extent));
            let elements = factors.reduce(|all, extent| format!("{all} * {extent}"));
            let (elements, at) = (elements.unwrap_or_else(|| "1".to_owned()), printer.fresh("at"));
            let (place, zero) = (printer.element(Array::Dense(0), &at), printer.element.zero());
            let Names { worker, workers, .. } = printer.machine.names.clone();
            let head = format!("for (size_t {at} = {worker}; {at} < {elements}; {at} += {workers})");
            printer.within(head, |printer| printer.lines.line(format!("{place} = {zero};")));
        });
    }

    /// Prints a kernel that executes the loops of a nest.
    fn nest(&mut self, suffix: &str, nest: &[Stmt], is_scalar: bool) {
        let is_divided = nest.iter().any(has_parallel);
        let has_lanes = is_divided && nest.iter().any(|stmt| has_lanes(stmt) || has_tiles(stmt));
        let work = if is_divided { Work::Divided } else { Work::Whole };
        let (reduction, start) = (self.reduction(), self.total());
        let counts = self.counts().of_nest(nest);
        self.kernel(suffix, (work, has_lanes), counts, |printer| {
            if is_scalar {
                printer.lines.line(start);
            }
            let whole = format!("if ({} == 0)", printer.machine.names.worker);
            printer.guarded((!is_divided).then_some(whole), |printer| {
                printer.all_numbers(nest);
                printer.block(nest);
            });
            if is_scalar {
                printer.block_total(reduction);
                printer.within("if (threadIdx.x == 0)", |printer| {
                    printer.lines.line("partials[blockIdx.x] = total;");
                });
            }
        });
    }

    pub(super) fn counts(&self) -> Counts<'_> {
        Counts::new(self.source, self.tensors, self.parameters)
    }

    /// Prints the kernels of a nest that divide its long rows.
    fn split(&mut self, suffix: &str, nest: &[Stmt], rows: &RowLoop<'_>) {
        let divided = self.counts().entries(rows.level);
        let even = self.launches.last_mut().expect("the kernel of the nest");
        (even.when, even.divided) = (When::Even, divided.clone());
        let has_lanes = nest.iter().any(|stmt| has_lanes(stmt) || has_tiles(stmt));
        let counts = self.counts().of_nest(nest);
        self.kernel(
            &format!("{suffix}_split"),
            (Work::Divided, has_lanes),
            counts,
            |printer| {
                printer.all_numbers(nest);
                printer.block(&nest[..nest.len() - 1]);
                printer.split(rows);
            },
        );
        let skewed = self.launches.last_mut().expect("a kernel");
        (skewed.when, skewed.divided) = (When::Skewed, divided);
        self.carries(&format!("{suffix}_split_carries"), nest, |printer| {
            printer.carries_of_split(rows);
        });
        self.launches.last_mut().expect("a kernel").when = When::Skewed;
    }

    /// Prints a kernel that adds the parts of sums that workers of the kernel before it did not begin.
    fn carries(&mut self, suffix: &str, nest: &[Stmt], body: impl FnOnce(&mut c::Printer<'_, Device>)) {
        self.launches.last_mut().expect("a kernel").leaves_carries = true;
        self.kernel(suffix, (Work::Divided, false), UNKNOWN, |printer| {
            printer.all_numbers(nest);
            let sizes = nest.iter().filter(|stmt| matches!(stmt, Stmt::Let { .. }));
            sizes.for_each(|size| printer.block(std::slice::from_ref(size)));
            body(printer);
        });
    }

    fn reduction(&self) -> loops::Reduction {
        self.source.kernel().reduction.into()
    }

    /// Returns the declaration of the total of a thread.
    fn total(&self) -> String {
        let (element, start) = (self.source.element, self.start_value());
        format!("{} total = {start};", element.text)
    }

    /// Returns the start value of a scalar output.
    fn start_value(&self) -> &'static str {
        self.source.element.start(self.source.kernel().reduction.into())
    }

    /// Prints a kernel that gives a scalar output its start value.
    fn start(&mut self) {
        let line = format!("*{} = {};", self.operands[0], self.start_value());
        self.kernel("_start", (Work::Whole, false), ONCE, |printer| {
            let head = format!("if ({} == 0)", printer.machine.names.worker);
            printer.within(head, |printer| printer.lines.line(line));
        });
    }

    /// Prints a kernel that adds the totals of blocks to a scalar output, in order.
    fn finish(&mut self, suffix: &str) {
        let (reduction, start, output) = (self.reduction(), self.total(), self.operands[0].clone());
        self.kernel(suffix, (Work::Block, false), ONCE, |printer| {
            printer.lines.line(start);
            let at = printer.fresh("at");
            let head = format!("for (size_t {at} = threadIdx.x; {at} < partial_count; {at} += blockDim.x)");
            printer.within(head, |printer| {
                printer.reduce("total", reduction, &Operation::atom(format!("partials[{at}]")));
            });
            printer.block_total(reduction);
            printer.within("if (threadIdx.x == 0)", |printer| {
                printer.reduce(&format!("*{output}"), reduction, &Operation::atom("total"));
            });
        });
    }
}

impl c::Printer<'_, Device> {
    /// Binds the sizes and given coordinates of whole tensors that the statements use.
    pub(super) fn all_numbers(&mut self, nest: &[Stmt]) {
        for tensor in 0..self.tensors.len() {
            if !self.tensors[tensor].is_cut {
                self.numbers(tensor, nest);
            }
        }
    }

    /// Prints the reduction of the totals of a block's threads, in the first thread.
    fn block_total(&mut self, reduction: loops::Reduction) {
        let (kind, both) = (self.element.text, self.both(reduction));
        self.lines
            .line(format!("__shared__ {kind} totals[UNISPARSE_THREADS / 32];"));
        self.lines
            .line(format!("total = unisparse_block_reduced(total, totals, {both});"));
    }
}

/// A constant of a kernel.
struct Constant {
    kind: String,
    name: String,
    value: String,
}

/// The counts of work that is not divided.
pub(super) const ONCE: (Count, Terms) = (Count::Number(1), Terms::Unknown);

/// The counts of work that depends on the launches before.
pub(super) const UNKNOWN: (Count, Terms) = (Count::Unknown, Terms::Unknown);

const SIZE: &str = "const size_t";

/// Returns the declarations of the constants that the lines, or other constants, use.
fn used(constants: Vec<Constant>, lines: &Lines) -> Vec<String> {
    let mut kept: Vec<Constant> = Vec::new();
    for constant in constants.into_iter().rev() {
        let is_in = |other: &Constant| mentions(&other.value, &constant.name);
        if lines.mention(&constant.name) || kept.iter().any(is_in) {
            kept.push(constant);
        }
    }
    let declared = kept.iter().rev();
    declared
        .map(|Constant { kind, name, value }| format!("{kind} {name} = {value};"))
        .collect()
}
