//! What a format makes of a small example: its tree and its arrays, found by brute force at expansion.

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
    /// The tensor and the parameters, as the start of a sentence.
    pub(crate) caption: String,
    /// The positions in storage order, and the nodes without children between them.
    pub(crate) lines: Vec<Line>,
    /// From the root down, the values last.
    pub(crate) arrays: Vec<Array>,
}

/// The way from the root to one position, or to a node without children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// The coordinate of each level, and the value; `None` where the node is that of the line above.
    pub(crate) nodes: Vec<Option<String>>,
}

/// One array of the storage, or the size of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) kind: ArrayKind,
    /// The level it belongs to; that after the last for the values.
    pub(crate) level: usize,
    /// The entries: one piece, or where they are cut apart.
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

/// What stands for the value of a hole.
const HOLE: &str = ".";

impl Picture {
    /// The picture of a format; `None` if its tree is too large to look at.
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
