//! Integer expressions of the loop IR.

use std::collections::BTreeSet;
use std::rc::Rc;

/// A variable, as an index into [`Variables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Var(usize);

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    /// Whether the variable is never negative.
    natural: bool,
    /// The variables that are always greater.
    below: Vec<Var>,
    /// Whether this is a const parameter, which the user declared.
    parameter: bool,
    /// Whether the variable holds an element instead of an integer.
    element: bool,
}

/// The variables of a nest, with unique names and known bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    variables: Vec<Variable>,
    taken: Vec<String>,
}

impl Variables {
    /// Renames the variables whose names are in `names`, except const parameters, and reserves these names. Only
    /// element variables may keep a name that is in `elements`.
    pub(crate) fn avoid(&mut self, names: &[String], elements: &[String]) {
        let names: BTreeSet<&String> = names.iter().collect();
        let elements: BTreeSet<&String> = elements.iter().collect();
        self.taken
            .extend(names.iter().chain(&elements).map(ToString::to_string));
        for at in 0..self.variables.len() {
            let Variable {
                name,
                parameter,
                element,
                ..
            } = &self.variables[at];
            if !parameter && (names.contains(name) || !element && elements.contains(name)) {
                self.variables[at].name = self.unique(&name.clone());
            }
        }
    }

    /// Returns an unused name that is `name` or begins with it, and reserves it.
    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = 2;
        while self.taken.contains(&unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        self.taken.push(unique.clone());
        unique
    }

    /// Creates a variable called `name`, with a number appended if the name is taken.
    pub(crate) fn fresh(&mut self, name: &str, natural: bool) -> Var {
        let name = self.unique(name);
        self.variables.push(Variable {
            name,
            natural,
            below: Vec::new(),
            parameter: false,
            element: false,
        });
        Var(self.variables.len() - 1)
    }

    /// Creates a variable that holds an element.
    pub(crate) fn element(&mut self, name: &str) -> Var {
        let var = self.fresh(name, false);
        self.variables[var.0].element = true;
        var
    }

    /// Declares a const parameter of the format.
    pub(crate) fn parameter(&mut self, name: &str) -> Var {
        self.taken.push(name.to_owned());
        self.variables.push(Variable {
            name: name.to_owned(),
            natural: true,
            below: Vec::new(),
            parameter: true,
            element: false,
        });
        Var(self.variables.len() - 1)
    }

    pub(crate) fn name(&self, var: Var) -> &str {
        &self.variables[var.0].name
    }

    /// Whether the variable is never negative.
    pub(crate) fn is_natural(&self, var: Var) -> bool {
        self.variables[var.0].natural
    }

    /// Records that the variable is always below `extent`.
    pub(crate) fn set_below(&mut self, var: Var, extent: Var) {
        self.variables[var.0].below.push(extent);
    }

    /// Whether the variable is always at least zero and below `extent`.
    pub(crate) fn is_within(&self, var: Var, extent: Var) -> bool {
        let Variable { natural, below, .. } = &self.variables[var.0];
        *natural && below.contains(&extent)
    }

    /// Whether the variable is a const parameter, which the user declared.
    pub(crate) fn is_parameter(&self, var: Var) -> bool {
        self.variables[var.0].parameter
    }
}

/// An integer expression. `Floor` rounds down; divisors are positive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expr {
    Int(i128),
    Var(Var),
    Add(Rc<Expr>, Rc<Expr>),
    Sub(Rc<Expr>, Rc<Expr>),
    Mul(Rc<Expr>, Rc<Expr>),
    Floor(Rc<Expr>, Rc<Expr>),
    /// The quotient rounded up; the dividend is at least zero.
    Ceil(Rc<Expr>, Rc<Expr>),
}

impl Expr {
    pub(crate) fn zero() -> Self {
        Expr::Int(0)
    }

    pub(crate) fn add(self, other: Self) -> Self {
        match (self, other) {
            (Expr::Int(a), Expr::Int(b)) => Expr::Int(a.saturating_add(b)),
            (Expr::Int(0), other) | (other, Expr::Int(0)) => other,
            (other, Expr::Int(number)) => other.add_number(number),
            (left, right) => Expr::Add(Rc::new(left), Rc::new(right)),
        }
    }

    pub(crate) fn sub(self, other: Self) -> Self {
        match (self, other) {
            (Expr::Int(a), Expr::Int(b)) => Expr::Int(a.saturating_sub(b)),
            (left, Expr::Int(number)) => left.add_number(number.saturating_neg()),
            (left, right) if left == right => Expr::Int(0),
            (left, Expr::Sub(zero, right)) if *zero == Expr::Int(0) => left.add((*right).clone()),
            (left, right) => Expr::Sub(Rc::new(left), Rc::new(right)),
        }
    }

    /// Adds a number. The constant term is the last operand, and there is at most one.
    fn add_number(self, number: i128) -> Self {
        let (rest, found) = self.without_number();
        match found.saturating_add(number) {
            0 => rest,
            number if number < 0 => Expr::Sub(Rc::new(rest), Rc::new(Expr::Int(number.saturating_neg()))),
            number => Expr::Add(Rc::new(rest), Rc::new(Expr::Int(number))),
        }
    }

