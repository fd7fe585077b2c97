//! The FROSTT tensor format.

use super::entries::Entries;
use super::files::{read_file, write_file};
use super::pieces::{Line, read_lines};
use super::plain::PlainWords;
use super::scanner::Scanner;
use super::text::{Stream, Text};
use super::write::write_entries;
use super::{BYTES_PER_ENTRY, InFile, ReadError, ReadErrorKind, ReadScalar, TRUSTED_COUNT, WriteScalar};
use crate::element::Stored;
use crate::source::Source;
use crate::triplets::Triplets;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::path::Path;

/// Reads a FROSTT `.tns` file of an `N`-dimensional tensor, plain or gzip. See [`parse_tns`].
///
/// # Errors
/// As [`parse_tns`], and [`ReadErrorKind::Io`] if the file cannot be opened.
pub fn read_tns<T: InFile<Number: ReadScalar>, const N: usize>(
    path: impl AsRef<Path>,
) -> Result<Triplets<T, N>, ReadError> {
    read_file(path.as_ref(), parse_tns)
}

/// Reads the text of a FROSTT `.tns` file, plain or gzip.
///
/// Each line has the `N` coordinates of an entry, counted from 1, and its value. Lines that begin
/// with `#` are comments. The extent of each dim is its largest coordinate, unless the file has one of two common
/// headers, which give the shape:
///
/// - ParTI's: a line with the number of dims, and a line with their extents.
/// - SparTen's: a line `sptensor`, these two lines, and a line with the number of entries. With
///   `indices-start-at-zero` on the first line the coordinates count from 0.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Triplets, io};
/// let tensor: Triplets<f64, 3> = io::parse_tns("# x y z\n1 2 3 0.5\n4 1 1 -2\n".as_bytes())?;
/// assert_eq!(tensor.shape(), [4, 2, 3]);
/// # Ok::<(), io::ReadError>(())
/// ```
///
/// # Errors
/// - [`Arity`](ReadErrorKind::Arity): a line is not `N` coordinates and a value, or the header does
///   not have `N` dims; the error says how many there are.
/// - [`Index`](ReadErrorKind::Index): a coordinate is below 1, or beyond the header's extent.
/// - [`TooFew`](ReadErrorKind::TooFew), [`TooMany`](ReadErrorKind::TooMany): there is neither an entry nor a
///   header to determine the shape, or the number of entries differs from the header's.
/// - [`Number`](ReadErrorKind::Number), [`Range`](ReadErrorKind::Range): a coordinate or value is not
///   a number, or `T` cannot hold the value.
/// - [`Size`](ReadErrorKind::Size), [`Banner`](ReadErrorKind::Banner),
///   [`Missing`](ReadErrorKind::Missing), [`Trailing`](ReadErrorKind::Trailing): the header is invalid in this respect.
/// - [`Io`](ReadErrorKind::Io), [`TooLong`](ReadErrorKind::TooLong): see there.
pub fn parse_tns<T: InFile<Number: ReadScalar>, const N: usize, R: Read>(
    reader: R,
) -> Result<Triplets<T, N>, ReadError> {
    parse(Scanner::new(reader)?)
}

/// Writes a tensor to the FROSTT `.tns` file at `path`, as gzip if its name ends in `.gz`. See [`write_tns_to`].
///
/// # Errors
/// As [`write_tns_to`], and those of creating and writing the file.
pub fn write_tns<S: Source<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
    path: impl AsRef<Path>,
    tensor: &S,
) -> io::Result<()> {
    write_file(path.as_ref(), |writer| write_tns_to(writer, tensor))
}

