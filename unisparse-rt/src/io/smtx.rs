//! The pattern format of the Deep Learning Matrix Collection.

use super::files::{read_file, write_file};
use super::pieces::Cut;
use super::scanner::Scanner;
use super::text::Stream;
use super::{InFile, ReadError, ReadErrorKind, ReadScalar, TRUSTED_COUNT};
use crate::convert::assemble::by_dims::in_logical_order;
use crate::machine::pages;
use crate::report::advance;
use crate::source::Source;
use crate::triplets::Triplets;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;

/// Number of bytes that a word and the blank behind it are expected to take.
const BYTES_PER_WORD: usize = 4;

/// Reads a DLMC `.smtx` file, plain or gzip. See [`parse_smtx`].
///
/// # Errors
/// As [`parse_smtx`], and [`ReadErrorKind::Io`] if the file cannot be opened.
pub fn read_smtx<T: InFile<Number: ReadScalar>>(path: impl AsRef<Path>) -> Result<Triplets<T, 2>, ReadError> {
    read_file(path.as_ref(), parse_smtx)
}

/// Reads the text of a DLMC `.smtx` file, plain or gzip.
///
/// It has a line with the numbers of rows, columns and entries, a line with the offset of each row and the end of the last row, and a line with the
/// column indices of all rows, counted from 0. The numbers are separated by commas or blanks.
///
/// The file contains a pattern, so every value is [`UNIT`](crate::Stored::UNIT): one. Lines that begin with
/// `%` are comments, and blank lines are skipped.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Triplets, io};
/// let pattern: Triplets<f32, 2> = io::parse_smtx("2, 4, 3\n0 2 3\n1 3 0\n".as_bytes())?;
/// assert_eq!(pattern.coordinates(), [[0, 1], [0, 3], [1, 0]]);
/// # Ok::<(), io::ReadError>(())
/// ```
///
/// # Errors
/// - [`Size`](ReadErrorKind::Size): a size is not a count.
/// - [`Index`](ReadErrorKind::Index): the offsets do not begin with 0, decrease, or do not end with
///   the number of entries; a column index is not below the number of columns.
/// - [`Number`](ReadErrorKind::Number): a number was expected, but the word is not one.
/// - [`Missing`](ReadErrorKind::Missing), [`Trailing`](ReadErrorKind::Trailing),
///   [`TooFew`](ReadErrorKind::TooFew), [`TooMany`](ReadErrorKind::TooMany): a line or the file is
///   too short or too long.
/// - [`Io`](ReadErrorKind::Io), [`TooLong`](ReadErrorKind::TooLong): see there.
pub fn parse_smtx<T: InFile<Number: ReadScalar>, R: Read>(reader: R) -> Result<Triplets<T, 2>, ReadError> {
    parse(Scanner::new(reader)?)
}

/// Writes the pattern of a matrix to the DLMC `.smtx` file at `path`, as gzip if its name ends in `.gz`. See [`write_smtx_to`].
///
/// # Errors
/// As [`write_smtx_to`], and those of creating and writing the file.
pub fn write_smtx<S: Source<2>>(path: impl AsRef<Path>, matrix: &S) -> io::Result<()> {
    write_file(path.as_ref(), |writer| write_smtx_to(writer, matrix))
}

/// Writes the pattern of a matrix as the text of a DLMC `.smtx` file: the rows in order, the columns of each ascending. The file has
/// no values. Takes memory for all coordinates.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Triplets, io};
/// let matrix = Triplets::try_from_triplets([2, 4], [([1, 0], 0.5), ([0, 3], 1.0), ([0, 1], 2.0)])?;
/// let mut text = Vec::new();
/// io::write_smtx_to(&mut text, &matrix)?;
/// assert_eq!(text, b"2, 4, 3\n0 2 3\n1 3 0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the writer; `InvalidInput` if coordinates are repeated, and the policy of the matrix refuses that.
pub fn write_smtx_to<S: Source<2>>(writer: &mut dyn io::Write, matrix: &S) -> io::Result<()> {
    let elements =
        in_logical_order("smtx", matrix).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let ([rows, columns], coordinates) = (matrix.shape(), elements.coordinates);
    writeln!(writer, "{rows}, {columns}, {}", coordinates.len())?;
    let mut entry = 0;
    write!(writer, "0")?;
    for row in 0..rows {
        while coordinates.get(entry).is_some_and(|&[i, _]| i == row) {
            entry += 1;
        }
        write!(writer, " {entry}")?;
    }
    writeln!(writer)?;
    for (entry, [_, column]) in coordinates.iter().enumerate() {
        write!(writer, "{}{column}", if entry == 0 { "" } else { " " })?;
        if entry % REPORTED == 0 {
            advance(entry, coordinates.len());
        }
    }
    writeln!(writer)
}

