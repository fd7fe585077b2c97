//! Compiled kernels, kept in memory and in a folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::driver::{Driver, Function};
use super::error::Error;
use super::launch::THREADS;
use crate::kernel::c::Kernels;

/// The environment variable with the folder of compiled kernels.
const FOLDER: &str = "UNISPARSE_KERNEL_CACHE";

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
        let file = self.folder.as_deref().map(|folder| file(folder, driver, name, text));
        if let Some(binary) = file.as_ref().and_then(|file| fs::read(file).ok()) {
            // A file that was damaged, or that another driver made, is replaced.
            if let Ok(functions) = driver.load(&binary, kernels) {
                return Ok(functions);
            }
        }
        let binary = driver.compile(name, text, kernels)?;
        if let Some(file) = file {
            keep(&file, &binary);
        }
        driver.load(&binary, kernels)
    }
}

/// Returns the file of a compiled text.
fn file(folder: &Path, driver: &dyn Driver, name: &str, text: &str) -> PathBuf {
    let capability = driver.properties().capability;
    let [first, second] = [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4].map(|start| hash(start, text));
    folder.join(format!("{name}_sm{capability}_{first:016x}{second:016x}.cubin"))
}

/// Returns the FNV-1a hash, which is the same in every build.
fn hash(start: u64, text: &str) -> u64 {
    text.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Writes a file in one step, so that another process reads all of it or none. A folder that cannot be written only costs
/// time, so errors are ignored.
fn keep(file: &Path, binary: &[u8]) {
    let part = file.with_extension(format!("{}.part", std::process::id()));
    let written = file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
    if written && fs::write(&part, binary).is_ok() && fs::rename(&part, file).is_err() {
        let _ = fs::remove_file(&part);
    }
}
