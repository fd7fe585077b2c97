//! Writes the declarations that the tests compile.

#[path = "src/generator/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, unused_imports)]
mod generator;
#[path = "src/interpreter/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, unused_imports)]
mod interpreter;

use std::fmt::Write;

use generator::{Features, legal};

/// How many formats are made, and which of them have queries.
const FORMATS: u64 = 400;

fn features(number: u64) -> Features {
    if number % 4 == 0 {
        Features::DIRECT
    } else {
        Features::ALL
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    let (mut formats, mut table) = (String::new(), String::new());
    for number in 1..=FORMATS {
        let name = format!("G{number:04}");
        let declaration = legal(number, &name, features(number));
        let text = &declaration.text;
        writeln!(formats, "unisparse::sparse_format! {{\n/// Generated.\n{text}\n}}").expect("memory");
        writeln!(
            table,
            "entry!({name}, {}, {}, {text:?}),",
            declaration.dims, declaration.levels
        )
        .expect("memory");
    }
    let text = format!("{formats}\nstatic TABLE: &[Entry] = &[\n{table}];\n");
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&out).join("formats.rs"), text).expect("the build directory is writable");
}
