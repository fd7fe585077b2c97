//! A plan and its steps.

use super::arrays::ArrayAccess;
use super::execution::Execution;
use super::operator::Operator;

/// How one format is converted into another; printed by `{}`.
///
/// The steps are those of the paper's algorithm (its Figure 9): tiles are united, one matrix is transformed into another, tiles
/// are split, queries evaluated, elements sorted, levels trimmed, filled and merged, and arrays laid out. They specify the
/// result; [`execution`](Plan::execution) says how it is computed, as the steps do not run one by one.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) steps: Vec<Step>,
    pub(super) execution: Option<Execution>,
    pub(super) parts: Vec<Plan>,
}

/// One operator of a plan.
#[derive(Debug, Clone)]
pub struct Step {
    pub(super) operator: Operator,
    pub(super) rule: Option<u8>,
    pub(super) map: Option<String>,
    pub(super) reads: Vec<ArrayAccess>,
    pub(super) writes: Vec<ArrayAccess>,
    pub(super) fate: Fate,
}

/// How the conversion realizes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The step runs.
    Runs,
    /// Another pass has the effect of the step.
    Fused(&'static str),
    /// The step has no effect in this conversion.
    Elided(&'static str),
}

impl Plan {
    /// Returns the operators in order; for a target in parts, up to the division.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns how the operators run; `None` for a target in parts.
    #[must_use]
    pub fn execution(&self) -> Option<&Execution> {
        self.execution.as_ref()
    }

    /// Returns the plan of each part of a hybrid target; empty for other targets.
    #[must_use]
    pub fn parts(&self) -> &[Plan] {
        &self.parts
    }
}

impl Step {
    /// Returns the operator that the step applies.
    #[must_use]
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Returns the step's rule in the paper (1 to 17); `None` for operators that the paper lacks.
    #[must_use]
    pub fn rule(&self) -> Option<u8> {
        self.rule
    }

    /// Returns the index map after the step, if the step changed it.
    #[must_use]
    pub fn map(&self) -> Option<&str> {
        self.map.as_deref()
    }

    /// Returns the arrays that the step would read if it ran by itself.
    #[must_use]
    pub fn reads(&self) -> &[ArrayAccess] {
        &self.reads
    }

    /// Returns the arrays that the step would write if it ran by itself.
    #[must_use]
    pub fn writes(&self) -> &[ArrayAccess] {
        &self.writes
    }

    /// Returns how the conversion realizes the step.
    #[must_use]
    pub fn fate(&self) -> Fate {
        self.fate
    }
}

impl Plan {
    pub(super) fn empty(source: String, target: String) -> Self {
        Plan {
            source,
            target,
            steps: Vec::new(),
            execution: None,
            parts: Vec::new(),
        }
    }
}
