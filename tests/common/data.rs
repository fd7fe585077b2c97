//! Files of the folder `shared` beside the repository, if present.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Returns the path of a file or folder of `shared`: in the folder that `UNISPARSE_SHARED` names, or in the first folder
/// of this name above the package that has the file. Without it, returns `None` with a notice on stderr, or fails if `UNISPARSE_REQUIRE_DATA=1`.
///
/// # Panics
/// If the file is required but missing.
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
        // Writes to the stream itself, because the output of a passing test is captured.
        let _ = writeln!(std::io::stderr(), "SKIPPED: shared/{path} is not there");
    }
    found
}
