//! The helpers that printed functions call, each piece once however many functions stand in one file.

use std::collections::BTreeMap;

use super::Dialect;
use super::types::{Element, integer};
use crate::compiler::encoding::IndexType;

/// The pieces of a function over one element type that searches in `idx` arrays of these types, by their names.
pub(super) fn prelude(dialect: Dialect, element: Element, indices: &BTreeMap<String, IndexType>) -> String {
    let mut text = guarded("COMMON", include_str!("common.c"));
    for (name, index) in indices {
        let index_functions = include_str!("index.c").replace("INDEX", &integer(*index));
        text += &guarded(&format!("INDEX_{name}"), &index_functions.replace("NAME", name));
    }
    let mut of_element = |piece: &str, functions: &str| {
        let functions = functions.replace("ELEMENT", element.text).replace("NAME", element.name);
        text += &guarded(&format!("{piece}_{}", element.name), &functions);
    };
    of_element("OUTPUT", include_str!("output.c"));
    if element.is_float() {
        of_element("ORDER", include_str!("float.c"));
    } else {
        of_element("ORDER", include_str!("ordered.c"));
    }
    if element.is_integer() {
        of_element("INTEGER", include_str!("integer.c"));
    }
    text.replace("static inline", dialect.helper)
}

fn guarded(name: &str, text: &str) -> String {
    let name = name.to_uppercase();
    format!("#ifndef UNISPARSE_{name}\n#define UNISPARSE_{name}\n\n{text}\n#endif\n\n")
}
