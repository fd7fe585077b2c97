//! Files by their paths: opened and created, with reports of progress.

use super::ReadError;
use super::error::Position;
use crate::file;
use crate::report::{advance, conversion};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// Parses the file at `path` and adds the path to errors.
pub(super) fn read_file<V>(path: &Path, parse: impl FnOnce(Reported) -> Result<V, ReadError>) -> Result<V, ReadError> {
    let open = || {
        let file = File::open(path)?;
        let total = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        Ok(Reported { file, done: 0, total })
    };
    let _reading = conversion("read a file");
    open()
        .map_err(|cause| ReadError::io(cause, Position::default()))
        .and_then(parse)
        .map_err(|error| error.in_file(path))
}

/// A file that reports how many of its bytes are read.
pub(super) struct Reported {
    file: File,
    done: usize,
    total: usize,
}

impl Read for Reported {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.done += count;
        advance(self.done, self.total.max(self.done));
        Ok(count)
    }
}

/// Writes text to the file at `path`, as gzip if its name ends in `.gz`. A file that cannot be written whole stays as it was.
pub(super) fn write_file(
    path: &Path,
    print: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let is_packed = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    create(path, |writer| {
        if !is_packed {
            return print(writer);
        }
        let mut packed = GzEncoder::new(writer, Compression::default());
        print(&mut packed)?;
        packed.finish().map(drop)
    })
}

/// Writes the file at `path`. A file that cannot be written whole stays as it was.
pub(super) fn create(path: &Path, print: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let _writing = conversion("write a file");
    file::replace(path, |file| {
        let mut writer = BufWriter::new(file);
        print(&mut writer)?;
        writer.flush()
    })
}
