//! What can be wrong with the data a format is made of.

use core::fmt;

/// Why a tensor, its storage or a kernel's operands were refused.
///
/// Every error of the run time that is not about reading a file is one of these. It names the kernel, if one
/// gave it, the level (or operand), the position in that level's array, what was found and what was expected.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    kernel: Option<&'static str>,
    kind: ErrorKind,
    subject: Box<str>,
    position: Option<usize>,
    found: Box<str>,
    expected: Box<str>,
    sentence: Option<Box<str>>,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A coordinate lies outside the shape, or an index outside the domain of its level.
    OutOfBounds,
    /// Two elements have one coordinate, and the policy is [`Duplicates::Reject`](crate::Duplicates::Reject);
    /// or two parts of a hybrid hold it.
    Duplicate,
    /// Two arrays that belong together have lengths that do not fit.
    Length,
    /// The entries of a level are not in their order, or a pointer array decreases.
    Order,
    /// An index, a pointer or a size does not fit its type, the result of a query does not fit `i64`, or a coordinate that is
    /// a value of a kernel does not fit its elements.
    Overflow,
    /// A position is filled that its format must leave empty, or the other way round; or an entry is not where
    /// the queries of its format place it.
    Structure,
    /// The storage, or a table that a query needs, would take more bytes than the limit allows or the machine has.
    Limit,
    /// The shapes of a kernel's operands, or of a hybrid's parts, do not fit.
    Shape,
    /// A function that a kernel calls takes or gives another type than the elements have, or a literal does not fit them.
    Type,
}

impl Error {
    /// An error about `subject` (a level, an array, an operand): `found` against `expected`.
    #[must_use]
    pub fn new(
        kind: ErrorKind,
        subject: impl Into<Box<str>>,
        position: Option<usize>,
        found: impl Into<Box<str>>,
        expected: impl Into<Box<str>>,
    ) -> Self {
        Error(Box::new(Details {
            kernel: None,
            kind,
            subject: subject.into(),
            position,
            found: found.into(),
            expected: expected.into(),
            sentence: None,
        }))
    }

    /// The same error, displayed as this sentence where "found .., expected .." would be clumsy.
    #[must_use]
    pub(crate) fn saying(mut self, sentence: impl Into<Box<str>>) -> Self {
        self.0.sentence = Some(sentence.into());
        self
    }

    /// The kernel that gave the error, if one did.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.0.kernel
    }

    /// What kind of fault this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The level, array or operand at fault.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// The position at fault within the subject, if it has one.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.0.position
    }

    /// What was found there.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// What would have been right.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.expected
    }
}

/// What a kernel gives, with its name in the error.
///
/// # Errors
/// That of the result.
pub fn in_kernel<T>(kernel: &'static str, result: Result<T, Error>) -> Result<T, Error> {
    result.map_err(|mut error| {
        error.0.kernel = Some(kernel);
        error
    })
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details {
            kernel,
            subject,
            position,
            found,
            expected,
            sentence,
            ..
        } = &*self.0;
        if let Some(kernel) = kernel {
            write!(f, "{kernel}: ")?;
        }
        if let Some(sentence) = sentence {
            return f.write_str(sentence);
        }
        write!(f, "{subject}")?;
        if let Some(position) = position {
            write!(f, ", position {position}")?;
        }
        write!(f, ": found {found}, expected {expected}")
    }
}

/// As it is displayed: `main` prints the errors it returns this way.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
