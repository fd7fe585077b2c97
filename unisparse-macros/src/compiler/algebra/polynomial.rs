//! Coefficients: Laurent polynomials in the const parameters of a format, over the rationals.
//!
//! A parameter is an unknown positive integer. The operations do not depend on its value: sums, products, division by a
//! monomial, and the sign if all terms agree.

use super::Rational;
use super::terms::Terms;

/// The exponent of each parameter, without trailing zeros.
type Exponents = Vec<i32>;

/// Removes trailing zeros.
fn trim(exponents: &mut Exponents) {
    while exponents.last() == Some(&0) {
        exponents.pop();
    }
}

/// Returns the exponents of a product.
fn exponents_of_product(left: &Exponents, right: &Exponents) -> Exponents {
    let (mut sum, other) = if left.len() < right.len() {
        (right.clone(), left)
    } else {
        (left.clone(), right)
    };
    for (exponent, other) in sum.iter_mut().zip(other) {
        *exponent += other;
    }
    trim(&mut sum);
    sum
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polynomial {
    terms: Terms<Exponents, Rational>,
}

impl PartialOrd for Polynomial {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// An arbitrary order, so that polynomials can be part of map keys.
impl Ord for Polynomial {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        fn key(polynomial: &Polynomial) -> impl Iterator<Item = (&Exponents, i128, i128)> {
            let terms = polynomial.terms.iter();
            terms.map(|(exponents, c)| (exponents, c.numerator(), c.denominator()))
        }
        key(self).cmp(key(other))
    }
}

impl Polynomial {
    pub(crate) fn zero() -> Self {
        Self::default()
    }

    pub(crate) fn one() -> Self {
        Self::integer(1)
    }

    pub(crate) fn integer(value: i128) -> Self {
        Self::monomial(Vec::new(), Rational::integer(value))
    }

    /// Returns the polynomial of parameter `number`.
    pub(crate) fn parameter(number: usize) -> Self {
        let mut exponents = vec![0; number + 1];
        exponents[number] = 1;
        Self::monomial(exponents, Rational::ONE)
    }

    fn monomial(mut exponents: Exponents, coefficient: Rational) -> Self {
        trim(&mut exponents);
        let mut polynomial = Self::zero();
        if !coefficient.is_zero() {
            polynomial.add_term(exponents, coefficient);
        }
        polynomial
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a coefficient did not fit `i128`.
    pub(crate) fn is_lost(&self) -> bool {
        self.terms.coefficients().any(|coefficient| coefficient.is_lost())
    }

    /// Returns the exponents and the coefficient of each term.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[i32], Rational)> {
        self.terms
            .iter()
            .map(|(exponents, &coefficient)| (exponents.as_slice(), coefficient))
    }

    /// Returns the integer, if the polynomial is an integer without parameters.
    pub(crate) fn as_integer(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new())?.as_integer(),
            _ => None,
        }
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (exponents, &coefficient) in other.terms.iter() {
            sum.add_term(exponents.clone(), coefficient);
        }
        sum
    }

    /// Adds a term whose coefficient is not zero.
    fn add_term(&mut self, exponents: Exponents, coefficient: Rational) {
        self.terms.add(exponents, coefficient, |sum, coefficient| {
            let sum = sum.add(*coefficient);
            (!sum.is_zero()).then_some(sum)
        });
    }

    pub(crate) fn neg(&self) -> Self {
        Polynomial {
            terms: self.terms.map(|coefficient| coefficient.neg()),
        }
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        let mut product = Self::zero();
        for (left, &a) in self.terms.iter() {
            for (right, &b) in other.terms.iter() {
                product.add_term(exponents_of_product(left, right), a.mul(b));
            }
        }
        product
    }

    /// Returns the reciprocal of a single term, which is nonzero for all parameters.
    pub(crate) fn inverse(&self) -> Option<Self> {
        let mut terms = self.terms.iter();
        let (exponents, coefficient) = terms.next()?;
        if terms.next().is_some() || coefficient.is_lost() {
            return None;
        }
        Some(Self::monomial(
            exponents.iter().map(|exponent| -exponent).collect(),
            coefficient.inverse(),
        ))
    }

    /// Returns the single term whose product with `other` is the polynomial, if there is one.
    pub(crate) fn ratio(&self, other: &Self) -> Option<Self> {
        let first = |polynomial: &Self| {
            let (exponents, &coefficient) = polynomial.terms.first()?;
            Some(Self::monomial(exponents.clone(), coefficient))
        };
        let ratio = first(self)?.mul(&first(other)?.inverse()?);
        (ratio.mul(other) == *self).then_some(ratio)
    }

    /// Whether the value is an integer for all parameters: integer coefficients and no negative exponents.
    #[cfg(test)]
    pub(crate) fn is_integral(&self) -> bool {
        let integral = |(exponents, coefficient): (&Exponents, &Rational)| {
            coefficient.as_integer().is_some() && exponents.iter().all(|&exponent| exponent >= 0)
        };
        self.terms.iter().all(integral)
    }

    /// Returns `(multiple, rest)` with `self = multiple * divisor + rest`. The multiple is integral and contains all
    /// that is known to be divisible; literal coefficients of the rest are less than the divisor's.
    pub(crate) fn divide(&self, divisor: &Self) -> (Self, Self) {
        let (mut multiple, mut rest) = (Self::zero(), Self::zero());
        for (exponents, &coefficient) in self.terms.iter() {
            let term = Self::monomial(exponents.clone(), coefficient);
            let part = divisor
                .inverse()
                .and_then(|inverse| term.mul(&inverse).floor_of_monomial());
            let part = part.unwrap_or_default();
            rest = rest.add(&term.sub(&part.mul(divisor)));
            multiple = multiple.add(&part);
        }
        (multiple, rest)
    }

    /// Returns the single term with its coefficient rounded down, if its exponents are not negative.
    fn floor_of_monomial(&self) -> Option<Self> {
        let (exponents, coefficient) = self.terms.first()?;
        let integral = !coefficient.is_lost() && exponents.iter().all(|&exponent| exponent >= 0);
        let floor = || coefficient.numerator().div_euclid(coefficient.denominator());
        integral.then(|| Self::monomial(exponents.clone(), Rational::integer(floor())))
    }

    /// Returns the least monomial whose product with the polynomial is integral.
    pub(crate) fn denominator(&self) -> Self {
        let mut exponents: Exponents = Vec::new();
        let mut multiple = Rational::ONE;
        for (term, coefficient) in self.terms.iter() {
            exponents.resize(exponents.len().max(term.len()), 0);
            for (least, &exponent) in exponents.iter_mut().zip(term) {
                *least = (*least).max(-exponent);
            }
            // `multiple * coefficient` still has this denominator.
            let left = multiple.mul(*coefficient);
            multiple = if left.is_lost() {
                left
            } else {
                multiple.mul(Rational::integer(left.denominator()))
            };
        }
        Self::monomial(exponents, multiple)
    }

    /// Whether the polynomial is provably not negative if every parameter is at least one.
    pub(crate) fn is_nonnegative(&self) -> bool {
        // Substitute `parameter - 1`, which is at least zero; then no coefficient may be negative.
        let mut shifted = Self::zero();
        for (exponents, &coefficient) in self.terms.iter() {
            let mut term = Self::monomial(Vec::new(), coefficient);
            for (number, &exponent) in exponents.iter().enumerate() {
                if exponent < 0 {
                    return self
                        .terms
                        .coefficients()
                        .all(|c| c.sign().is_some_and(std::cmp::Ordering::is_ge));
                }
                let parameter = Self::parameter(number).add(&Self::one());
                for _ in 0..exponent {
                    term = term.mul(&parameter);
                }
            }
            shifted = shifted.add(&term);
        }
        shifted
            .terms
            .coefficients()
            .all(|coefficient| coefficient.sign().is_some_and(std::cmp::Ordering::is_ge))
    }

    /// Returns the value at these parameters.
    pub(crate) fn evaluate(&self, parameters: &[i128]) -> Rational {
        let mut sum = Rational::ZERO;
        for (exponents, &coefficient) in self.terms.iter() {
            let mut term = coefficient;
            for (&exponent, &parameter) in exponents.iter().zip(parameters) {
                let factor = Rational::integer(parameter);
                let factor = if exponent < 0 { factor.inverse() } else { factor };
                for _ in 0..exponent.abs() {
                    term = term.mul(factor);
                }
            }
            sum = sum.add(term);
        }
        sum
    }
}
