//! The file of a calibration in the user's cache folder. Nothing here fails: a file that cannot be used is as if missing.

use std::env::var_os;
use std::fs;
use std::path::{Path, PathBuf};

use crate::file::{self, HASH_START, hash};
use crate::model::rates::Rates;

/// The version of the meaning of the constants: files of other versions are not read.
const VERSION: u32 = 6;
/// Maximum size of a file that is read, in bytes.
const LARGEST: u64 = 1 << 16;

/// Returns the folder of this library in the user's cache folder, if the environment names one.
pub(super) fn folder() -> Option<PathBuf> {
    let named = |variable: &str| var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = if cfg!(windows) {
        named("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        named("HOME").map(|home| home.join("Library/Caches"))
    } else {
        named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))
    };
    caches.map(|caches| caches.join("unisparse"))
}

/// Returns the name of this machine's file: folders may be shared between machines.
fn name() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    // Virtual machines often give processors of several generations one name.
    let says = |line: &&str| ["cpu family", "model"].iter().any(|what| line.starts_with(what));
    let first = processor.split("\n\n").next().unwrap_or_default();
    let model: Vec<&str> = first.lines().filter(says).collect();
    let model = model.join(" ");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // The name must be the same in all versions of the standard library, whose hashes are not.
    let identity = format!("{} {threads} {model}", std::env::consts::ARCH);
    let hash = hash(HASH_START, identity.as_bytes());
    format!("machine-{VERSION}-{hash:016x}.txt")
}

pub(super) fn read(folder: &Path) -> Option<Rates> {
    let bytes = file::read(&folder.join(name()), LARGEST)?;
    Rates::parse(std::str::from_utf8(&bytes).ok()?)
}

/// Writes the file as a whole or not at all, and returns its path.
pub(super) fn write(folder: &Path, rates: &Rates) -> Option<PathBuf> {
    let path = folder.join(name());
    file::write(&path, rates.to_string().as_bytes()).ok().map(|()| path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rates::SHIPPED;

    #[test]
    fn what_is_written_is_read_and_what_is_damaged_is_not() {
        let folder = std::env::temp_dir().join(format!("unisparse-store-{}", std::process::id()));
        assert!(read(&folder).is_none());
        let mut rates = SHIPPED;
        rates.fork = 1234.0;
        let path = write(&folder, &rates).expect("the folder can be written");
        assert_eq!(read(&folder), Some(rates));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no draft is left");
        let text = fs::read_to_string(&path).unwrap();
        for damaged in [&text[..text.len() / 2], "", "\u{0}"] {
            fs::write(&path, damaged).unwrap();
            assert!(read(&folder).is_none());
        }
        fs::write(&path, text.repeat(1000)).unwrap();
        assert!(read(&folder).is_none());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let file = std::env::temp_dir().join(format!("unisparse-file-{}", std::process::id()));
        fs::write(&file, "no folder").unwrap();
        assert!(write(&file, &SHIPPED).is_none());
        assert!(write(&file.join("below"), &SHIPPED).is_none());
        fs::remove_file(&file).unwrap();
    }
}
