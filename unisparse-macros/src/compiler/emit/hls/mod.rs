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
use crate::compiler::lower::{Copies, Target};
pub(crate) use check::{has, reason, reason_of_statement};
pub(crate) use ports::Port;
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
    /// The statement and the formats.
    pub(crate) about: String,
    /// The structs of interleaved arrays.
    pub(crate) structs: String,
    /// The function with its comments.
    pub(crate) text: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) ports: Vec<Port>,
    /// The loops whose lengths depend on the operands.
    pub(crate) trips: Vec<Trips>,
    /// Whether the text names its element type, which is then defined before it.
    is_named: bool,
}

impl Design {
    /// Returns a file with the function, for elements of this type.
    pub(crate) fn file(&self, element: Element) -> String {
        let named = match (self.is_named, element.name) {
            (false, _) => String::new(),
            (true, "bool") => "typedef unisparse::truth unisparse_value;\n\n".to_owned(),
            (true, _) => format!("typedef unisparse::wrapping<{}> unisparse_value;\n\n", element.text),
        };
        format!("#include \"unisparse_hls.h\"\n\n{named}{}{}", self.structs, self.text)
    }
}

/// Returns the element type as which the text has an element type of Rust.
pub(crate) fn element(element: Element) -> Element {
    match element.name {
        "f32" | "f64" => element,
        _ => Element::OPERATORS,
    }
}

/// Prints the function of a program for which [`reason`] is `None`.
pub(crate) fn print(source: &Source<'_>) -> Design {
    let operands = source.operand_names();
    let tensors = source.tensors(&operands, None);
    let mut nests: Vec<Vec<_>> = source.program.nests.iter().map(|nest| nest.body.clone()).collect();
    let read = c::maybes_read(&mut nests);
    let mut variables = source.program.variables.clone();
    let reserved: Vec<String> = source
        .reserved(&operands, &tensors)
        .into_iter()
        .chain(ports::names(&source.parameters(&tensors, &operands, &variables)))
        .chain(pragmas::RESERVED.map(str::to_owned))
        .collect();
    variables.avoid(&reserved, &[]);
    let parameters = source.parameters(&tensors, &operands, &variables);
    let ports = ports::ports(&parameters, &operands[0], source.element.text, &tensors);
    let constants = source.constants();
    let known = constants
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.parse().ok()?)));
    let hardware = Hardware::new(known.collect(), ports::numbers(source, &parameters, &tensors));
    let mut printer = source.printer(&operands, tensors.clone(), &mut variables, Lines::inside(1), hardware);
    printer.read = read;
    printer.whole(source, &nests);
    let (body, trips) = (printer.lines, printer.machine.trips);
    let (mut structs, mut lines) = (Lines::default(), Lines::default());
    ports::define(&parameters, &mut structs);
    ports::describe(source, &ports, &mut lines);
    pragmas::constants(&trips, &mut lines);
    ports::head(source, &ports, &mut lines);
    ports::locals(&constants, &body, &mut lines);
    lines.append(&body);
    lines.close();
    Design {
        name: source.name.clone(),
        about: source.about(),
        structs: structs.into_text(),
        text: lines.into_text(),
        parameters,
        ports,
        trips,
        is_named: source.element.text == Element::OPERATORS.text,
    }
}

/// The values of const parameters, by name.
type Constants = BTreeMap<String, i128>;
