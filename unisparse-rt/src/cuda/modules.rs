//! Compiled kernels, kept in memory and in a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::driver::{Driver, Function};
use super::error::Error;
use super::launch::THREADS;
use crate::file::{self, HASH_START, hash};
use crate::kernel::c::Kernels;

/// The environment variable with the folder of compiled kernels.
const FOLDER: &str = "UNISPARSE_KERNEL_CACHE";

/// The version of the files in this folder: those of other versions are not read.
const VERSION: u32 = 2;

/// The greatest size of a file that is read, in bytes.
const LARGEST: u64 = 1 << 28;

/// How kernels are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    /// The name of the element type.
    pub(super) element: &'static str,
    /// The lanes of a group.
    pub(super) lanes: u32,
    /// Whether positions have 64 bits.
    pub(super) is_wide: bool,
}

impl Variant {
    /// Returns the whole text of the kernels.
    fn text(&self, kernels: &Kernels) -> String {
        let Variant {
            element,
            lanes,
            is_wide,
        } = self;
        let wide = if *is_wide { "#define UNISPARSE_WIDE\n" } else { "" };
        format!(
            "#define UNISPARSE_ELEMENT_{element}\n#define UNISPARSE_LANES {lanes}\n#define UNISPARSE_THREADS {THREADS}\n{wide}{}\n{}",
            kernels.prelude, kernels.text
        )
    }
}

/// The place of a text, which is one constant for each combination of formats, and its variant.
type Key = (usize, usize, Variant);

/// The kernels that were loaded.
pub(super) struct Modules {
    loaded: Mutex<HashMap<Key, Vec<Function>>>,
    /// The folder of compiled kernels.
    folder: Option<PathBuf>,
}

/// Returns the folder of compiled kernels that the environment names.
pub(super) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty())?;
    Some(PathBuf::from(folder))
}

impl Modules {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Modules {
            loaded: Mutex::default(),
            folder,
        }
    }

    /// Returns the kernel of each launch.
    pub(super) fn functions(
        &self,
        driver: &dyn Driver,
        kernels: &Kernels,
        variant: Variant,
    ) -> Result<Vec<Function>, Error> {
        let key = (kernels.text.as_ptr() as usize, kernels.text.len(), variant);
        // Held while compiling: another thread that needs the same kernels would only compile them, too.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(functions) = loaded.get(&key) {
            return Ok(functions.clone());
        }
        let text = variant.text(kernels);
        let names: Vec<&str> = kernels.launches.iter().map(|launch| launch.kernel).collect();
        let functions = self.load(driver, kernels.name, &text, &names)?;
        loaded.insert(key, functions.clone());
        Ok(functions)
    }

    fn load(&self, driver: &dyn Driver, name: &str, text: &str, kernels: &[&str]) -> Result<Vec<Function>, Error> {
        let path = self.folder.as_deref().map(|folder| path(folder, driver, name, text));
        let kept = path.as_ref().and_then(|path| file::read(path, LARGEST));
        if let Some(binary) = kept.as_deref().and_then(opened) {
            // A file that another driver made is replaced, as a damaged one is.
            // SAFETY: the binary has the length and the hash that it had when it was compiled.
            if let Ok(functions) = unsafe { driver.load(binary, kernels) } {
                return Ok(functions);
            }
        }
        let binary = driver.compile(name, text, kernels)?;
        if let Some(path) = path {
            // A folder that cannot be written only costs time.
            let _ = file::write(&path, &sealed(&binary));
        }
        // SAFETY: it was just compiled.
        unsafe { driver.load(&binary, kernels) }
    }
}

/// Returns the path of a compiled text.
fn path(folder: &Path, driver: &dyn Driver, name: &str, text: &str) -> PathBuf {
    let capability = driver.properties().capability;
    let key = format!("{VERSION}\n{}\n{text}", driver.options());
    let [first, second] = [HASH_START, HASH_START.rotate_left(32)].map(|start| hash(start, key.as_bytes()));
    folder.join(format!("{name}_sm{capability}_{first:016x}{second:016x}.cubin"))
}

/// Returns what a file has: the binary, its length and its hash. Drivers are given no length, so they would read on beyond the
/// end of a file that was cut.
fn sealed(binary: &[u8]) -> Vec<u8> {
    let hash = hash(HASH_START, binary);
    [binary, &(binary.len() as u64).to_le_bytes(), &hash.to_le_bytes()].concat()
}

/// Returns the binary that a file has, or `None` if the file is damaged.
fn opened(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, of_hash) = bytes.split_last_chunk()?;
    let (binary, of_len) = bytes.split_last_chunk()?;
    let is_whole = u64::from_le_bytes(*of_len) == binary.len() as u64;
    (is_whole && u64::from_le_bytes(*of_hash) == hash(HASH_START, binary)).then_some(binary)
}

#[cfg(test)]
mod tests {
    use super::{opened, sealed};

    #[test]
    fn a_file_that_was_cut_or_changed_is_not_opened() {
        let whole = sealed(b"the code of kernels");
        assert_eq!(opened(&whole), Some(&b"the code of kernels"[..]));
        assert_eq!(opened(&sealed(b"")), Some(&b""[..]));
        for at in 0..whole.len() {
            assert_eq!((opened(&whole[..at]), opened(&whole[at + 1..])), (None, None), "{at}");
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(opened(&changed), None, "{at}");
        }
    }
}
