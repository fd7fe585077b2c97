//! Files that several processes read and write: each is written as a whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number with which a hash starts.
pub(crate) const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the FNV-1a hash of bytes after others with the hash `start`. Unlike hashes of the standard library, it is the same in
/// every build.
pub(crate) fn hash(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the bytes of a file, or `None` if it cannot be read, or has more than `most`.
pub(crate) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let (file, mut bytes) = (File::open(path).ok()?, Vec::new());
    // The length that the file says it has may be that of another moment.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// Writes a file, and the folders in which it is, in one step: another process, or thread, reads all of it or none.
///
/// # Errors
/// What the system reports. Then nothing is left.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    replace(path, |file| file.write_all(bytes))
}

/// Writes a file in one step, as [`Draft`] does.
///
/// # Errors
/// Those of `print`, and what the system reports, with the path if no file can be created. Then a plain file is what it was.
pub(crate) fn replace(path: &Path, print: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let named = |cause: io::Error| io::Error::new(cause.kind(), format!("{}: {cause}", path.display()));
    let (draft, mut file) = Draft::create(path).map_err(named)?;
    print(&mut file)?;
    drop(file);
    draft.finish()
}

/// A file that is written beside the one that it replaces: until all of it is written, the path leads to what was there before. What is
/// no plain file, such as a pipe or a link, is written in place.
///
/// A draft that is not finished is removed.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    suffix: String,
    /// Those of the file that is replaced, if there is one.
    permissions: Option<fs::Permissions>,
}

impl Draft {
    /// Creates the file to write, which is empty.
    ///
    /// # Errors
    /// What the system reports, and if there is a file that may not be written: it may not be replaced either.
    pub fn create(path: &Path) -> io::Result<(Self, File)> {
        static DRAFTS: AtomicU64 = AtomicU64::new(0);
        let before = fs::symlink_metadata(path).ok();
        let mut draft = Draft {
            path: path.to_owned(),
            suffix: String::new(),
            permissions: before.as_ref().map(fs::Metadata::permissions),
        };
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            return Ok((draft, File::create(path)?));
        }
        if before.is_some() {
            File::options().write(true).open(path)?;
        }
        let suffix = format!(".{}.{}", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
        let file = File::create_new(Self::beside(path, &suffix))?;
        // Only now there is something to remove.
        draft.suffix = suffix;
        Ok((draft, file))
    }

    /// What the path of the draft ends in after the path that it replaces; empty where that is written in place.
    #[must_use]
    pub fn suffix(&self) -> &str {
        &self.suffix
    }

    /// Returns the path of a draft with this suffix.
    #[must_use]
    pub fn beside(path: &Path, suffix: &str) -> PathBuf {
        let mut draft = OsString::from(path);
        draft.push(suffix);
        draft.into()
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// What the system reports. Then the file is what it was.
    pub fn finish(mut self) -> io::Result<()> {
        if self.suffix.is_empty() {
            return Ok(());
        }
        let draft = Self::beside(&self.path, &self.suffix);
        if let Some(permissions) = self.permissions.take() {
            fs::set_permissions(&draft, permissions)?;
        }
        fs::rename(draft, &self.path)?;
        self.suffix.clear();
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.suffix.is_empty() {
            // What is left of the draft is of no use to anybody.
            let _ = fs::remove_file(Self::beside(&self.path, &self.suffix));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_as_a_whole_and_drafts_are_removed() {
        let folder = std::env::temp_dir().join(format!("unisparse-files-{}", std::process::id()));
        let count = || fs::read_dir(&folder).unwrap().count();
        let path = folder.join("below").join("file");
        write(&path, b"before").unwrap();
        write(&path, b"after").unwrap();
        assert_eq!((read(&path, 5), read(&path, 4)), (Some(b"after".to_vec()), None));
        assert_eq!((read(&folder, 5), read(&folder.join("missing"), 5)), (None, None));
        // A folder is in the way.
        assert!(write(&folder.join("below"), b"file").is_err());
        assert_eq!(count(), 1, "no draft is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn hashes_are_those_of_fnv() {
        assert_eq!(hash(HASH_START, b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(hash(hash(HASH_START, b"foo"), b"bar"), hash(HASH_START, b"foobar"));
    }
}
