//! One program of all functions, which reads calls and writes their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use unisparse::__private::c::{Parameter, ParameterKind};

use crate::compiler::compile;
use crate::data::Case;
use crate::members;
use crate::results::{Results, difference};

const READ: &str = r#"
#include <stdio.h>

static void read_bytes(void *into, size_t count) {
    if (count != 0 && fread(into, 1, count, stdin) != count) {
        exit(3);
    }
}

static uint64_t read_number(void) {
    uint64_t number;
    read_bytes(&number, sizeof number);
    return number;
}

static void *room(size_t bytes) {
    void *array = malloc(bytes + (bytes == 0));
    if (array == NULL) {
        exit(4);
    }
    return array;
}

static void *read_array(size_t width, size_t *count) {
    *count = (size_t)read_number();
    void *array = room(width * *count);
    read_bytes(array, width * *count);
    return array;
}

#define READ_ARRAY(entry, count) read_array(sizeof(entry), count)
#define ROOM(entry, count) room((count) * sizeof(entry))

static void write_bytes(const void *from, size_t count) {
    if (count != 0 && fwrite(from, 1, count, stdout) != count) {
        exit(5);
    }
}

static void write_number(uint64_t number) {
    write_bytes(&number, sizeof number);
}

"#;

/// Compiles and calls all functions, and returns the differences from the expected results. `None` without a compiler,
/// which is an error if `UNISPARSE_REQUIRE_CC=1`.
pub(crate) fn run(name: &str, cases: &[Case], functions: &str) -> Option<Vec<String>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("c_kernels").join(name);
    fs::create_dir_all(&folder).unwrap();
    let program = compile(&folder, &source(cases, functions))?;
    let calls: Vec<u8> = cases
        .iter()
        .enumerate()
        .flat_map(|(at, case)| (at as u64).to_ne_bytes().into_iter().chain(case.input.iter().copied()))
        .collect();
    let file = folder.join("calls");
    fs::write(&file, calls).unwrap();
    let output = Command::new(&program)
        .stdin(File::open(&file).unwrap())
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}: {errors}", output.status);
    Some(compare(cases, &output.stdout))
}

fn source(cases: &[Case], functions: &str) -> String {
    let preludes: BTreeSet<&str> = cases.iter().map(|case| case.function.prelude).collect();
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    for case in cases {
        texts.insert(case.function.name, case.function.text);
    }
    let mut source: String = preludes.into_iter().collect();
    source += functions;
    for text in texts.into_values() {
        source += text;
        source.push('\n');
    }
    source += READ;
    for (at, case) in cases.iter().enumerate() {
        source += &call(at, case);
    }
    source += "int main(void) {\n    uint64_t number;\n    while (fread(&number, sizeof number, 1, stdin) == 1) {\n        switch (number) {\n";
    for at in 0..cases.len() {
        let _ = writeln!(source, "        case {at}: call_{at}(); break;");
    }
    source + "        default: return 2;\n        }\n    }\n    return 0;\n}\n"
}

/// Prints a function that reads the arguments of one call, and writes its result.
fn call(at: usize, case: &Case) -> String {
    let (element, result) = (case.element, case.result);
    let mut text = format!("static void call_{at}(void) {{\n");
    let mut given: Vec<String> = Vec::new();
    for (at, Parameter { name, kind }) in case.function.parameters.iter().enumerate() {
        let element = if at == 0 { result } else { element };
        let read = match kind {
            ParameterKind::Dense => {
                given.push((*name).to_owned());
                format!("size_t {name}_count;\n{element} *{name} = read_array(sizeof({element}), &{name}_count);\n")
            }
            ParameterKind::Scalar => {
                given.push((*name).to_owned());
                format!("{element} {name};\nread_bytes(&{name}, sizeof {name});\n")
            }
            ParameterKind::Output { .. } => {
                given.push(format!("&{name}"));
                format!("struct unisparse_output_{} {name} = {{0}};\n", suffix(case))
            }
            ParameterKind::Extent | ParameterKind::Constant => {
                given.push((*name).to_owned());
                format!("size_t {name} = (size_t)read_number();\n")
            }
            ParameterKind::Partials
            | ParameterKind::Count
            | ParameterKind::Carries
            | ParameterKind::Workers
            | ParameterKind::Starts
            | ParameterKind::Keys
            | ParameterKind::Sums => panic!("a C function takes no partial results"),
            ParameterKind::Tensor { kind, is_cut, members } => {
                let mut text = String::new();
                let named = members::tensor((name, kind, *is_cut), members, str::to_owned, &mut text);
                let is_struct = |name: String| if *is_cut { name } else { format!("&{name}") };
                given.extend(named.into_iter().map(is_struct));
                text
            }
        };
        text += &read;
    }
    let _ = writeln!(
        text,
        "write_number((uint64_t){}({}));",
        case.function.name,
        given.join(", ")
    );
    let output = case.function.parameters[0].name;
    text += &match case.function.parameters[0].kind {
        ParameterKind::Output { .. } => format!(
            "write_number({output}.count);\n\
             for (size_t at = 0; at < {output}.count * {output}.dims; at++) {{\nwrite_number({output}.coordinates[at]);\n}}\n\
             write_bytes({output}.values, {output}.count * sizeof({result}));\n"
        ),
        _ => format!("write_bytes({output}, {output}_count * sizeof({result}));\n"),
    };
    text + "}\n\n"
}

/// The suffix of names in the prelude for the element type of a case.
fn suffix(case: &Case) -> &'static str {
    case.function.name.rsplit('_').next().unwrap()
}

fn compare(cases: &[Case], written: &[u8]) -> Vec<String> {
    let (mut results, mut different) = (Results(written), Vec::new());
    for case in cases {
        let name = case.function.name;
        assert_eq!(results.number(), 0, "{name}");
        different.extend(difference(case, &mut results).map(|difference| format!("{name} at {difference}")));
    }
    assert!(results.0.is_empty());
    different
}
