//! Runs random statements over random formats as CUDA kernels, on a stand-in for a device that is compiled as C++.

#[path = "../../../../tests/cuda_kernels/host.rs"]
mod host;

mod arguments;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use specification::generator::Random;

use super::statements::{Case, Formats};
use crate::compiler::emit::c::{Element, Source};
use crate::compiler::emit::cuda::{self, Allocation, Kernels, Launch, When, Work};
use crate::compiler::lower::lower_tensors;
use arguments::Host;
use host::Options;

/// The number of statements that are compiled as one program.
const BATCH: usize = 150;

/// The number of threads of a block.
const THREADS: usize = 32;

/// Makes arrays that end at a page which cannot be accessed, and prints the first difference.
const HOST: &str = r#"
template <class Entry>
static Entry *made(const Entry *from, size_t count) {
    Entry *array = (Entry *)unisparse_cpu::allocate(count * sizeof(Entry));
    memcpy(array, from, count * sizeof(Entry));
    return array;
}

static int differs(const char *call, unsigned run, const int64_t *found, const int64_t *expected, size_t count) {
    for (size_t at = 0; at < count; at++) {
        if (found[at] != expected[at]) {
            printf("%s in run %u: element %zu is %lld, not %lld\n", call, run, at, (long long)found[at], (long long)expected[at]);
            return 1;
        }
    }
    return 0;
}

// The expected sparse output: the extents of its dims, the dims in the order of the loops (none if they have no order), and
// for each coordinate whether there is an element, and its value.
struct Expected {
    const uint64_t *extents;
    const size_t *order;
    const bool *is_stored;
    const int64_t *values;
    size_t count;
};

template <class Output, class Both>
static int elements_differ(const char *call, unsigned run, const Output *output, uint64_t count, Expected expected, Both both) {
    const size_t dims = sizeof(Output) / sizeof(void *) - 1;
    static int64_t values[1 << 16];
    static bool is_stored[1 << 16];
    memset(is_stored, 0, sizeof is_stored);
    uint64_t last = 0;
    for (uint64_t at = 0; at < count; at++) {
        uint64_t coordinate[8], number = 0, ordered = 0;
        for (size_t dim = 0; dim < dims; dim++) {
            const unisparse::size_t *coordinates;
            memcpy(&coordinates, (const char *)output + dim * sizeof(void *), sizeof(void *));
            coordinate[dim] = coordinates[at];
            number = number * expected.extents[dim] + coordinates[at];
        }
        for (size_t dim = 0; dim < dims && expected.order != nullptr; dim++) {
            ordered = ordered * expected.extents[expected.order[dim]] + coordinate[expected.order[dim]];
        }
        if (number >= expected.count || (at > 0 && expected.order != nullptr && ordered <= last)) {
            printf("%s in run %u: element %llu is outside or out of order\n", call, run, (unsigned long long)number);
            return 1;
        }
        values[number] = is_stored[number] ? both(values[number], output->values[at]) : output->values[at];
        is_stored[number] = true;
        last = ordered;
    }
    for (size_t at = 0; at < expected.count; at++) {
        if (is_stored[at] != expected.is_stored[at] || (is_stored[at] && values[at] != expected.values[at])) {
            printf("%s in run %u: element %zu is %d, %lld, not %d, %lld\n", call, run, at, is_stored[at], (long long)values[at], expected.is_stored[at], (long long)expected.values[at]);
            return 1;
        }
    }
    return 0;
}

"#;

/// Returns the value that all const parameters of this name have.
fn parameter(name: &str) -> i128 {
    1 + i128::from(name.bytes().map(u32::from).sum::<u32>() % 3)
}

/// The text of one call.
struct Call {
    name: String,
    kernels: Kernels,
    host: String,
    /// The names of const parameters.
    constants: Vec<String>,
    /// The formats of the sparse inputs.
    formats: Vec<String>,
}

