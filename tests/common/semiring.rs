//! A semiring of a user's own.

use unisparse::Scalar;

/// The min-plus semiring: the lesser of two lengths, the sum of two lengths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MinPlus(pub f64);

impl Scalar for MinPlus {
    type Sum = Self;
    const ZERO: Self = MinPlus(f64::INFINITY);
    const ONE: Self = MinPlus(0.0);
    fn plus(self, other: Self) -> Self {
        MinPlus(self.0.min(other.0))
    }
    fn times(self, other: Self) -> Self {
        MinPlus(self.0 + other.0)
    }
}
