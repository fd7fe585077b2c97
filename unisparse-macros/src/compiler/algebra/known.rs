//! Derives values from expressions whose values are known, by the algebra alone.

use std::collections::BTreeSet;

use super::inverse::{Equations, quotients_in};
use super::{Atom, Condition, Expression, Linear, Polynomial, Source};

/// Expressions whose values are known, with every affine consequence.
///
/// Source [`Source::Level`] `n` in the result of [`express`](Known::express) is the `n`th expression learned.
pub(crate) struct Known {
    equations: Equations,
    learned: usize,
    /// The dims and quotients whose values are not determined yet.
    undetermined: Vec<Atom>,
}

impl Known {
    /// Creates an instance without known values. `expressions` must contain all expressions that will be queried or
    /// learned.
    pub(crate) fn new<'a>(expressions: impl IntoIterator<Item = &'a Expression>) -> Self {
        let forms: Vec<Linear<Atom>> = expressions.into_iter().map(Expression::linear).collect();
        let quotients = quotients_in(&forms);
        let dims = forms.iter().flat_map(Linear::variables);
        let dims: BTreeSet<&Atom> = dims.filter(|atom| matches!(atom, Atom::Dim(_))).collect();
        let undetermined = dims.into_iter().chain(&quotients).cloned().collect();
        let mut equations = Equations::new(quotients);
        equations.close();
        Known {
            equations,
            learned: 0,
            undetermined,
        }
    }

    /// Adds the value of the expression to the known values.
    pub(crate) fn learn(&mut self, expression: &Expression) {
        let source = Source::Level(self.learned);
        self.equations
            .system
            .insert(&expression.linear(), &Linear::variable(source));
        self.equations.close();
        self.learned += 1;
        let equations = &mut self.equations;
        self.undetermined.retain(|atom| !equations.demand_integer(atom));
    }

    /// Returns the forms that must be zero for the learned values to be consistent.
    pub(crate) fn agreements(&self) -> &[Linear<Source>] {
        self.equations.system.agreements()
    }

    /// Returns the other conditions for the learned values to be consistent.
    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.equations.conditions
    }

    /// Whether the value of the expression is determined.
    pub(crate) fn knows(&self, expression: &Expression) -> bool {
        self.express(expression).is_some()
    }

    /// Whether the values of all expressions are determined.
    pub(crate) fn knows_all(&self, expressions: &[Expression]) -> bool {
        expressions.iter().all(|expression| self.knows(expression))
    }

    /// Returns the expression in terms of the learned values, if it is determined.
    pub(crate) fn express(&self, expression: &Expression) -> Option<Linear<Source>> {
        self.equations.system.express(&expression.linear())
    }

    /// Returns the quotients that such terms refer to.
    pub(crate) fn quotients(&self) -> &[(Linear<Source>, Polynomial)] {
        &self.equations.quotients
    }
}
