//! The arrays of sparse operands, as a kernel has them in memory.

use super::element::{Element, to_bytes};
use crate::array::{IndexArray, interleaved, longest};
use crate::element::Stored;
use crate::format::Tree;
use crate::kernel::c::{Member, MemberKind};

/// The formats whose arrays a kernel reads: every declared format has it. Generic code requires it of operands.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand of a kernel for high-level synthesis",
    note = "operands are tensors of declared formats, whose elements are `f64`, `f32`, integers of 8 to 64 bits, or `bool`"
)]
pub trait Summands {
    /// The type as which elements read.
    type Element: Element;
    /// Returns the tensors over which kernels run.
    #[doc(hidden)]
    fn summands(&self) -> Vec<Summand>;
}

/// A tensor that kernels take as one operand: the whole, the parts of a partitioned one, or a part of a hybrid.
#[doc(hidden)]
pub struct Summand {
    pub(super) parts: Vec<Part>,
    pub(super) is_cut: bool,
}

impl Summand {
    /// Copies the arrays of a tensor.
    pub fn whole<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Self
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        Summand {
            parts: vec![Part::of(tensor)],
            is_cut: false,
        }
    }

    /// Copies the arrays of the parts of a partitioned tensor.
    pub fn cut<F: Tree<N, M>, const N: usize, const M: usize>(parts: &[F]) -> Self
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        Summand {
            parts: parts.iter().map(Part::of).collect(),
            is_cut: true,
        }
    }

    /// Returns a row for each part, in the order of these members: a member that is a number, or the place of the first entry of an array.
    pub(super) fn table(&self, members: &[Member]) -> Vec<u64> {
        let mut table = Vec::with_capacity(self.parts.len() * members.len());
        let mut first = vec![0; members.len()];
        for part in &self.parts {
            for (member, first) in members.iter().zip(&mut first) {
                match part.number(member) {
                    Some(number) => table.push(number),
                    None => {
                        table.push(*first);
                        *first += part.len(member) as u64;
                    }
                }
            }
        }
        table
    }

    /// Returns the entries of a member in all parts, one part after another.
    pub(super) fn entries(&self, member: &Member) -> Vec<u8> {
        self.parts.iter().flat_map(|part| part.entries(member)).collect()
    }

    /// Returns the greatest number of an array's entries in all parts, or of coordinates of a level.
    pub(super) fn longest(&self) -> u64 {
        let of_level = |level: &LevelBytes| {
            let arrays = [&level.ptr, &level.idx].into_iter().flatten();
            arrays.map(|array| array.len).max().unwrap_or(0).max(level.size) as u64
        };
        let of_part = |part: &Part| {
            let levels = part.levels.iter().map(of_level).max();
            levels.unwrap_or(0).max(part.stored as u64)
        };
        self.parts.iter().map(of_part).sum()
    }
}

/// The arrays of a tensor, or of one part of it.
pub(super) struct Part {
    levels: Vec<LevelBytes>,
    values: Vec<u8>,
    stored: usize,
}

struct LevelBytes {
    ptr: Option<Integers>,
    idx: Option<Integers>,
    size: usize,
    given: i64,
    /// The greatest number of entries below one parent, and the number of parents.
    longest: (usize, usize),
}

/// An array of integers.
struct Integers {
    bytes: Vec<u8>,
    len: usize,
}

impl Integers {
    fn of(array: &dyn IndexArray) -> Self {
        let mut bytes = Vec::new();
        array.append_bytes(&mut bytes);
        Integers {
            bytes,
            len: array.len(),
        }
    }
}

impl Part {
    fn of<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Self
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        let (sizes, given) = (tensor.sizes(), tensor.given());
        let levels = tensor
            .arrays()
            .into_iter()
            .enumerate()
            .map(|(level, arrays)| LevelBytes {
                longest: arrays
                    .ptr
                    .map_or((0, 0), |ptr| (longest(ptr), ptr.len().saturating_sub(1))),
                ptr: arrays.ptr.map(Integers::of),
                idx: arrays.idx.map(Integers::of),
                size: sizes[level],
                given: given[level],
            });
        let stored = tensor.stored();
        Part {
            levels: levels.collect(),
            values: to_bytes((0..stored).map(|position| tensor.value(position).value())),
            stored,
        }
    }

    /// Returns a member that is a number.
    pub(super) fn number(&self, member: &Member) -> Option<u64> {
        let level = &self.levels[member.level];
        match member.kind {
            MemberKind::Given => Some(level.given as u64),
            MemberKind::Size => Some(level.size as u64),
            MemberKind::Count => Some(level.idx.as_ref().map_or(0, |idx| idx.len) as u64),
            MemberKind::Pointers | MemberKind::Indices | MemberKind::Values | MemberKind::Entries(_) => None,
        }
    }

    /// Returns the number of coordinates of a level.
    pub(super) fn size(&self, level: usize) -> u64 {
        self.levels[level].size as u64
    }

    /// Returns the mean and the greatest number of entries of a level below one parent.
    pub(super) fn below(&self, level: usize) -> (u64, u64) {
        let level = &self.levels[level];
        let entries = level.idx.as_ref().map_or(0, |idx| idx.len) as u64;
        match level.longest {
            (_, 0) => (entries, entries),
            (longest, parents) => (entries.div_ceil(parents as u64), longest as u64),
        }
    }

    fn len(&self, member: &Member) -> usize {
        let level = &self.levels[member.level];
        let len = |array: &Option<Integers>| array.as_ref().map_or(0, |array| array.len);
        match member.kind {
            MemberKind::Pointers => len(&level.ptr),
            MemberKind::Indices => len(&level.idx),
            MemberKind::Values => self.stored,
            MemberKind::Entries(columns) => columns.iter().map(|column| self.len(column)).min().unwrap_or(0),
            MemberKind::Given | MemberKind::Size | MemberKind::Count => 0,
        }
    }

    fn entries(&self, member: &Member) -> Vec<u8> {
        let level = &self.levels[member.level];
        let bytes = |array: &Option<Integers>| array.as_ref().map_or_else(Vec::new, |array| array.bytes.clone());
        match member.kind {
            MemberKind::Pointers => bytes(&level.ptr),
            MemberKind::Indices => bytes(&level.idx),
            MemberKind::Values => self.values.clone(),
            MemberKind::Entries(columns) => {
                let columns: Vec<(Vec<u8>, usize)> = columns
                    .iter()
                    .map(|column| (self.entries(column), self.len(column)))
                    .collect();
                interleaved(&columns)
            }
            MemberKind::Given | MemberKind::Size | MemberKind::Count => Vec::new(),
        }
    }
}
