//! Collects the operators of a plan, and applies each to the encoding that the conversion has reached.

use super::expression::Expression;
use super::operator::{Operator, State};
use crate::format::Query;

/// A plan under construction: the operators so far, the state after them, and the state that they should lead to.
#[derive(Debug, Clone)]
pub(super) struct PlanBuilder<'a> {
    pub(super) state: State,
    pub(super) target: State,
    pub(super) dims: &'a [&'static str],
    pub(super) queries: &'a [Query],
    pub(super) steps: Vec<(Operator, Option<u8>)>,
}

impl PlanBuilder<'_> {
    /// Adds a step; `None` if it does not apply.
    pub(super) fn run(&mut self, operator: Operator) -> Option<()> {
        let rule = operator.rule();
        self.state.apply(&operator)?;
        self.steps.push((operator, rule));
        Some(())
    }

    /// Adds a step of a rule. A `Devectorize` right after the matching `Vectorize` cancels it instead.
    pub(super) fn rule(&mut self, rule: u8, operator: Operator) -> Option<()> {
        self.state.apply(&operator)?;
        let made = match operator {
            Operator::Devectorize(level) => Some(Operator::Vectorize(level)),
            _ => None,
        };
        if made.is_some() && self.steps.last().map(|(last, _)| last) == made.as_ref() {
            self.steps.pop();
        } else {
            self.steps.push((operator, Some(rule)));
        }
        Some(())
    }

    pub(super) fn run_all(&mut self, operators: Vec<Operator>) -> Option<()> {
        operators.into_iter().try_for_each(|operator| self.run(operator))
    }

    /// Adds a level below all others.
    pub(super) fn compute(&mut self, expression: Expression) -> Option<()> {
        self.compute_at(self.state.levels.len(), expression)
    }

    pub(super) fn compute_at(&mut self, level: usize, expression: Expression) -> Option<()> {
        let names: Vec<&str> = self.queries.iter().map(|query| query.name).collect();
        let text = expression.text(self.dims, &names);
        self.run(Operator::Compute {
            level,
            expression,
            text,
        })
    }
}
