//! The fields of a tensor, whatever it is printed as: its arrays and sizes, and their names.

use super::{Kind, Storage};
use crate::compiler::encoding::{Format, IndexType};

/// One array of a level.
pub(crate) struct Field {
    pub(crate) level: usize,
    /// `row_ptr`, `col_idx`.
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    pub(crate) integer: IndexType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Pointers,
    Indices,
    /// A number, not an array: how many coordinates the level has.
    Size,
}

/// The arrays of all levels, from the root down.
pub(crate) fn fields(format: &Format, storage: &Storage) -> Vec<Field> {
    let mut fields = Vec::new();
    for (level, stored) in storage.levels.iter().enumerate() {
        let level_name = &format.levels[level].name;
        let (index, pointer) = match stored.kind {
            Kind::Indexed { index, pointer, .. } => (Some(index), pointer),
            Kind::Counted { pointer } => (None, pointer),
            Kind::Aligned { index } => (Some(index), None),
            Kind::Fixed | Kind::Given | Kind::Dense => (None, None),
        };
        if storage.is_sized(format, level) {
            fields.push(Field {
                level,
                name: format!("{level_name}_size"),
                kind: FieldKind::Size,
                integer: IndexType::USIZE,
            });
        }
        if let Some(integer) = pointer {
            fields.push(Field {
                level,
                name: pointers_name(format, storage, level),
                kind: FieldKind::Pointers,
                integer,
            });
        }
        if let Some(integer) = index {
            fields.push(Field {
                level,
                name: format!("{level_name}_idx"),
                kind: FieldKind::Indices,
                integer,
            });
        }
    }
    fields
}

pub(crate) fn pointers_name(format: &Format, storage: &Storage, level: usize) -> String {
    format!("{}_ptr", parent_name(format, storage, level))
}

/// The level whose positions index the `ptr` array of `level`.
pub(crate) fn parent_name<'a>(format: &'a Format, storage: &Storage, level: usize) -> &'a str {
    storage.levels[level]
        .parent
        .map_or("root", |parent| &format.levels[parent].name)
}
