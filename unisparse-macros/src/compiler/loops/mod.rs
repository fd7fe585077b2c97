//! The loop IR: what a traversal or a kernel does, free of any target language.
//!
//! A [`Nest`] is built from a format's traversal (`traversal`), improved (`tighten`, `hoist`) and printed
//! (`emit`). Printers decide how loops look; they never look back at the format.

mod expr;
mod hoist;
mod piece;
#[cfg(test)]
mod text;
mod tighten;

pub(crate) use expr::{Expr, Var, Variables};
pub(crate) use hoist::hoist;
pub(crate) use piece::piece;
#[cfg(test)]
pub(crate) use text::Text;
pub(crate) use tighten::tighten;

/// An array a nest reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Array {
    /// The values of the sparse operand.
    Values,
    /// A dense operand, by its number in the kernel.
    Dense(usize),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Stmt {
    /// `for var in max(lows)..min(highs)`
    Range(Range),
    /// One pass over the entries of the levels `first..=last`, which are stored in step.
    Entries(Entries),
    /// `let var = value`
    Let { var: Var, value: Expr },
    /// `let var = ` the coordinate that a level of one entry a position holds at this position.
    Lookup { level: usize, var: Var, at: Expr },
    /// The body, where all conditions hold.
    If {
        conditions: Vec<Condition>,
        body: Vec<Stmt>,
    },
    /// `place = place + value`
    Accumulate { place: Place, value: Value },
    /// A sum over the body, then added to the place, or stored there if nothing else adds to it.
    Sum {
        body: Vec<Stmt>,
        array: Array,
        at: Expr,
        store: bool,
    },
    /// Hands the coordinate and the value of one element to the caller; a zero is a hole if `holes`.
    Visit {
        coordinate: Vec<Expr>,
        at: Expr,
        holes: bool,
    },
}

/// `for var in max(lows)..min(highs)`, only those congruent to a residue if there is a stride.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) var: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    /// `(residue, modulus)`
    pub(crate) stride: Option<(Expr, Expr)>,
    pub(crate) body: Vec<Stmt>,
}

/// One pass over the entries of the levels `first..=last`: all at the root, or those of `parent`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entries {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The parent's position; none at the root.
    pub(crate) parent: Option<Expr>,
    /// Only positions from the first to below the second; all if none. For the root alone.
    pub(crate) between: Option<(Expr, Expr)>,
    pub(crate) position: Var,
    /// The level and the variable of each coordinate read.
    pub(crate) coordinates: Vec<(usize, Var)>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Condition {
    /// The expression is at least zero.
    Nonnegative(Expr),
    /// The expression is a multiple of the divisor.
    Divisible(Expr, Expr),
}

/// What is accumulated into.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    Element(Array, Expr),
    /// The nearest enclosing [`Stmt::Sum`].
    Sum,
}

/// A value of the element type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Load(Array, Expr),
    /// A scalar operand, by its number in the kernel.
    Scalar(usize),
    Product(Vec<Value>),
    /// A value bound by the printer.
    Local(String),
}

impl Stmt {
    /// The statements directly inside.
    pub(crate) fn body(&self) -> &[Stmt] {
        match self {
            Stmt::Range(range) => &range.body,
            Stmt::Entries(entries) => &entries.body,
            Stmt::If { body, .. } | Stmt::Sum { body, .. } => body,
            Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Accumulate { .. } | Stmt::Visit { .. } => &[],
        }
    }

    pub(crate) fn is_loop(&self) -> bool {
        matches!(self, Stmt::Range(_) | Stmt::Entries(_))
    }

    /// The variables bound by this statement or inside it.
    pub(crate) fn bound(&self) -> Vec<Var> {
        let mut bound = match self {
            Stmt::Range(range) => vec![range.var],
            Stmt::Let { var, .. } | Stmt::Lookup { var, .. } => vec![*var],
            Stmt::Entries(entries) => entries
                .coordinates
                .iter()
                .map(|&(_, var)| var)
                .chain([entries.position])
                .collect(),
            _ => Vec::new(),
        };
        bound.extend(self.body().iter().flat_map(Stmt::bound));
        bound
    }

    /// Calls `visit` on every integer expression of this statement and those inside it.
    pub(crate) fn for_each_expr(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Stmt::Range(range) => {
                range.lows.iter().chain(&range.highs).for_each(&mut *visit);
                if let Some((residue, modulus)) = &range.stride {
                    visit(residue);
                    visit(modulus);
                }
            }
            Stmt::Entries(entries) => {
                entries.parent.iter().for_each(&mut *visit);
                if let Some((low, high)) = &entries.between {
                    visit(low);
                    visit(high);
                }
            }
            Stmt::Let { value, .. } => visit(value),
            Stmt::If { conditions, .. } => {
                for condition in conditions {
                    match condition {
                        Condition::Nonnegative(expr) => visit(expr),
                        Condition::Divisible(expr, divisor) => {
                            visit(expr);
                            visit(divisor);
                        }
                    }
                }
            }
            Stmt::Accumulate { place, value } => {
                if let Place::Element(_, at) = place {
                    visit(at);
                }
                value.for_each_load(&mut |_, at| visit(at));
            }
            Stmt::Sum { at, .. } | Stmt::Lookup { at, .. } => visit(at),
            Stmt::Visit { coordinate, at, .. } => {
                coordinate.iter().for_each(&mut *visit);
                visit(at);
            }
        }
        for stmt in self.body() {
            stmt.for_each_expr(visit);
        }
    }

    /// Whether the variable occurs in an expression of this statement or inside it.
    pub(crate) fn uses(&self, var: Var) -> bool {
        let mut used = false;
        self.for_each_expr(&mut |expr| used |= expr.uses(var));
        used
    }

    /// Calls `visit` on every value read in this statement and those inside it, to replace it.
    pub(crate) fn for_each_value(&mut self, visit: &mut impl FnMut(&mut Value)) {
        match self {
            Stmt::Range(range) => range.body.iter_mut().for_each(|stmt| stmt.for_each_value(visit)),
            Stmt::Entries(entries) => entries.body.iter_mut().for_each(|stmt| stmt.for_each_value(visit)),
            Stmt::If { body, .. } | Stmt::Sum { body, .. } => {
                body.iter_mut().for_each(|stmt| stmt.for_each_value(visit));
            }
            Stmt::Accumulate { value, .. } => value.for_each(visit),
            Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Visit { .. } => {}
        }
    }
}

impl Value {
    fn for_each(&mut self, visit: &mut impl FnMut(&mut Value)) {
        visit(self);
        if let Value::Product(factors) = self {
            factors.iter_mut().for_each(|factor| factor.for_each(visit));
        }
    }

    /// Calls `visit` on every array access.
    pub(crate) fn for_each_load(&self, visit: &mut impl FnMut(Array, &Expr)) {
        match self {
            Value::Load(array, at) => visit(*array, at),
            Value::Product(factors) => factors.iter().for_each(|factor| factor.for_each_load(visit)),
            Value::Scalar(_) | Value::Local(_) => {}
        }
    }
}
