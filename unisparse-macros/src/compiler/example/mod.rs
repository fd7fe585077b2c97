//! The tree and the arrays of a small example in a format, computed by brute force at expansion.

mod domain;
mod layout;
mod queries;
mod tensor;
mod text;
mod tree;

pub(crate) use domain::domain;
pub(crate) use tensor::Example;

use crate::compiler::encoding::Format;
use crate::compiler::storage::Storage;

/// The storage of an example tensor.
pub(crate) struct Picture {
    /// A description of the tensor and the parameters, as the start of a sentence.
    pub(crate) caption: String,
    /// The positions in storage order, with the nodes without children between them.
    pub(crate) lines: Vec<Line>,
    /// The arrays from the root down, with the values last.
    pub(crate) arrays: Vec<Array>,
}

/// The path from the root to one position, or to a node without children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// The coordinate of each level, and the value; `None` if the node is the same as in the line above.
    pub(crate) nodes: Vec<Option<String>>,
}

/// One array of the storage, or the size of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) kind: ArrayKind,
    /// The level of the array; the number of levels for the values.
    pub(crate) level: usize,
    /// The entries: one piece, or several if the array is divided into segments or parts.
    pub(crate) pieces: Vec<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrayKind {
    /// A single number.
    Size,
    Pointers,
    Indices,
    Values,
}

/// The text for the value of a hole.
const HOLE: &str = ".";

impl Picture {
    /// Creates the picture of a format; `None` if its tree is too large to draw.
    pub(crate) fn new(format: &Format, storage: &Storage) -> Option<Self> {
        let example = Example::new(format)?;
        let (lines, arrays) = tree::build(format, storage, &example)?;
        Some(Picture {
            caption: example.caption(format),
            lines,
            arrays,
        })
    }
}
