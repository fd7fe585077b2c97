//! Prints sparse tensors as structs of their arrays.

use std::collections::BTreeSet;

use super::text::Lines;
use super::types::Element;
use super::{Dialect, c_name};
use crate::compiler::encoding::{Format, IndexType};
use crate::compiler::operand::Summand;
use crate::compiler::storage::{FieldKind, Kind, Storage, TupleArray, fields, parent_name};

/// A tensor that loops read, as a pointer to a struct, or to one struct per part.
#[derive(Clone)]
pub(crate) struct Tensor<'a> {
    dialect: Dialect,
    /// The number of the operand in the kernel.
    pub(crate) operand: usize,
    pub(super) format: &'a Format,
    pub(super) storage: &'a Storage,
    pub(crate) is_cut: bool,
    /// The parameter, which several tensors share if several reads loop over the same parts.
    pub(crate) argument: String,
    /// The pointer to the struct that the loops read: the parameter, or the current part.
    pub(crate) name: String,
    /// The name of the struct.
    pub(crate) kind: String,
    /// The levels below the root whose number of entries the loops read.
    pub(super) counted: BTreeSet<usize>,
}

/// One member of a tensor's struct.
pub(crate) struct Member {
    pub(crate) name: String,
    /// The level of the member, or of its first array if it contains several.
    pub(crate) level: usize,
    pub(crate) kind: MemberKind,
    /// The type of a number, or of the entries of an array.
    pub(crate) entry: String,
}

pub(crate) enum MemberKind {
    /// The given coordinate of the node to which a part belongs.
    Given,
    /// The number of coordinates of a level.
    Size,
    /// The number of entries of a level's `idx` array.
    Count,
    Pointers,
    Indices,
    Values,
    /// Several interleaved arrays.
    Entries(Vec<Member>),
}

impl Member {
    /// Whether the member is a number, not an array.
    #[cfg(feature = "hls")]
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.kind, MemberKind::Given | MemberKind::Size | MemberKind::Count)
    }
}

impl<'a> Tensor<'a> {
    /// Creates the tensor of a summand. `function` is the name of the kernel's function, `operands` are the names of
    /// its parameters.
    pub(super) fn new(function: &str, operands: &[String], summand: &Summand<'a>, dialect: Dialect) -> Self {
        let operand = &operands[summand.operand];
        let is_taken = |name: &str| {
            let is_other = |name: &String| name != operand && operands.contains(name);
            let [parts, count] = ["parts", "part_count"].map(|suffix| format!("{name}_{suffix}"));
            let is_prefix = |other: &String| is_other(other) && other.starts_with(&format!("{name}_"));
            is_other(&name.to_owned())
                || summand.is_cut && (is_other(&parts) || is_other(&count))
                || dialect.is_flat && operands.iter().any(is_prefix)
        };
        let unlike_operands = |mut name: String| {
            while is_taken(&name) {
                name.push('_');
            }
            name
        };
        let part = summand.part.map(|part| format!("_part{part}")).unwrap_or_default();
        let argument = unlike_operands(format!("{operand}{part}"));
        let read = summand.read.map(|read| format!("_read{read}")).unwrap_or_default();
        Tensor {
            dialect,
            operand: summand.operand,
            format: summand.format,
            storage: summand.storage,
            is_cut: summand.is_cut,
            kind: format!("{function}_{argument}"),
            name: unlike_operands(format!("{argument}{read}")),
            argument,
            counted: BTreeSet::new(),
        }
    }

    /// Returns the members of the struct, from the root down.
    pub(crate) fn members(&self, element: Element) -> Vec<Member> {
        let (format, storage) = (self.format, self.storage);
        let mut members = Vec::new();
        for level in storage.given() {
            members.push(Member {
                name: self.given(level),
                level,
                kind: MemberKind::Given,
                entry: self
                    .dialect
                    .number(format.levels[level].interval.is_nonnegative())
                    .to_owned(),
            });
        }
        for field in fields(format, storage) {
            let (level, tuples) = (field.level, self.tuples_of(field.level));
            let is_counted = storage.levels[level].parent.is_none() || self.counted.contains(&level);
            if field.kind == FieldKind::Indices && is_counted {
                members.push(Member {
                    name: self.count(level),
                    level,
                    kind: MemberKind::Count,
                    entry: self.dialect.number(true).to_owned(),
                });
            }
            let plain = |kind| Member {
                name: field.name.clone(),
                level,
                kind,
                entry: self.dialect.integer(field.integer),
            };
            match (field.kind, tuples) {
                (FieldKind::Size, _) => members.push(plain(MemberKind::Size)),
                (FieldKind::Pointers, _) => members.push(plain(MemberKind::Pointers)),
                (FieldKind::Indices, None) => members.push(plain(MemberKind::Indices)),
                (FieldKind::Indices, Some(tuples)) if tuples.levels[0] == level => {
                    members.push(self.entries(tuples, element));
                }
                (FieldKind::Indices, Some(_)) => {}
            }
        }
        if !storage.tuple_arrays.iter().any(|tuples| tuples.values) {
            members.push(values("values", format.levels.len() - 1, element));
        }
        members
    }

