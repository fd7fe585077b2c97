//! The example tensors.

use crate::compiler::encoding::Format;

/// A tensor whose elements have the values 1, 2, 3, .. in logical order, and the values of the format's parameters.
pub(crate) struct Example {
    pub(crate) extents: Vec<i128>,
    pub(crate) elements: Vec<Vec<i128>>,
    pub(crate) parameters: Vec<i128>,
}

/// The matrix of the paper.
const MATRIX: [[i128; 2]; 6] = [[0, 0], [1, 1], [2, 1], [2, 2], [2, 3], [4, 3]];
const TENSOR: [[i128; 3]; 6] = [[0, 0, 0], [0, 2, 1], [1, 1, 0], [1, 1, 1], [2, 0, 1], [2, 2, 0]];
const VECTOR: [i128; 3] = [1, 4, 6];
/// The value of a parameter without a default, or with a default that would make the example a single block.
const PARAMETER: i128 = 2;
/// Maximum number of dims of a drawn tensor.
const MOST_DIMS: usize = 8;

impl Example {
    /// Returns the example for a format; `None` if it has too many dims.
    pub(crate) fn new(format: &Format) -> Option<Self> {
        if format.dims.len() > MOST_DIMS {
            return None;
        }
        let (extents, elements): (Vec<i128>, Vec<Vec<i128>>) = match format.dims.len() {
            1 => (vec![8], VECTOR.iter().map(|&at| vec![at]).collect()),
            2 => (vec![5, 4], MATRIX.iter().map(|at| at.to_vec()).collect()),
            dims => {
                let further = dims - 3;
                let extents = [&[3, 3, 2][..], &vec![2; further]].concat();
                let elements = TENSOR.iter().map(|at| [&at[..], &vec![at[0] % 2; further]].concat());
                (extents, elements.collect())
            }
        };
        let least = extents.iter().copied().min().unwrap_or(1);
        let parameters = format.parameters.iter().map(|parameter| {
            let default = parameter.default.map(i128::from);
            default.filter(|&default| default <= least).unwrap_or(PARAMETER)
        });
        Some(Example {
            parameters: parameters.collect(),
            extents,
            elements,
        })
    }

    /// Describes the tensor and the parameters, as the start of a sentence.
    pub(super) fn caption(&self, format: &Format) -> String {
        let extents: Vec<String> = self.extents.iter().map(ToString::to_string).collect();
        let extents = extents.join(" × ");
        let tensor = match self.extents.len() {
            1 => format!("vector of {extents}"),
            2 => format!("{extents} matrix"),
            _ => format!("{extents} tensor"),
        };
        let elements = self.elements.iter().zip(1..).map(|(at, value)| {
            let at: Vec<String> = at.iter().map(ToString::to_string).collect();
            format!("({}) = {value}", at.join(", "))
        });
        let mut text = format!("The {tensor} with {}", elements.collect::<Vec<_>>().join(", "));
        let parameters = format.parameters.iter().zip(&self.parameters);
        let parameters: Vec<String> = parameters
            .map(|(parameter, value)| format!("{} = {value}", parameter.name))
            .collect();
        if !parameters.is_empty() {
            text += &format!("; {}", parameters.join(", "));
        }
        text
    }
}
