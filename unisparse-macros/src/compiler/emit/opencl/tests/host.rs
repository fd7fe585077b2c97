//! Host programs that call the kernels, made from the description of their arguments.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::super::arguments::Argument;
use super::super::{Launch, PRELUDE, Text};
use super::cases::{Case, cases};
use super::{ADDED, STATEMENTS, checked, formats, more_formats, named, printed};
use crate::compiler::compiled::Compiled;

/// The environment that runs the kernels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// The kernels are compiled as C, and loops execute the work items.
    Shim,
    /// A CPU device of OpenCL executes the kernels.
    Device,
}

/// Compiles all kernels for both element types and compares their outputs.
pub(super) fn run(host: Host) {
    let (mut kernels, mut calls, mut names) = (PRELUDE.to_owned(), String::new(), Vec::new());
    let formats: Vec<Compiled> = formats().into_iter().chain(more_formats()).collect();
    for kernel in STATEMENTS.into_iter().chain([ADDED]).map(checked) {
        for format in &formats {
            let text = printed(&kernel, format).expect("kernels");
            kernels = kernels + "\n" + &text.kernels;
            for (number, case) in cases(&kernel, format, &text).iter().enumerate() {
                let name = format!("{}_case_{number}", named(&kernel, format));
                calls += &call(&name, &text, case);
                names.push(name);
            }
        }
    }
    let mut source = match host {
        Host::Shim => include_str!("shim.c").to_owned() + &kernels,
        Host::Device => include_str!("device.c").to_owned() + PRELUDE,
    };
    source = source
        + "\n"
        + CHECK
        + &calls
        + "int main(int count, char **arguments) {\n    (void)count;\n    int different = 0;\n";
    source += "    START(arguments[1]);\n";
    for name in &names {
        let _ = writeln!(source, "    different += {name}();");
    }
    source += "    return different != 0;\n}\n";
    let folder = std::env::temp_dir().join(format!(
        "unisparse_opencl_{}_{}",
        if host == Host::Shim { "shim" } else { "device" },
        std::process::id()
    ));
    fs::create_dir_all(&folder).expect("a writable folder");
    fs::write(folder.join("kernels.cl"), kernels).expect("a writable folder");
    fs::write(folder.join("host.c"), source).expect("a writable folder");
    for element in ["int", "float"] {
        if compile(&folder, host, element) {
            let mut program = Command::new(folder.join(element));
            let output = program
                .arg(folder.join("kernels.cl"))
                .env("ASAN_OPTIONS", "detect_leaks=0")
                .output();
            let output = output.expect("a program");
            let written = [output.stdout.as_slice(), &output.stderr]
                .map(String::from_utf8_lossy)
                .concat();
            assert!(output.status.success(), "{element}: {}\n{written}", output.status);
            // `--nocapture` shows the device.
            print!("{written}");
            println!("{element}: {} calls", names.len());
        }
    }
    fs::remove_dir_all(&folder).expect("a writable folder");
}

/// Prints the first difference.
const CHECK: &str = r#"
static int differs(const char *call, const ELEMENT *found, const ELEMENT *expected, size_t count) {
    for (size_t at = 0; at < count; at++) {
        if (found[at] != expected[at]) {
            fprintf(stderr, "%s: element %zu is %g, not %g\n", call, at, (double)found[at], (double)expected[at]);
            return 1;
        }
    }
    return 0;
}

"#;

/// Returns a function that makes the arguments, launches the kernels and compares the output.
fn call(name: &str, text: &Text, case: &Case) -> String {
    let mut call = format!("static int {name}(void) {{\n");
    let list = |numbers: &[i128]| {
        let numbers = numbers.iter().chain([&0]).map(ToString::to_string);
        numbers.collect::<Vec<_>>().join(", ")
    };
    for (Argument { name, kind, entry }, given) in text.arguments.iter().zip(&case.given) {
        let _ = if kind.is_array() {
            writeln!(call, "    ARRAY({entry}, {name}, {}, {})", given.len(), list(given))
        } else {
            writeln!(call, "    const {entry} {name} = {};", given[0])
        };
    }
    let passed = text.arguments.iter().map(|Argument { name, kind, .. }| {
        let by = if kind.is_array() { "ADDRESS" } else { "NUMBER" };
        format!("{by}({name})")
    });
    let passed = passed.collect::<Vec<_>>().join(", ");
    for Launch { kernel, sizes, items } in &text.launches {
        call += "    {\n";
        for (size, value) in sizes {
            let _ = writeln!(call, "        const long {size} = {value};\n        (void){size};");
        }
        let counts = items.iter().map(|count| format!("unisparse_greater(0, {count})"));
        let (counts, dimensions) = (counts.collect::<Vec<_>>().join(", "), items.len());
        let _ = writeln!(call, "        const long items[] = {{{counts}}};");
        let _ = writeln!(call, "        LAUNCH({kernel}, {dimensions}, items, {passed})\n    }}");
    }
    let (output, count) = (&text.arguments[0].name, case.expected.len());
    let _ = writeln!(
        call,
        "    static const ELEMENT expected[] = {{{}}};",
        list(&case.expected)
    );
    let _ = writeln!(call, "    ELEMENT found[{}];", count + 1);
    let _ = writeln!(call, "    READ({output}, {count}, found);");
    for Argument { name, .. } in text.arguments.iter().filter(|argument| argument.kind.is_array()) {
        let _ = writeln!(call, "    FREE({name});");
    }
    call + &format!("    return differs(\"{name}\", found, expected, {count});\n}}\n\n")
}

/// Compiles the host program, with the kernels if there is no device, and with sanitizers if the compiler has them.
/// Returns false if there is no compiler, and panics then if `UNISPARSE_REQUIRE_CC=1`.
fn compile(folder: &Path, host: Host, element: &str) -> bool {
    const WATCHED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let compile = |options: &[&str]| {
        let mut compiler = Command::new("cc");
        compiler.args([
            "-std=c11",
            "-O0",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
        ]);
        compiler.arg(format!("-DELEMENT={element}")).args(options);
        compiler.arg("-o").arg(folder.join(element)).arg(folder.join("host.c"));
        if host == Host::Device {
            compiler.arg("-lOpenCL");
        }
        compiler.stdout(Stdio::null()).output()
    };
    let watched: &[&str] = if host == Host::Shim { &WATCHED } else { &[] };
    let output = match compile(watched) {
        Ok(output) if output.status.success() => return true,
        Ok(_) => compile(&[]),
        Err(error) => Err(error),
    };
    match output {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {errors}", folder.display());
            true
        }
        Err(error) => {
            let required = std::env::var_os("UNISPARSE_REQUIRE_CC").is_some_and(|value| value == "1");
            assert!(!required && host == Host::Shim, "no C compiler: `cc`: {error}");
            // Written directly to the stream, because the output of a passing test is not shown.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no C compiler: `cc`: {error}");
            false
        }
    }
}