    /// Returns the sum of the non-constant terms, and the constant term.
    fn without_number(self) -> (Self, i128) {
        let sign = if matches!(self, Expr::Sub(..)) { -1 } else { 1 };
        match self {
            Expr::Add(left, right) | Expr::Sub(left, right) => {
                let (left, found) = (*left).clone().without_number();
                match *right {
                    Expr::Int(number) => (left, found.saturating_add(sign * number)),
                    _ if sign < 0 => (Expr::Sub(Rc::new(left), right), found),
                    _ => (left.add((*right).clone()), found),
                }
            }
            // The left operand of a negation is zero, and must stay in place.
            other => (other, 0),
        }
    }

    pub(crate) fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Expr::Int(a), Expr::Int(b)) => Expr::Int(a.saturating_mul(b)),
            (Expr::Int(0), _) | (_, Expr::Int(0)) => Expr::Int(0),
            (Expr::Int(1), other) | (other, Expr::Int(1)) => other,
            (left, right) => Expr::Mul(Rc::new(left), Rc::new(right)),
        }
    }

    pub(crate) fn floor(self, divisor: Self) -> Self {
        match (self, divisor) {
            (value, Expr::Int(1)) => value,
            (Expr::Int(a), Expr::Int(b)) if b > 0 => Expr::Int(a.div_euclid(b)),
            (value, divisor) => Expr::Floor(Rc::new(value), Rc::new(divisor)),
        }
    }

    pub(crate) fn ceil(self, divisor: Self) -> Self {
        match (self, divisor) {
            (value, Expr::Int(1)) => value,
            (value, divisor) => Expr::Ceil(Rc::new(value), Rc::new(divisor)),
        }
    }

    pub(crate) fn neg(self) -> Self {
        Expr::Int(0).sub(self)
    }

    pub(crate) fn uses(&self, var: Var) -> bool {
        match self {
            Expr::Int(_) => false,
            Expr::Var(other) => *other == var,
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Floor(a, b) | Expr::Ceil(a, b) => {
                a.uses(var) || b.uses(var)
            }
        }
    }

    /// Adds the variables that occur in the expression to `found`.
    pub(super) fn variables(&self, found: &mut Vec<Var>) {
        match self {
            Expr::Int(_) => {}
            Expr::Var(var) => found.push(*var),
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Floor(a, b) | Expr::Ceil(a, b) => {
                a.variables(found);
                b.variables(found);
            }
        }
    }

    /// Returns the expression with `by` in place of `var`.
    pub(crate) fn replace(&self, var: Var, by: &Expr) -> Expr {
        let both = |a: &Expr, b: &Expr| (a.replace(var, by), b.replace(var, by));
        let joined = |(a, b): (Expr, Expr), join: fn(Expr, Expr) -> Expr| join(a, b);
        match self {
            Expr::Var(other) if *other == var => by.clone(),
            Expr::Int(_) | Expr::Var(_) => self.clone(),
            Expr::Add(a, b) => joined(both(a, b), Expr::add),
            Expr::Sub(a, b) => joined(both(a, b), Expr::sub),
            Expr::Mul(a, b) => joined(both(a, b), Expr::mul),
            Expr::Floor(a, b) => joined(both(a, b), Expr::floor),
            Expr::Ceil(a, b) => joined(both(a, b), Expr::ceil),
        }
    }

    pub(crate) fn uses_any(&self, vars: &[Var]) -> bool {
        vars.iter().any(|&var| self.uses(var))
    }

    /// Whether the expression contains only numbers and const parameters.
    pub(crate) fn is_constant(&self, variables: &Variables) -> bool {
        match self {
            Expr::Int(_) => true,
            Expr::Var(var) => variables.is_parameter(*var),
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Floor(a, b) | Expr::Ceil(a, b) => {
                a.is_constant(variables) && b.is_constant(variables)
            }
        }
    }

    /// Whether the expression is provably never negative.
    pub(crate) fn is_natural(&self, variables: &Variables) -> bool {
        match self {
            Expr::Int(value) => *value >= 0,
            Expr::Var(var) => variables.is_natural(*var),
            Expr::Sub(..) => false,
            Expr::Add(a, b) | Expr::Mul(a, b) | Expr::Floor(a, b) | Expr::Ceil(a, b) => {
                a.is_natural(variables) && b.is_natural(variables)
            }
        }
    }

    /// Returns `(factor, rest)` with `self = factor * var + rest` and neither using `var`, if the expression is linear
    /// in `var`.
    pub(crate) fn split(&self, var: Var) -> Option<(Expr, Expr)> {
        match self {
            Expr::Var(other) if *other == var => Some((Expr::Int(1), Expr::Int(0))),
            _ if !self.uses(var) => Some((Expr::Int(0), self.clone())),
            Expr::Add(a, b) => {
                let ((a, rest_a), (b, rest_b)) = (a.split(var)?, b.split(var)?);
                Some((a.add(b), rest_a.add(rest_b)))
            }
            Expr::Sub(a, b) => {
                let ((a, rest_a), (b, rest_b)) = (a.split(var)?, b.split(var)?);
                Some((a.sub(b), rest_a.sub(rest_b)))
            }
            Expr::Mul(a, b) => {
                let (other, linear) = if a.uses(var) { (b, a) } else { (a, b) };
                if other.uses(var) {
                    return None;
                }
                let (factor, rest) = linear.split(var)?;
                Some(((**other).clone().mul(factor), (**other).clone().mul(rest)))
            }
            _ => None,
        }
    }
}
