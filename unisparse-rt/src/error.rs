//! Errors about the data that a format or a kernel is given.

use core::fmt;

/// The reason why a tensor, its storage or a kernel's operands were refused.
///
/// Every error of the run time except those of reading files has this type. It names the kernel, if one returned it, the
/// level (or operand), the position in that level's array, what was found and what was expected.
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
    /// or two parts of a hybrid contain the same coordinate.
    Duplicate,
    /// Two related arrays have lengths that do not fit.
    Length,
    /// The entries of a level are not in order, or a pointer array decreases.
    Order,
    /// An index, a pointer or a size does not fit its type; the result of a query does not fit `i64`; or a coordinate used as
    /// a value in a kernel does not fit the elements.
    Overflow,
    /// A position is filled that its format must leave empty, or vice versa; or an entry is not where
    /// the queries of its format place it.
    Structure,
    /// The storage, or a table that a query needs, would take more bytes than the limit allows or the machine has.
    Limit,
    /// The shapes of a kernel's operands, or of a hybrid's parts, do not match.
    Shape,
    /// A function that a kernel calls takes or returns another type than the elements', or a literal does not fit that type.
    Type,
}

impl Error {
    /// Creates an error about `subject` (a level, an array, an operand): `found` instead of `expected`.
    #[must_use]
    pub fn new(
        kind: ErrorKind,
        subject: impl Into<Box<str>>,
        position: Option<usize>,
        found: impl Into<Box<str>>,
        expected: impl Into<Box<str>>,
    ) -> Self {
        Self::of(kind, position, [subject.into(), found.into(), expected.into()])
    }

    /// As [`new`](Error::new); this code does not depend on the types of strings.
    #[cold]
    fn of(kind: ErrorKind, position: Option<usize>, [subject, found, expected]: [Box<str>; 3]) -> Self {
        Error(Box::new(Details {
            kernel: None,
            kind,
            subject,
            position,
            found,
            expected,
            sentence: None,
        }))
    }

    /// Sets the sentence to display where "found .., expected .." would be clumsy.
    #[must_use]
    pub(crate) fn saying(mut self, sentence: impl Into<Box<str>>) -> Self {
        self.0.sentence = Some(sentence.into());
        self
    }

    /// Returns the kernel that returned the error, if one did.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.0.kernel
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the level, array or operand at fault.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// Returns the position at fault within the subject, if there is one.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.0.position
    }

    /// Returns what was found.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// Returns what was expected.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.expected
    }
}

/// Adds the name of the kernel to an error.
///
/// # Errors
/// The error of `result`.
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

/// Prints as `Display` does, as `main` prints the errors it returns with `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
