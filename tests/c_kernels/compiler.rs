//! The system's C compiler.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Compiles the program, with a sanitizer of undefined behaviour if there is one. Returns `None` without a compiler.
pub(crate) fn compile(folder: &Path, source: &str) -> Option<PathBuf> {
    let (text, program) = (folder.join("kernels.c"), folder.join("kernels"));
    fs::write(&text, source).unwrap();
    let compile = |options: &[&str]| {
        let mut compiler = Command::new("cc");
        compiler.args([
            "-std=c11",
            "-O1",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Wshadow",
            "-Wno-unused-parameter",
            // Even small arrays are prefetched.
            "-DUNISPARSE_NEAR=0",
        ]);
        compiler.args(options).arg("-o").arg(&program).arg(&text);
        compiler.stdout(Stdio::null()).output()
    };
    // Tries the options that compilers may lack: threads, and a sanitizer of undefined behaviour.
    const WATCHED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    const THREADS: [&str; 1] = ["-fopenmp"];
    let with = [&[&WATCHED[..], &THREADS[..]].concat()[..], &WATCHED, &THREADS, &[]];
    let mut output = None;
    for options in with {
        match compile(options) {
            Ok(compiled) => {
                let done = compiled.status.success();
                output = Some(compiled);
                if done {
                    break;
                }
            }
            Err(error) => {
                let required = std::env::var_os("UNISPARSE_REQUIRE_CC").is_some_and(|value| value == "1");
                assert!(!required, "no C compiler: `cc`: {error}");
                // Writes to the stream itself, because the output of a passing test is captured.
                let _ = writeln!(std::io::stderr(), "SKIPPED: no C compiler: `cc`: {error}");
                return None;
            }
        }
    }
    let output = output?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", text.display());
    assert!(!errors.contains("warning"), "{}: {errors}", text.display());
    Some(program)
}
