//! The host of kernels on the stand-in for a device: the launches as C++, and the compiler.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Allocation, Launch, When, Work};

/// The orders in which the threads run.
const SCHEDULES: usize = 3;
/// The number of blocks of kernels whose work any number of threads divide.
pub(crate) const BLOCKS: usize = 3;

/// Returns the number of times that a call runs: each schedule, and both ways to divide rows if there are two.
pub(crate) fn runs(launches: &[Launch]) -> usize {
    let splits = launches.iter().any(|launch| launch.when == When::Skewed);
    SCHEDULES * (1 + usize::from(splits))
}

/// Prints the launches of all runs of a call. `given` are the arguments of the kernels, `before` is executed before each
/// run and `after` after it.
pub(crate) fn launches(launches: &[Launch], threads: usize, given: &str, [before, after]: [&str; 2]) -> String {
    let mut text = format!(
        "for (unsigned number = 0; number < {}; number++) {{\n\
         const unsigned schedule = number % {SCHEDULES};\n\
         const bool is_skewed = number >= {SCHEDULES};\n\
         {before}",
        runs(launches)
    );
    for launch in launches {
        let (blocks, threads) = match launch.work {
            Work::Divided => (BLOCKS, threads),
            Work::Whole => (1, 32),
            Work::Block => (1, 64),
        };
        text += match launch.when {
            When::Always => "{\n",
            When::Even => "if (!is_skewed) {\n",
            When::Skewed => "if (is_skewed) {\n",
        };
        let kernel = &launch.kernel;
        text += match launch.allocates {
            None => "",
            Some(Allocation::Tables) => {
                "unisparse_cpu::make(&table_keys, tables[worker_count]);\n\
                 unisparse_cpu::make(&table_sums, tables[worker_count]);\n"
            }
            Some(Allocation::Elements) => "make_elements(starts[worker_count]);\n",
        };
        let _ = writeln!(
            text,
            "unisparse_cpu::launch(\"{kernel}\", {blocks}, {threads}, schedule, [=] {{ unisparse::{kernel}({given}); }});"
        );
        if launch.work != Work::Block {
            let lanes = if launch.has_lanes { "UNISPARSE_LANES" } else { "1" };
            let _ = writeln!(
                text,
                "partial_count = {blocks};\nworker_count = {blocks} * {threads} / {lanes};"
            );
        }
        text += "}\n";
    }
    text + after + "}\n"
}

/// The definitions with which kernels are compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) lanes: usize,
    /// Whether positions have 64 bits.
    pub(crate) wide: bool,
    /// Whether the stand-in looks for races.
    pub(crate) races: bool,
}

/// Compiles a program with these further options, and without warnings. Returns `None` without a compiler, which is an error
/// if `UNISPARSE_REQUIRE_CC=1`.
pub(crate) fn compile(folder: &Path, source: &str, options: Options, further: &[&str]) -> Option<PathBuf> {
    let (text, program, object) = (
        folder.join("kernels.cpp"),
        folder.join("kernels"),
        folder.join("kernels.o"),
    );
    fs::create_dir_all(folder).unwrap();
    fs::write(&text, source).unwrap();
    fs::write(folder.join("races.h"), include_str!("races.h")).unwrap();
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-ffp-contract=off", "-Wno-unknown-pragmas", "-c", "-o"]);
    compiler.arg(&object).arg(&text).args(further);
    compiler.arg(format!("-DUNISPARSE_LANES={}", options.lanes));
    if options.wide {
        compiler.arg("-DUNISPARSE_WIDE");
    }
    if options.races {
        // Accesses are instrumented, but the library of the sanitizer is not linked.
        compiler.args(["-DUNISPARSE_CPU_RACES", "-fsanitize=thread"]);
    }
    let mut linker = Command::new("g++");
    linker.arg("-o").arg(&program).arg(&object);
    for command in [&mut compiler, &mut linker] {
        let output = match command.stdout(Stdio::null()).output() {
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
    }
    Some(program)
}