    fn entries(&self, tuples: &TupleArray, element: Element) -> Member {
        let columns = tuples.levels.iter().map(|&level| Member {
            name: self.indices_name(level),
            level,
            kind: MemberKind::Indices,
            entry: self.dialect.integer(self.index(level)),
        });
        let mut columns: Vec<Member> = columns.collect();
        if tuples.values {
            columns.push(values("value", self.format.levels.len() - 1, element));
        }
        Member {
            name: self.entries_name(tuples),
            level: tuples.levels[0],
            kind: MemberKind::Entries(columns),
            entry: format!("struct {}_{}", self.kind, self.entries_name(tuples)),
        }
    }

    /// Prints the definition of the struct, and of the structs of packed entries.
    pub(crate) fn define(&self, element: Element, lines: &mut Lines) {
        let members = self.members(element);
        for member in &members {
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
        lines.open(format!("struct {}", self.kind));
        for Member { name, kind, entry, .. } in &members {
            lines.line(match kind {
                MemberKind::Given | MemberKind::Size | MemberKind::Count => format!("{entry} {name};"),
                _ => format!("const {entry} *{name};"),
            });
        }
        lines.close_with("};");
        lines.line("");
    }

    /// Returns the parameters for the tensor of a function.
    pub(super) fn parameters(&self, dialect: Dialect) -> Vec<String> {
        let Tensor { kind, argument, .. } = self;
        let pointer = format!("const struct {kind} *{}", dialect.unaliased);
        if self.is_cut {
            vec![
                format!("{pointer}{argument}_parts"),
                format!("size_t {argument}_part_count"),
            ]
        } else {
            vec![format!("{pointer}{argument}")]
        }
    }

    fn tuples_of(&self, level: usize) -> Option<&TupleArray> {
        self.storage
            .tuple_arrays
            .iter()
            .find(|tuples| tuples.levels.contains(&level))
    }

    /// Returns the name of a level.
    pub(crate) fn level(&self, level: usize) -> &str {
        &self.format.levels[level].name
    }

    fn indices_name(&self, level: usize) -> String {
        format!("{}_idx", self.level(level))
    }

    fn entries_name(&self, tuples: &TupleArray) -> String {
        format!("{}_entries", self.level(tuples.levels[0]))
    }

    fn given(&self, level: usize) -> String {
        c_name(self.level(level))
    }

    fn count(&self, level: usize) -> String {
        format!("{}_count", self.level(level))
    }

    /// Returns the size or the given coordinate of a level.
    pub(super) fn number(&self, level: usize) -> String {
        match self.storage.levels[level].kind {
            Kind::Given => self.member(&self.given(level)),
            _ => self.member(&format!("{}_size", self.level(level))),
        }
    }

    /// Returns a number that belongs to the tensor or to the current part.
    fn member(&self, member: &str) -> String {
        let name = &self.name;
        match self.dialect.is_flat {
            true => format!("{name}_{member}"),
            false => format!("{name}->{member}"),
        }
    }

    /// Returns an entry of an array. Parameters hold the arrays of all parts, one part after another.
    fn entry(&self, array: &str, at: &str) -> String {
        let Tensor { name, argument, .. } = self;
        match (self.dialect.is_flat, self.is_cut) {
            (true, true) => format!("{argument}_{array}[{} + {at}]", self.offset(array)),
            (true, false) => format!("{name}_{array}[{at}]"),
            (false, _) => format!("{name}->{array}[{at}]"),
        }
    }

    /// Returns the name of the first place of the current part in an array of all parts.
    pub(crate) fn offset(&self, array: &str) -> String {
        format!("{}_{array}_first", self.name)
    }

    /// Returns the number of entries of a level, which must be at the root or in `counted`.
    pub(super) fn length(&self, level: usize) -> String {
        self.member(&self.count(level))
    }

    /// Returns the entry of a level's `idx` array.
    pub(crate) fn indices(&self, level: usize, at: &str) -> String {
        let indices = self.indices_name(level);
        match self.tuples_of(level) {
            Some(tuples) => format!("{}.{indices}", self.entry(&self.entries_name(tuples), at)),
            None => self.entry(&indices, at),
        }
    }

    /// Returns the distance in bytes between entries of a level's `idx` array.
    pub(super) fn stride(&self, level: usize) -> String {
        let name = &self.name;
        match self.tuples_of(level) {
            Some(tuples) => format!("sizeof *{name}->{}", self.entries_name(tuples)),
            None => format!("sizeof *{name}->{}", self.indices_name(level)),
        }
    }

    /// Returns the entry of a level's `ptr` array.
    pub(crate) fn pointers(&self, level: usize, at: &str) -> String {
        let parent = parent_name(self.format, self.storage, level);
        self.entry(&format!("{parent}_ptr"), at)
    }

    /// Returns the value at a position.
    pub(super) fn value(&self, at: &str) -> String {
        match self.storage.tuple_arrays.iter().find(|tuples| tuples.values) {
            Some(tuples) => format!("{}.value", self.entry(&self.entries_name(tuples), at)),
            None => self.entry("values", at),
        }
    }

    /// Returns the type of a level's `idx` array.
    pub(super) fn index(&self, level: usize) -> IndexType {
        match self.storage.levels[level].kind {
            Kind::Indexed { index, .. } | Kind::Aligned { index } => index,
            _ => unreachable!("only a level with an `idx` array is searched"),
        }
    }
}

fn values(name: &str, level: usize, element: Element) -> Member {
    Member {
        name: name.to_owned(),
        level,
        kind: MemberKind::Values,
        entry: element.stored.to_owned(),
    }
}
