//! Matrix Market files of which each rank reads a part.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use unisparse::io::{InFile, ReadError, ReadErrorKind, ReadScalar, parse_matrix_market, read_matrix_market};
use unisparse::{SparseTensor, Triplets};

use super::{Distributed, Setup};
use crate::element::Element;
use crate::error::{Error, ErrorKind};
use crate::world::World;

/// Maximum number of bytes of a line up to the size line, for a file that is divided.
const LONGEST_LINE: u64 = 1 << 20;

/// Number of bytes that are read at once to count lines.
const CHUNK: usize = 1 << 20;

impl<F, H> Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element + InFile<Number: ReadScalar>>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Reads a Matrix Market file that all ranks can open. Each rank reads its range of the bytes of a plain `coordinate` file,
    /// twice: first it counts the entries, then it parses them. A file that is packed, or an `array`, is read by rank 0, which
    /// then needs memory for all elements.
    ///
    /// # Errors
    /// Those of [`read_matrix_market`](unisparse::io::read_matrix_market), with the line in the whole file, and of
    /// [`new`](Self::new).
    pub fn read_matrix_market(world: &World, path: impl AsRef<Path>) -> Result<Self, Error> {
        Setup::new(world).read_matrix_market(path)
    }
}

/// Reads this rank's part of a file.
pub(super) fn read_part<T>(world: &World, path: &Path) -> Result<Triplets<T, 2>, Error>
where
    T: Element + InFile<Number: ReadScalar>,
{
    let named = |error: io::Error| {
        let message = format!("{}: {error}", path.display());
        Error::new(ErrorKind::File(ReadErrorKind::Io), message)
    };
    let divided = world.agree(Head::read::<T>(path).map_err(named))?;
    let is_whole = world.least([u64::from(divided.is_some())])[0] == 0;
    let Some(head) = divided.filter(|_| !is_whole) else {
        return read_whole(world, path);
    };
    // Ranks may see files of their own, or a file that grows.
    world.same([("the head and the length of the file", &head.numbers())])?;
    let range = world.agree(head.range(path, world.rank(), world.size()).map_err(named))?;
    let counted = world.agree(count(path, &range).map_err(named))?;
    let all = world.all_gather(&[counted.lines, counted.entries]);
    let before = all.chunks_exact(2).take(world.rank());
    let lines_before = head.lines + before.map(|counted| counted[0]).sum::<u64>();
    let entries: u64 = all.chunks_exact(2).map(|counted| counted[1]).sum();

    let [rows, columns] = head.shape;
    let size = format!("{}\n{rows} {columns} {}\n", head.banner, counted.entries);
    let parsed = open(path, &range).map_err(named).and_then(|part| {
        let text = Cursor::new(size.into_bytes()).chain(part);
        parse_matrix_market::<T, _>(text).map_err(|error| moved(&error, path, lines_before))
    });
    let parsed = world.agree(parsed)?;
    if entries != head.entries {
        // All ranks find the same, as they have the same head.
        let kind = if entries < head.entries {
            ReadErrorKind::TooFew
        } else {
            ReadErrorKind::TooMany
        };
        let message = format!("{}: found {entries} entries, expected {}", path.display(), head.entries);
        return Err(Error::new(ErrorKind::File(kind), message));
    }
    Ok(parsed)
}

/// Reads the file on rank 0; the others have no elements.
fn read_whole<T>(world: &World, path: &Path) -> Result<Triplets<T, 2>, Error>
where
    T: Element + InFile<Number: ReadScalar>,
{
    let read = match world.rank() {
        0 => read_matrix_market::<T>(path),
        _ => Ok(Triplets::new([0, 0])),
    };
    let read = world.agree(read)?;
    let mut shape = read.shape().map(|extent| extent as u64);
    world.broadcast(0, &mut shape);
    match world.rank() {
        0 => Ok(read),
        _ => Ok(Triplets::new(shape.map(|extent| extent as usize))),
    }
}

/// Returns an error in a part of a file, whose text begins with a banner and a size, with its line in the whole file.
fn moved(error: &ReadError, path: &Path, lines_before: u64) -> Error {
    let line = (error.line() as u64).saturating_sub(2) + lines_before;
    let (found, expected) = (error.found(), error.expected());
    let message = match error.kind() {
        ReadErrorKind::Io => format!("{}:{line}: {found}", path.display()),
        _ => format!(
            "{}:{line}:{}: found {found}, expected {expected}",
            path.display(),
            error.column()
        ),
    };
    Error::new(ErrorKind::File(error.kind()), message)
}

/// A file up to its size line.
struct Head {
    banner: String,
    shape: [usize; 2],
    entries: u64,
    lines: u64,
    bytes: u64,
    /// The number of bytes of the whole file.
    length: u64,
}

