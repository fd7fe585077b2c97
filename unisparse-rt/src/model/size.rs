//! The size of a tensor that was not built.

use core::iter::Sum;

/// The size of a tensor that was not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    pub(super) stored: u128,
    pub(super) bytes: u128,
    pub(super) peak: u128,
}

impl Estimate {
    /// Returns the number of positions the tensor would hold, including holes. Exact.
    #[must_use]
    pub fn stored(&self) -> u128 {
        self.stored
    }

    /// Returns the bytes of all arrays. Exact.
    #[must_use]
    pub fn bytes(&self) -> u128 {
        self.bytes
    }

    /// Returns this size with other bytes.
    pub(super) fn with_bytes(self, bytes: u128) -> Self {
        Estimate { bytes, ..self }
    }

    /// Returns an upper bound of the bytes allocated at once during the conversion: the result, and the keys and values that it
    /// sorts. The tables of queries are not included.
    #[must_use]
    pub fn peak(&self) -> u128 {
        self.peak
    }
}

impl Sum for Estimate {
    /// Sums the sizes of parts that are converted one after the other.
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let nothing = Estimate {
            stored: 0,
            bytes: 0,
            peak: 0,
        };
        parts.fold(nothing, |sum, part| Estimate {
            stored: sum.stored.saturating_add(part.stored),
            bytes: sum.bytes.saturating_add(part.bytes),
            peak: sum.peak.max(sum.bytes.saturating_add(part.peak)),
        })
    }
}
