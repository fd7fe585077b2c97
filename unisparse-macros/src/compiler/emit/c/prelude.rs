//! The helpers that printed functions call. A file contains each piece once, even if several functions use it.

use std::collections::BTreeMap;

use super::Dialect;
use super::types::Element;
use crate::compiler::encoding::IndexType;
use crate::compiler::loops::Reduction;

/// Returns the helpers of a function over one element type. `indices` are the types of searched `idx` arrays, by name.
pub(crate) fn prelude(dialect: Dialect, element: Element, indices: &BTreeMap<String, IndexType>) -> String {
    let mut text = guarded("COMMON", &[dialect.headers, include_str!("common.c")].concat());
    for (name, index) in indices {
        let index_functions = include_str!("index.c").replace("INDEX", &dialect.integer(*index));
        text += &guarded(&format!("INDEX_{name}"), &index_functions.replace("NAME", name));
    }
    if element.is_any() {
        text += &guarded("VALUE", &any(dialect));
        return text.replace("static inline", dialect.helper);
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

/// Returns the types and the functions of an element type that a macro chooses, such as `UNISPARSE_ELEMENT_F64`.
fn any(dialect: Dialect) -> String {
    let mut text = String::new();
    let chosen = Element::ALL.into_iter().filter(|element| !element.is_complex());
    for (at, element) in chosen.enumerate() {
        let Element {
            stored, text: value, ..
        } = element;
        let (condition, suffix) = (if at == 0 { "#if" } else { "#elif" }, element.suffix().to_uppercase());
        text += &format!("{condition} defined(UNISPARSE_ELEMENT_{suffix})\n");
        match element.name {
            "f16" => text += dialect.halves[0].replace("NAME", &element.suffix()).trim_end(),
            "bf16" => text += dialect.halves[1].replace("NAME", &element.suffix()).trim_end(),
            _ => {}
        }
        text += &format!("\ntypedef {value} unisparse_value;\ntypedef {stored} unisparse_stored;\n");
        let wide = if element.is_half() {
            element.function("wide")
        } else {
            String::new()
        };
        text += &format!("#define unisparse_wide_value {wide}\n");
        let kind = match (element.is_float(), element.is_integer()) {
            (true, _) => "FLOAT",
            (_, true) => "INTEGER",
            _ => "BOOL",
        };
        text += &format!("#define UNISPARSE_{kind}\n");
        for (reduction, name) in [
            (Reduction::Min, "MIN"),
            (Reduction::Max, "MAX"),
            (Reduction::And, "AND"),
        ] {
            let (start, identity) = (element.start(reduction), element.identity(reduction));
            text += &format!("#define UNISPARSE_{name}_START {start}\n#define UNISPARSE_{name}_IDENTITY {identity}\n");
        }
    }
    text += "#endif\n\n";
    let named = |functions: &str| functions.replace("ELEMENT", "unisparse_value").replace("NAME", "value");
    let [float, integer, ordered, arithmetic] = [
        include_str!("float.c"),
        include_str!("integer.c"),
        include_str!("ordered.c"),
        include_str!("arithmetic.c"),
    ]
    .map(named);
    text + &format!(
        "#ifdef UNISPARSE_FLOAT\n{float}#else\n{ordered}#endif\n\n#ifdef UNISPARSE_INTEGER\n{integer}#else\n{arithmetic}#endif\n"
    )
}

fn guarded(name: &str, text: &str) -> String {
    let name = name.to_uppercase();
    format!("#ifndef UNISPARSE_{name}\n#define UNISPARSE_{name}\n\n{text}\n#endif\n\n")
}
