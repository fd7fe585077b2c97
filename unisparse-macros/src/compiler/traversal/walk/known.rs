//! The coordinates that a walk knows, and the values and conditions that follow from them.

use super::steps::Steps;
use super::{Learned, Tensor, Walk};
use crate::compiler::algebra::{self, Expression, Interval, Linear, Polynomial, Source};
use crate::compiler::loops::{Condition, Expr, Stmt, Variables};
use crate::compiler::traversal::{linear, polynomial};

impl Walk<'_> {
    pub(super) fn learn(&mut self, expression: &Expression, value: Expr, outside: bool) {
        self.known.learn(expression);
        self.learned.push(Learned { value, outside });
    }

    pub(super) fn learn_level(&mut self, level: usize, value: Expr) {
        if self.is_read(level) {
            let expression = self.expressions[level].clone();
            self.learn(&expression, value, false);
        }
    }

    /// Learns a coordinate that was read. If its value was known already, requires that both are equal.
    pub(super) fn meet(&mut self, level: usize, value: Expr, steps: &mut Steps, variables: &mut Variables) {
        self.coordinates[level] = Some(value.clone());
        match self.located(level, steps, variables) {
            Some((expected, _)) => steps.require(vec![Condition::Zero(value.sub(expected))]),
            None => self.learn_level(level, value),
        }
    }

    /// Returns the coordinate of a level if it follows from known values, and whether all of these come from outside
    /// the walk.
    pub(super) fn located(
        &mut self,
        level: usize,
        steps: &mut Steps,
        variables: &mut Variables,
    ) -> Option<(Expr, bool)> {
        if !self.is_read(level) {
            return None;
        }
        let form = self.known.express(&self.expressions[level])?;
        let outside = self.is_outside(&form);
        let value = self.expressed(&form, steps, variables);
        Some((value, outside))
    }

    /// Requires the equalities and divisibilities that the values learned since the last call imply.
    ///
    /// A level that was looped over before its coordinate became known from outside must have that coordinate.
    /// Relations among the levels alone hold for every stored element, and need no condition unless two dims are read
    /// at one index.
    pub(super) fn agree(&mut self, steps: &mut Steps, variables: &mut Variables) {
        let seen = (self.known.agreements().len(), self.known.conditions().len());
        let (agreements, conditions) = std::mem::replace(&mut self.agreed, seen);
        let agreements = self.known.agreements()[agreements..].to_vec();
        let conditions = self.known.conditions()[conditions..].to_vec();
        for form in agreements {
            if let Some(value) = self.compared(&form, steps, variables) {
                steps.require(vec![Condition::Zero(value)]);
            }
        }
        for condition in conditions {
            match condition {
                algebra::Condition::Nonnegative(form) => {
                    if let Some(value) = self.compared(&form, steps, variables) {
                        steps.require(vec![Condition::Nonnegative(value)]);
                    }
                }
                algebra::Condition::Divisible(form, divisor) => {
                    if let Some(value) = self.compared(&form, steps, variables) {
                        self.divide(value, &divisor, steps);
                    }
                }
                algebra::Condition::BelowExtent(..) => {}
            }
        }
    }

    /// Returns the numerator of the form if it needs a condition: if it contains a value from outside, or if dims share
    /// an index.
    fn compared(&mut self, form: &Linear<Source>, steps: &mut Steps, variables: &mut Variables) -> Option<Expr> {
        let is_compared = self.repeats() || self.mentions_outside(form);
        is_compared.then(|| self.expressed(&form.scale(&form.denominator()), steps, variables))
    }

    /// Requires that the value is a multiple of the divisor, and returns the quotient.
    fn divide(&mut self, value: Expr, divisor: &Polynomial, steps: &mut Steps) -> Expr {
        let divisor = polynomial(divisor, self.tensor.context);
        let division = (value, divisor);
        if !self.divided.contains(&division) {
            let (value, divisor) = division.clone();
            steps.require(vec![Condition::Divisible(value, divisor)]);
            self.divided.push(division.clone());
        }
        division.0.floor(division.1)
    }

    /// Whether two dims are read at one index.
    fn repeats(&self) -> bool {
        self.first.iter().enumerate().any(|(dim, first)| dim != *first)
    }

    /// Whether the extents on which the level's domain depends are known to be positive, because a coordinate of each
    /// dim comes from outside.
    pub(super) fn has_domain(&self, level: usize) -> bool {
        let extents = self.tensor.format.levels[level].interval.extents();
        extents.into_iter().all(|dim| self.inside[dim])
    }

    /// Returns the conditions that make dims read at one index equal, for the dims that are known now.
    ///
    /// None is needed if the index follows from the levels, because `agree` has compared each level with it. The index
    /// does not follow from them if no coefficient is provably nonzero.
    fn settle_equal(&mut self) -> Vec<Condition> {
        let dims = &self.tensor.format.inverse.dims;
        let mut conditions = Vec::new();
        for (dim, first) in std::mem::take(&mut self.unequal) {
            let difference = dims[dim].sub(&dims[first]);
            match self.form(&difference.scale(&difference.denominator())) {
                Some(Expr::Int(0)) => {}
                Some(value) if !self.known.knows(&Expression::Dim(first)) => conditions.push(Condition::Zero(value)),
                Some(_) => {}
                None => self.unequal.push((dim, first)),
            }
        }
        conditions
    }

    fn mentions_outside(&self, form: &Linear<Source>) -> bool {
        form.variables().any(|source| match source {
            Source::Level(learned) => self.learned[*learned].outside,
            Source::Quotient(quotient) => self.mentions_outside(&self.known.quotients()[*quotient].0),
        })
    }

    fn is_outside(&self, form: &Linear<Source>) -> bool {
        form.variables().all(|source| match source {
            Source::Level(learned) => self.learned[*learned].outside,
            Source::Quotient(quotient) => self.is_outside(&self.known.quotients()[*quotient].0),
        })
    }

    /// Returns a form of learned values as an expression, and requires that its fractions are integers.
    pub(super) fn expressed(&mut self, form: &Linear<Source>, steps: &mut Steps, variables: &mut Variables) -> Expr {
        for source in form.variables() {
            if let Source::Quotient(quotient) = source {
                self.known_quotient(*quotient, steps, variables);
            }
        }
        let denominator = form.denominator();
        let value = linear(&form.scale(&denominator), self.tensor.context, |source| match source {
            Source::Level(learned) => Some(self.learned[*learned].value.clone()),
            Source::Quotient(quotient) => self.known_quotients[*quotient].clone(),
        });
        let value = value.unwrap_or(Expr::zero());
        if denominator == Polynomial::one() {
            return value;
        }
        self.divide(value, &denominator, steps)
    }

    fn known_quotient(&mut self, quotient: usize, steps: &mut Steps, variables: &mut Variables) {
        if self.known_quotients.len() <= quotient {
            self.known_quotients.resize(quotient + 1, None);
        }
        if self.known_quotients[quotient].is_some() {
            return;
        }
        let (form, divisor) = self.known.quotients()[quotient].clone();
        let denominator = form.denominator();
        let value = self.expressed(&form.scale(&denominator), steps, variables);
        let natural = value.is_natural(variables);
        let value = value.floor(polynomial(&divisor.mul(&denominator), self.tensor.context));
        let value = steps.bind(value, "quotient", natural, variables);
        self.known_quotients[quotient] = Some(value);
    }

    /// Emits the quotients, conditions and dims that have become known.
    pub(super) fn settle(&mut self, steps: &mut Steps, variables: &mut Variables) {
        self.agree(steps, variables);
        let Tensor { format, context, .. } = self.tensor;
        for at in 0..self.quotients.len() {
            let (form, divisor) = &format.inverse.quotients[at];
            let denominator = form.denominator();
            let numerator = self
                .form(&form.scale(&denominator))
                .filter(|_| self.quotients[at].is_none());
            let Some(value) = numerator else { continue };
            let divisor = divisor.mul(&denominator);
            let natural = Interval::of_form(form, &self.intervals(), &format.inverse.quotients)
                .is_some_and(|i| i.is_nonnegative());
            let var = variables.fresh(&format!("quotient{at}"), natural);
            steps.push(Stmt::Let {
                var,
                value: value.floor(polynomial(&divisor, context)),
            });
            self.quotients[at] = Some(Expr::Var(var));
        }
        let mut known = Vec::new();
        for condition in std::mem::take(&mut self.pending) {
            if self.is_inside(&condition) {
                continue;
            }
            match self.condition(&condition) {
                Some(condition) => known.push(condition),
                None => self.pending.push(condition),
            }
        }
        known.extend(self.settle_equal());
        // Divisibility comes first, because the statements after it may divide.
        let (divisible, mut rest): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|c| matches!(c, Condition::Divisible(..)));
        let fractions = self.settle_dims(variables);
        if fractions.is_empty() {
            rest.splice(0..0, divisible);
        } else {
            if !divisible.is_empty() {
                steps.require(divisible);
            }
            fractions.into_iter().for_each(|fraction| steps.push(fraction));
        }
        if !rest.is_empty() {
            steps.require(rest);
        }
    }

    /// Whether the condition bounds a dim whose value comes from outside and is therefore inside the shape.
    fn is_inside(&self, condition: &algebra::Condition) -> bool {
        let dims = &self.tensor.format.inverse.dims;
        match condition {
            algebra::Condition::BelowExtent(dim, _) => self.inside[*dim],
            algebra::Condition::Nonnegative(form) => (0..dims.len()).any(|dim| self.inside[dim] && dims[dim] == *form),
            algebra::Condition::Divisible(..) => false,
        }
    }

    /// Records the dims that are known now. Returns the definitions of dims that are quotients.
    fn settle_dims(&mut self, variables: &mut Variables) -> Vec<Stmt> {
        let format = self.tensor.format;
        let mut lets = Vec::new();
        for dim in 0..self.dims.len() {
            let form = &format.inverse.dims[dim];
            let denominator = form.denominator();
            let Some(value) = self
                .form(&form.scale(&denominator))
                .filter(|_| self.dims[dim].is_none())
            else {
                continue;
            };
            self.dims[dim] = Some(if denominator == Polynomial::one() {
                value
            } else {
                let var = variables.fresh(&format.dims[dim], true);
                lets.push(Stmt::Let {
                    var,
                    value: value.floor(polynomial(&denominator, self.tensor.context)),
                });
                Expr::Var(var)
            });
        }
        lets
    }

    fn intervals(&self) -> Vec<Interval> {
        let levels = self.tensor.format.levels.iter();
        levels.map(|level| level.interval.clone()).collect()
    }

    /// Returns the form as an expression if all of its sources are known.
    pub(super) fn form(&self, form: &Linear<Source>) -> Option<Expr> {
        linear(form, self.tensor.context, |source| match source {
            Source::Level(level) => self.coordinates[*level].clone(),
            Source::Quotient(quotient) => self.quotients[*quotient].clone(),
        })
    }

    pub(super) fn condition(&self, condition: &algebra::Condition) -> Option<Condition> {
        let context = self.tensor.context;
        Some(match condition {
            algebra::Condition::Nonnegative(form) => {
                // A form and its numerator have the same sign.
                Condition::Nonnegative(self.form(&form.scale(&form.denominator()))?)
            }
            algebra::Condition::Divisible(form, divisor) => {
                Condition::Divisible(self.form(form)?, polynomial(divisor, context))
            }
            algebra::Condition::BelowExtent(dim, form) => {
                // A dim that is a fraction is bounded through its numerator.
                let denominator = form.denominator();
                let value = self.form(&form.scale(&denominator))?;
                let end = Expr::Var(context.extents[*dim]).mul(polynomial(&denominator, context));
                Condition::Nonnegative(end.sub(Expr::Int(1)).sub(value))
            }
        })
    }
}
