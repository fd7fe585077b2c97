//! Errors that all ranks return.

use std::fmt;

use unisparse::ErrorKind as TensorKind;
use unisparse::io::ReadErrorKind as FileKind;

/// The reason why a collective call failed: on every rank the same, that of the lowest rank that failed.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    rank: usize,
    kind: ErrorKind,
    message: String,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// MPI was initialized before, or cannot be used from one thread of several.
    Initialize,
    /// Elements, a format or operands were refused, as on one machine.
    Tensor(TensorKind),
    /// A file was refused.
    File(FileKind),
    /// A file cannot be written.
    Io,
    /// The ranks passed different arguments, or operands are divided among them in different ways.
    Partition,
    /// What the program itself reported.
    User,
}

/// The kinds as they are sent, by their numbers in this list.
const KINDS: [ErrorKind; 26] = [
    ErrorKind::User,
    ErrorKind::Initialize,
    ErrorKind::Io,
    ErrorKind::Partition,
    ErrorKind::Tensor(TensorKind::OutOfBounds),
    ErrorKind::Tensor(TensorKind::Duplicate),
    ErrorKind::Tensor(TensorKind::Length),
    ErrorKind::Tensor(TensorKind::Order),
    ErrorKind::Tensor(TensorKind::Overflow),
    ErrorKind::Tensor(TensorKind::Structure),
    ErrorKind::Tensor(TensorKind::Limit),
    ErrorKind::Tensor(TensorKind::Shape),
    ErrorKind::Tensor(TensorKind::Type),
    ErrorKind::File(FileKind::Io),
    ErrorKind::File(FileKind::Banner),
    ErrorKind::File(FileKind::Unsupported),
    ErrorKind::File(FileKind::Size),
    ErrorKind::File(FileKind::Missing),
    ErrorKind::File(FileKind::Trailing),
    ErrorKind::File(FileKind::Number),
    ErrorKind::File(FileKind::Range),
    ErrorKind::File(FileKind::Index),
    ErrorKind::File(FileKind::Arity),
    ErrorKind::File(FileKind::TooFew),
    ErrorKind::File(FileKind::TooMany),
    ErrorKind::File(FileKind::TooLong),
];

impl Error {
    /// Creates an error for [`World::agree`](crate::World::agree), which sets the rank.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error {
            rank: 0,
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn of_rank(rank: usize, kind: ErrorKind, message: String) -> Self {
        Error { rank, kind, message }
    }

    /// Returns the lowest rank that failed.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns what that rank reported.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn code(&self) -> u64 {
        KINDS.iter().position(|kind| *kind == self.kind).unwrap_or(0) as u64
    }

    pub(crate) fn of_code(rank: usize, code: u64, message: String) -> Self {
        let kind = usize::try_from(code).ok().and_then(|code| KINDS.get(code));
        Error::of_rank(rank, kind.copied().unwrap_or(ErrorKind::User), message)
    }
}

impl From<unisparse::Error> for Error {
    fn from(error: unisparse::Error) -> Self {
        Error::new(ErrorKind::Tensor(error.kind()), error.to_string())
    }
}

impl From<unisparse::io::ReadError> for Error {
    fn from(error: unisparse::io::ReadError) -> Self {
        Error::new(ErrorKind::File(error.kind()), error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {}", self.rank, self.message)
    }
}

/// Prints as `Display` does, as `main` prints the errors it returns with `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
