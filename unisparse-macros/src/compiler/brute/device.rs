//! Runs random statements over random formats as CUDA kernels, on a stand-in for a device that is compiled as C++.

#[path = "../../../../tests/cuda_kernels/host.rs"]
mod host;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::statements::{Case, Formats};
use super::tree::{Entry, Tree};
use crate::compiler::algebra::tests::coordinates_of;
use crate::compiler::emit::c::{Element, Member, MemberKind, ParameterKind, Source};
use crate::compiler::emit::cuda::{self, Allocation, Kernels, Launch, When, Work};
use crate::compiler::generated::generator::Random;
use crate::compiler::generated::statement::Elements;
use crate::compiler::kernel::Kernel;
use crate::compiler::loops::Reduction;
use crate::compiler::lower::{Output, Program, lower_tensors};
use host::{BLOCKS, Options};

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

/// The printer of a function that makes the arguments of a call, launches the kernels and compares the output.
struct Host<'a> {
    case: &'a Case<'a>,
    /// The sparse inputs, each with its tree.
    inputs: &'a [(usize, String)],
    trees: &'a [Tree],
    text: String,
    given: Vec<String>,
}

impl Host<'_> {
    fn line(&mut self, line: String) {
        self.text += &line;
        self.text.push('\n');
    }

    /// Declares an array that ends at a page which cannot be accessed.
    fn array(&mut self, name: &str, entry: &str, numbers: &[i128]) {
        let listed = numbers.iter().chain([&0]).map(|&number| literal(number));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let count = numbers.len();
        self.line(format!("static const {entry} {name}_numbers[] = {{{listed}}};"));
        self.line(format!("{entry} *{name} = made({name}_numbers, {count});"));
    }

    /// Declares the arguments. `numbers` are the numbers of the kernel's operands.
    fn arguments(&mut self, kernels: &Kernels, kernel: &Kernel, numbers: &BTreeMap<String, usize>) {
        let mut extents = self.case.extents_of(kernel).into_iter();
        for parameter in &kernels.parameters {
            let name = &parameter.name;
            let number = numbers.get(name).copied();
            let elements = || {
                let number = number.expect("an operand");
                self.case.elements(&kernel.operands[number].name)
            };
            match &parameter.kind {
                ParameterKind::Dense => {
                    let elements = elements();
                    self.array(name, "int64_t", &elements);
                }
                ParameterKind::Scalar => {
                    let value = literal(elements()[0]);
                    self.line(format!("const int64_t {name} = {value};"));
                }
                ParameterKind::Extent => {
                    let extent = extents.next().expect("an extent");
                    self.line(format!("const uint64_t {name} = {extent};"));
                }
                ParameterKind::Partials => self.array(name, "int64_t", &[0; BLOCKS]),
                ParameterKind::Carries => {
                    let (all, first) = (self.case.expected().len(), self.case.extents_of(kernel)[0]);
                    let each = all / usize::try_from(first.max(1)).expect("an extent");
                    self.array(name, "int64_t", &vec![7; each * BLOCKS * THREADS]);
                }
                ParameterKind::Starts => self.array(name, "uint64_t", &[7; BLOCKS * THREADS + 1]),
                ParameterKind::Keys => self.line(format!("unisparse::size_t *{name} = nullptr;")),
                ParameterKind::Sums => self.line(format!("int64_t *{name} = nullptr;")),
                ParameterKind::Count | ParameterKind::Workers => {}
                ParameterKind::Output { .. } => {
                    let kind = format!("unisparse::{}_{name}", kernels.name);
                    self.line(format!("struct {kind} {name} = {{}};"));
                    self.line(format!(
                        "const auto make_elements = [&{name}](uint64_t count) {{ unisparse_cpu::make_elements<unisparse::size_t>(&{name}, count); }};"
                    ));
                }
                ParameterKind::Tensor { kind, members, .. } => {
                    let at = self.inputs.iter().position(|(of, _)| Some(*of) == number);
                    self.tensor(name, kind, members, at.expect("a sparse input"));
                }
                ParameterKind::Constant => unreachable!("const parameters have values"),
            }
            self.given.push(name.clone());
        }
    }

    fn tensor(&mut self, name: &str, kind: &str, members: &[Member], input: usize) {
        let (trees, values) = (self.trees, self.case.values(&self.inputs[input].1, &self.trees[input]));
        self.line(format!("struct unisparse::{kind} {name};"));
        for member in members {
            let own = format!("{name}_{}", member.name);
            let numbers = match member.kind {
                MemberKind::Count => {
                    let count = indices(&trees[input], member.level).len();
                    self.line(format!("{name}.{} = {count};", member.name));
                    continue;
                }
                MemberKind::Pointers => pointers(&trees[input], member.level),
                MemberKind::Indices => indices(&trees[input], member.level),
                MemberKind::Values => values.clone(),
                MemberKind::Entries(_) => {
                    self.entries(name, member, (input, &values));
                    continue;
                }
                MemberKind::Given | MemberKind::Size => unreachable!("formats of these tests have no queries"),
            };
            self.array(&own, &member.entry, &numbers);
            self.line(format!("{name}.{} = {own};", member.name));
        }
    }

    /// Declares an array of structs.
    fn entries(&mut self, name: &str, member: &Member, (input, values): (usize, &[i128])) {
        let MemberKind::Entries(columns) = &member.kind else {
            return;
        };
        let own = format!("{name}_{}", member.name);
        let entry = member.entry.replace("struct ", "struct unisparse::");
        let columns: Vec<(&str, Vec<i128>)> = columns
            .iter()
            .map(|column| {
                let numbers = match column.kind {
                    MemberKind::Values => values.to_vec(),
                    _ => indices(&self.trees[input], column.level),
                };
                (column.name.as_str(), numbers)
            })
            .collect();
        let count = columns.first().map_or(0, |(_, numbers)| numbers.len());
        self.line(format!(
            "{entry} *{own} = ({entry} *)unisparse_cpu::allocate({count} * sizeof({entry}));"
        ));
        for (column, numbers) in columns {
            for (at, &number) in numbers.iter().enumerate() {
                self.line(format!("{own}[{at}].{column} = {};", literal(number)));
            }
        }
        self.line(format!("{name}.{} = {own};", member.name));
    }

    fn launches(&mut self, kernels: &Kernels, program: &Program<'_>, seed: u64) {
        let output = &kernels.parameters[0].name;
        let expected = self.case.expected();
        let mut before = "unisparse_cpu::unshare();\n".to_owned();
        for parameter in &kernels.parameters {
            let name = &parameter.name;
            if matches!(parameter.kind, ParameterKind::Carries | ParameterKind::Starts) {
                let _ = writeln!(
                    before,
                    "unisparse_cpu::share({name}, sizeof {name}_numbers - sizeof *{name});"
                );
            }
        }
        let compared = if let ParameterKind::Output { .. } = kernels.parameters[0].kind {
            self.expected_elements(program, &expected);
            let both = match program.kernel.reduction.into() {
                Reduction::Plus => "left + right",
                Reduction::Min => "left < right ? left : right",
                Reduction::Max => "left > right ? left : right",
                Reduction::Or => "left | right",
                Reduction::And => "left & right",
            };
            format!(
                "elements_differ(\"call_{seed}\", number, &{output}, starts[worker_count], expected, \
                 [](int64_t left, int64_t right) {{ return {both}; }})"
            )
        } else {
            let count = expected.len();
            let numbers: Vec<i128> = expected.into_values().collect();
            self.array("expected", "int64_t", &numbers);
            let _ = writeln!(
                before,
                "unisparse_cpu::share({output}, {count} * sizeof(int64_t));\n\
                 memcpy({output}, {output}_numbers, {count} * sizeof(int64_t));"
            );
            format!("differs(\"call_{seed}\", number, {output}, expected, {count})")
        };
        self.line("int different = 0;".to_owned());
        let after = format!("different += {compared};\n");
        let given = self.given.join(", ");
        self.line(host::launches(&kernels.launches, THREADS, &given, [&before, &after]));
        self.line("return different;\n}\n".to_owned());
    }

    /// Declares the expected elements of a sparse output.
    fn expected_elements(&mut self, program: &Program<'_>, expected: &Elements<i128>) {
        let kernel = &program.kernel;
        let all = self.case.extents_of(kernel);
        let extents: Vec<i128> = kernel.output.iter().map(|&index| all[index]).collect();
        self.array("extents", "uint64_t", &extents);
        let order = match &program.output {
            Output::Fibers { order, .. } => {
                let dims: Vec<i128> = order.iter().map(|&dim| dim as i128).collect();
                self.array("order", "size_t", &dims);
                "order"
            }
            _ => "nullptr",
        };
        let places: Vec<Vec<usize>> = coordinates_of(&extents)
            .into_iter()
            .map(|at| {
                at.into_iter()
                    .map(|at| usize::try_from(at).expect("a coordinate"))
                    .collect()
            })
            .collect();
        let is_stored: Vec<i128> = places.iter().map(|at| expected.contains_key(at).into()).collect();
        let values: Vec<i128> = places.iter().map(|at| expected.get(at).copied().unwrap_or(0)).collect();
        self.array("is_stored", "bool", &is_stored);
        self.array("values", "int64_t", &values);
        let count = places.len();
        self.line(format!(
            "const Expected expected = {{extents, {order}, is_stored, values, {count}}};"
        ));
    }
}

