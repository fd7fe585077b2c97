//! The pattern format of the Deep Learning Matrix Collection.

use super::scanner::Scanner;
use super::text::Stream;
use super::{InFile, ReadError, ReadErrorKind, ReadScalar, TRUSTED_COUNT, read_file};
use crate::triplets::Triplets;
use std::io::Read;
use std::path::Path;

/// Reads a DLMC `.smtx` file, plain or gzip. See [`parse_smtx`].
///
/// # Errors
/// As [`parse_smtx`], and [`ReadErrorKind::Io`] if the file cannot be opened.
pub fn read_smtx<T: InFile<Number: ReadScalar>>(path: impl AsRef<Path>) -> Result<Triplets<T, 2>, ReadError> {
    read_file(path.as_ref(), parse_smtx)
}

/// Reads the text of a DLMC `.smtx` file, plain or gzip: a line with the numbers of rows, columns
/// and entries, a line with the offset of each row and the end of the last row, and a line with the
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
    let mut scanner = Scanner::new(reader)?;
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

    expect_line(&mut scanner, "the row offsets")?;
    let mut row_ends = Vec::with_capacity(rows.min(TRUSTED_COUNT));
    let mut offset = scanner.index("row offset", 0..=0)?;
    for row in 1..=rows {
        scanner.expect("a row offset")?;
        let least = if row == rows { count } else { offset };
        offset = scanner.index("row offset", least..=count)?;
        row_ends.push(offset);
    }
    scanner.expect_line_end()?;

    let mut pattern = Triplets::with_capacity([rows, columns], count.min(TRUSTED_COUNT));
    if count > 0 {
        expect_line(&mut scanner, "the column indices")?;
    }
    for (row, &end) in row_ends.iter().enumerate() {
        while pattern.len() < end {
            if !pattern.is_empty() {
                scanner.expect("a column index")?;
            }
            let column = scanner.index("column index", 0..=columns - 1)?;
            let pushed = pattern.push([row, column], T::UNIT);
            debug_assert!(pushed.is_ok(), "the indices are checked");
        }
    }
    scanner.expect_line_end()?;
    scanner.expect_file_end()?;
    Ok(pattern)
}

/// Moves to the next line; an error if there is none.
fn expect_line(scanner: &mut Scanner<Stream<'_>>, expected: &str) -> Result<(), ReadError> {
    if scanner.next_line()? {
        return Ok(());
    }
    Err(scanner.fault_at_end(ReadErrorKind::TooFew, "the end of the file", expected))
}
