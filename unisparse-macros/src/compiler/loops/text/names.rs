//! The names of tensors, their arrays and the operands in the text of loops.

use std::collections::BTreeMap;

use super::super::{Array, Expr, TensorLevel, Var, Variables};

/// The names of everything that loops read and write. Tensors and operands without names are numbered.
#[derive(Default)]
pub(crate) struct Names {
    /// The names of the tensors, by their number in the nest.
    pub(crate) tensors: Vec<TensorNames>,
    /// The names of the kernel's operands.
    pub(crate) operands: Vec<OperandNames>,
    pub(crate) functions: Vec<String>,
    /// Replacements for variables: a field of the tensor for a size, a value for a const parameter.
    pub(crate) shown_as: BTreeMap<String, String>,
    /// The dims of a sparse output in the order in which the loops bind them.
    pub(crate) order: Vec<usize>,
    /// Whether the output is a scalar.
    pub(crate) is_scalar: bool,
    /// Whether a scalar result is the sum of several nests.
    pub(crate) several: bool,
}

/// The names of a tensor and of its arrays.
pub(crate) struct TensorNames {
    /// The name, such as `A`, or the variable of the loop over its parts.
    pub(crate) name: String,
    /// The parts over which a loop runs, if the tensor is partitioned.
    pub(crate) parts: String,
    pub(crate) levels: Vec<LevelNames>,
    pub(crate) values: ArrayName,
}

pub(crate) struct LevelNames {
    pub(crate) idx: ArrayName,
    pub(crate) ptr: String,
}

/// An array, or one field of an array of tuples.
#[derive(Clone)]
pub(crate) struct ArrayName {
    pub(crate) array: String,
    /// The empty string, or a field such as `.col`.
    pub(crate) field: String,
}

pub(crate) struct OperandNames {
    pub(crate) name: String,
    /// The extent of each dim; empty if the reads of the operand have different extents.
    pub(crate) extents: Vec<Var>,
}

impl ArrayName {
    pub(crate) fn plain(array: String) -> Self {
        let field = String::new();
        ArrayName { array, field }
    }

    /// Returns the element at a position, such as `A.col_idx[at]`.
    pub(super) fn at(&self, at: &str) -> String {
        format!("{}[{at}]{}", self.array, self.field)
    }
}

impl Names {
    pub(super) fn var<'a>(&'a self, var: Var, variables: &'a Variables) -> &'a str {
        let name = variables.name(var);
        self.shown_as.get(name).map_or(name, String::as_str)
    }

    pub(super) fn tensor(&self, tensor: usize) -> String {
        let named = self.tensors.get(tensor).map(|tensor| tensor.name.clone());
        named.unwrap_or_else(|| format!("tensor{tensor}"))
    }

    pub(super) fn parts(&self, tensor: usize) -> String {
        let named = self.tensors.get(tensor).map(|tensor| tensor.parts.clone());
        named.unwrap_or_else(|| format!("tensor{tensor}.parts"))
    }

    pub(super) fn idx(&self, TensorLevel { tensor, level }: TensorLevel) -> ArrayName {
        let named = self.tensors.get(tensor).map(|tensor| tensor.levels[level].idx.clone());
        named.unwrap_or_else(|| ArrayName::plain(format!("tensor{tensor}.idx{level}")))
    }

    pub(super) fn ptr(&self, TensorLevel { tensor, level }: TensorLevel) -> String {
        let named = self.tensors.get(tensor).map(|tensor| tensor.levels[level].ptr.clone());
        named.unwrap_or_else(|| format!("tensor{tensor}.ptr{level}"))
    }

    pub(super) fn values(&self, tensor: usize) -> ArrayName {
        let named = self.tensors.get(tensor).map(|tensor| tensor.values.clone());
        named.unwrap_or_else(|| ArrayName::plain(format!("tensor{tensor}.values")))
    }

    pub(super) fn operand(&self, number: usize) -> String {
        let named = self.operands.get(number).map(|operand| operand.name.clone());
        named.unwrap_or_else(|| format!("operand{number}"))
    }

    pub(super) fn function(&self, number: usize) -> String {
        let named = self.functions.get(number).cloned();
        named.unwrap_or_else(|| format!("function{number}"))
    }

    /// Returns the name of the array, and the coordinates of a row-major place in it.
    pub(super) fn place(&self, array: Array, at: &Expr) -> (ArrayName, Vec<Expr>) {
        match array {
            Array::Values(tensor) => (self.values(tensor), vec![at.clone()]),
            Array::Sums => (ArrayName::plain("sums".to_owned()), vec![at.clone()]),
            Array::Dense(number) => {
                let extents = self.operands.get(number).map_or(&[][..], |operand| &operand.extents);
                (ArrayName::plain(self.operand(number)), coordinates(at, extents))
            }
        }
    }
}

/// Returns the coordinates of a row-major place, or the place itself if it cannot be split into coordinates.
pub(super) fn coordinates(at: &Expr, extents: &[Var]) -> Vec<Expr> {
    let (mut rest, mut coordinates) = (at.clone(), Vec::new());
    for &extent in extents.iter().skip(1).rev() {
        let Some((above, here)) = rest.split(extent) else {
            return vec![at.clone()];
        };
        coordinates.insert(0, here);
        rest = above;
    }
    coordinates.insert(0, rest);
    if coordinates.iter().any(|coordinate| coordinate.uses_any(extents)) {
        return vec![at.clone()];
    }
    coordinates
}