/// Returns a number as an `int64_t`. The start value of a minimum or a maximum is the extreme of each type.
fn literal(number: i128) -> String {
    match number {
        i128::MAX => "INT64_MAX".to_owned(),
        i128::MIN => "INT64_MIN".to_owned(),
        number => number.to_string(),
    }
}

fn pointers(tree: &Tree, level: usize) -> Vec<i128> {
    let lists = tree.entries.iter().filter(|((first, _), _)| *first == level);
    let lists: BTreeMap<i128, usize> = lists.map(|((_, parent), list)| (*parent, list.len())).collect();
    let mut pointers = vec![0];
    for length in lists.into_values() {
        pointers.push(pointers[pointers.len() - 1] + length as i128);
    }
    pointers
}

fn indices(tree: &Tree, level: usize) -> Vec<i128> {
    let firsts = tree.entries.keys().map(|(first, _)| *first);
    let first = firsts.filter(|first| *first <= level).max();
    let lists = tree.entries.iter().filter(|((of, _), _)| Some(*of) == first);
    let mut entries: Vec<&Entry> = lists.flat_map(|(_, list)| list).collect();
    entries.sort_unstable_by_key(|entry| entry.position);
    let coordinate = |entry: &&Entry| entry.path[level].expect("a stored level");
    entries.iter().map(coordinate).collect()
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
    let count = number_of("GENERATED_KERNELS").unwrap_or(400);
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
