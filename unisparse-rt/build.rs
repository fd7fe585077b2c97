//! Finds out for which vectors loops are compiled.

use std::process::Command;

/// The first release in which `#[target_feature]` accepts AVX-512.
const FIRST: u32 = 89;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(multiversioned, wide_vectors)");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Without optimisation, a loop is no faster for other vectors, and three versions take three times as long to compile.
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") && !is("OPT_LEVEL", "0") {
        println!("cargo::rustc-cfg=multiversioned");
        if minor().is_some_and(|minor| minor >= FIRST) {
            println!("cargo::rustc-cfg=wide_vectors");
        }
    }
}

/// Returns the number after `1.` of the compiler's version, if it can be read.
fn minor() -> Option<u32> {
    let rustc = std::env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split(['.', ' ']).nth(2)?.parse().ok()
}
