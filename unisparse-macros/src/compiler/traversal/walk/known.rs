//! What a walk knows of the coordinates of its tensor, and what follows from it.

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

    /// A coordinate that was read: it must be what is known of it already, or is learned.
    pub(super) fn meet(&mut self, level: usize, value: Expr, steps: &mut Steps, variables: &mut Variables) {
        self.coordinates[level] = Some(value.clone());
        match self.located(level, steps, variables) {
            Some((expected, _)) => steps.push(Stmt::If {
                conditions: vec![Condition::Zero(value.sub(expected))],
                body: Vec::new(),
            }),
            None => self.learn_level(level, value),
        }
    }

    /// The coordinate of a level, if it follows from what is known, and whether from outside alone.
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

    /// A level that was looped over before what comes from outside told its coordinate must have that one; what the levels
    /// say of each other holds for each element, but not if two dims are one.
    pub(super) fn agree(&mut self, steps: &mut Steps, variables: &mut Variables) {
        let seen = (self.known.agreements().len(), self.known.conditions().len());
        let (agreements, conditions) = std::mem::replace(&mut self.agreed, seen);
        let agreements = self.known.agreements()[agreements..].to_vec();
        let conditions = self.known.conditions()[conditions..].to_vec();
        for form in agreements {
            self.demand(&form, Condition::Zero, steps, variables);
        }
        for condition in conditions {
            if let algebra::Condition::Nonnegative(form) = condition {
                self.demand(&form, Condition::Nonnegative, steps, variables);
            }
        }
    }

    /// The condition on the form's value, where something else than the levels of an element is in it.
    pub(super) fn demand(
        &mut self,
        form: &Linear<Source>,
        condition: fn(Expr) -> Condition,
        steps: &mut Steps,
        variables: &mut Variables,
    ) {
        if self.repeats || self.mentions_outside(form) {
            let value = self.expressed(&form.scale(&form.denominator()), steps, variables);
            steps.push(Stmt::If {
                conditions: vec![condition(value)],
                body: Vec::new(),
            });
        }
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

    /// A form of what was learned; fractions are integers or there is nothing here.
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
        let divisor = polynomial(&denominator, self.tensor.context);
        steps.push(Stmt::If {
            conditions: vec![Condition::Divisible(value.clone(), divisor.clone())],
            body: Vec::new(),
        });
        value.floor(divisor)
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

    /// Everything that has become known: quotients, conditions, dims.
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
        // Divisibility first: what follows may divide.
        let (divisible, mut rest): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|c| matches!(c, Condition::Divisible(..)));
        let fractions = self.settle_dims(variables);
        let condition = |conditions: Vec<Condition>| Stmt::If {
            conditions,
            body: Vec::new(),
        };
        if fractions.is_empty() {
            rest.splice(0..0, divisible);
        } else {
            if !divisible.is_empty() {
                steps.push(condition(divisible));
            }
            fractions.into_iter().for_each(|fraction| steps.push(fraction));
        }
        if !rest.is_empty() {
            steps.push(condition(rest));
        }
    }

    /// Whether the condition says that a dim is inside the shape which came from there.
    fn is_inside(&self, condition: &algebra::Condition) -> bool {
        let dims = &self.tensor.format.inverse.dims;
        match condition {
            algebra::Condition::BelowExtent(dim, _) => self.inside[*dim],
            algebra::Condition::Nonnegative(form) => (0..dims.len()).any(|dim| self.inside[dim] && dims[dim] == *form),
            algebra::Condition::Divisible(..) => false,
        }
    }

    /// The dims that are known now; those that are a quotient get a variable.
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

    /// The form as an expression, if all of its sources are known.
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
                // The sign of a form is that of its numerator.
                Condition::Nonnegative(self.form(&form.scale(&form.denominator()))?)
            }
            algebra::Condition::Divisible(form, divisor) => {
                Condition::Divisible(self.form(form)?, polynomial(divisor, context))
            }
            algebra::Condition::BelowExtent(dim, form) => {
                // A dim that is a fraction of its form: the bound of the numerator says the same.
                let denominator = form.denominator();
                let value = self.form(&form.scale(&denominator))?;
                let end = Expr::Var(context.extents[*dim]).mul(polynomial(&denominator, context));
                Condition::Nonnegative(end.sub(Expr::Int(1)).sub(value))
            }
        })
    }
}
