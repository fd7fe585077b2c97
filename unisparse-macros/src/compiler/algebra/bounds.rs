//! Interval arithmetic over unknown extents and parameters, for the domains of levels.

use super::{Expression, Linear, Polynomial, Rational, Source};

/// A number that is known only at run time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Symbol {
    /// The extent of a dim, which is at least one wherever a bound is used.
    Extent(usize),
    /// A floor quotient of a form of such numbers.
    Floor(Box<Linear<Symbol>>, Polynomial),
}

/// The least and the greatest value of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) lo: Linear<Symbol>,
    pub(crate) hi: Linear<Symbol>,
}

impl Interval {
    fn constant(value: &Polynomial) -> Self {
        let value = Linear::constant(value.clone());
        Interval {
            lo: value.clone(),
            hi: value,
        }
    }

    /// Returns the dims on whose extents the bounds depend.
    pub(crate) fn extents(&self) -> Vec<usize> {
        fn visit(form: &Linear<Symbol>, found: &mut Vec<usize>) {
            for symbol in form.variables() {
                match symbol {
                    Symbol::Extent(dim) => found.push(*dim),
                    Symbol::Floor(inner, _) => visit(inner, found),
                }
            }
        }
        let mut found = Vec::new();
        visit(&self.lo, &mut found);
        visit(&self.hi, &mut found);
        found
    }

    fn add(&self, other: &Self) -> Self {
        Interval {
            lo: self.lo.add(&other.lo),
            hi: self.hi.add(&other.hi),
        }
    }

    /// Multiplies the bounds by a factor; `None` if the sign of the factor is not known.
    fn scale(&self, factor: &Polynomial) -> Option<Self> {
        let (lo, hi) = (self.lo.scale(factor), self.hi.scale(factor));
        if factor.is_nonnegative() {
            Some(Interval { lo, hi })
        } else if factor.neg().is_nonnegative() {
            Some(Interval { lo: hi, hi: lo })
        } else {
            None
        }
    }

    /// Returns the range of an expression; `None` if the sign of a coefficient is not known. A remainder has its full
    /// range for all extents, so that the levels of a block have one size.
    #[cfg(test)]
    pub(crate) fn of(expression: &Expression) -> Option<Self> {
        Self::within(expression, &Self::below_extent)
    }

    /// Returns the range from zero to below the extent of `dim`.
    pub(crate) fn below_extent(dim: usize) -> Self {
        Interval {
            lo: Linear::zero(),
            hi: Linear::variable(Symbol::Extent(dim)).sub(&Linear::constant(Polynomial::one())),
        }
    }

    /// Returns the range from zero to below `size`.
    pub(crate) fn below(size: &Polynomial) -> Self {
        Interval {
            lo: Linear::zero(),
            hi: Linear::constant(size.sub(&Polynomial::one())),
        }
    }

    /// Returns the range of an expression, where `unknown` gives the ranges of its unknowns; `None` if a sign is not
    /// known.
    pub(crate) fn within(expression: &Expression, unknown: &impl Fn(usize) -> Interval) -> Option<Self> {
        match expression {
            Expression::Dim(dim) => Some(unknown(*dim)),
            Expression::Constant(constant) => Some(Self::constant(constant)),
            Expression::Sum(left, right) => Some(Self::within(left, unknown)?.add(&Self::within(right, unknown)?)),
            Expression::Scaled(factor, inner) => Self::within(inner, unknown)?.scale(factor),
            Expression::Quotient(inner, divisor) => {
                let inner = Self::within(inner, unknown)?;
                Some(Interval {
                    lo: floor(&inner.lo, divisor),
                    hi: floor(&inner.hi, divisor),
                })
            }
            Expression::Remainder(inner, divisor) => {
                Self::within(inner, unknown)?;
                Some(Self::below(divisor))
            }
        }
    }

