//! The constants of the cost model for this machine: measured once, kept in a file, else those that are shipped.

mod probe;
mod store;

use core::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::rates::{Rates, SHIPPED};

/// The constants in use, once they have been needed.
static CURRENT: RwLock<Option<Arc<Rates>>> = RwLock::new(None);

/// Returns the constants in use: those of the last [`calibrate`] on this machine, else those that are shipped.
pub(crate) fn rates() -> Arc<Rates> {
    if let Some(rates) = &*CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
        return Arc::clone(rates);
    }
    let read = store::folder()
        .and_then(|folder| store::read(&folder))
        .unwrap_or(SHIPPED);
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(current.get_or_insert_with(|| Arc::new(read)))
}

/// What [`calibrate`] measured. `{}` prints it as text.
#[derive(Debug, Clone)]
pub struct Calibration {
    rates: Arc<Rates>,
    file: Option<PathBuf>,
}

impl Calibration {
    /// Returns the file that later processes read it from; `None` if it could not be written, or if the pool had fewer threads
    /// than the machine.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rates.fmt(f)
    }
}

/// Measures what the model of advice needs to know of this machine, on one thread and on all threads of the current `rayon`
/// pool: bandwidths and access times by working set, and the overheads of loops. Takes less than a second and 64 MiB.
///
/// From then on, all advice of this process uses the result. It is also written to the user's cache folder, where later
/// processes find it: `$XDG_CACHE_HOME/unisparse` or `~/.cache/unisparse`, on macOS `~/Library/Caches/unisparse`, on Windows
/// `%LOCALAPPDATA%\unisparse`. Without a calibration, advice uses constants of an x86-64 server.
pub fn calibrate() -> Calibration {
    let rates = Arc::new(probe::measure());
    // Later processes may have all threads, of which a smaller pool knows nothing.
    let is_whole = std::thread::available_parallelism().is_ok_and(|all| rayon::current_num_threads() >= all.get());
    let folder = store::folder().filter(|_| is_whole);
    let file = folder.and_then(|folder| store::write(&folder, &rates));
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&rates));
    Calibration { rates, file }
}
