//! Finds out whether the compiler has AVX-512.

use std::process::Command;

/// The first release in which `#[target_feature]` accepts AVX-512.
const FIRST: u32 = 89;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(wide_vectors)");
    let is_x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    if is_x86 && minor().is_some_and(|minor| minor >= FIRST) {
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
