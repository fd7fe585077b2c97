//! Writes the declarations that the tests compile.

#[path = "src/generator/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, unused_imports, unused_variables)]
mod generator;
#[path = "src/interpreter/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, unused_imports, unused_variables)]
mod interpreter;

#[path = "src/statement/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, unused_imports, unused_variables)]
mod statement;

#[path = "build/kernels.rs"]
mod kernels;

use std::fmt::Write;
use std::ops::Range;

use generator::{Declaration, Features, legal};

/// How many formats are made, if `GENERATED_FORMATS` says nothing else.
const FORMATS: u64 = 320;
/// How many crates they are compiled in: `tests/formats_1.rs` and so on.
const CRATES: usize = 4;

/// One in this many is converted to the next one by their types.
const ONWARD: u64 = 8;

/// Some have no queries.
fn features(number: u64) -> Features {
    if number % 4 == 0 {
        Features::DIRECT
    } else {
        Features::ALL
    }
}

/// The const arguments that are given: none, for the defaults, or others.
fn arguments(number: u64, parameters: usize) -> Vec<i64> {
    let others = [[3, 2], [1, 4], [5, 1], [4, 3]];
    let given = if number % 2 == 0 { parameters } else { 0 };
    others[number as usize / 2 % 4][..given].to_vec()
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-env-changed=GENERATED_FORMATS");
    println!("cargo::rerun-if-env-changed=GENERATED_KERNELS");
    println!("cargo::rerun-if-env-changed=GENERATED_SEED");
    let count = std::env::var("GENERATED_FORMATS").map_or(FORMATS, |count| count.parse().expect("a number"));
    let declarations: Vec<Declaration> = (1..=count)
        .map(|number| legal(number, &format!("G{number:04}"), features(number)))
        .collect();
    let size = declarations.len().div_ceil(CRATES).max(1);
    for piece in 0..CRATES {
        let range = (piece * size).min(declarations.len())..((piece + 1) * size).min(declarations.len());
        let text = crate_of(&declarations, range);
        let out = std::env::var("OUT_DIR").expect("cargo sets it");
        let file = std::path::Path::new(&out).join(format!("formats_{}.rs", piece + 1));
        std::fs::write(file, text).expect("the build directory is writable");
        let file = std::path::Path::new(&out).join(format!("kernels_{}.rs", piece + 1));
        std::fs::write(file, kernels::crate_of(piece as u64, CRATES as u64)).expect("the build directory is writable");
    }
}

/// The declarations of one crate, and the table of what is checked of each.
fn crate_of(declarations: &[Declaration], range: Range<usize>) -> String {
    let written = |at: usize, prefix: &str, suffix: &str| {
        let number = at as u64 + 1;
        let arguments = arguments(number, declarations[at].parameters);
        let arguments: String = arguments.iter().map(|argument| format!(", {argument}")).collect();
        format!("{prefix}G{number:04}{suffix}<f64{arguments}>")
    };
    let (mut formats, mut table) = (String::new(), String::new());
    for at in range.clone() {
        let declaration = &declarations[at];
        let (number, text, dims) = (at as u64 + 1, &declaration.text, declaration.dims);
        writeln!(formats, "unisparse::sparse_format! {{\n/// Generated.\n{text}\n}}").expect("memory");
        let format = written(at, "", "");
        let (uncut, parts) = if text.contains(" partition(") {
            (written(at, "__", "Uncut"), "parts")
        } else {
            (format.clone(), "whole")
        };
        let next = (at + 1..range.end).find(|&next| declarations[next].dims == dims);
        let onward = match next {
            Some(next) if number % ONWARD == 0 => format!("({})", written(next, "", "")),
            _ => "()".to_owned(),
        };
        let (arguments, levels) = (arguments(number, declaration.parameters), declaration.levels);
        writeln!(
            table,
            "entry!({format}, {uncut}, &{arguments:?}, {dims}, {levels}, {parts}, {onward}, {text:?}),"
        )
        .expect("memory");
    }
    format!("{formats}\nstatic TABLE: &[Entry] = &[\n{table}];\n")
}
