//! Index map expressions, and their normal form, which is linear in the dims and in floor quotients.
//!
//! A remainder `e % f` is `e - f * (e / f)`, so that only quotients are needed. Two rules give equal quotients the same
//! form: multiples of the divisor leave the quotient, and nested quotients collapse.

use super::{Linear, Polynomial};

/// An index map expression over numbered dims. Divisors are positive: a literal or a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expression {
    Dim(usize),
    Constant(Polynomial),
    Sum(Box<Expression>, Box<Expression>),
    Scaled(Polynomial, Box<Expression>),
    /// The floor quotient.
    Quotient(Box<Expression>, Polynomial),
    /// The remainder of the floor quotient, which is at least zero and below the divisor.
    Remainder(Box<Expression>, Polynomial),
}

/// An unknown of an index map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Atom {
    Dim(usize),
    /// The floor quotient of a form by a divisor.
    Quotient(Box<Linear<Atom>>, Polynomial),
}

impl Expression {
    /// Returns the normal form.
    pub(crate) fn linear(&self) -> Linear<Atom> {
        match self {
            Expression::Dim(dim) => Linear::variable(Atom::Dim(*dim)),
            Expression::Constant(constant) => Linear::constant(constant.clone()),
            Expression::Sum(left, right) => left.linear().add(&right.linear()),
            Expression::Scaled(factor, inner) => inner.linear().scale(factor),
            Expression::Quotient(inner, divisor) => quotient(&inner.linear(), divisor),
            Expression::Remainder(inner, divisor) => {
                let inner = inner.linear();
                inner.sub(&quotient(&inner, divisor).scale(divisor))
            }
        }
    }

    /// Returns the value at integer dims and parameters; `None` if it does not fit `i128`.
    pub(crate) fn evaluate(&self, dims: &[i128], parameters: &[i128]) -> Option<i128> {
        let number = |p: &Polynomial| p.evaluate(parameters).as_integer();
        let value = |inner: &Expression| inner.evaluate(dims, parameters);
        match self {
            Expression::Dim(dim) => dims.get(*dim).copied(),
            Expression::Constant(constant) => number(constant),
            Expression::Sum(left, right) => value(left)?.checked_add(value(right)?),
            Expression::Scaled(factor, inner) => number(factor)?.checked_mul(value(inner)?),
            Expression::Quotient(inner, divisor) => value(inner)?.checked_div_euclid(number(divisor)?),
            Expression::Remainder(inner, divisor) => value(inner)?.checked_rem_euclid(number(divisor)?),
        }
    }
}

/// Returns the normal form of `form / divisor`, rounded down.
fn quotient(form: &Linear<Atom>, divisor: &Polynomial) -> Linear<Atom> {
    let mut outside = Linear::zero();
    let mut inside = Linear::zero();
    for (atom, coefficient) in form.terms() {
        let (multiple, rest) = coefficient.divide(divisor);
        outside.add_term(atom.clone(), &multiple);
        inside.add_term(atom.clone(), &rest);
    }
    let (multiple, rest) = form.constant_term().divide(divisor);
    outside = outside.add(&Linear::constant(multiple));
    inside = inside.add(&Linear::constant(rest.clone()));

    if let (Some(constant), Some(d)) = (inside.as_constant(), divisor.as_integer()) {
        // The rest is a nonnegative constant below the divisor, so its quotient is zero.
        if constant.as_integer().is_some_and(|c| 0 <= c && c < d) {
            return outside;
        }
    }
    if *divisor == Polynomial::one() {
        return outside.add(&inside);
    }
    // floor((floor(e / f) + c) / g) = floor((e + c f) / (f g))
    let moved = inside.sub(&Linear::constant(rest.clone()));
    if let Some(Atom::Quotient(inner, factor)) = moved.as_variable() {
        let inner = inner.add(&Linear::constant(rest.mul(factor)));
        return outside.add(&quotient(&inner, &factor.mul(divisor)));
    }
    outside.add(&Linear::variable(Atom::Quotient(Box::new(inside), divisor.clone())))
}
