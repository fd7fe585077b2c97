//! Prints the host of a random statement as C++: its arguments, its launches, and the comparison of the output.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use specification::statement::Elements;

use super::THREADS;
use super::host::{self, BLOCKS};
use crate::compiler::algebra::tests::coordinates_of;
use crate::compiler::brute::statements::Case;
use crate::compiler::brute::tree::{Entry, Tree};
use crate::compiler::emit::c::{Member, MemberKind, ParameterKind};
use crate::compiler::emit::cuda::Kernels;
use crate::compiler::kernel::Kernel;
use crate::compiler::loops::Reduction;
use crate::compiler::lower::{Output, Program};

/// The printer of a function that makes the arguments of a call, launches the kernels and compares the output.
pub(super) struct Host<'a> {
    pub(super) case: &'a Case<'a>,
    /// The sparse inputs, each with its tree.
    pub(super) inputs: &'a [(usize, String)],
    pub(super) trees: &'a [Tree],
    pub(super) text: String,
    pub(super) given: Vec<String>,
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
    pub(super) fn arguments(&mut self, kernels: &Kernels, kernel: &Kernel, numbers: &BTreeMap<String, usize>) {
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

    pub(super) fn launches(&mut self, kernels: &Kernels, program: &Program<'_>, seed: u64) {
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
