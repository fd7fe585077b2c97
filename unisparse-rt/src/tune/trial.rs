//! What was measured of a format.

use core::fmt;

/// A format that was built and measured.
#[derive(Debug, Clone)]
pub struct Trial {
    pub(super) format: String,
    pub(super) product: f64,
    pub(super) expected: f64,
    pub(super) conversion: f64,
    pub(super) expected_conversion: f64,
}

impl Trial {
    /// Returns the format and its const parameters.
    #[must_use]
    pub fn format(&self) -> &str {
        &self.format
    }

    /// Returns the measured seconds of one product.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.product
    }

    /// Returns the measured seconds of the conversion; 0 for the original.
    #[must_use]
    pub fn conversion_seconds(&self) -> f64 {
        self.conversion
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds =
            [self.product, self.expected, self.conversion, self.expected_conversion].map(|time| 1e3 * time);
        let [product, expected, conversion, expected_conversion] = milliseconds;
        write!(
            f,
            "{}: {product:.4} ms (expected {expected:.4}), converted in {conversion:.3} ms (expected {expected_conversion:.3})",
            self.format
        )
    }
}
