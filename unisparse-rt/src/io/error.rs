//! Errors of reading files.

use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file was refused: what was found, at which line and column, and what was expected.
///
/// ```text
/// cant.mtx:17:5: found column index 0, expected one from 1 to 62451
/// ```
pub struct ReadError(Box<Details>);

#[derive(Debug)]
struct Details {
    kind: ReadErrorKind,
    path: Option<PathBuf>,
    position: Position,
    found: String,
    expected: String,
    source: Option<io::Error>,
}

/// The kind of a [`ReadError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file could not be opened, read or unpacked; [`source`](std::error::Error::source) says why.
    Io,
    /// The banner is missing, or has a word the format does not know.
    Banner,
    /// The banner is valid, but its combination is not defined or the element type cannot hold it.
    Unsupported,
    /// A size is missing, negative, above 64 bits, or does not fit the other sizes.
    Size,
    /// The line ends where more was expected.
    Missing,
    /// The line continues where it should end.
    Trailing,
    /// A number was expected, but the word is not one.
    Number,
    /// The element type cannot hold the number.
    Range,
    /// An index, coordinate or offset lies outside its range.
    Index,
    /// The line of a `.tns` file has a different number of dims than requested.
    Arity,
    /// The file ends before all of its entries.
    TooFew,
    /// The file continues after its last entry.
    TooMany,
    /// A word or number is longer than 64 KiB.
    TooLong,
}

/// A position in a file, line and column counted from 1; 0 if there is none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl ReadError {
    /// Creates an error about the text at `position`.
    pub(super) fn new(
        kind: ReadErrorKind,
        position: Position,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let (found, expected) = (found.into(), expected.into());
        ReadError(Box::new(Details {
            kind,
            path: None,
            position,
            found,
            expected,
            source: None,
        }))
    }

    /// Creates an error of the reader at `position`.
    pub(super) fn io(error: io::Error, position: Position) -> Self {
        let mut this = ReadError::new(ReadErrorKind::Io, position, error.to_string(), "");
        this.0.source = Some(error);
        this
    }

    /// Adds the path of the file.
    pub(super) fn in_file(mut self, path: &Path) -> Self {
        self.0.path = Some(path.to_owned());
        self
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ReadErrorKind {
        self.0.kind
    }

    /// Returns the line at fault, counted from 1; 0 if the file could not be opened, or has no lines.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.position.line
    }

    /// Returns the column at fault, in bytes from 1: the start of the wrong word or number, or the end
    /// of the line if something is missing there; 0 if the file could not be opened.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.position.column
    }

    /// Returns the path of the file, if it was read by its path.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns what was found.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// Returns what was expected; empty for [`ReadErrorKind::Io`].
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.expected
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details {
            path,
            position: Position { line, column },
            found,
            expected,
            ..
        } = &*self.0;
        match path {
            Some(path) if *line == 0 => write!(f, "{}: ", path.display())?,
            Some(path) => write!(f, "{}:{line}:{column}: ", path.display())?,
            None if *line == 0 => {}
            None => write!(f, "line {line}, column {column}: ")?,
        }
        match self.kind() {
            ReadErrorKind::Io => write!(f, "{found}"),
            _ => write!(f, "found {found}, expected {expected}"),
        }
    }
}

/// Prints as `Display` does, as `main` prints the errors it returns with `Debug`.
impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}
