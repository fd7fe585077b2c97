//! The statements that walks leave behind.

use crate::compiler::loops::{Expr, Stmt, Variables};

/// Statements, each around or before what comes after it.
#[derive(Clone, Default)]
pub(crate) struct Steps {
    /// Sizes and bounds that do not change.
    pub(crate) head: Vec<Stmt>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone)]
pub(crate) enum Step {
    Stmt(Stmt),
    /// Where a search can be opened.
    Slot(Option<Stmt>),
}

impl Steps {
    pub(crate) fn push(&mut self, stmt: Stmt) {
        self.steps.push(Step::Stmt(stmt));
    }

    pub(super) fn slot(&mut self) -> usize {
        self.steps.push(Step::Slot(None));
        self.steps.len() - 1
    }

    /// A variable for an expression that is more than a name or a number, computed once.
    pub(super) fn named(&mut self, value: Expr, name: &str, natural: bool, variables: &mut Variables) -> Expr {
        if matches!(value, Expr::Int(_) | Expr::Var(_)) {
            return value;
        }
        let var = variables.fresh(name, natural);
        self.head.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    /// A variable for an expression that is more than a name or a number, at this place.
    pub(super) fn bind(&mut self, value: Expr, name: &str, natural: bool, variables: &mut Variables) -> Expr {
        if matches!(value, Expr::Int(_) | Expr::Var(_)) {
            return value;
        }
        let var = variables.fresh(name, natural);
        self.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    /// The steps from `first` on around `block`.
    pub(crate) fn around(steps: Vec<Step>, mut block: Vec<Stmt>) -> Vec<Stmt> {
        for step in steps.into_iter().rev() {
            let stmt = match step {
                Step::Stmt(stmt) | Step::Slot(Some(stmt)) => stmt,
                Step::Slot(None) => continue,
            };
            let mut stmt = stmt;
            // What may be missing is looked up before, not around.
            let complete = matches!(stmt, Stmt::Maybe { .. });
            match stmt.body_mut().filter(|_| !complete) {
                Some(body) => {
                    *body = block;
                    block = vec![stmt];
                }
                None => block.insert(0, stmt),
            }
        }
        block
    }
}
