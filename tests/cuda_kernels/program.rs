//! One program of all kernels and of the stand-in for a device, which reads calls and writes their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use unisparse::__private::c::{Kernels, Parameter, ParameterKind};

use crate::data::Case;
pub(crate) use crate::host::Options;
use crate::host::{self, BLOCKS};
use crate::members;
use crate::results::{Results, difference};

/// The number of threads of a block.
const THREADS: usize = 64;

/// A call of kernels.
pub(crate) struct Call {
    pub(crate) kernels: Kernels,
    pub(crate) case: Case,
}

const READ: &str = r#"
static void read_bytes(void *into, size_t count) {
    if (count != 0 && fread(into, 1, count, stdin) != count) {
        _exit(3);
    }
}

static uint64_t read_number() {
    uint64_t number;
    read_bytes(&number, sizeof number);
    return number;
}

template <class Entry>
static Entry *read_array(size_t *count) {
    *count = (size_t)read_number();
    Entry *array = (Entry *)unisparse_cpu::room(*count * sizeof(Entry));
    read_bytes(array, *count * sizeof(Entry));
    return array;
}

#define READ_ARRAY(entry, count) read_array<entry>(count)
#define ROOM(entry, count) (entry *)unisparse_cpu::room((count) * sizeof(entry))

static void write_bytes(const void *from, size_t count) {
    if (count != 0 && fwrite(from, 1, count, stdout) != count) {
        _exit(5);
    }
}

static void write_number(uint64_t number) {
    write_bytes(&number, sizeof number);
}

template <class Output>
static void write_elements(const Output *output, uint64_t count) {
    write_number(count);
    for (uint64_t at = 0; at < count; at++) {
        for (size_t dim = 0; dim + 1 < sizeof(Output) / sizeof(void *); dim++) {
            const unisparse::size_t *coordinates;
            memcpy(&coordinates, (const char *)output + dim * sizeof(void *), sizeof(void *));
            write_number(coordinates[at]);
        }
    }
    write_bytes(output->values, count * sizeof *output->values);
}

"#;

/// Compiles and calls all kernels in all schedules, and returns the differences from the expected results. `None`
/// without a compiler, which is an error if `UNISPARSE_REQUIRE_CC=1`.
pub(crate) fn run(name: &str, calls: &[Call], options: Options) -> Option<Vec<String>> {
    results(name, calls, options).map(|written| compare(calls, &written))
}

/// Compiles and calls all kernels. Returns what the program writes.
pub(crate) fn results(name: &str, calls: &[Call], options: Options) -> Option<Vec<u8>> {
    let folder = folder(name);
    let program = host::compile(&folder, &source(calls), options, &WARNINGS)?;
    let output = called(&folder, &program, calls);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}: {errors}", output.status);
    Some(output.stdout)
}

/// Compiles and runs kernels that were changed, and returns what the stand-in reports, or which results differ.
pub(crate) fn run_changed(name: &str, call: &Call, [from, to]: [&str; 2]) -> Option<String> {
    let folder = folder(name);
    let whole = source(std::slice::from_ref(call));
    assert!(whole.contains(from), "{name}: there is no `{from}`");
    let source = whole.replace(from, to);
    let options = Options {
        lanes: 32,
        wide: false,
        races: true,
    };
    let program = host::compile(&folder, &source, options, &WARNINGS)?;
    let output = called(&folder, &program, std::slice::from_ref(call));
    Some(if output.status.success() {
        compare(std::slice::from_ref(call), &output.stdout).join("; ")
    } else {
        String::from_utf8_lossy(&output.stderr).into_owned()
    })
}

const WARNINGS: [&str; 5] = [
    "-Og",
    "-Wall",
    "-Wno-unused-variable",
    "-Wno-unused-function",
    "-Wno-unused-but-set-variable",
];

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("cuda_kernels")
        .join(name)
}

fn called(folder: &Path, program: &Path, calls: &[Call]) -> std::process::Output {
    let numbered = calls.iter().enumerate();
    let input: Vec<u8> = numbered
        .flat_map(|(at, call)| {
            (at as u64)
                .to_ne_bytes()
                .into_iter()
                .chain(call.case.input.iter().copied())
        })
        .collect();
    let file = folder.join("calls");
    fs::write(&file, input).unwrap();
    Command::new(program)
        .stdin(File::open(&file).unwrap())
        .output()
        .unwrap()
}

fn source(calls: &[Call]) -> String {
    let mut source = "#ifndef UNISPARSE_THREADS\n#define UNISPARSE_THREADS 256\n#endif\n".to_owned();
    source += include_str!("stand_in.h");
    let preludes: BTreeSet<&str> = calls.iter().map(|call| call.kernels.prelude).collect();
    source.extend(preludes);
    let texts: BTreeMap<&str, &str> = calls
        .iter()
        .map(|call| (call.kernels.name, call.kernels.text))
        .collect();
    for text in texts.into_values() {
        source += text;
    }
    source += READ;
    // Several calls can have the same kernels.
    let mut functions = BTreeMap::new();
    for call in calls {
        functions.entry(call.kernels.name).or_insert_with(|| function(call));
    }
    source.extend(functions.into_values());
    source += "int main() {\n    unisparse_cpu::watch();\n    uint64_t number;\n    while (fread(&number, sizeof number, 1, stdin) == 1) {\n        switch (number) {\n";
    for (at, call) in calls.iter().enumerate() {
        let _ = writeln!(source, "        case {at}: call_{}(); break;", call.kernels.name);
    }
    source +=
        "        default: return 2;\n        }\n        unisparse_cpu::release_rooms();\n    }\n    return 0;\n}\n";
    source
}

