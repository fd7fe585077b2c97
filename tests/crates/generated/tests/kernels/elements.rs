//! Elements of several types, as the evaluator sees them.

#[path = "../../../../common/semiring.rs"]
mod semiring;

use super::statement::{Element, Reduction};
pub(crate) use semiring::MinPlus;
use unisparse::{Complex64, Ordered, Scalar};

macro_rules! numbers {
    ($number:ty) => {
        impl Element for $number {
            fn zero() -> Self {
                0 as $number
            }

            fn literal(number: i64) -> Self {
                number as $number
            }

            fn is_zero(self) -> bool {
                self == 0 as $number
            }

            fn extreme(reduction: Reduction) -> Self {
                extreme(reduction)
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
                    Reduction::Or | Reduction::And => bits(self as i64, other as i64, reduction) as $number,
                }
            }

            fn call(function: usize, arguments: &[Self]) -> Self {
                let number = |number: i64| number as $number;
                match arguments {
                    [x] if function == 0 => (*x * *x + number(7)) % number(23) - number(5),
                    [x, y] => number(3) + number(2) * *x - *y * *y % number(11),
                    _ => unreachable!("a function takes as many arguments as it says"),
                }
            }
        }
    };
}

numbers!(f64);
numbers!(f32);
numbers!(i64);

fn bits(left: i64, right: i64, reduction: Reduction) -> i64 {
    if reduction == Reduction::Or {
        left | right
    } else {
        left & right
    }
}

fn extreme<T: Ordered>(reduction: Reduction) -> T {
    if reduction == Reduction::Min {
        T::GREATEST
    } else {
        T::LEAST
    }
}

impl Element for bool {
    fn zero() -> Self {
        false
    }

    fn literal(_: i64) -> Self {
        unreachable!("statements of truth values have no numbers")
    }

    fn is_zero(self) -> bool {
        !self
    }

    fn extreme(reduction: Reduction) -> Self {
        extreme(reduction)
    }

    fn negated(self) -> Self {
        unreachable!("statements of truth values have no numbers")
    }

    fn times(self, other: Self) -> Self {
        self & other
    }

    fn reduced(self, other: Self, reduction: Reduction) -> Self {
        match reduction {
            Reduction::Or => self | other,
            Reduction::And => self & other,
            _ => unreachable!("statements of truth values have no sums"),
        }
    }

    fn call(_: usize, arguments: &[Self]) -> Self {
        arguments.iter().fold(true, |parity, argument| parity ^ argument)
    }
}

impl Element for Complex64 {
    fn zero() -> Self {
        Complex64::ZERO
    }

    fn literal(number: i64) -> Self {
        Complex64::new(number as f64, 0.0)
    }

    fn is_zero(self) -> bool {
        self == Complex64::ZERO
    }

    fn extreme(_: Reduction) -> Self {
        unreachable!("complex numbers have no order")
    }

    fn negated(self) -> Self {
        -self
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn reduced(self, other: Self, _: Reduction) -> Self {
        self + other
    }

    fn call(_: usize, arguments: &[Self]) -> Self {
        let three = Complex64::new(3.0, -1.0);
        arguments
            .iter()
            .fold(three, |sum, argument| sum + argument.conj() * three)
    }
}

impl Ordered for MinPlus {
    const LEAST: Self = MinPlus(f64::NEG_INFINITY);
    const GREATEST: Self = MinPlus(f64::INFINITY);

    fn lesser(self, other: Self) -> Self {
        MinPlus(self.0.min(other.0))
    }

    fn greater(self, other: Self) -> Self {
        MinPlus(self.0.max(other.0))
    }
}

impl Element for MinPlus {
    fn zero() -> Self {
        Scalar::ZERO
    }

    fn literal(_: i64) -> Self {
        unreachable!("lengths are no numbers")
    }

    fn is_zero(self) -> bool {
        self.0 == f64::INFINITY
    }

    fn extreme(reduction: Reduction) -> Self {
        extreme(reduction)
    }

    fn negated(self) -> Self {
        unreachable!("lengths have no negative")
    }

    fn times(self, other: Self) -> Self {
        Scalar::times(self, other)
    }

    fn reduced(self, other: Self, reduction: Reduction) -> Self {
        match reduction {
            Reduction::Max => self.greater(other),
            _ => self.lesser(other),
        }
    }

    fn call(_: usize, arguments: &[Self]) -> Self {
        MinPlus(1.0 + arguments.iter().map(|argument| argument.0 * 2.0).sum::<f64>())
    }
}
