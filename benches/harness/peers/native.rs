//! Shims in C and C++, compiled when the bench runs.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::Library;

/// A temporary folder, removed at the end.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Self, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("unisparse-bench-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles the source with `compiler` at full optimisation, for values of the C type `value`.
pub(super) fn compile(compiler: &str, source: &str, value: &str, options: &[&str]) -> Result<Library, String> {
    let scratch = Scratch::new()?;
    let (input, output) = (scratch.join("shim.cpp"), scratch.join("shim.so"));
    std::fs::write(&input, source).map_err(|error| error.to_string())?;
    let language = if compiler == "cc" { "c" } else { "c++" };
    let mut command = Command::new(compiler);
    command.args(["-O3", "-march=native", "-shared", "-fPIC", "-DNDEBUG", "-x", language]);
    command
        .arg(format!("-DVALUE={value}"))
        .args(options)
        .arg("-o")
        .arg(&output)
        .arg(&input);
    let done = command.output().map_err(|error| format!("`{compiler}`: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    // SAFETY: loading runs nothing but the start-up code of the C and C++ libraries.
    unsafe { Library::new(&output) }.map_err(|error| error.to_string())
}

/// One library for each element type.
pub(super) fn compile_both(compiler: &str, source: &str, options: &[&str]) -> Result<[Library; 2], String> {
    Ok([
        compile(compiler, source, "float", options)?,
        compile(compiler, source, "double", options)?,
    ])
}

/// Returns the library for `T`.
pub(super) fn of_type<T: crate::harness::matrices::Element>(libraries: &[Library; 2]) -> &Library {
    &libraries[usize::from(T::NAME == "f64")]
}
