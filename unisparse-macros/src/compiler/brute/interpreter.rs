//! The loop IR, run on a tree.

use std::collections::HashMap;

use super::tree::Tree;
use crate::compiler::loops::{Array, Condition, Expr, Place, Stmt, Value, Var, Variables};

/// More iterations than any tree of these tests has: a loop that runs away.
const MOST_STEPS: usize = 2_000_000;

/// A run of loops.
pub(super) struct Run<'a> {
    pub(super) variables: &'a Variables,
    pub(super) tree: &'a Tree,
    pub(super) known: HashMap<Var, i128>,
    /// The values of the sparse operand, by position.
    pub(super) values: Vec<i128>,
    /// The dense operands.
    pub(super) dense: Vec<Vec<i128>>,
    /// What was visited.
    pub(super) visits: Vec<(Vec<i128>, i128)>,
    sums: Vec<i128>,
    steps: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(variables: &'a Variables, tree: &'a Tree) -> Self {
        let (known, sums) = (HashMap::new(), Vec::new());
        Run {
            variables,
            tree,
            known,
            values: Vec::new(),
            dense: Vec::new(),
            visits: Vec::new(),
            sums,
            steps: 0,
        }
    }

    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    /// A natural variable is at least zero: sizes in a box without coordinates are cut off there.
    fn bind(&mut self, var: Var, value: i128) {
        let value = if self.variables.is_natural(var) {
            value.max(0)
        } else {
            value
        };
        self.known.insert(var, value);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.steps += 1;
        assert!(self.steps < MOST_STEPS, "a loop runs away");
        match stmt {
            Stmt::Range(range) => {
                let mut low = range.lows.iter().map(|low| self.value(low)).max().expect("a low bound");
                let high = range
                    .highs
                    .iter()
                    .map(|high| self.value(high))
                    .min()
                    .expect("a high bound");
                if self.variables.is_natural(range.var) {
                    low = low.max(0);
                }
                let stride = range
                    .stride
                    .as_ref()
                    .map(|(residue, modulus)| (self.value(residue), self.value(modulus)));
                for at in low..high {
                    if stride.is_none_or(|(residue, modulus)| (at - residue).rem_euclid(modulus) == 0) {
                        self.bind(range.var, at);
                        self.block(&range.body);
                    }
                }
            }
            Stmt::Entries(entries) => {
                let parent = entries.parent.as_ref().map_or(0, |parent| self.value(parent));
                let tree = self.tree;
                let list = tree.entries.get(&(entries.first, parent));
                for entry in list.unwrap_or_else(|| panic!("level {} has no parent at {parent}", entries.first)) {
                    let inside =
                        |(low, high): &(Expr, Expr)| (self.value(low)..self.value(high)).contains(&entry.position);
                    if !entries.between.as_ref().is_none_or(inside) {
                        continue;
                    }
                    self.bind(entries.position, entry.position);
                    for &(level, var) in &entries.coordinates {
                        let at = entry.path[level].expect("a stored level");
                        assert!(
                            at >= 0 || !self.variables.is_natural(var),
                            "a natural coordinate is negative"
                        );
                        self.bind(var, at);
                    }
                    self.block(&entries.body);
                }
            }
            Stmt::Let { var, value } => {
                let value = self.value(value);
                self.bind(*var, value);
            }
            Stmt::Lookup { .. } => unreachable!("formats of these tests have no queries"),
            Stmt::If { conditions, body } => {
                // In order, as `&&` does.
                if conditions.iter().all(|condition| self.holds(condition)) {
                    self.block(body);
                }
            }
            Stmt::Accumulate { place, value } => {
                let value = self.element(value);
                match place {
                    Place::Sum => *self.sums.last_mut().expect("inside a sum") += value,
                    Place::Element(array, at) => *self.place(*array, at) += value,
                }
            }
            Stmt::Sum { body, array, at, store } => {
                self.sums.push(0);
                self.block(body);
                let sum = self.sums.pop().expect("pushed above");
                let place = self.place(*array, at);
                *place = if *store { sum } else { *place + sum };
            }
            Stmt::Visit { coordinate, at, .. } => {
                let coordinate = coordinate.iter().map(|dim| self.value(dim)).collect();
                let at = self.value(at);
                self.visits.push((coordinate, at));
            }
        }
    }

    fn place(&mut self, array: Array, at: &Expr) -> &mut i128 {
        let at = usize::try_from(self.value(at)).expect("a place");
        match array {
            Array::Values => &mut self.values[at],
            Array::Dense(number) => &mut self.dense[number][at],
        }
    }

    fn element(&mut self, value: &Value) -> i128 {
        match value {
            Value::Load(array, at) => *self.place(*array, at),
            Value::Product(factors) => factors.iter().map(|factor| self.element(factor)).product(),
            Value::Scalar(_) | Value::Local(_) => unreachable!("neither is in a kernel of these tests"),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Nonnegative(expr) => self.value(expr) >= 0,
            Condition::Divisible(expr, divisor) => self.value(expr).rem_euclid(self.value(divisor)) == 0,
        }
    }

    fn value(&self, expr: &Expr) -> i128 {
        match expr {
            Expr::Int(value) => *value,
            Expr::Var(var) => {
                let name = self.variables.name(*var);
                *self.known.get(var).unwrap_or_else(|| panic!("`{name}` is not bound"))
            }
            Expr::Add(a, b) => self.value(a) + self.value(b),
            Expr::Sub(a, b) => self.value(a) - self.value(b),
            Expr::Mul(a, b) => self.value(a) * self.value(b),
            Expr::Floor(a, b) => self.value(a).div_euclid(self.value(b)),
            Expr::Ceil(a, b) => {
                let (a, b) = (self.value(a).max(0), self.value(b));
                (a + b - 1).div_euclid(b)
            }
        }
    }
}