/// Prints a function that reads the arguments of a call, launches the kernels, and writes the results.
fn function(call: &Call) -> String {
    let Call { kernels, case } = call;
    let (output, result) = (kernels.parameters[0].name, case.result);
    let mut text = format!(
        "static void call_{}() {{\nuint64_t partial_count = 0, worker_count = 0;\n",
        kernels.name
    );
    let mut given: Vec<String> = Vec::new();
    for (at, parameter) in kernels.parameters.iter().enumerate() {
        let element = if at == 0 { result } else { case.element };
        text += &argument(kernels, parameter, element, result, &mut given);
    }
    // Arrays that threads write.
    let mut before = "unisparse_cpu::unshare();\n".to_owned();
    for Parameter { name, kind } in kernels.parameters {
        if matches!(
            kind,
            ParameterKind::Partials | ParameterKind::Carries | ParameterKind::Starts
        ) {
            let _ = writeln!(before, "unisparse_cpu::share({name}, {name}_count * sizeof *{name});");
        }
    }
    let after = match kernels.parameters[0].kind {
        ParameterKind::Output { .. } => format!("write_elements(&{output}, starts[worker_count]);\n"),
        _ => {
            let bytes = format!("{output}_count * sizeof({result})");
            let _ = writeln!(
                text,
                "{result} *before = ({result} *)unisparse_cpu::room({bytes});\nmemcpy(before, {output}, {bytes});"
            );
            let _ = writeln!(
                before,
                "unisparse_cpu::share({output}, {bytes});\nmemcpy({output}, before, {bytes});"
            );
            format!("write_bytes({output}, {bytes});\n")
        }
    };
    text += &host::launches(kernels.launches, THREADS, &given.join(", "), [&before, &after]);
    text + "}\n\n"
}

/// Prints the statements that read an argument, and appends it to `given`.
fn argument(
    kernels: &Kernels,
    Parameter { name, kind }: &Parameter,
    element: &str,
    result: &str,
    given: &mut Vec<String>,
) -> String {
    let element = typed(element);
    match kind {
        ParameterKind::Dense => {
            given.push((*name).to_owned());
            format!("size_t {name}_count;\n{element} *{name} = read_array<{element}>(&{name}_count);\n")
        }
        ParameterKind::Scalar => {
            given.push((*name).to_owned());
            format!("{element} {name};\nread_bytes(&{name}, sizeof {name});\n")
        }
        ParameterKind::Extent | ParameterKind::Constant => {
            given.push((*name).to_owned());
            format!("const uint64_t {name} = read_number();\n")
        }
        ParameterKind::Partials | ParameterKind::Carries | ParameterKind::Starts => {
            given.push((*name).to_owned());
            let (kind, count) = match kind {
                ParameterKind::Partials => (result, BLOCKS.to_string()),
                ParameterKind::Starts => ("uint64_t", format!("{BLOCKS} * {THREADS} + 1")),
                _ => (result, carries(kernels)),
            };
            format!(
                "const size_t {name}_count = {count};\n\
                 {kind} *{name} = ({kind} *)unisparse_cpu::room({name}_count * sizeof({kind}));\n"
            )
        }
        ParameterKind::Keys => {
            given.push((*name).to_owned());
            format!("unisparse::size_t *{name} = nullptr;\n")
        }
        ParameterKind::Sums => {
            given.push((*name).to_owned());
            format!("{result} *{name} = nullptr;\n")
        }
        ParameterKind::Count | ParameterKind::Workers => {
            given.push((*name).to_owned());
            String::new()
        }
        ParameterKind::Output { .. } => {
            given.push((*name).to_owned());
            let of_call = kernels.name;
            format!(
                "struct unisparse::{of_call}_{name} {name} = {{}};\n\
                 const auto make_elements = [&{name}](uint64_t count) {{ unisparse_cpu::make_elements<unisparse::size_t>(&{name}, count); }};\n"
            )
        }
        ParameterKind::Tensor { kind, is_cut, members } => {
            let mut text = String::new();
            given.extend(members::tensor((name, kind, *is_cut), members, typed, &mut text));
            text
        }
    }
}

/// Returns the number of carries: for each worker, the output elements of one first coordinate.
fn carries(kernels: &Kernels) -> String {
    let is_extent = |parameter: &&Parameter| matches!(parameter.kind, ParameterKind::Extent);
    let first = kernels
        .parameters
        .iter()
        .find(is_extent)
        .expect("an output of dims")
        .name;
    let output = kernels.parameters[0].name;
    format!("{BLOCKS} * {THREADS} * ({first} == 0 ? 0 : {output}_count / {first})")
}

/// Returns a type with the namespace of the kernels' own types.
fn typed(entry: &str) -> String {
    match entry
        .strip_prefix("struct ")
        .or(Some(entry).filter(|entry| entry.starts_with("unisparse_")))
    {
        Some(own) => format!("unisparse::{own}"),
        None => entry.to_owned(),
    }
}

fn compare(calls: &[Call], written: &[u8]) -> Vec<String> {
    let (mut results, mut different) = (Results(written), Vec::new());
    for Call { kernels, case } in calls {
        for run in 0..host::runs(kernels.launches) {
            let found = difference(case, &mut results);
            different.extend(found.map(|found| format!("{} in run {run} at {found}", kernels.name)));
        }
    }
    assert!(results.0.is_empty());
    different
}
