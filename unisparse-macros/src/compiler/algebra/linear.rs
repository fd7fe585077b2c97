//! Linear forms: a constant plus multiples of variables.

use super::Polynomial;
use super::terms::Terms;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Linear<V: Ord> {
    terms: Terms<V, Polynomial>,
    constant: Polynomial,
}

impl<V: Ord + Clone> Linear<V> {
    pub(crate) fn constant(constant: Polynomial) -> Self {
        Linear {
            terms: Terms::default(),
            constant,
        }
    }

    pub(crate) fn zero() -> Self {
        Self::constant(Polynomial::zero())
    }

    pub(crate) fn variable(variable: V) -> Self {
        let mut form = Self::zero();
        form.add_term(variable, &Polynomial::one());
        form
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = (&V, &Polynomial)> {
        self.terms.iter()
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &V> {
        self.terms.keys()
    }

    pub(crate) fn constant_term(&self) -> &Polynomial {
        &self.constant
    }

    pub(crate) fn coefficient(&self, variable: &V) -> Polynomial {
        self.terms.get(variable).cloned().unwrap_or_default()
    }

    /// Returns the constant, if the form has no variables.
    pub(crate) fn as_constant(&self) -> Option<&Polynomial> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// Returns the variable, if the form is a single variable.
    pub(crate) fn as_variable(&self) -> Option<&V> {
        let (variable, coefficient) = self.terms.first()?;
        let alone = self.terms.len() == 1 && self.constant.is_zero() && *coefficient == Polynomial::one();
        alone.then_some(variable)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.constant.is_lost() || self.terms.coefficients().any(Polynomial::is_lost)
    }

    pub(crate) fn add_term(&mut self, variable: V, coefficient: &Polynomial) {
        if coefficient.is_zero() {
            return;
        }
        self.terms.add(variable, coefficient.clone(), |sum, coefficient| {
            let sum = sum.add(coefficient);
            (!sum.is_zero()).then_some(sum)
        });
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (variable, coefficient) in other.terms.iter() {
            sum.add_term(variable.clone(), coefficient);
        }
        sum.constant = sum.constant.add(&other.constant);
        sum
    }

    pub(crate) fn scale(&self, factor: &Polynomial) -> Self {
        let mut product = Self::constant(self.constant.mul(factor));
        for (variable, coefficient) in self.terms.iter() {
            product.add_term(variable.clone(), &coefficient.mul(factor));
        }
        product
    }

    pub(crate) fn neg(&self) -> Self {
        Linear {
            terms: self.terms.map(Polynomial::neg),
            constant: self.constant.neg(),
        }
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        for (variable, coefficient) in other.terms.iter() {
            difference.add_term(variable.clone(), &coefficient.neg());
        }
        difference.constant = difference.constant.sub(&other.constant);
        difference
    }

    /// Returns the least monomial whose product with the form has integral coefficients.
    pub(crate) fn denominator(&self) -> Polynomial {
        let coefficients = self.terms.coefficients().chain([&self.constant]);
        coefficients.fold(Polynomial::one(), |multiple, c| {
            multiple.mul(&c.mul(&multiple).denominator())
        })
    }
}
