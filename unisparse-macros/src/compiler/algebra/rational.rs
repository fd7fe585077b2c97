//! Rational numbers in `i128`. A result that does not fit is *lost*; results of lost numbers are lost, and never zero.

use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rational {
    numerator: i128,
    /// Positive and in lowest terms; zero marks a lost number.
    denominator: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl Rational {
    const LOST: Rational = Rational {
        numerator: 1,
        denominator: 0,
    };
    pub(crate) const ZERO: Rational = Rational {
        numerator: 0,
        denominator: 1,
    };
    pub(crate) const ONE: Rational = Rational {
        numerator: 1,
        denominator: 1,
    };

    pub(crate) fn integer(value: i128) -> Self {
        Rational {
            numerator: value,
            denominator: 1,
        }
    }

    fn reduced(numerator: Option<i128>, denominator: Option<i128>) -> Self {
        let (Some(numerator), Some(denominator)) = (numerator, denominator) else {
            return Self::LOST;
        };
        if denominator == 0 {
            return Self::LOST;
        }
        let divisor = gcd(numerator, denominator) * denominator.signum();
        match (numerator.checked_div(divisor), denominator.checked_div(divisor)) {
            (Some(numerator), Some(denominator)) => Rational { numerator, denominator },
            _ => Self::LOST,
        }
    }

    pub(crate) fn is_lost(self) -> bool {
        self.denominator == 0
    }

    pub(crate) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(crate) fn numerator(self) -> i128 {
        self.numerator
    }

    pub(crate) fn denominator(self) -> i128 {
        self.denominator
    }

    pub(crate) fn as_integer(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// Returns the integer, or a lost number.
    fn fitting(value: Option<i128>) -> Self {
        value.map_or(Self::LOST, Self::integer)
    }

    pub(crate) fn add(self, other: Self) -> Self {
        // Nearly all numbers are integers, which need no greatest common divisor.
        if let (Some(left), Some(right)) = (self.as_integer(), other.as_integer()) {
            return Self::fitting(left.checked_add(right));
        }
        let left = self.numerator.checked_mul(other.denominator);
        let right = other.numerator.checked_mul(self.denominator);
        let sum = left.zip(right).and_then(|(left, right)| left.checked_add(right));
        Self::reduced(sum, self.denominator.checked_mul(other.denominator))
    }

    pub(crate) fn neg(self) -> Self {
        match self.numerator.checked_neg() {
            Some(numerator) if !self.is_lost() => Rational { numerator, ..self },
            _ => Self::LOST,
        }
    }

    pub(crate) fn mul(self, other: Self) -> Self {
        if let (Some(left), Some(right)) = (self.as_integer(), other.as_integer()) {
            return Self::fitting(left.checked_mul(right));
        }
        Self::reduced(
            self.numerator.checked_mul(other.numerator),
            self.denominator.checked_mul(other.denominator),
        )
    }

    /// Returns the reciprocal of a nonzero number.
    pub(crate) fn inverse(self) -> Self {
        if self.is_lost() {
            self
        } else {
            Self::reduced(Some(self.denominator), Some(self.numerator))
        }
    }

    /// Returns the sign; `None` for a lost number.
    pub(crate) fn sign(self) -> Option<Ordering> {
        (!self.is_lost()).then(|| self.numerator.cmp(&0))
    }
}
