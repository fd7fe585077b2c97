//! The helpers that printed functions call. A file contains each piece once, even if several functions use it.

use std::collections::BTreeMap;

use super::Dialect;
use super::types::Element;
use crate::compiler::encoding::IndexType;

/// Returns the helpers of a function over one element type. `indices` are the types of searched `idx` arrays, by name.
pub(crate) fn prelude(dialect: Dialect, element: Element, indices: &BTreeMap<String, IndexType>) -> String {
    let mut text = guarded("COMMON", &[dialect.headers, include_str!("common.c")].concat());
    for (name, index) in indices {
        let index_functions = include_str!("index.c").replace("INDEX", &dialect.integer(*index));
        text += &guarded(&format!("INDEX_{name}"), &index_functions.replace("NAME", name));
    }
    let mut of_element = |piece: &str, functions: &str| {
        let functions = functions
            .replace("ELEMENT", element.text)
            .replace("STORED", element.stored)
            .replace("NAME", &element.suffix());
        text += &guarded(&format!("{piece}_{}", element.suffix()), &functions);
    };
    match element.name {
        "f16" => of_element("HALF", dialect.halves[0]),
        "bf16" => of_element("HALF", dialect.halves[1]),
        _ => {}
    }
    if dialect.allocates {
        of_element("OUTPUT", include_str!("output.c"));
        of_element("TRANSPOSED", include_str!("transposed.c"));
    }
    if element.is_complex() {
        let [make, real, imaginary] = match element.name {
            "Complex32" => ["CMPLXF", "crealf", "cimagf"],
            _ => ["CMPLX", "creal", "cimag"],
        };
        let functions = include_str!("complex.c").replace("MAKE", make);
        of_element(
            "COMPLEX",
            &functions.replace("REAL", real).replace("IMAGINARY", imaginary),
        );
    } else if element.is_float() {
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
