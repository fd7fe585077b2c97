//! What rustdoc says of a format: its encoding and its level table.

use crate::compiler::encoding::Format;
use crate::compiler::storage::{Kind, Storage};

/// The lines below the user's own documentation.
pub(crate) fn format(format: &Format, storage: &Storage) -> String {
    let mut text = format!(
        "# Layout\n\n```text\n{}\n```\n\n| level | expr | storage | why |\n|---|---|---|---|\n",
        format.text
    );
    for (level, stored) in format.levels.iter().zip(&storage.levels) {
        text += &format!(
            "| `{}` | `{}` | {} | {} |\n",
            level.name, level.text, stored.kind, stored.why
        );
    }
    if storage.holes {
        text += "\nPositions without an element are holes, which hold zero: this format cannot tell an explicit zero from a hole, and converting out of it drops zeros.\n";
    }
    text
}

/// What the accessor of a level's size gives.
pub(crate) fn size(kind: Kind, level: &str) -> String {
    match kind {
        Kind::Dense | Kind::Counted { .. } => format!("How many coordinates level `{level}` has below each parent."),
        _ => format!("How many entries level `{level}` has."),
    }
}
