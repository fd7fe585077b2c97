//! Prints the parameters of a function as ports: an array is a port of its own in memory, a number is a register.

use std::collections::BTreeMap;

use super::super::c::{Lines, Member, MemberKind, Parameter, ParameterKind, Source, Tensor, mentions};
use super::DIALECT;
use super::pragmas::{Numbers, TripsOf};
use crate::compiler::loops::Var;

/// A parameter of the function.
pub(crate) struct Port {
    pub(crate) name: String,
    /// The type of the number, or of an element.
    pub(crate) kind: String,
    pub(crate) is_array: bool,
    pub(crate) is_written: bool,
    /// What it is, in a comment.
    about: String,
}

/// Returns the ports of all parameters.
pub(super) fn ports(parameters: &[Parameter], output: &str, element: &str, tensors: &[Tensor<'_>]) -> Vec<Port> {
    let number = |name: String, about: String| Port {
        name,
        kind: "unisparse_size".to_owned(),
        is_array: false,
        is_written: false,
        about,
    };
    let mut ports = Vec::new();
    for Parameter { name, kind } in parameters {
        match kind {
            ParameterKind::Dense => ports.push(Port {
                name: name.clone(),
                kind: element.to_owned(),
                is_array: true,
                is_written: name == output,
                about: "dense, in row-major order".to_owned(),
            }),
            ParameterKind::Scalar => ports.push(Port {
                kind: element.to_owned(),
                ..number(name.clone(), "a factor".to_owned())
            }),
            ParameterKind::Tensor { is_cut, members, kind } => {
                let of = tensors.iter().find(|tensor| tensor.kind == *kind);
                if *is_cut {
                    ports.push(Port {
                        kind: "uint64_t".to_owned(),
                        is_array: true,
                        ..number(format!("{name}_parts"), table(members))
                    });
                    ports.push(number(format!("{name}_part_count"), "the number of parts".to_owned()));
                }
                let members = members.iter().filter(|member| !(*is_cut && member.is_number()));
                ports.extend(members.map(|member| of_member(name, member, of)));
            }
            ParameterKind::Extent => ports.push(number(name.clone(), "the extent of an index".to_owned())),
            // The file that includes the text defines it.
            ParameterKind::Constant => {}
            ParameterKind::Output { .. }
            | ParameterKind::Partials
            | ParameterKind::Count
            | ParameterKind::Carries
            | ParameterKind::Workers
            | ParameterKind::Starts
            | ParameterKind::Keys
            | ParameterKind::Sums => unreachable!("a function has one dense or scalar result"),
        }
    }
    ports
}

fn of_member(tensor: &str, member: &Member, of: Option<&Tensor<'_>>) -> Port {
    let level = |level: usize| of.map_or("", |of| of.level(level));
    let own = level(member.level);
    let (is_array, about) = match &member.kind {
        MemberKind::Given => (false, format!("the coordinate of `{own}`")),
        MemberKind::Size => (false, format!("the number of coordinates of `{own}`")),
        MemberKind::Count => (false, format!("the number of entries of `{own}`")),
        MemberKind::Pointers => (
            true,
            format!("where the entries of `{own}` below each parent begin, and end"),
        ),
        MemberKind::Indices => (true, format!("the coordinates of `{own}`")),
        MemberKind::Values => (true, "the values".to_owned()),
        MemberKind::Entries(columns) => {
            let columns: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            (true, format!("{} side by side", columns.join(", ")))
        }
    };
    let kind = match member.is_number() {
        true if member.entry == DIALECT.native[1] => "unisparse_difference".to_owned(),
        true => "unisparse_size".to_owned(),
        false => member.entry.clone(),
    };
    Port {
        name: format!("{tensor}_{}", member.name),
        kind,
        is_array,
        is_written: false,
        about,
    }
}

/// Returns the description of the table of a partitioned tensor's parts.
fn table(members: &[Member]) -> String {
    let columns = members.iter().map(|member| match member.is_number() {
        true => member.name.clone(),
        false => format!("first place in {}", member.name),
    });
    format!("of each part: {}", columns.collect::<Vec<_>>().join(", "))
}

/// Returns the names of the ports of operands.
pub(super) fn names(parameters: &[Parameter]) -> Vec<String> {
    let is_operand = |parameter: &&Parameter| !matches!(parameter.kind, ParameterKind::Extent);
    let operands = parameters.iter().filter(is_operand);
    let ports = operands.flat_map(|parameter| ports(std::slice::from_ref(parameter), "", "", &[]));
    ports.map(|port| port.name).collect()
}

/// Returns the parameters that determine the lengths of loops.
pub(super) fn numbers(source: &Source<'_>, parameters: &[Parameter], tensors: &[Tensor<'_>]) -> Numbers {
    let program = &source.program;
    let of_tensor = |tensor: &Tensor<'_>| {
        let is = |parameter: &Parameter| {
            matches!(parameter.kind, ParameterKind::Tensor { .. }) && parameter.name == tensor.argument
        };
        parameters.iter().position(is).unwrap_or_default()
    };
    let of_tensors: Vec<usize> = tensors.iter().map(of_tensor).collect();
    let is_extent = |number: &usize| matches!(parameters[*number].kind, ParameterKind::Extent);
    let extents = (0..parameters.len()).filter(is_extent);
    let mut variables: BTreeMap<Var, TripsOf> = program
        .extents
        .iter()
        .copied()
        .zip(extents.map(TripsOf::Extent))
        .collect();
    for (tensor, numbers) in program.numbers.iter().enumerate() {
        let parameter = of_tensors[tensor];
        let sizes = numbers
            .iter()
            .enumerate()
            .filter_map(|(level, var)| Some((level, (*var)?)));
        variables.extend(sizes.map(|(level, var)| (var, TripsOf::Size { parameter, level })));
    }
    Numbers {
        variables,
        tensors: of_tensors,
    }
}