    /// Returns the range of a form of level coordinates and quotients.
    pub(crate) fn of_form(
        form: &Linear<Source>,
        levels: &[Interval],
        quotients: &[(Linear<Source>, Polynomial)],
    ) -> Option<Self> {
        let mut sum = Self::constant(form.constant_term());
        for (source, coefficient) in form.terms() {
            let source = match source {
                Source::Level(level) => levels[*level].clone(),
                Source::Quotient(quotient) => {
                    let (inner, divisor) = &quotients[*quotient];
                    let inner = Self::of_form(inner, levels, quotients)?;
                    Interval {
                        lo: floor(&inner.lo, divisor),
                        hi: floor(&inner.hi, divisor),
                    }
                }
            };
            sum = sum.add(&source.scale(coefficient)?);
        }
        Some(sum)
    }

    /// Returns the bounds that are known at compile time.
    pub(crate) fn known(&self) -> (Option<i128>, Option<i128>) {
        let known = |bound: &Linear<Symbol>| bound.as_constant().and_then(Polynomial::as_integer);
        (known(&self.lo), known(&self.hi))
    }

    /// Whether a bound depends on the extent of an unknown for which `extent` holds.
    pub(crate) fn depends_on(&self, extent: &impl Fn(usize) -> bool) -> bool {
        fn mentions(form: &Linear<Symbol>, extent: &impl Fn(usize) -> bool) -> bool {
            form.variables().any(|symbol| match symbol {
                Symbol::Extent(unknown) => extent(*unknown),
                Symbol::Floor(inner, _) => mentions(inner, extent),
            })
        }
        mentions(&self.lo, extent) || mentions(&self.hi, extent)
    }

    /// Returns the bounds at these extents and parameters; `None` if one does not fit `i128`.
    pub(crate) fn at(&self, extents: &[i128], parameters: &[i128]) -> Option<(i128, i128)> {
        let value = |bound| evaluate(bound, extents, parameters)?.as_integer();
        Some((value(&self.lo)?, value(&self.hi)?))
    }

    /// Whether no value is negative.
    pub(crate) fn is_nonnegative(&self) -> bool {
        nonnegative(&self.lo)
    }

    /// Whether every value is below the extent of `dim`.
    pub(crate) fn is_below_extent(&self, dim: usize) -> bool {
        let last = Linear::variable(Symbol::Extent(dim)).sub(&Linear::constant(Polynomial::one()));
        nonnegative(&last.sub(&self.hi))
    }
}

/// Returns the value of a bound.
fn evaluate(form: &Linear<Symbol>, extents: &[i128], parameters: &[i128]) -> Option<Rational> {
    let mut sum = form.constant_term().evaluate(parameters);
    for (symbol, coefficient) in form.terms() {
        let symbol = match symbol {
            Symbol::Extent(dim) => *extents.get(*dim)?,
            Symbol::Floor(inner, divisor) => {
                let inner = evaluate(inner, extents, parameters)?.as_integer()?;
                inner.checked_div_euclid(divisor.evaluate(parameters).as_integer()?)?
            }
        };
        sum = sum.add(coefficient.evaluate(parameters).mul(Rational::integer(symbol)));
    }
    Some(sum)
}

fn floor(form: &Linear<Symbol>, divisor: &Polynomial) -> Linear<Symbol> {
    if let (Some(value), Some(divisor)) = (
        form.as_constant().and_then(Polynomial::as_integer),
        divisor.as_integer(),
    ) {
        return Linear::constant(Polynomial::integer(value.div_euclid(divisor)));
    }
    // Zero divided by any divisor is zero.
    if form.is_zero() || *divisor == Polynomial::one() {
        return form.clone();
    }
    Linear::variable(Symbol::Floor(Box::new(form.clone()), divisor.clone()))
}

/// Whether the form is provably at least zero if every extent and parameter is at least one.
pub(crate) fn nonnegative(form: &Linear<Symbol>) -> bool {
    let mut constant = form.constant_term().clone();
    for (symbol, coefficient) in form.terms() {
        if !coefficient.is_nonnegative() {
            return false;
        }
        match symbol {
            // extent = 1 + a number that is at least zero
            Symbol::Extent(_) => constant = constant.add(coefficient),
            Symbol::Floor(inner, _) if nonnegative(inner) => {}
            Symbol::Floor(..) => return false,
        }
    }
    constant.is_nonnegative()
}