/// Writes a tensor as the text of a FROSTT `.tns` file: for each entry, in storage order, its coordinates from 1, and its value. If
/// the last coordinates of a dim have no entry, the extents come first, in ParTI's header. The text reads back as the same
/// entries; a [`Pattern`](crate::Pattern) is written as ones, which are read as numbers.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Triplets, io};
/// let tensor = Triplets::try_from_triplets([4, 1, 3], [([0, 0, 1], 0.5), ([2, 0, 2], -2.0)])?;
/// let mut text = Vec::new();
/// io::write_tns_to(&mut text, &tensor)?;
/// assert_eq!(text, b"3\n4 1 3\n1 1 2 0.5\n3 1 3 -2.0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the writer; `InvalidInput` for complex numbers, and for a tensor without coordinates, as an extent is zero: such files have
/// neither.
pub fn write_tns_to<S: Source<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
    writer: &mut dyn io::Write,
    tensor: &S,
) -> io::Result<()> {
    let refused = |what: &str| {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("no `.tns` file has {what}"),
        ))
    };
    if <S::Scalar as InFile>::Number::FIELD == "complex" {
        return refused("complex numbers");
    }
    let shape = tensor.shape();
    if shape.contains(&0) {
        return refused(&format!("the shape {shape:?}"));
    }
    // `count` is only an upper bound, so the entries are counted first.
    let (mut count, mut ends) = (0_usize, [0; N]);
    tensor.for_each(|coordinate, _| {
        count += 1;
        for (end, at) in ends.iter_mut().zip(coordinate) {
            *end = (at + 1).max(*end);
        }
    });
    if ends != shape {
        let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
        writeln!(writer, "{N}\n{}", extents.join(" "))?;
    }
    write_entries(writer, tensor, count, true)
}

/// Reads the text of a scanner.
pub(super) fn parse<T: InFile<Number: ReadScalar>, const N: usize>(
    mut scanner: Scanner<Stream<'_>>,
) -> Result<Triplets<T, N>, ReadError> {
    scanner.comments_begin_with(b'#');
    if !scanner.next_line()? {
        return Err(scanner.fault_at_end(ReadErrorKind::TooFew, "the end of the file", "an entry"));
    }
    let header = Header::<N>::parse(&mut scanner)?;
    let (first, last, count) = match &header {
        Some(Header { first, extents, count }) => (*first, extents.map(|extent| extent - 1 + first), *count),
        None => (1, [usize::MAX; N], None),
    };
    let line = EntryLine::<T, N> {
        first,
        last,
        elements: PhantomData,
    };
    let mut all = line.part(BYTES_PER_ENTRY * count.unwrap_or(0).min(TRUSTED_COUNT));
    if header.is_none() {
        line.read_rest(&mut scanner, true, &mut all)?;
    }
    let most = count.map_or(u128::MAX, |count| count as u128);
    read_lines(&mut scanner, &line, most, |part| all.append(part))?;
    if let Some(count) = count.filter(|&count| count > all.entries.len()) {
        return Err(scanner.too_few(all.entries.len() as u128, count));
    }
    scanner.expect_file_end()?;
    let shape = header.map_or_else(|| all.largest.map(|at| at + 1), |header| header.extents);
    Ok(all.entries.in_shape(shape))
}

/// The contents of a header.
struct Header<const N: usize> {
    /// The first coordinate: 0 or 1.
    first: usize,
    extents: [usize; N],
    count: Option<usize>,
}

impl<const N: usize> Header<N> {
    /// Reads the header that starts with the current word. If there is none, keeps the current word.
    fn parse(scanner: &mut Scanner<Stream<'_>>) -> Result<Option<Self>, ReadError> {
        let is_sptensor = scanner.word() == b"sptensor";
        if !is_sptensor && !scanner.at_line_end()? {
            return Ok(None);
        }
        let mut first = 1;
        if is_sptensor {
            if scanner.advance()? {
                if scanner.word() != b"indices-start-at-zero" {
                    return Err(scanner.fault(ReadErrorKind::Banner, "", "indices-start-at-zero"));
                }
                first = 0;
            }
            scanner.expect_line_end()?;
            expect_line(scanner, "the number of dims")?;
        }
        let dims = scanner.size("dim count")?;
        if dims != N {
            return Err(scanner.fault(ReadErrorKind::Arity, "dim count", N.to_string()));
        }
        scanner.expect_line_end()?;

        expect_line(scanner, "the extents")?;
        let mut extents = [0; N];
        for (dim, extent) in extents.iter_mut().enumerate() {
            if dim > 0 {
                scanner.expect("an extent")?;
            }
            *extent = scanner.size("extent")?;
            if *extent == 0 {
                return Err(scanner.fault(ReadErrorKind::Size, "extent", "at least 1"));
            }
        }
        scanner.expect_line_end()?;

        let mut count = None;
        if is_sptensor {
            expect_line(scanner, "the number of entries")?;
            count = Some(scanner.size("entry count")?);
            scanner.expect_line_end()?;
        }
        Ok(Some(Header { first, extents, count }))
    }
}

