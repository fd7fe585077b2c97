//! A zip archive of arrays that is written.

use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::arrays::refused;
use super::npy::header;
use super::values::Bytes;

/// Number of bytes that are collected before they are compressed.
const BUFFER_BYTES: usize = 64 * 1024;

/// The bytes of an element.
struct Element {
    bytes: [u8; 16],
    length: usize,
}

impl Element {
    fn of(from: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes[..from.len()].copy_from_slice(from);
        Element {
            bytes,
            length: from.len(),
        }
    }
}

impl AsRef<[u8]> for Element {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// An archive that is written.
pub(super) struct Zip<W: Write>(ZipArchiveWriter<W>);

impl<W: Write> Zip<W> {
    pub(super) fn new(writer: W) -> Self {
        Zip(ZipArchiveWriter::new(writer))
    }

    /// Writes the directory of the archive.
    pub(super) fn finish(self) -> io::Result<()> {
        self.0.finish().map_err(io::Error::other).map(drop)
    }

    /// Writes integer arrays in the type that scipy takes for them: that of the extents and of all entries. Returns its name.
    pub(super) fn integers<'a>(
        &mut self,
        arrays: impl Iterator<Item = (&'a str, &'a [usize], &'a [i64])> + Clone,
        extents: &[usize],
    ) -> io::Result<&'static str> {
        let all_fit = |fits: fn(i64) -> bool| {
            arrays
                .clone()
                .all(|(_, _, entries)| entries.iter().all(|&entry| fits(entry)))
        };
        let is_narrow = extents.iter().all(|&extent| i32::try_from(extent).is_ok())
            && all_fit(|entry| i32::try_from(entry).is_ok());
        if extents.iter().any(|&extent| i64::try_from(extent).is_err()) {
            return Err(refused(format!("an extent of {extents:?} does not fit int64")));
        }
        for (name, shape, entries) in arrays.clone() {
            if is_narrow {
                self.array(
                    name,
                    "<i4",
                    shape,
                    entries.iter().map(|&entry| (entry as i32).to_le_bytes()),
                )?;
            } else {
                self.array(name, "<i8", shape, entries.iter().map(|&entry| entry.to_le_bytes()))?;
            }
        }
        Ok(if is_narrow { "int32" } else { "int64" })
    }

    /// Writes an array of values with this type in its header.
    pub(super) fn values<V, B: Bytes<V>>(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        values: impl Iterator<Item = V>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        let elements = values.map(|value| {
            bytes.clear();
            B::append(value, &mut bytes);
            Element::of(&bytes)
        });
        self.array(name, descr, shape, elements)
    }

    /// Writes an array with these elements in row-major order.
    pub(super) fn array(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        elements: impl Iterator<Item: AsRef<[u8]>>,
    ) -> io::Result<()> {
        let file = format!("{name}.npy");
        let file = self.0.new_file(&*file).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let encoder = DeflateEncoder::new(&mut entry, Compression::default());
        let mut writer = BufWriter::with_capacity(BUFFER_BYTES, config.wrap(encoder));
        writer.write_all(&header(descr, shape))?;
        for element in elements {
            writer.write_all(element.as_ref())?;
        }
        let writer = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        let (encoder, descriptor) = writer.finish().map_err(io::Error::other)?;
        encoder.finish()?;
        entry.finish(descriptor).map_err(io::Error::other).map(drop)
    }
}
