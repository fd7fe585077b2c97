//! C++ for high-level synthesis: prints a kernel over one choice of formats as a function that a tool turns into hardware.
//!
//! The loops are those of every other target, one after another. Innermost loops are pipelined, loops of constant length
//! inside them are copied for each iteration, and the sums of neighbouring elements are registers. The arrays of a tensor are
//! ports of their own, as hardware has no pointers in memory.

mod check;
mod loops;
mod ports;
mod pragmas;
mod sums;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::c::{self, Dialect, Element, Lines, Parameter, Source};
use crate::compiler::lower::target::Threads;
use crate::compiler::lower::{Copies, Output, Target};
pub(crate) use check::{has, reason, reason_of_statement};
use pragmas::Hardware;
pub(crate) use pragmas::{Trips, TripsOf};

/// Hardware that a tool makes of C++.
pub(crate) const TARGET: Target = Target {
    levels: &[Threads::Pipelines],
    is_machine: true,
    // The neighbouring elements that are computed at once.
    tiles: &[8],
    copies: Copies::Nowhere,
    slices: false,
};

pub(crate) const DIALECT: Dialect = Dialect {
    function: "extern \"C\" void",
    helper: "",
    unaliased: "",
    parallel: "",
    native: ["uint64_t", "int64_t"],
    headers: "",
    halves: ["", ""],
    allocates: false,
    is_flat: true,
};

/// A kernel as text.
pub(crate) struct Design {
    pub(crate) name: String,
    /// The function. It includes `unisparse_hls.h`.
    pub(crate) text: String,
    pub(crate) parameters: Vec<Parameter>,
    /// The constants for the loops whose lengths depend on the operands.
    pub(crate) trips: Vec<Trips>,
}

/// Returns the element type as which the text has an element type of Rust.
pub(crate) fn element(element: Element) -> Element {
    match element.name {
        "f32" | "f64" => element,
        _ => Element::OPERATORS,
    }
}

/// Prints the function of a program for which [`reason`] is `None`. `chosen` is the element type if it is known.
pub(crate) fn print(source: &Source<'_>, chosen: Option<Element>) -> Design {
    let operands = source.operand_names();
    let tensors = source.tensors(&operands, None);
    let mut nests: Vec<Vec<_>> = source.program.nests.iter().map(|nest| nest.body.clone()).collect();
    let read = c::maybes_read(&mut nests);
    let mut variables = source.program.variables.clone();
    let parameters = source.parameters(&tensors, &operands, &variables);
    let constants = source.constants();
    let names = ports::names(&parameters, &operands[0]);
    let reserved: Vec<String> = source
        .reserved(&operands, &tensors)
        .into_iter()
        .chain(names)
        .chain(pragmas::RESERVED.map(str::to_owned))
        .collect();
    variables.avoid(&reserved, &[]);
    let parameters = source.parameters(&tensors, &operands, &variables);
    let known = constants.iter().filter_map(|(name, value)| Some((name.clone(), value.parse().ok()?)));
    let hardware = Hardware::new(known.collect(), ports::numbers(source, &parameters, &tensors));
    let mut printer = source.printer(&operands, tensors.clone(), &mut variables, Lines::inside(1), hardware);
    printer.read = read;
    let is_scalar = source.program.output == Output::Scalar;
    if is_scalar {
        let (kind, start) = (source.element.text, source.element.start(source.kernel().reduction.into()));
        printer.lines.line(format!("{kind} total = {start};"));
    }
    if source.program.output == (Output::Dense { zero_first: true }) {
        printer.zero(source);
    }
    printer.nests(&nests);
    if is_scalar {
        printer.lines.line(format!("{}[0] = total;", operands[0]));
    }
    let (body, trips) = (printer.lines, printer.machine.trips);
    let mut lines = Lines::default();
    lines.line("#include \"unisparse_hls.h\"");
    lines.line("");
    if source.element.text == Element::OPERATORS.text {
        ports::element(chosen, &mut lines);
    }
    source.document(&mut lines);
    ports::describe(source, &parameters, &tensors, &mut lines);
    pragmas::constants(&trips, &mut lines);
    ports::head(source, &parameters, &mut lines);
    ports::locals(source, &constants, &body, &mut lines);
    lines.append(&body);
    lines.close();
    Design {
        name: source.name.clone(),
        text: lines.into_text(),
        parameters,
        trips,
    }
}

/// The values of const parameters, by name.
type Constants = BTreeMap<String, i128>;