/// Moves to the next line of the header; an error if there is none.
fn expect_line(scanner: &mut Scanner<Stream<'_>>, expected: &str) -> Result<(), ReadError> {
    if scanner.next_line()? {
        return Ok(());
    }
    Err(scanner.fault_at_end(ReadErrorKind::Missing, "the end of the file", expected))
}

/// A line with the coordinates of an entry and its value.
struct EntryLine<T, const N: usize> {
    /// The first coordinate, in every dim.
    first: usize,
    last: [usize; N],
    elements: PhantomData<fn() -> T>,
}

/// The entries of some lines.
struct Part<T, const N: usize> {
    entries: Entries<T, N>,
    /// The largest coordinate in each dim.
    largest: [usize; N],
}

impl<T: Stored, const N: usize> Part<T, N> {
    #[inline]
    fn push(&mut self, coordinate: [usize; N], value: T) {
        self.entries.push(coordinate, value);
        self.include(coordinate);
    }

    #[inline]
    fn include(&mut self, coordinate: [usize; N]) {
        for (largest, at) in self.largest.iter_mut().zip(coordinate) {
            *largest = at.max(*largest);
        }
    }

    fn append(&mut self, other: Self) {
        self.entries.append(other.entries);
        self.include(other.largest);
    }
}

impl<T: InFile<Number: ReadScalar>, const N: usize> Line for EntryLine<T, N> {
    type Part = Part<T, N>;

    fn part(&self, bytes: usize) -> Part<T, N> {
        Part {
            entries: Entries::with_capacity(bytes / BYTES_PER_ENTRY),
            largest: [0; N],
        }
    }

    #[inline]
    fn read_plain(&self, words: &mut PlainWords<'_>, part: &mut Part<T, N>) -> Option<()> {
        let mut coordinate = [0; N];
        for (at, &last) in coordinate.iter_mut().zip(&self.last) {
            *at = words.index(&(self.first..=last))? - self.first;
        }
        let number = words.number::<T>()?;
        words.at_line_end().then(|| part.push(coordinate, T::of_number(number)))
    }

    fn read<S: Text>(&self, scanner: &mut Scanner<S>, part: &mut Part<T, N>) -> Result<(), ReadError> {
        self.read_rest(scanner, false, part)
    }
}

impl<T: InFile<Number: ReadScalar>, const N: usize> EntryLine<T, N> {
    /// Reads a line. If `has_word`, its first word is the current one, otherwise the next.
    fn read_rest<S: Text>(
        &self,
        scanner: &mut Scanner<S>,
        has_word: bool,
        part: &mut Part<T, N>,
    ) -> Result<(), ReadError> {
        let mut coordinate = [0; N];
        for (dim, (at, &last)) in coordinate.iter_mut().zip(&self.last).enumerate() {
            let is_current = has_word && dim == 0;
            if !is_current && !scanner.advance()? {
                return Err(arity_or::<N, S>(scanner, dim, None));
            }
            match scanner.index("coordinate", self.first..=last) {
                Ok(index) => *at = index - self.first,
                Err(error) => return Err(arity_or::<N, S>(scanner, dim + 1, Some(error))),
            }
        }
        if !scanner.advance()? {
            return Err(arity_or::<N, S>(scanner, N, None));
        }
        match scanner.number::<T>() {
            Ok(number) if scanner.at_line_end()? => {
                part.push(coordinate, T::of_number(number));
                Ok(())
            }
            Ok(_) => Err(arity_or::<N, S>(scanner, N + 1, None)),
            Err(error) => Err(arity_or::<N, S>(scanner, N + 1, Some(error))),
        }
    }
}

/// Returns the error for a line of which `words` words are read: a wrong number of words takes precedence over `error`, as
/// it explains other faults.
#[cold]
fn arity_or<const N: usize, S: Text>(
    scanner: &mut Scanner<S>,
    mut words: usize,
    error: Option<ReadError>,
) -> ReadError {
    let mut surplus = None;
    loop {
        match scanner.advance() {
            Ok(true) => words += 1,
            Ok(false) => break,
            Err(unreadable) => return unreadable,
        }
        if words == N + 2 {
            surplus = Some(scanner.position());
        }
    }
    match error {
        Some(error) if words == N + 1 => error,
        _ => ReadError::new(
            ReadErrorKind::Arity,
            surplus.unwrap_or_else(|| scanner.end_position()),
            format!("{} coordinates and a value", words - 1),
            format!("{N} coordinates and a value"),
        ),
    }
}
