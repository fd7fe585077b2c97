//! Finds out which copies of a loop are compiled.

use std::process::Command;

/// The first release in which `#[target_feature]` accepts AVX-512.
const FIRST: u32 = 89;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(optimised, wide_vectors)");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Without optimisation, copies of a loop are no faster for other vectors or constant lengths, and take long to compile.
    if is("OPT_LEVEL", "0") {
        return;
    }
    println!("cargo::rustc-cfg=optimised");
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") && minor().is_some_and(|minor| minor >= FIRST) {
        println!("cargo::rustc-cfg=wide_vectors");
    }
}

/// Returns the number after `1.` of the compiler's version, if it can be read.
fn minor() -> Option<u32> {
    let rustc = std::env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split(['.', ' ']).nth(2)?.parse().ok()
}
