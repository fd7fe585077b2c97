//! Tensors, dense operands, and the results of the statements, computed densely.

use std::collections::BTreeMap;

use specification::generator::Random;

use super::super::Text;
use super::super::arguments::{Argument, ArgumentKind};
use super::arrays::of_tree;
use crate::compiler::algebra::tests::coordinates_of;
use crate::compiler::brute::tree::build;
use crate::compiler::compiled::Compiled;
use crate::compiler::kernel::{Kernel, Literal, Node, OperandKind, Reduction};

/// Extents of `i`, `j`, `k`, and the percentage of stored elements.
const SHAPES: [([i128; 3], usize); 8] = [
    ([0, 0, 0], 100),
    ([0, 3, 2], 100),
    ([3, 0, 2], 100),
    ([1, 1, 1], 100),
    ([5, 4, 3], 0),
    ([5, 7, 3], 40),
    ([8, 6, 21], 30),
    ([19, 5, 4], 100),
];

/// The const parameters of every format; a format uses the first ones.
const PARAMETERS: [i128; 2] = [2, 3];

/// The arguments of one call, and the expected output.
pub(super) struct Case {
    /// The values of each argument, in order.
    pub(super) given: Vec<Vec<i128>>,
    pub(super) expected: Vec<i128>,
}

/// Returns one case per shape. The value of the statement must be a product with its only sparse operand.
pub(super) fn cases(kernel: &Kernel, format: &Compiled, text: &Text) -> Vec<Case> {
    let number = |(at, &(extents, percent)): (usize, &([i128; 3], usize))| {
        case(kernel, format, text, extents, percent, &mut Random::new(at as u64))
    };
    SHAPES.iter().enumerate().map(number).collect()
}

fn case(
    kernel: &Kernel,
    format: &Compiled,
    text: &Text,
    extents: [i128; 3],
    percent: usize,
    random: &mut Random,
) -> Case {
    let extents: BTreeMap<&str, i128> = ["i", "j", "k"].into_iter().zip(extents).collect();
    let extent = |index: usize| extents[kernel.indices[index].as_str()];
    let shape = |operand: usize| -> Vec<i128> {
        let indices = match (operand, kernel.operands[operand].kind) {
            (0, _) => kernel.output.as_slice(),
            (_, OperandKind::Scalar) => &[],
            _ => &kernel.reads[kernel.reads_of(operand)[0]].indices,
        };
        indices.iter().map(|&index| extent(index)).collect()
    };
    let value = |is_mask: bool, random: &mut Random| match is_mask {
        true => random.below(2) as i128,
        false => [-3, -2, -1, 1, 2, 3, 4, 6][random.below(8)],
    };
    // The elements of every operand by coordinate; for the sparse operand, only the stored ones.
    let mut operands: Vec<BTreeMap<Vec<i128>, i128>> = Vec::new();
    for (number, operand) in kernel.operands.iter().enumerate() {
        let is_stored = |random: &mut Random| operand.kind != OperandKind::Sparse || random.below(100) < percent;
        let mut elements = BTreeMap::new();
        for coordinate in coordinates_of(&shape(number)) {
            if is_stored(random) {
                elements.insert(coordinate, value(operand.is_mask, random));
            }
        }
        operands.push(elements);
    }
    let sparse = kernel.sparse().next().expect("a sparse operand");
    let (coordinates, values): (Vec<Vec<i128>>, Vec<i128>) = operands[sparse].clone().into_iter().unzip();
    let parameters = &PARAMETERS[..format.format.parameters.len()];
    let tree = build(format, &shape(sparse), parameters, &coordinates).expect("a small tree");
    let given = |argument: &Argument| match argument.kind {
        ArgumentKind::Dense(operand) | ArgumentKind::Scalar(operand) => operands[operand].values().copied().collect(),
        ArgumentKind::Extent(index) => vec![extent(index)],
        ArgumentKind::Parameter { parameter, .. } => vec![PARAMETERS[parameter]],
        of_tensor => of_tree(&tree, of_tensor, &values),
    };
    // Evaluate the statement at every coordinate of the box of all indices.
    let mut expected = operands[0].clone();
    if kernel.reduction == Reduction::Set {
        expected.values_mut().for_each(|value| *value = 0);
    }
    let space: Vec<i128> = (0..kernel.indices.len()).map(extent).collect();
    for point in coordinates_of(&space) {
        let at = |indices: &[usize]| -> Vec<i128> { indices.iter().map(|&index| point[index]).collect() };
        let read = |number: usize| {
            let read = &kernel.reads[number];
            operands[read.operand].get(&at(&read.indices)).copied().unwrap_or(0)
        };
        let is_kept = kernel.mask.is_none_or(|mask| (read(mask.read) != 0) != mask.negated);
        if is_kept {
            let scalar = |operand: usize| operands[operand][&Vec::new()];
            *expected.get_mut(&at(&kernel.output)).expect("a place") += evaluate(&kernel.value, &point, &read, &scalar);
        }
    }
    Case {
        given: text.arguments.iter().map(given).collect(),
        expected: expected.into_values().collect(),
    }
}

/// Returns the value of a node at a point, where absent elements of a sparse operand are zero.
fn evaluate(node: &Node, point: &[i128], read: &dyn Fn(usize) -> i128, scalar: &dyn Fn(usize) -> i128) -> i128 {
    let value = |node: &Node| evaluate(node, point, read, scalar);
    match node {
        Node::Read(number) => read(*number),
        Node::Scalar(operand) => scalar(*operand),
        Node::Literal(Literal::Integer(number)) => i128::from(*number),
        Node::Index(index) => point[*index],
        Node::Negated(inner) => -value(inner),
        Node::Sum(terms) => terms.iter().map(value).sum(),
        Node::Product(factors) => factors.iter().map(value).product(),
        Node::Literal(Literal::Float(_)) | Node::Or(_) | Node::And(_) | Node::Call(..) => {
            unreachable!("these are refused")
        }
    }
}
