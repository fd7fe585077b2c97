//! What follows from expressions whose values are known, by the algebra alone.

use super::inverse::{Walk, quotients_in};
use super::{Atom, Condition, Expression, Linear, Polynomial, Source};

/// Expressions whose values are known, and everything affine that follows from them.
///
/// The `n`th expression learned is [`Source::Level`] `n` of what [`express`](Known::express) gives.
pub(crate) struct Known {
    walk: Walk,
    learned: usize,
}

impl Known {
    /// Nothing is known yet. `expressions` are all that will be asked about or learned.
    pub(crate) fn new<'a>(expressions: impl IntoIterator<Item = &'a Expression>) -> Self {
        let forms: Vec<Linear<Atom>> = expressions.into_iter().map(Expression::linear).collect();
        let mut walk = Walk::new(quotients_in(&forms));
        walk.close();
        Known { walk, learned: 0 }
    }

    /// The value of the expression is known from now on.
    pub(crate) fn learn(&mut self, expression: &Expression) {
        let source = Source::Level(self.learned);
        self.walk.system.insert(&expression.linear(), &Linear::variable(source));
        self.walk.close();
        self.learned += 1;
    }

    /// What must be zero for all that was learned to agree.
    pub(crate) fn agreements(&self) -> &[Linear<Source>] {
        self.walk.system.agreements()
    }

    /// What else must hold for it.
    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.walk.conditions
    }

    /// Whether the value of the expression follows.
    pub(crate) fn knows(&self, expression: &Expression) -> bool {
        self.express(expression).is_some()
    }

    /// Whether the values of all of them follow.
    pub(crate) fn knows_all(&self, expressions: &[Expression]) -> bool {
        expressions.iter().all(|expression| self.knows(expression))
    }

    /// The expression in terms of what was learned.
    pub(crate) fn express(&self, expression: &Expression) -> Option<Linear<Source>> {
        self.walk.system.express(&expression.linear())
    }

    /// The quotients that such terms mention.
    pub(crate) fn quotients(&self) -> &[(Linear<Source>, Polynomial)] {
        &self.walk.quotients
    }
}
