//! One program of all kernels and of the stand-in for a device, which reads calls and writes their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unisparse::__private::c::{Kernels, Launch, Member, MemberKind, Parameter, ParameterKind, Work};

use crate::data::{Case, Expected};

/// The orders in which the threads run.
const SCHEDULES: usize = 3;

/// A call of kernels.
pub(crate) struct Call {
    pub(crate) kernels: Kernels,
    pub(crate) case: Case,
}

/// The definitions with which kernels are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub(crate) lanes: usize,
    /// Whether positions have 64 bits.
    pub(crate) wide: bool,
    /// Whether the stand-in looks for races.
    pub(crate) races: bool,
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

// The arrays of a call, which are released after it.
static struct { void *array; size_t bytes; } given[1024];
static size_t given_count;

static void *room(size_t bytes) {
    void *array = unisparse_cpu::allocate(bytes);
    given[given_count++] = {array, bytes};
    return array;
}

template <class Entry>
static Entry *read_array(size_t *count) {
    *count = (size_t)read_number();
    Entry *array = (Entry *)room(*count * sizeof(Entry));
    read_bytes(array, *count * sizeof(Entry));
    return array;
}

static void write_bytes(const void *from, size_t count) {
    if (count != 0 && fwrite(from, 1, count, stdout) != count) {
        _exit(5);
    }
}

"#;

/// Compiles and calls all kernels in all schedules, and returns the differences from the expected results. `None`
/// without a compiler, which is an error if `UNISPARSE_REQUIRE_CC=1`.
pub(crate) fn run(name: &str, calls: &[Call], options: Options) -> Option<Vec<String>> {
    results(name, calls, options).map(|results| compare(calls, &results))
}

/// Compiles and calls all kernels. Returns the output of each call in each schedule.
pub(crate) fn results(name: &str, calls: &[Call], options: Options) -> Option<Vec<Vec<Vec<u8>>>> {
    let folder = folder(name);
    let program = compile(&folder, &source(calls), options)?;
    let output = called(&folder, &program, calls);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}: {errors}", output.status);
    Some(divided(calls, &output.stdout))
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
    let program = compile(&folder, &source, options)?;
    let output = called(&folder, &program, std::slice::from_ref(call));
    Some(if output.status.success() {
        let calls = std::slice::from_ref(call);
        compare(calls, &divided(calls, &output.stdout)).join("; ")
    } else {
        String::from_utf8_lossy(&output.stderr).into_owned()
    })
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("cuda_kernels")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
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
    source += "        default: return 2;\n        }\n        while (given_count > 0) {\n            given_count--;\n            unisparse_cpu::release(given[given_count].array, given[given_count].bytes);\n        }\n    }\n    return 0;\n}\n";
    source
}

/// Prints a function that reads the arguments of a call, launches the kernels, and writes the results.
fn function(call: &Call) -> String {
    let Call { kernels, case } = call;
    let output = kernels.parameters[0].name;
    let result = case.result;
    let mut text = format!("static void call_{}() {{\n", kernels.name);
    let mut given: Vec<String> = Vec::new();
    for (at, parameter) in kernels.parameters.iter().enumerate() {
        text += &argument(
            parameter,
            if at == 0 { result } else { case.element },
            result,
            &mut given,
        );
    }
    let _ = writeln!(
        text,
        "unisparse_cpu::share({output}, {output}_count * sizeof({result}));\n\
         {result} *before = ({result} *)room({output}_count * sizeof({result}));\n\
         memcpy(before, {output}, {output}_count * sizeof({result}));\n\
         for (unsigned schedule = 0; schedule < {SCHEDULES}; schedule++) {{\n\
         memcpy({output}, before, {output}_count * sizeof({result}));"
    );
    for Launch { kernel, work, .. } in kernels.launches {
        let (blocks, threads) = match work {
            Work::Divided => (3, 64),
            Work::Whole => (1, 32),
            Work::Block => (1, 64),
        };
        let given = given.join(", ");
        let _ = writeln!(
            text,
            "unisparse_cpu::launch(\"{kernel}\", {blocks}, {threads}, schedule, [=] {{ unisparse::{kernel}({given}); }});"
        );
        if *work != Work::Block
            && kernels
                .parameters
                .iter()
                .any(|parameter| matches!(parameter.kind, ParameterKind::Count))
        {
            let _ = writeln!(text, "partial_count = {blocks};");
        }
    }
    let _ = writeln!(
        text,
        "write_bytes({output}, {output}_count * sizeof({result}));\n}}\n}}\n"
    );
    text
}

/// Prints the statements that read an argument, and appends it to `given`.
fn argument(Parameter { name, kind }: &Parameter, element: &str, result: &str, given: &mut Vec<String>) -> String {
    let of_namespace = |kind: &str| format!("unisparse::{kind}");
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
        ParameterKind::Partials => {
            given.push((*name).to_owned());
            format!("{result} *{name} = ({result} *)room(3 * sizeof({result}));\n")
        }
        ParameterKind::Count => {
            given.push((*name).to_owned());
            format!("uint64_t {name} = 0;\n")
        }
        ParameterKind::Tensor {
            kind,
            is_cut: false,
            members,
        } => {
            given.push((*name).to_owned());
            let members: String = members.iter().map(|member| read_member(name, member)).collect();
            format!("struct {} {name};\n{members}", of_namespace(kind))
        }
        ParameterKind::Tensor { kind, members, .. } => {
            let (parts, count, kind) = (
                format!("{name}_parts"),
                format!("{name}_part_count"),
                of_namespace(kind),
            );
            given.extend([parts.clone(), count.clone()]);
            let members: String = members
                .iter()
                .map(|member| read_member(&format!("{parts}[part]"), member))
                .collect();
            format!(
                "const uint64_t {count} = read_number();\n\
                 struct {kind} *{parts} = (struct {kind} *)room({count} * sizeof *{parts});\n\
                 for (size_t part = 0; part < {count}; part++) {{\n{members}}}\n"
            )
        }
        ParameterKind::Output { .. } => panic!("the output is sparse"),
    }
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

