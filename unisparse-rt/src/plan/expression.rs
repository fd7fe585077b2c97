//! Level expressions in a normal form, in which equal expressions of one kind are equal as data.

use core::fmt;

use crate::format::{Atom, Form};

/// An integer combination of dims, queries and quotients, plus a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expression {
    /// The unknowns in order, each once, with nonzero factors.
    terms: Vec<(Unknown, i128)>,
    constant: i128,
}

/// An unknown of an expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    /// A dim, by its number.
    Dim(usize),
    /// The result of a query of the target, by its number.
    Query(usize),
    /// An expression divided by a number of at least 2, rounded down.
    Quotient(Box<Expression>, i128),
}

/// A rational number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    numerator: i128,
    /// At least 1, and coprime to the numerator.
    denominator: i128,
}

impl Factor {
    pub(crate) const ZERO: Self = Factor::integer(0);
    pub(crate) const ONE: Self = Factor::integer(1);

    pub(crate) const fn integer(numerator: i128) -> Self {
        Factor {
            numerator,
            denominator: 1,
        }
    }

    /// Returns the quotient in lowest terms; `None` on overflow or division by zero.
    pub(crate) fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let (mut divisor, mut rest) = (numerator.checked_abs()?, denominator.checked_abs()?);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let sign = denominator.signum();
        Some(Factor {
            numerator: numerator.checked_div(divisor)? * sign,
            denominator: denominator.checked_abs()?.checked_div(divisor).filter(|&d| d > 0)?,
        })
    }

    /// Returns the numerator.
    #[must_use]
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// Returns the denominator, which is positive.
    #[must_use]
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    pub(crate) fn times(self, other: Self) -> Option<Self> {
        Factor::new(
            self.numerator.checked_mul(other.numerator)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let (left, right) = (
            self.numerator.checked_mul(other.denominator)?,
            other.numerator.checked_mul(self.denominator)?,
        );
        Factor::new(
            left.checked_add(right)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    pub(crate) fn inverse(self) -> Option<Self> {
        Factor::new(self.denominator, self.numerator)
    }

    pub(crate) fn negated(self) -> Self {
        Factor {
            numerator: -self.numerator,
            ..self
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl Expression {
    pub(crate) fn constant(constant: i128) -> Self {
        Expression {
            terms: Vec::new(),
            constant,
        }
    }

    pub(crate) fn unknown(unknown: Unknown) -> Self {
        Expression {
            terms: vec![(unknown, 1)],
            constant: 0,
        }
    }

    /// Returns the normal form of a declared form; `None` on overflow.
    pub(crate) fn new(form: &Form) -> Option<Self> {
        let mut all = Expression::constant(form.constant.into());
        for (atom, factor) in form.terms {
            let term = match atom {
                Atom::Dim(dim) => Expression::unknown(Unknown::Dim(*dim)),
                Atom::Query(query) => Expression::unknown(Unknown::Query(*query)),
                Atom::Quotient(form, divisor) => Expression::new(form)?.quotient((*divisor).into())?,
            };
            all = all.plus_times(&term, (*factor).into())?;
        }
        Some(all)
    }

    /// Returns `self + factor * other`; `None` on overflow.
    pub(crate) fn plus_times(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (unknown, times) in &other.terms {
            let added = times.checked_mul(factor)?;
            match sum.terms.binary_search_by(|(known, _)| known.cmp(unknown)) {
                Ok(at) => sum.terms[at].1 = sum.terms[at].1.checked_add(added)?,
                Err(at) => sum.terms.insert(at, (unknown.clone(), added)),
            }
        }
        sum.terms.retain(|&(_, factor)| factor != 0);
        Some(sum)
    }

    /// Returns `factor * self`, if all its coefficients are integers.
    pub(crate) fn times(&self, factor: Factor) -> Option<Self> {
        let whole = |number: i128| {
            let number = number.checked_mul(factor.numerator)?;
            (number % factor.denominator == 0).then_some(number / factor.denominator)
        };
        let terms = self
            .terms
            .iter()
            .map(|(unknown, times)| Some((unknown.clone(), whole(*times)?)));
        let mut product = Expression {
            terms: terms.collect::<Option<Vec<_>>>()?,
            constant: whole(self.constant)?,
        };
        product.terms.retain(|&(_, factor)| factor != 0);
        Some(product)
    }

    /// Returns `self / divisor`, rounded down, in the compiler's normal form: multiples of the divisor are moved out of the
    /// quotient, and a quotient of a quotient becomes one.
    pub(crate) fn quotient(&self, divisor: i128) -> Option<Self> {
        if divisor < 1 {
            return None;
        }
        let split = |number: i128| (number.div_euclid(divisor), number.rem_euclid(divisor));
        let (mut outside, mut inside) = (Expression::constant(0), Expression::constant(0));
        for (unknown, factor) in &self.terms {
            let (multiple, rest) = split(*factor);
            let term = Expression::unknown(unknown.clone());
            outside = outside.plus_times(&term, multiple)?;
            inside = inside.plus_times(&term, rest)?;
        }
        let (multiple, rest) = split(self.constant);
        outside.constant = multiple;
        match inside.terms.as_slice() {
            [] => return Some(outside),
            [(Unknown::Quotient(inner, factor), 1)] => {
                let mut inner = (**inner).clone();
                inner.constant = inner.constant.checked_add(rest.checked_mul(*factor)?)?;
                return outside.plus_times(&inner.quotient(factor.checked_mul(divisor)?)?, 1);
            }
            _ => inside.constant = rest,
        }
        outside.plus_times(&Expression::unknown(Unknown::Quotient(Box::new(inside), divisor)), 1)
    }

    /// Returns the unknown, if the expression is a single unknown with factor 1.
    pub(crate) fn as_unknown(&self) -> Option<&Unknown> {
        match self.terms.as_slice() {
            [(unknown, 1)] if self.constant == 0 => Some(unknown),
            _ => None,
        }
    }

    pub(crate) fn factor_of(&self, unknown: &Unknown) -> i128 {
        let found = self.terms.binary_search_by(|(known, _)| known.cmp(unknown));
        found.map_or(0, |at| self.terms[at].1)
    }

    pub(crate) fn constant_term(&self) -> i128 {
        self.constant
    }

    /// Returns the factors of the dims, if there are no other unknowns.
    pub(crate) fn row(&self, dims: usize) -> Option<Vec<Factor>> {
        let mut row = vec![Factor::ZERO; dims];
        for (unknown, factor) in &self.terms {
            let Unknown::Dim(dim) = unknown else { return None };
            *row.get_mut(*dim)? = Factor::integer(*factor);
        }
        Some(row)
    }

    pub(crate) fn mentions_query(&self) -> bool {
        self.terms.iter().any(|(unknown, _)| match unknown {
            Unknown::Dim(_) => false,
            Unknown::Query(_) => true,
            Unknown::Quotient(inner, _) => inner.mentions_query(),
        })
    }

    /// Returns the quotients among the terms.
    pub(crate) fn quotients(&self) -> impl Iterator<Item = &Unknown> {
        let unknowns = self.terms.iter().map(|(unknown, _)| unknown);
        unknowns.filter(|unknown| matches!(unknown, Unknown::Quotient(..)))
    }

    /// Returns the value at a coordinate, given the results of the queries; `None` on overflow of `i128`.
    #[must_use]
    pub fn evaluate(&self, coordinate: &[i64], queries: &[i64]) -> Option<i128> {
        let mut sum = self.constant;
        for (unknown, factor) in &self.terms {
            let value = match unknown {
                Unknown::Dim(dim) => i128::from(*coordinate.get(*dim)?),
                Unknown::Query(query) => i128::from(*queries.get(*query)?),
                Unknown::Quotient(inner, divisor) => inner.evaluate(coordinate, queries)?.div_euclid(*divisor),
            };
            sum = sum.checked_add(value.checked_mul(*factor)?)?;
        }
        Some(sum)
    }

    /// Formats the expression with these names.
    pub(crate) fn text(&self, dims: &[&str], queries: &[&str]) -> String {
        if let Some((whole, factor)) = self.as_remainder() {
            return format!("{} % {factor}", whole.operand(dims, queries));
        }
        let mut text = String::new();
        // Positive terms first: `j - i`.
        let (positive, negative): (Vec<_>, Vec<_>) = self.terms.iter().partition(|&&(_, factor)| factor > 0);
        for (unknown, factor) in positive.into_iter().chain(negative) {
            let factor = *factor;
            text += match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let name = match unknown {
                Unknown::Dim(dim) => (*dims.get(*dim).unwrap_or(&"?")).to_owned(),
                Unknown::Query(query) => (*queries.get(*query).unwrap_or(&"?")).to_owned(),
                Unknown::Quotient(inner, divisor) => format!("{} / {divisor}", inner.operand(dims, queries)),
            };
            let quotient = matches!(unknown, Unknown::Quotient(..));
            text += &match factor.unsigned_abs() {
                1 => name,
                times if quotient => format!("{times} * ({name})"),
                times => format!("{times} * {name}"),
            };
        }
        match (text.is_empty(), self.constant) {
            (false, 0) => text,
            (true, constant) => constant.to_string(),
            (false, constant) if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            (false, constant) => format!("{text} + {constant}"),
        }
    }

    /// Returns `x` and `f`, if the expression is `x % f`.
    fn as_remainder(&self) -> Option<(Expression, i128)> {
        self.quotients().find_map(|quotient| {
            let factor = self.factor_of(quotient).checked_neg().filter(|&factor| factor > 1)?;
            let whole = self.plus_times(&Expression::unknown(quotient.clone()), factor)?;
            let divided = whole.quotient(factor)?;
            (divided == Expression::unknown(quotient.clone())).then_some((whole, factor))
        })
    }

    /// Returns `f`, if the expression is `x % f`.
    pub(crate) fn remainder_of(&self) -> Option<i128> {
        self.as_remainder().map(|(_, factor)| factor)
    }

    /// Formats the expression as an operand, in parentheses if needed.
    fn operand(&self, dims: &[&str], queries: &[&str]) -> String {
        match self.as_unknown() {
            Some(Unknown::Dim(_) | Unknown::Query(_)) => self.text(dims, queries),
            _ => format!("({})", self.text(dims, queries)),
        }
    }
}
