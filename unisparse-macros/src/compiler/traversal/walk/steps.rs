//! The statements that walks emit.

use crate::compiler::loops::{Condition, Expr, Stmt, Variables};

/// A list of statements, where each encloses or precedes the ones after it.
#[derive(Clone, Default)]
pub(crate) struct Steps {
    /// Definitions of sizes and bounds, which precede all loops.
    pub(crate) head: Vec<Stmt>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone)]
pub(crate) enum Step {
    Stmt(Stmt),
    /// A place where a search can be opened, with the statement that opens it.
    SearchOpening(Option<Stmt>),
}

impl Steps {
    pub(crate) fn push(&mut self, stmt: Stmt) {
        self.steps.push(Step::Stmt(stmt));
    }

    /// Makes the steps after this one conditional.
    pub(crate) fn require(&mut self, conditions: Vec<Condition>) {
        self.push(Stmt::If {
            conditions,
            body: Vec::new(),
        });
    }

    /// Adds a place where a search can be opened, and returns its number among the steps.
    pub(super) fn search_opening(&mut self) -> usize {
        self.steps.push(Step::SearchOpening(None));
        self.steps.len() - 1
    }

    /// Returns a name for an expression that is computed once before all loops. Numbers and variables are returned
    /// unchanged.
    pub(super) fn named(&mut self, value: Expr, name: &str, natural: bool, variables: &mut Variables) -> Expr {
        if matches!(value, Expr::Int(_) | Expr::Var(_)) {
            return value;
        }
        let var = variables.fresh(name, natural);
        self.head.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    /// Returns a name for an expression that is computed at this step. Numbers and variables are returned unchanged.
    pub(super) fn bind(&mut self, value: Expr, name: &str, natural: bool, variables: &mut Variables) -> Expr {
        if matches!(value, Expr::Int(_) | Expr::Var(_)) {
            return value;
        }
        let var = variables.fresh(name, natural);
        self.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    /// Returns the statements that the steps form, with `block` innermost.
    pub(crate) fn around(steps: Vec<Step>, mut block: Vec<Stmt>) -> Vec<Stmt> {
        for step in steps.into_iter().rev() {
            let stmt = match step {
                Step::Stmt(stmt) | Step::SearchOpening(Some(stmt)) => stmt,
                Step::SearchOpening(None) => continue,
            };
            let mut stmt = stmt;
            // An optional value is looked up before the statements that use it, and not around them.
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
