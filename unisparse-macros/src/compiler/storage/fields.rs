//! The fields of a tensor, its arrays and sizes, with their names in every output language.

use super::{Kind, Storage};
use crate::compiler::encoding::{Format, IndexType};

/// An array or a size of a level.
pub(crate) struct Field {
    pub(crate) level: usize,
    /// The name, such as `row_ptr` or `col_idx`.
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    pub(crate) integer: IndexType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Pointers,
    Indices,
    /// The number of coordinates of the level, which is not an array.
    Size,
}

/// Returns the fields of all levels, from the root down.
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

/// Returns the name of the level whose positions index the `ptr` array of `level`, or `root`.
pub(crate) fn parent_name<'a>(format: &'a Format, storage: &Storage, level: usize) -> &'a str {
    storage.levels[level]
        .parent
        .map_or("root", |parent| &format.levels[parent].name)
}
