//! Files of the folder `shared` beside the repository, where there is one.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The path of a file or folder of `shared`: what `UNISPARSE_SHARED` names, else the first folder of this name above the
/// package that has the file. Without it there is none, and a loud word; with `UNISPARSE_REQUIRE_DATA=1` that is a failure.
///
/// # Panics
/// If the file is not there but required.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = match env::var_os("UNISPARSE_SHARED") {
        Some(folder) => vec![folder.into()],
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .skip(1)
            .map(|above| above.join("shared"))
            .collect(),
    };
    let found = folders
        .into_iter()
        .map(|folder| folder.join(path))
        .find(|full| full.exists());
    if found.is_none() {
        assert!(
            env::var_os("UNISPARSE_REQUIRE_DATA").is_none_or(|value| value != "1"),
            "shared/{path} is not there, and UNISPARSE_REQUIRE_DATA=1"
        );
        // Straight to the stream: what a passing test prints is not shown.
        let _ = writeln!(std::io::stderr(), "SKIPPED: shared/{path} is not there");
    }
    found
}
