//! Writes the kernels that the tests compile: random statements over combinations of stock and generated formats.

use std::fmt::Write;

use specification::generator::{Features, Random, legal};
use specification::statement::{Access, Algebra, Statement, format, statement};

use crate::number_in;

/// The number of kernels in all crates, unless `GENERATED_KERNELS` is set.
const COUNT: u64 = 40;

/// The number of kernels of each element type, of sixty.
const KERNELS: [(&str, Algebra, usize); 6] = [
    ("f64", Algebra::Reals, 36),
    ("i64", Algebra::Integers, 10),
    ("bool", Algebra::Booleans, 5),
    ("Complex64", Algebra::Complex, 3),
    ("f32", Algebra::Reals, 4),
    ("MinPlus", Algebra::Semiring, 2),
];

/// The generated formats of a crate, by their number of dims: those with queries, and those whose levels statements make
/// constant.
const GENERATED: [(usize, usize, usize); 3] = [(1, 2, 1), (2, 4, 6), (3, 2, 4)];

/// A format that an operand may have.
#[derive(Clone)]
struct Format {
    name: String,
    /// The const arguments, if there are parameters.
    arguments: String,
    dims: usize,
    /// Whether a result can have it: not if it is partitioned, or a hybrid.
    is_whole: bool,
    /// Whether a zero is not distinguished from a hole.
    may_have_holes: bool,
    /// Whether it stores elements of any type.
    any_type: bool,
}

/// Name, const arguments, dims; `!` if no result can have it, `?` if zeros may be holes.
const STOCK: [(&str, &str, usize, &str); 25] = [
    ("Vector", "", 1, ""),
    ("Blocked", "3", 1, "?"),
    ("Csr", "", 2, ""),
    ("Csr", "", 2, ""),
    ("Csc", "", 2, ""),
    ("Coo", "", 2, ""),
    ("Dcsr", "", 2, ""),
    ("Dia", "", 2, "?"),
    ("DiaVariant", "", 2, "!"),
    ("Bcsr", "2, 3", 2, "?"),
    ("Bcsc", "3, 2", 2, "!"),
    ("Csb", "2", 2, "!"),
    ("Bdia", "2", 2, "!"),
    ("HiCoo", "2", 2, "!"),
    ("Ell", "", 2, "?"),
    ("Sell", "2, 4", 2, "!"),
    ("Jds", "", 2, "!"),
    ("Bell", "2", 2, "!"),
    ("C2sr", "2", 2, "!"),
    ("Cisr", "2", 2, "!"),
    ("Lil", "", 2, ""),
    ("Dok", "", 2, ""),
    ("BdiaCsr", "2", 2, "!"),
    ("Csf", "", 3, ""),
    ("LastFirst", "", 3, ""),
];

fn stock() -> Vec<Format> {
    let format = |&(name, arguments, dims, marks): &(&str, &str, usize, &str)| Format {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        dims,
        is_whole: marks != "!",
        may_have_holes: !marks.is_empty(),
        any_type: true,
    };
    STOCK.iter().map(format).collect()
}

/// The first generated formats of each number of dims, from a seed on, with their declarations.
fn generated(seed: u64) -> Vec<(String, Format)> {
    let mut found = Vec::new();
    for (dims, queried, constant) in GENERATED {
        let constant = (0..constant as u64).map(|number| {
            let name = format!("Constant{dims}{number}");
            let declaration = format(
                Random::new(1_000_000 + 100 * seed + 10 * dims as u64 + number),
                &name,
                dims,
            );
            let format = Format {
                name,
                arguments: String::new(),
                dims,
                is_whole: true,
                may_have_holes: true,
                any_type: true,
            };
            (declaration, format)
        });
        found.extend(constant);
        let seeds = 100_000 * (seed + 1)..;
        let of_dims = seeds.filter_map(|seed| {
            let name = format!("G{seed}");
            let declaration = legal(seed, &name, Features::ALL);
            (declaration.dims == dims).then(|| {
                let format = Format {
                    name,
                    arguments: ["", "2", "3, 2"][declaration.parameters].to_owned(),
                    dims,
                    is_whole: !declaration.text.contains(" partition("),
                    may_have_holes: true,
                    any_type: false,
                };
                (declaration.text, format)
            })
        });
        found.extend(of_dims.take(queried));
    }
    found
}