impl Head {
    /// Reads the head; `None` if the file cannot be divided, or rank 0 will find an error in its head.
    fn read<T: InFile<Number: ReadScalar>>(path: &Path) -> io::Result<Option<Self>> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::new(file);
        let (mut text, mut lines) = (Vec::new(), 0);
        loop {
            let start = text.len();
            let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text)?;
            let is_packed = text.starts_with(&[0x1f, 0x8b]);
            if is_packed || read == 0 || (read as u64 == LONGEST_LINE && text.last() != Some(&b'\n')) {
                return Ok(None);
            }
            lines += 1;
            let line = text[start..].trim_ascii();
            if !(lines == 1 || line.is_empty() || line[0] == b'%') {
                return Ok(Head::of::<T>(&text, start, lines, length));
            }
        }
    }

    /// Returns the head whose size line begins at `size`, if it is that of a matrix that can be divided.
    fn of<T: InFile<Number: ReadScalar>>(text: &[u8], size: usize, lines: u64, length: u64) -> Option<Self> {
        // Without entries, this is an error only of the number of entries.
        match parse_matrix_market::<T, _>(text) {
            Ok(_) => {}
            Err(error) if error.kind() == ReadErrorKind::TooFew => {}
            Err(_) => return None,
        }
        let all = std::str::from_utf8(text).ok()?;
        let banner = all.lines().next()?.trim();
        let mut words = banner.split_ascii_whitespace().skip(1);
        let is = |word: Option<&str>, expected: &str| word.is_some_and(|word| word.eq_ignore_ascii_case(expected));
        if !is(words.next(), "matrix") || !is(words.next(), "coordinate") {
            return None;
        }
        let sizes: Vec<u64> = all[size..]
            .split_ascii_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let &[rows, columns, entries] = &sizes[..] else {
            return None;
        };
        Some(Head {
            banner: banner.to_owned(),
            shape: [usize::try_from(rows).ok()?, usize::try_from(columns).ok()?],
            entries,
            lines,
            bytes: text.len() as u64,
            length: length.max(text.len() as u64),
        })
    }

    /// Returns all of it as numbers, to compare it with that of other ranks.
    fn numbers(&self) -> Vec<u64> {
        let [rows, columns] = self.shape.map(|extent| extent as u64);
        let mut numbers = vec![rows, columns, self.entries, self.lines, self.bytes, self.length];
        numbers.extend(self.banner.bytes().map(u64::from));
        numbers
    }

    /// Returns the bytes of the lines that begin in a rank's share of the rest of the file.
    fn range(&self, path: &Path, rank: usize, ranks: usize) -> io::Result<Range<u64>> {
        let mut file = File::open(path)?;
        let mut start = |rank: usize| {
            let share = u128::from(self.length - self.bytes) * rank as u128 / ranks as u128;
            let at = self.bytes + share as u64;
            if rank == 0 || rank == ranks {
                return Ok(at);
            }
            // A line that begins at `at` has a line end before it.
            file.seek(SeekFrom::Start(at - 1))?;
            let mut reader = BufReader::new(&mut file);
            Ok::<u64, io::Error>(at - 1 + skip_line(&mut reader)?)
        };
        Ok(start(rank)?..start(rank + 1)?)
    }
}

/// Reads to the end of the line, and returns its number of bytes.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let bytes = reader.fill_buf()?;
        let (count, is_end) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        reader.consume(count);
        skipped += count as u64;
        if is_end {
            return Ok(skipped);
        }
    }
}

/// Opens a range of the bytes of a file.
fn open(path: &Path, range: &Range<u64>) -> io::Result<io::Take<File>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(range.start))?;
    Ok(file.take(range.end - range.start))
}

#[derive(Debug, PartialEq)]
struct Counted {
    lines: u64,
    entries: u64,
}

/// Counts the lines in a range of a file, and those that are neither blank nor comments.
fn count(path: &Path, range: &Range<u64>) -> io::Result<Counted> {
    let mut file = open(path, range)?;
    let mut chunk = vec![0; CHUNK];
    let mut counted = Counted { lines: 0, entries: 0 };
    // Whether only blanks were read since the last line end.
    let mut is_blank = true;
    loop {
        let read = match file.read(&mut chunk) {
            Ok(0) => return Ok(counted),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for byte in &chunk[..read] {
            match byte {
                b'\n' => (counted.lines, is_blank) = (counted.lines + 1, true),
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                _ if is_blank => {
                    is_blank = false;
                    counted.entries += u64::from(*byte != b'%');
                }
                _ => {}
            }
        }
    }
}
