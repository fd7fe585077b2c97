//! Compiles and runs the simulation of a project, with the system's C++ compiler.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns the name of the compiler, which `CXX` may say.
fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
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
    command
        .args([
            "-std=c++14",
            "-O1",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Wno-unknown-pragmas",
        ])
        .args([
            "-Wno-unused-parameter",
            "-Wno-unused-variable",
            "-Wno-unused-but-set-variable",
        ])
        .args(["-Wno-unused-local-typedefs", "-isystem"])
        .arg(headers)
        .arg("-I")
        .arg(folder)
        .arg("-o")
        .arg(&program)
        .args([folder.join("kernel.cpp"), folder.join("testbench.cpp")]);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            let required = std::env::var_os("UNISPARSE_REQUIRE_CC").is_some_and(|value| value == "1");
            assert!(!required, "no C++ compiler: `{}`: {error}", compiler());
            // Writes to the stream itself, because the output of a passing test is captured.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no C++ compiler: `{}`: {error}", compiler());
            return None;
        }
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", folder.display());
    // Other headers have warnings of their own.
    let ours = folder.display().to_string();
    let warns = |line: &str| line.starts_with(&ours) && line.contains("warning");
    assert!(!errors.lines().any(warns), "{ours}: {errors}");
    Some(program)
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
