//! What becomes of several elements at one coordinate.

use crate::element::Stored;
use crate::error::{Error, ErrorKind};

/// The policy for several triplets at one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Duplicates {
    /// Add them, in the order pushed, as finite-element assembly does. Elements without a sum ([`Stored::PLUS`]) are
    /// rejected.
    #[default]
    Sum,
    /// Keep the first one pushed.
    First,
    /// Keep the last one pushed.
    Last,
    /// Reject them with an [`ErrorKind::Duplicate`](crate::ErrorKind::Duplicate).
    Reject,
}

impl Duplicates {
    /// Returns the effective policy for elements of type `T`, which may have no sum.
    pub(crate) const fn of<T: Stored>(self) -> Self {
        match (self, T::PLUS) {
            (Duplicates::Sum, None) => Duplicates::Reject,
            _ => self,
        }
    }
}

/// Returns the error for several elements at a coordinate, which may be named as in ` [1, 0]`, of a format that rejects them.
#[cold]
pub(crate) fn twice(format: &str, coordinate: &str) -> Error {
    Error::new(
        ErrorKind::Duplicate,
        format!("format `{format}`"),
        None,
        format!("coordinate{coordinate} twice"),
        "each coordinate once (choose another `Duplicates` policy)",
    )
}