/// Prints the structs of interleaved arrays.
pub(super) fn define(parameters: &[Parameter], lines: &mut Lines) {
    for Parameter { kind, .. } in parameters {
        let ParameterKind::Tensor { members, .. } = kind else {
            continue;
        };
        for member in members {
            let MemberKind::Entries(columns) = &member.kind else {
                continue;
            };
            lines.open(&member.entry);
            for column in columns {
                lines.line(format!("{} {};", column.entry, column.name));
            }
            lines.close_with("};");
            lines.line("");
        }
    }
}

/// Prints a comment on the function and on each port.
pub(super) fn describe(source: &Source<'_>, ports: &[Port], lines: &mut Lines) {
    lines.line(format!("// {}", source.about()));
    for port in ports {
        lines.line(format!("// {}: {}", port.name, port.about));
    }
    lines.line("");
}

/// Prints the head of the function, which stays open, and the pragmas of its ports.
pub(super) fn head(source: &Source<'_>, ports: &[Port], lines: &mut Lines) {
    lines.line(format!("{} {}(", source.dialect.function, source.name));
    for (at, port) in ports.iter().enumerate() {
        let constant = if port.is_array && !port.is_written {
            "const "
        } else {
            ""
        };
        let star = if port.is_array { "*" } else { "" };
        let next = if at + 1 < ports.len() { "," } else { ")" };
        lines.line(format!("    {constant}{} {star}{}{next}", port.kind, port.name));
    }
    lines.open("");
    for Port { name, is_array, .. } in ports {
        lines.line(match is_array {
            true => format!("#pragma HLS INTERFACE m_axi port={name} offset=slave bundle={name}"),
            false => format!("#pragma HLS INTERFACE s_axilite port={name}"),
        });
    }
    lines.line("#pragma HLS INTERFACE s_axilite port=return");
}

/// Prints the types of numbers in the function, and the values of the const parameters that its body mentions.
pub(super) fn locals(constants: &[(String, String)], body: &Lines, lines: &mut Lines) {
    for (kind, name) in [("unisparse_size", "size_t"), ("unisparse_difference", "ptrdiff_t")] {
        if body.mention(name) {
            lines.line(format!("typedef {kind} {name};"));
        }
    }
    let in_others = |at: usize, name: &str| constants[at + 1..].iter().any(|(_, other)| mentions(other, name));
    for (at, (name, value)) in constants.iter().enumerate() {
        if in_others(at, name) || body.mention(name) {
            lines.line(format!("const size_t {name} = {value};"));
        }
    }
}
