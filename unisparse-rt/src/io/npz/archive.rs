//! The arrays of a zip archive by name.

use std::collections::BTreeMap;
use std::io::{self, Read};

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::npy::{Array, Header, fault};
use crate::io::error::Position;
use crate::io::{ReadError, ReadErrorKind};

/// The ending of the name of an entry that is an array.
const ENDING: &[u8] = b".npy";

/// An archive in memory.
pub(super) struct Archive {
    zip: ZipSliceArchive<Vec<u8>>,
    entries: BTreeMap<String, (ZipArchiveEntryWayfinder, CompressionMethod)>,
}

/// Returns the error for bytes that are no archive, or not as they were written.
fn broken(error: rawzip::Error) -> ReadError {
    ReadError::io(io::Error::new(io::ErrorKind::InvalidData, error), Position::default())
}

impl Archive {
    /// Lists the arrays of an archive.
    ///
    /// # Errors
    /// `Io` if it is not a zip archive.
    fn new(bytes: Vec<u8>) -> Result<Self, ReadError> {
        let zip = ZipArchive::from_slice(bytes).map_err(broken)?;
        let mut entries = BTreeMap::new();
        let mut all = zip.entries();
        while let Some(entry) = all.next_entry().map_err(broken)? {
            let name = entry.file_path();
            if let Some(name) = name.as_bytes().strip_suffix(ENDING) {
                let name = String::from_utf8_lossy(name).into_owned();
                entries.insert(name, (entry.wayfinder(), entry.compression_method()));
            }
        }
        Ok(Archive { zip, entries })
    }

    /// Reads an archive into memory.
    ///
    /// # Errors
    /// As [`new`](Archive::new), and those of the reader.
    pub(super) fn read(reader: &mut dyn Read) -> Result<Self, ReadError> {
        let mut bytes = Vec::new();
        let unreadable = |error| ReadError::io(error, Position::default());
        reader.read_to_end(&mut bytes).map_err(unreadable)?;
        Archive::new(bytes)
    }

    /// Returns whether there is an array of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Reads an array. Takes memory for what the archive holds, whatever its header says.
    ///
    /// # Errors
    /// `Missing` if there is none of this name, `Unsupported` if it is compressed by another method than deflate, `Io` if it is
    /// not as it was written; those of the header.
    pub(super) fn array(&self, name: &str) -> Result<Array, ReadError> {
        let missing = || {
            fault(
                ReadErrorKind::Missing,
                format!("no array `{name}`"),
                format!("`{name}.npy`"),
            )
        };
        let &(entry, method) = self.entries.get(name).ok_or_else(missing)?;
        let entry = self.zip.get_entry(entry).map_err(broken)?;
        let data: Box<dyn Read> = match method {
            CompressionMethod::STORE => Box::new(entry.data()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(entry.data())),
            _ => {
                let found = format!("array `{name}` compressed by the method {}", method.as_u16());
                return Err(fault(
                    ReadErrorKind::Unsupported,
                    found,
                    "arrays that are stored or deflated",
                ));
            }
        };
        let mut data = entry.verifying_reader(data);
        let unreadable = |error| ReadError::io(error, Position::default());
        let header = Header::read(name, &mut data)?;
        let mut bytes = Vec::new();
        // The archive knows when the entry ends: one byte more is an error of the array.
        let most = u64::try_from(header.bytes()).unwrap_or(u64::MAX).saturating_add(1);
        data.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
        header.array(bytes)
    }
}
