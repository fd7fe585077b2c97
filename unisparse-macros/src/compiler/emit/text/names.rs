//! Names the tensors of a kernel, their arrays and the operands in the text.

use std::collections::BTreeMap;

use super::Sparse;
use crate::compiler::kernel::{Function, Kernel, OperandKind};
use crate::compiler::loops::{ArrayName, LevelNames, Names, OperandNames, TensorNames, Var};
use crate::compiler::lower::{Output, Program};
use crate::compiler::operand::Summand;
use crate::compiler::storage::Kind;

pub(super) fn names(program: &Program<'_>) -> Names {
    let kernel = &program.kernel;
    let mut names = Names {
        functions: kernel.functions.iter().map(Function::name).collect(),
        is_scalar: kernel.output_kind() == OperandKind::Scalar,
        several: program.nests.len() > 1,
        ..Names::default()
    };
    if let Output::Fibers { order, .. } = &program.output {
        names.order.clone_from(order);
    }
    for (number, operand) in kernel.operands.iter().enumerate() {
        let extents = if operand.kind == OperandKind::Dense {
            extents(program, number)
        } else {
            Vec::new()
        };
        names.operands.push(OperandNames {
            name: operand.name.clone(),
            extents,
        });
    }
    for (tensor, summand) in program.tensors.iter().enumerate() {
        let named = tensor_names(kernel, summand);
        for (level, var) in program.numbers[tensor].iter().enumerate() {
            let Some(var) = var else { continue };
            let (name, level_name) = (&named.name, &summand.format.levels[level].name);
            let shown = match summand.storage.levels[level].kind {
                Kind::Given => format!("{name}.{level_name}"),
                _ => format!("{name}.{level_name}_size"),
            };
            names.shown_as.insert(program.variables.name(*var).to_owned(), shown);
        }
        names.tensors.push(named);
    }
    names
}

/// Returns the extents of a dense operand, or nothing if its reads have different extents.
fn extents(program: &Program<'_>, number: usize) -> Vec<Var> {
    let kernel = &program.kernel;
    let read = kernel.reads.iter().filter(|read| read.operand == number);
    let mut indices: Vec<&Vec<usize>> = read.map(|read| &read.indices).collect();
    if number == 0 {
        indices = vec![&kernel.output];
    }
    let below = |indices: &[usize]| indices.iter().skip(1).copied().collect::<Vec<usize>>();
    match indices.split_first() {
        Some((first, others)) if others.iter().all(|other| below(other) == below(first)) => {
            first.iter().map(|&index| program.extents[index]).collect()
        }
        _ => Vec::new(),
    }
}

fn tensor_names(kernel: &Kernel, summand: &Summand<'_>) -> TensorNames {
    let (format, storage) = (summand.format, summand.storage);
    let operand = &kernel.operands[summand.operand].name;
    let whole = match summand.part {
        Some(part) => format!("{operand}.{part}"),
        None => operand.clone(),
    };
    let name = if summand.is_cut {
        let part = summand.part.map(|part| part.to_string()).unwrap_or_default();
        let read = summand.read.map(|read| format!("_{read}")).unwrap_or_default();
        format!("{operand}{part}_part{read}")
    } else {
        whole.clone()
    };
    let levels = (0..format.levels.len()).map(|level| {
        let level_name = &format.levels[level].name;
        let tuples = storage
            .tuple_arrays
            .iter()
            .find(|tuples| tuples.levels.contains(&level));
        let parent = storage.levels[level].parent;
        let parent = parent.map_or("root", |parent| format.levels[parent].name.as_str());
        LevelNames {
            idx: match tuples {
                Some(tuples) => ArrayName {
                    array: format!("{name}.{}_entries", format.levels[tuples.levels[0]].name),
                    field: format!(".{level_name}"),
                },
                None => ArrayName::plain(format!("{name}.{level_name}_idx")),
            },
            ptr: format!("{name}.{parent}_ptr"),
        }
    });
    let packed = storage.tuple_arrays.iter().find(|tuples| tuples.values);
    TensorNames {
        levels: levels.collect(),
        values: match packed {
            Some(tuples) => ArrayName {
                array: format!("{name}.{}_entries", format.levels[tuples.levels[0]].name),
                field: ".value".to_owned(),
            },
            None => ArrayName::plain(format!("{name}.values")),
        },
        parts: format!("{whole}.parts"),
        name,
    }
}

/// Returns the text of each const parameter of an operand: its value, or the name that the user gave it.
pub(super) fn parameters(sparse: &Sparse<'_>) -> BTreeMap<String, String> {
    let of_parts = sparse.operand.constants().into_iter();
    let mut shown: BTreeMap<String, String> = of_parts
        .map(|(parameter, value)| (parameter.to_owned(), value.to_string()))
        .collect();
    for (at, parameter) in sparse.operand.parameters.iter().enumerate() {
        if let Some(value) = sparse.arguments.get(at) {
            shown.insert(parameter.clone(), value.clone());
        } else if let Some(hidden) = parameter.strip_prefix("__") {
            shown.insert(parameter.clone(), hidden.replacen('_', ".", 1));
        }
    }
    shown
}