/// Number of entries that are written between two reports of progress.
const REPORTED: usize = 1 << 16;

/// Reads the text of a scanner.
pub(super) fn parse<T: InFile<Number: ReadScalar>>(
    mut scanner: Scanner<Stream<'_>>,
) -> Result<Triplets<T, 2>, ReadError> {
    scanner.comments_begin_with(b'%');
    scanner.separate_at(b',');

    expect_line(&mut scanner, "the size line")?;
    let rows = scanner.size("row count")?;
    scanner.expect("the column count")?;
    let columns = scanner.size("column count")?;
    scanner.expect("the entry count")?;
    let count = scanner.size("entry count")?;
    if count > 0 && (rows == 0 || columns == 0) {
        return Err(scanner.fault(ReadErrorKind::Size, "entry count", "0 in an empty matrix"));
    }
    scanner.expect_line_end()?;

    let row_ends = row_ends(&mut scanner, rows, count)?;
    let coordinates = coordinates(&mut scanner, &row_ends, columns)?;
    scanner.expect_line_end()?;
    scanner.expect_file_end()?;
    let values = vec![T::UNIT; coordinates.len()];
    Ok(Triplets::from_checked([rows, columns], coordinates, values))
}

/// Reads the line of the row offsets, and returns the ends of the rows.
fn row_ends(scanner: &mut Scanner<Stream<'_>>, rows: usize, count: usize) -> Result<Vec<usize>, ReadError> {
    expect_line(scanner, "the row offsets")?;
    scanner.index("row offset", 0..=0)?;
    let mut ends = Vec::with_capacity(rows.min(TRUSTED_COUNT));
    let parse = |piece: &mut Scanner<&[u8]>| words(piece, "row offset", 0..=count);
    scanner.in_pieces(Cut::Words, parse, |mut part| {
        let before = ends.last().copied().unwrap_or(0);
        let (fits, is_last) = (part.len() <= rows - ends.len(), part.len() == rows - ends.len());
        let is_valid = fits
            && part.is_sorted()
            && part.first().is_none_or(|&first| first >= before)
            && (!is_last || part.last() == Some(&count));
        if is_valid {
            ends.append(&mut part);
        }
        is_valid
    });
    while ends.len() < rows {
        scanner.expect("a row offset")?;
        let before = ends.last().copied().unwrap_or(0);
        let least = if ends.len() + 1 == rows { count } else { before };
        ends.push(scanner.index("row offset", least..=count)?);
    }
    scanner.expect_line_end()?;
    Ok(ends)
}

/// Reads the line of the column indices, if there are any, and returns the coordinates of the entries.
fn coordinates(
    scanner: &mut Scanner<Stream<'_>>,
    row_ends: &[usize],
    columns: usize,
) -> Result<Vec<[usize; 2]>, ReadError> {
    let count = row_ends.last().copied().unwrap_or(0);
    let mut coordinates = Vec::with_capacity(count.min(TRUSTED_COUNT));
    if count == 0 {
        return Ok(coordinates);
    }
    let mut row = 0;
    let mut push = |coordinates: &mut Vec<_>, column| {
        while row_ends[row] == coordinates.len() {
            row += 1;
        }
        coordinates.push([row, column]);
    };
    let range = 0..=columns - 1;
    expect_line(scanner, "the column indices")?;
    push(&mut coordinates, scanner.index("column index", range.clone())?);
    let parse = |piece: &mut Scanner<&[u8]>| words(piece, "column index", range.clone());
    scanner.in_pieces(Cut::Words, parse, |part| {
        let fits = part.len() <= count - coordinates.len();
        if fits {
            pages::reserve(&mut coordinates, part.len());
            part.into_iter().for_each(|column| push(&mut coordinates, column));
        }
        fits
    });
    while coordinates.len() < count {
        scanner.expect("a column index")?;
        push(&mut coordinates, scanner.index("column index", range.clone())?);
    }
    Ok(coordinates)
}

/// Reads the words of a piece of a line as indices in `range`.
fn words(piece: &mut Scanner<&[u8]>, what: &str, range: RangeInclusive<usize>) -> Result<Vec<usize>, ReadError> {
    let mut indices = Vec::with_capacity(piece.text.len() / BYTES_PER_WORD);
    loop {
        piece.plain_words(|words| {
            while let Some(index) = words.index(&range) {
                indices.push(index);
            }
        });
        if !piece.advance()? {
            return Ok(indices);
        }
        indices.push(piece.index(what, range.clone())?);
    }
}

/// Moves to the next line; an error if there is none.
fn expect_line(scanner: &mut Scanner<Stream<'_>>, expected: &str) -> Result<(), ReadError> {
    if scanner.next_line()? {
        return Ok(());
    }
    Err(scanner.fault_at_end(ReadErrorKind::TooFew, "the end of the file", expected))
}
