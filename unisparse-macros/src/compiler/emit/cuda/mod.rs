//! CUDA C++: prints a kernel over one choice of formats as CUDA kernels that are launched in order.
//!
//! The statements are printed as in C, except those that threads divide. A *worker* is a group of lanes of a warp. Each
//! position of a parallel loop is executed by one worker, whose lanes execute the same statements and divide among them
//! the inner loop that `lower` marked, or the neighbouring elements of a tile.

mod check;
mod counts;
mod device;
mod divided;
mod launch;
mod launches;
mod mma;
mod parts;
mod runs;
mod sparse;
#[cfg(test)]
mod tests;
mod tiles;

use std::collections::BTreeMap;

use super::c::{self, Dialect, Lines, Parameter, Source};
use crate::compiler::loops::Stmt;
use crate::compiler::lower::target::Threads;
use crate::compiler::lower::{Copies, Target};
pub(crate) use check::{has, reason, reason_of_statement};
pub(crate) use counts::{Count, Terms};
pub(crate) use launch::{Allocation, Launch, When, Work};

/// A device of CUDA.
pub(crate) const TARGET: Target = Target {
    levels: &[Threads::Workers, Threads::Lanes],
    is_machine: true,
    // The sums of one lane.
    tiles: &[4],
    copies: Copies::Nowhere,
    slices: false,
};

pub(crate) const DIALECT: Dialect = Dialect {
    function: "UNISPARSE_KERNEL",
    helper: "UNISPARSE_DEVICE",
    unaliased: "__restrict__ ",
    parallel: "",
    native: ["uint64_t", "int64_t"],
    headers: "",
    halves: [include_str!("half.cu"), Dialect::C.halves[1]],
    allocates: false,
    is_flat: false,
};

/// The definitions that precede the namespace of the helpers and of the kernels.
const HEADERS: &str = include_str!("prelude.cu");

/// The helpers for parallel loops.
const GROUPS: &str = concat!(include_str!("groups.cu"), "\n", include_str!("sparse.cu"));

/// The helpers for an element type that is chosen when the text is compiled.
const ANY: &str = include_str!("any.cu");

/// A kernel as text.
pub(crate) struct Kernels {
    pub(crate) name: String,
    /// The helpers that the text calls. A file contains each of them once, even if several texts use it.
    pub(crate) prelude: String,
    pub(crate) text: String,
    /// The parameters of every kernel.
    pub(crate) parameters: Vec<Parameter>,
    /// The launches, in order. Each starts after all threads of the one before.
    pub(crate) launches: Vec<Launch>,
}

/// Prints the kernels of a program for which [`reason`] is `None`.
pub(crate) fn print(source: &Source<'_>) -> Kernels {
    let operands = source.operand_names();
    let tensors = source.tensors(&operands, None);
    let mut structs = Lines::default();
    for tensor in c::arguments(&tensors) {
        tensor.define(source.element, &mut structs);
    }
    if parts::is_sparse(source) {
        parts::define(source, &operands[0], &mut structs);
    }
    source.document(&mut structs);
    let (mut nests, mut variables) = (bodies(source), source.program.variables.clone());
    let read = c::maybes_read(&mut nests);
    let reserved: Vec<String> = source
        .reserved(&operands, &tensors)
        .into_iter()
        .flat_map(|name| [given(&name), name])
        .chain(device::RESERVED.map(str::to_owned))
        .collect();
    variables.avoid(&reserved, &[]);
    let mut parameters = source.parameters(&tensors, &operands, &variables);
    parts::add(source, &nests, &mut parameters);
    let mut kernels = launches::Printer {
        source,
        operands: &operands,
        parameters: &parameters,
        tensors: &tensors,
        variables,
        read,
        indices: BTreeMap::new(),
        lines: Lines::default(),
        launches: Vec::new(),
    };
    kernels.all(&nests);
    let launches::Printer {
        indices,
        lines,
        launches,
        ..
    } = kernels;
    let multiplies = nests
        .iter()
        .flatten()
        .any(|stmt| mma::has_product(stmt, source.element));
    let matrices = if multiplies {
        mma::helpers(source.element)
    } else {
        String::new()
    };
    let (prelude, structs, kernels) = (
        c::prelude(DIALECT, source.element, &indices),
        structs.into_text(),
        lines.into_text(),
    );
    let any = if source.element.is_any() { ANY } else { "" };
    Kernels {
        name: source.name.clone(),
        prelude: format!("{HEADERS}\nnamespace unisparse {{\n\n{prelude}{GROUPS}{matrices}\n{any}}}\n"),
        text: format!("namespace unisparse {{\n\n{structs}{kernels}\n}}\n"),
        parameters,
        launches,
    }
}

fn bodies(source: &Source<'_>) -> Vec<Vec<Stmt>> {
    source.program.nests.iter().map(|nest| nest.body.clone()).collect()
}

/// Returns the name of a parameter that the kernel converts, or whose address it takes.
fn given(name: &str) -> String {
    format!("given_{name}")
}
