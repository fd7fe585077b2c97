//! Integers as elements.

use super::{Element, FUNCTIONS, Reduction};

impl Element for i128 {
    fn zero() -> Self {
        0
    }

    fn literal(number: i64) -> Self {
        number.into()
    }

    fn is_zero(self) -> bool {
        self == 0
    }

    fn extreme(reduction: Reduction) -> Self {
        if reduction == Reduction::Min {
            i128::MAX
        } else {
            i128::MIN
        }
    }

    fn negated(self) -> Self {
        -self
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn reduced(self, other: Self, reduction: Reduction) -> Self {
        match reduction {
            Reduction::Set | Reduction::Plus => self + other,
            Reduction::Min => self.min(other),
            Reduction::Max => self.max(other),
            Reduction::Or => self | other,
            Reduction::And => self & other,
        }
    }

    /// Neither function is zero where its arguments are.
    fn call(function: usize, arguments: &[Self]) -> Self {
        match FUNCTIONS[function].0 {
            "curve" => (arguments[0] * arguments[0] + 7) % 23 - 5,
            _ => 3 + 2 * arguments[0] - arguments[1] * arguments[1] % 11,
        }
    }
}
