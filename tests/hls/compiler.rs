//! Compiles and runs the simulation of a project, with the system's C++ compiler.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Returns the name of the compiler, which `CXX` may say.
fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
}

const OPTIONS: [&str; 10] = [
    "-std=c++14",
    "-Og",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wno-unknown-pragmas",
    "-Wno-unused-parameter",
    "-Wno-unused-variable",
    "-Wno-unused-but-set-variable",
    "-Wno-unused-local-typedefs",
];

/// The headers of the standard library that projects include: to read them takes longer than all else.
const LIBRARY: &str = "\
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
";

/// Returns the path of a header of [`LIBRARY`], which is compiled once for all projects. Without a compiler, it is just a header.
fn library() -> &'static Path {
    static HEADER: OnceLock<PathBuf> = OnceLock::new();
    HEADER.get_or_init(|| {
        let header = folder("library").join("library.h");
        std::fs::create_dir_all(header.parent().expect("it is in a folder")).unwrap();
        std::fs::write(&header, LIBRARY).unwrap();
        let mut command = Command::new(compiler());
        command.args(OPTIONS).args(["-x", "c++-header", "-o"]);
        let _ = command.arg(header.with_extension("h.gch")).arg(&header).output();
        header
    })
}

/// Returns an empty folder for the files of a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hls").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Compiles `kernel.cpp` with the test bench in a folder, with the headers in `headers`. Returns `None` without a compiler, which is an
/// error if `UNISPARSE_REQUIRE_CC=1`.
pub(crate) fn compile(folder: &Path, headers: &Path) -> Option<PathBuf> {
    let program = folder.join("simulation");
    let mut command = Command::new(compiler());
    command.args(OPTIONS).arg("-include").arg(library());
    command.arg("-isystem").arg(headers).arg("-I").arg(folder);
    command
        .arg("-o")
        .arg(&program)
        .args([folder.join("kernel.cpp"), folder.join("testbench.cpp")]);
    let output = called(&mut command)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", folder.display());
    // Other headers have warnings of their own.
    let ours = folder.display().to_string();
    let warns = |line: &str| line.starts_with(&ours) && line.contains("warning");
    assert!(!errors.lines().any(warns), "{ours}: {errors}");
    Some(program)
}

/// Checks that a text of a project compiles by itself.
pub(crate) fn check(folder: &Path, text: &str) {
    let mut command = Command::new(compiler());
    command.args(OPTIONS).arg("-fsyntax-only").arg("-isystem");
    command
        .arg(folder.join("shim"))
        .arg("-I")
        .arg(folder)
        .arg(folder.join(text));
    let Some(output) = called(&mut command) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", folder.display());
}

/// Runs a compiler. Returns `None` without one, which is an error if `UNISPARSE_REQUIRE_CC=1`.
fn called(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            let required = std::env::var_os("UNISPARSE_REQUIRE_CC").is_some_and(|value| value == "1");
            assert!(!required, "no C++ compiler: `{}`: {error}", compiler());
            // Writes to the stream itself, because the output of a passing test is captured.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no C++ compiler: `{}`: {error}", compiler());
            None
        }
    }
}

/// Runs a simulation on the data of a folder.
pub(crate) fn run(program: &Path, data: &Path) -> Output {
    Command::new(program).arg(data).output().expect("the simulation starts")
}

/// Returns what a simulation writes to its streams.
pub(crate) fn text(output: &Output) -> String {
    let [out, errors] = [&output.stdout, &output.stderr].map(|stream| String::from_utf8_lossy(stream));
    format!("{out}{errors}")
}