/// Returns the kernels of one crate, and the table of its checks.
pub(crate) fn crate_of(piece: u64, crates: u64) -> String {
    let count = number_in("GENERATED_KERNELS", COUNT).div_ceil(crates);
    let first = piece + crates * number_in("GENERATED_SEED", 0);
    let generated = generated(first);
    let mut text = String::new();
    for (declaration, _) in &generated {
        writeln!(
            text,
            "unisparse::sparse_format! {{\n/// Generated.\n{}\n}}",
            declaration
        )
        .expect("memory");
    }
    let mut formats = stock();
    formats.extend(generated.into_iter().map(|(_, format)| format));
    let mut table = String::new();
    let types: Vec<_> = KERNELS
        .iter()
        .flat_map(|&(element, algebra, count)| std::iter::repeat_n((element, algebra), count))
        .collect();
    for number in 1..=count {
        // Each crate has its own part of sixty kernels: the fewer types it has, the more of its code they share.
        let (element, algebra) = types[(piece * count + number - 1) as usize % types.len()];
        let seed = 100_000 * first + number;
        text += &kernel(seed, element, algebra, &formats);
        writeln!(table, "entry!(kernel_{seed}, {element}, {algebra:?}, {seed}),").expect("memory");
    }
    format!("{text}\nstatic TABLE: &[Entry] = &[\n{table}];\n")
}

/// Returns a module with one kernel, and a function that calls it.
fn kernel(seed: u64, element: &str, algebra: Algebra, formats: &[Format]) -> String {
    let statement = statement(Random::new(seed), algebra);
    let mut random = Random::new(!seed);
    let output = &statement.output;
    let (mut clause, mut arguments, mut lets) = (Vec::new(), Vec::new(), String::new());
    let mut choose = |access: &Access, is_output: bool| {
        let fits = |format: &&Format| {
            format.dims == access.indices.len()
                && (format.is_whole || !is_output)
                && (format.any_type || element == "f64")
        };
        let fitting: Vec<&Format> = formats.iter().filter(fits).collect();
        let format = fitting[random.below(fitting.len())];
        let Format { name, arguments, .. } = format;
        let listed = if arguments.is_empty() || random.one_in(2) {
            name.clone()
        } else {
            format!("{name}<{arguments}>")
        };
        clause.push(format!("{}: {listed}", access.name));
        let arguments = if arguments.is_empty() {
            String::new()
        } else {
            format!(", {arguments}")
        };
        (format!("{name}<{element}{arguments}>"), format.may_have_holes)
    };
    for access in statement.inputs() {
        let (name, local) = (access.name, access.name.to_lowercase());
        if statement.is_sparse(name) {
            let (written, _) = choose(access, false);
            writeln!(lets, "let {local}_tensor: {written} = given.sparse({name:?})?;").expect("memory");
        } else if access.indices.is_empty() {
            writeln!(lets, "let {local}_tensor = given.scalar({name:?});").expect("memory");
        } else {
            writeln!(lets, "let {local}_tensor = given.dense({name:?});").expect("memory");
        }
        let borrowed = if access.indices.is_empty() { "" } else { "&" };
        arguments.push(format!("{borrowed}{local}_tensor"));
    }
    let name = format!("kernel_{seed}");
    let called = if statement.is_sparse(output.name) {
        let (written, may_have_holes) = choose(output, true);
        format!(
            "let result: {written} = {name}({})?;\nOk(Found::of(&result, {may_have_holes}))",
            arguments.join(", ")
        )
    } else if output.indices.is_empty() {
        format!("Ok(Found::total({name}({})?))", arguments.join(", "))
    } else {
        arguments.insert(0, "&mut output".to_owned());
        format!(
            "let mut output = given.before();\n{name}({})?;\nOk(Found::dense(output))",
            arguments.join(", ")
        )
    };
    let functions = called_functions(&statement);
    format!(
        "mod {name} {{
use super::*;
{functions}
unisparse::sparse_kernel! {{
/// Generated.
#[allow(deprecated)] // The sums of calls are intended.
pub fn {name}: {statement} where {};
}}
pub(super) const TEXT: &str = {:?};
pub(super) fn run(given: &Given<{element}>) -> Result<Found<{element}>, Error> {{
{lets}{called}
}}
}}
",
        clause.join(", "),
        format!("{statement} where {}", clause.join(", ")),
        functions = functions.replace("ELEMENT", element),
    )
}

/// The functions that the statement calls, of elements of one type.
fn called_functions(statement: &Statement) -> String {
    let text = statement.to_string();
    let mut functions = String::new();
    if text.contains("curve(") {
        functions += "fn curve(x: ELEMENT) -> ELEMENT { <ELEMENT as Element>::call(0, &[x]) }\n";
    }
    if text.contains("blend(") {
        functions += "fn blend(x: ELEMENT, y: ELEMENT) -> ELEMENT { <ELEMENT as Element>::call(1, &[x, y]) }\n";
    }
    functions
}