/// Returns the call of a case, or `None` if it has no counterpart in CUDA.
fn call(seed: u64, formats: &Formats) -> Option<Call> {
    let mut case = Case::new(seed, formats);
    let (mut constants, mut chosen) = (Vec::new(), Vec::new());
    for (compiled, values) in case.formats.values_mut() {
        let names = compiled
            .format
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone());
        let names: Vec<String> = names.collect();
        *values = names.iter().map(|name| parameter(name)).collect();
        constants.extend(names);
        chosen.push(compiled.format.text.clone());
    }
    let kernel = case.kernel().ok()?;
    let inputs = case.inputs(&kernel);
    let trees = case.trees(&inputs)?;
    let tensors = inputs.iter();
    let tensors = tensors.map(|(number, name)| case.formats[name.as_str()].0.summand(*number));
    let source = Source {
        program: lower_tensors(&kernel, tensors.collect(), &cuda::TARGET),
        operands: Vec::new(),
        element: Element::parse("i64")?,
        dialect: cuda::DIALECT,
        name: format!("kernel_{seed}"),
    };
    if cuda::reason(&source.program).is_some() {
        return None;
    }
    let kernels = cuda::print(&source);
    let mut host = Host {
        case: &case,
        inputs: &inputs,
        trees: &trees,
        text: format!("static int call_{seed}() {{\nuint64_t partial_count = 0, worker_count = 0;\n"),
        given: Vec::new(),
    };
    let numbers: BTreeMap<String, usize> = source.operand_names().into_iter().zip(0..).collect();
    host.arguments(&kernels, &kernel, &numbers);
    host.launches(&kernels, &source.program, seed);
    let host = host.text;
    Some(Call {
        name: format!("call_{seed}"),
        kernels,
        host,
        constants,
        formats: chosen,
    })
}

const OPTIONS: [Options; 2] = [
    Options {
        lanes: 4,
        wide: false,
        races: true,
    },
    Options {
        lanes: 32,
        wide: true,
        races: false,
    },
];

/// Returns the program of some calls.
fn source(calls: &[Call]) -> String {
    let mut source = "#define UNISPARSE_THREADS 64\n".to_owned();
    source += include_str!("../../../../tests/cuda_kernels/stand_in.h");
    let preludes: BTreeSet<&str> = calls.iter().map(|call| call.kernels.prelude.as_str()).collect();
    source.extend(preludes);
    let constants: BTreeSet<&String> = calls.iter().flat_map(|call| &call.constants).collect();
    source += "namespace unisparse {\n";
    for name in constants {
        let _ = writeln!(source, "constexpr size_t {name} = {};", parameter(name));
    }
    source += "}\n";
    source += HOST;
    for call in calls {
        source += &call.kernels.text;
        source += &call.host;
    }
    source += "int main() {\n    unisparse_cpu::watch();\n    int different = 0;\n";
    for call in calls {
        let _ = writeln!(source, "    different += {}();", call.name);
    }
    source + "    return different != 0;\n}\n"
}

/// Compiles a program of calls and runs it. Returns the differences, or `None` without a compiler.
fn run(number: usize, calls: &[Call], options: Options) -> Option<String> {
    let name = format!("unisparse_device_{}_{number}_{}", std::process::id(), options.lanes);
    let folder = std::env::temp_dir().join(name);
    let program = host::compile(&folder, &source(calls), options, &["-O0", "-w"])?;
    let output = Command::new(program).output().expect("a program");
    if output.status.success() {
        fs::remove_dir_all(&folder).expect("a writable folder");
        return Some(String::new());
    }
    let written = [output.stdout.as_slice(), &output.stderr].map(String::from_utf8_lossy);
    Some(format!("{}: {}\n{}", folder.display(), output.status, written.concat()))
}

#[test]
fn random_statements_on_a_device() {
    let formats = Formats::new();
    let number_of = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|value| value.parse::<u64>().expect("a number"))
    };
    let count = number_of("GENERATED_KERNELS").unwrap_or(25);
    let first = count * number_of("GENERATED_SEED").unwrap_or(0);
    let seeds = (first..first + count).map(|seed| Random::new(seed).below(usize::MAX) as u64);
    let calls: Vec<Call> = seeds.filter_map(|seed| call(seed, &formats)).collect();
    for (number, batch) in calls.chunks(BATCH).enumerate() {
        for options in OPTIONS {
            let Some(failed) = run(number, batch, options) else {
                return;
            };
            assert!(failed.is_empty(), "{options:?}: {failed}");
        }
    }
    let chosen: BTreeSet<&String> = calls.iter().flat_map(|call| &call.formats).collect();
    println!("{} of {count} statements over {} formats", calls.len(), chosen.len());
    assert!(calls.len() as u64 > count / 4, "most statements are left out");
}
