//! Matrix Market files of which each rank writes a part.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::Path;

use unisparse::__private::Draft;
use unisparse::io::{InFile, WriteScalar, write_matrix_market_to};
use unisparse::{SparseTensor, Triplets};

use super::Distributed;
use crate::element::Element;
use crate::error::{Error, ErrorKind};

/// The lines of a text.
const BANNER: RangeInclusive<usize> = 0..=0;
const ENTRIES: RangeInclusive<usize> = 2..=usize::MAX;

impl<F, H> Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element + InFile<Number: WriteScalar>>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Writes a plain Matrix Market file to which all ranks can write: the elements of rank 0 first, each rank at its place. Until
    /// all is written, the text is in a file beside it, which then takes its place.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] with the error of the system, or if the name ends in `.gz`. Then the file is what it was.
    pub fn write_matrix_market(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (world, path, own) = (self.world(), path.as_ref(), self.to_triplets());
        let failed = |error: io::Error| Error::new(ErrorKind::Io, format!("{}: {error}", path.display()));
        let is_packed = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let unsupported = || io::Error::new(io::ErrorKind::Unsupported, "a packed file has no place for each rank");
        let mut banner = Lines::new(BANNER, Vec::new());
        let mut body = Lines::new(ENTRIES, Count(0));
        let counted = if is_packed { Err(unsupported()) } else { Ok(()) };
        let counted = counted
            .and_then(|()| write_matrix_market_to(&mut banner, &Triplets::<F::Scalar, 2>::new([0, 0])))
            .and_then(|()| write_matrix_market_to(&mut body, &own));
        world.agree(counted.map_err(failed))?;

        let [rows, columns] = self.shape();
        let size = format!("{rows} {columns} {}\n", self.nnz());
        let head = [&banner.inner[..], size.as_bytes()].concat();
        let before = world.all_gather(&[body.inner.0]);
        let at = head.len() as u64 + before[..world.rank()].iter().sum::<u64>();
        let created = if world.rank() == 0 {
            Draft::create(path).and_then(|(draft, mut file)| {
                file.write_all(&head)?;
                Ok(Some(draft))
            })
        } else {
            Ok(None)
        };
        let draft = world.agree(created.map_err(failed))?;
        let suffix = draft.as_ref().map_or("", Draft::suffix).as_bytes().to_vec();
        let suffix = world.text_of(0, suffix);
        let written = File::options()
            .write(true)
            .open(Draft::beside(path, &suffix))
            .and_then(|mut file| {
                file.seek(SeekFrom::Start(at))?;
                let mut text = Lines::new(ENTRIES, BufWriter::new(file));
                write_matrix_market_to(&mut text, &own)?;
                text.flush()
            });
        // A draft that is not finished is removed.
        world.agree(written.map_err(failed))?;
        world.agree(draft.map_or(Ok(()), Draft::finish).map_err(failed))
    }
}

/// Passes on the lines of a text in a range: the banner is line 0, the size line 1.
struct Lines<W> {
    range: RangeInclusive<usize>,
    /// The line that is written next.
    line: usize,
    inner: W,
}

impl<W: Write> Lines<W> {
    fn new(range: RangeInclusive<usize>, inner: W) -> Self {
        Lines { range, line: 0, inner }
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.line >= *self.range.start() && *self.range.end() == usize::MAX {
            // All that follows.
            return self.inner.write(text);
        }
        let count = text
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |at| at + 1);
        if self.range.contains(&self.line) {
            self.inner.write_all(&text[..count])?;
        }
        self.line += usize::from(text[..count].ends_with(b"\n"));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Counts bytes.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 += text.len() as u64;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