fn read_member(of: &str, member: &Member) -> String {
    let Member { name, entry, .. } = member;
    match member.kind {
        MemberKind::Given | MemberKind::Size | MemberKind::Count => format!("{of}.{name} = ({entry})read_number();\n"),
        MemberKind::Pointers | MemberKind::Indices | MemberKind::Values => {
            format!(
                "{{\nsize_t count;\n{of}.{name} = read_array<{}>(&count);\n}}\n",
                typed(entry)
            )
        }
        MemberKind::Entries(columns) => {
            let (mut reads, mut sets) = (String::new(), String::new());
            for Member { name, entry, .. } in columns {
                let entry = typed(entry);
                let _ = writeln!(reads, "{entry} *{name} = read_array<{entry}>(&count);");
                let _ = writeln!(sets, "entries[at].{name} = {name}[at];");
            }
            let entry = typed(entry);
            format!(
                "{{\nsize_t count;\n{reads}{entry} *entries = ({entry} *)room(count * sizeof({entry}));\n\
                 for (size_t at = 0; at < count; at++) {{\n{sets}}}\n{of}.{name} = entries;\n}}\n"
            )
        }
    }
}

/// Compiles the program. Returns `None` without a compiler.
fn compile(folder: &Path, source: &str, options: Options) -> Option<PathBuf> {
    let (text, program) = (folder.join("kernels.cpp"), folder.join("kernels"));
    fs::write(&text, source).unwrap();
    fs::write(folder.join("races.h"), include_str!("races.h")).unwrap();
    let mut compiler = Command::new("g++");
    compiler.args([
        "-std=c++17",
        "-O1",
        "-ffp-contract=off",
        "-Wno-unknown-pragmas",
        "-Wall",
    ]);
    compiler.args([
        "-Wno-unused-variable",
        "-Wno-unused-function",
        "-Wno-unused-but-set-variable",
    ]);
    compiler.arg(format!("-DUNISPARSE_LANES={}", options.lanes));
    if options.wide {
        compiler.arg("-DUNISPARSE_WIDE");
    }
    if options.races {
        // Accesses are instrumented, but the library of the sanitizer is not linked.
        compiler.args(["-DUNISPARSE_CPU_RACES", "-fsanitize=thread", "-c"]);
        let object = folder.join("kernels.o");
        compiler.arg("-o").arg(&object).arg(&text);
        let output = compiler.output();
        if output.as_ref().is_ok_and(|output| output.status.success()) {
            compiler = Command::new("g++");
            compiler.arg(&object);
        }
    } else {
        compiler.arg(&text);
    }
    compiler.arg("-o").arg(&program).stdout(Stdio::null());
    let output = match compiler.output() {
        Ok(output) => output,
        Err(error) => {
            let required = std::env::var_os("UNISPARSE_REQUIRE_CC").is_some_and(|value| value == "1");
            assert!(!required, "no C++ compiler: `g++`: {error}");
            // Writes to the stream itself, because the output of a passing test is captured.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no C++ compiler: `g++`: {error}");
            return None;
        }
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", text.display());
    assert!(!errors.contains("warning"), "{}: {errors}", text.display());
    Some(program)
}

/// Divides the output of the program into those of each call in each schedule.
fn divided(calls: &[Call], mut rest: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut results = Vec::new();
    for Call { case, .. } in calls {
        let Expected::Dense(expected) = &case.expected else {
            panic!("the output is sparse");
        };
        let bytes = expected.len() / (case.rounded)(&vec![0; case.width]).len() * case.width;
        let mut of_call = Vec::new();
        for _ in 0..SCHEDULES {
            let (found, others) = rest.split_at(bytes);
            rest = others;
            of_call.push(found.to_vec());
        }
        results.push(of_call);
    }
    assert!(rest.is_empty());
    results
}

fn compare(calls: &[Call], results: &[Vec<Vec<u8>>]) -> Vec<String> {
    let mut different = Vec::new();
    for (Call { kernels, case }, schedules) in calls.iter().zip(results) {
        let Expected::Dense(expected) = &case.expected else {
            panic!("the output is sparse");
        };
        let size = (case.rounded)(&vec![0; case.width]).len();
        let expected: Vec<&[u8]> = expected.chunks(size).collect();
        for (schedule, found) in schedules.iter().enumerate() {
            let found: Vec<Vec<u8>> = found.chunks(case.width).map(case.rounded).collect();
            let at = (0..expected.len()).find(|&at| expected[at] != found[at]);
            different.extend(at.map(|at| {
                let (name, found, expected) = (kernels.name, &found[at], expected[at]);
                format!("{name} in schedule {schedule} at {at}: {found:?}, not {expected:?}")
            }));
        }
    }
    different
}
