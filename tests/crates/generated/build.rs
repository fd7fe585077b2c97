//! Writes the declarations that the tests compile.

#[path = "build/device.rs"]
mod device;
#[path = "build/kernels.rs"]
mod kernels;
#[path = "build/sources.rs"]
mod sources;

use std::fmt::Write;
use std::ops::Range;

use specification::generator::{Declaration, Features, Seed, legal};

/// The number of formats, unless `GENERATED_FORMATS` is set. Each takes two seconds to compile: `.ci/nightly` has many more.
const FORMATS: u64 = 16;
/// The number of crates that compile them: `tests/formats_1.rs` and so on.
const CRATES: usize = 4;

/// One in this many is converted from the next one of the same rank.
const NEXT: u64 = 4;

/// One in this many is made from views of triplets, too: a view is one more source, which is as much to compile as another format.
const VIEW: u64 = 2;

/// Formats come in groups of this size; the last two of a group have one index map and other primitives, and are converted to
/// each other.
const GROUP: u64 = 8;

/// Returns the features of a format: some have no queries.
fn features(number: u64) -> Features {
    if number % 4 == 0 {
        Features::DIRECT
    } else {
        Features::ALL
    }
}

/// Returns the seed of the index map of a format.
fn map_of(number: u64) -> u64 {
    if number % GROUP == GROUP - 1 {
        number - 1
    } else {
        number
    }
}

/// Returns the other format of the same index map.
fn twin(number: u64) -> Option<u64> {
    match number % GROUP {
        last if last == GROUP - 1 => Some(number - 1),
        before if before == GROUP - 2 => Some(number + 1),
        _ => None,
    }
}

/// Returns explicit const arguments, or none for the defaults.
fn arguments(number: u64, parameters: usize) -> Vec<i64> {
    let number = map_of(number);
    let others = [[3, 2], [1, 4], [5, 1], [4, 3]];
    let given = if number % 2 == 0 { parameters } else { 0 };
    others[number as usize / 2 % 4][..given].to_vec()
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let (count, seed) = (number_in("GENERATED_FORMATS", FORMATS), number_in("GENERATED_SEED", 0));
    let of_seed = |number| seed * 1_000_000 + number;
    let declaration = |number| {
        let seed = Seed {
            map: of_seed(map_of(number)),
            primitives: of_seed(number),
        };
        legal(seed, &format!("G{number:04}"), features(number))
    };
    let declarations: Vec<Declaration> = (1..=count).map(declaration).collect();
    let size = declarations.len().div_ceil(CRATES).max(1);
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    let out = std::path::Path::new(&out);
    std::fs::write(out.join("device.rs"), device::text()).expect("the build directory is writable");
    for piece in 0..CRATES {
        let range = (piece * size).min(declarations.len())..((piece + 1) * size).min(declarations.len());
        let text = crate_of(&declarations, range, seed);
        let file = out.join(format!("formats_{}.rs", piece + 1));
        std::fs::write(file, text).expect("the build directory is writable");
        let file = out.join(format!("kernels_{}.rs", piece + 1));
        std::fs::write(file, kernels::crate_of(piece as u64, CRATES as u64)).expect("the build directory is writable");
    }
}

/// Returns the number in an environment variable.
fn number_in(variable: &str, otherwise: u64) -> u64 {
    println!("cargo::rerun-if-env-changed={variable}");
    std::env::var(variable).map_or(otherwise, |number| number.parse().expect("a number"))
}

/// Returns the declarations of one crate, and the table of its checks.
fn crate_of(declarations: &[Declaration], range: Range<usize>, seed: u64) -> String {
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
        let before = declarations[..at].iter().filter(|other| other.dims == dims).count();
        let sources: Vec<&str> = sources::sources(dims, before, seed).collect();
        let other = match (twin(number), next) {
            (Some(twin), _) => Some(twin as usize - 1).filter(|twin| range.contains(twin)),
            (None, Some(next)) if number % NEXT == 1 => Some(next),
            _ => None,
        };
        let sources = sources.join("), (");
        let own = other.map_or_else(String::new, |other| format!("({})", written(other, "", "")));
        let (arguments, levels) = (arguments(number, declaration.parameters), declaration.levels);
        let view = if number % VIEW == 0 { "viewed" } else { "unviewed" };
        writeln!(
            table,
            "entry!({format}, {uncut}, &{arguments:?}, {dims}, {levels}, {parts}, {view}, [({sources})], [{own}], {text:?}),"
        )
        .expect("memory");
    }
    format!("{formats}\nstatic TABLE: &[Entry] = &[\n{table}];\n")
}
