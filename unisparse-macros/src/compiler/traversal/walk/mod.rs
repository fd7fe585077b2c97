//! One tensor's way through the loops of a nest, level by level: what is known is located, the rest is looped over.

mod known;
mod steps;

use super::{Context, bound, pending_conditions, size_of};
use crate::compiler::algebra::{self, Expression, Known};
use crate::compiler::encoding::Format;
use crate::compiler::loops::{Condition, Entries, Expr, Find, Found, Level, Range, Segment, Stmt, Var, Variables};
use crate::compiler::storage::{Kind, Storage};
pub(crate) use steps::{Step, Steps};

/// A sparse tensor of a nest.
#[derive(Clone, Copy)]
pub(crate) struct Tensor<'a> {
    /// Its number in the nest.
    pub(crate) number: usize,
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    pub(crate) context: &'a Context,
}

/// A value that a walk has learned.
struct Learned {
    value: Expr,
    /// Whether it is a coordinate of the tensor that comes from outside of the walk.
    outside: bool,
}

pub(crate) struct Walk<'a> {
    tensor: Tensor<'a>,
    /// What each level holds; dims that are read at one index are one.
    expressions: Vec<Expression>,
    known: Known,
    /// Whether two dims are one.
    repeats: bool,
    /// How many of the agreements and conditions of what is known were looked at.
    agreed: (usize, usize),
    learned: Vec<Learned>,
    /// The quotients of what is known, as far as they were needed.
    known_quotients: Vec<Option<Expr>>,
    /// Whether it is inside a part of a tensor that is cut apart.
    begun: bool,
    /// The next level.
    level: usize,
    /// The position on the level above.
    position: Expr,
    /// What is left of a chain of entries, after the search for its first coordinates.
    run: Option<(Var, Var)>,
    /// Where a search of the next level can be opened.
    slot: Option<usize>,
    /// The levels that a pass or a search was through already.
    passed: Vec<bool>,
    coordinates: Vec<Option<Expr>>,
    quotients: Vec<Option<Expr>>,
    dims: Vec<Option<Expr>>,
    pending: Vec<algebra::Condition>,
    /// The dims that are known from outside, and lie inside the shape.
    inside: Vec<bool>,
}

impl<'a> Walk<'a> {
    /// A walk from the root. Dims of equal `indices` are one.
    pub(crate) fn new(tensor: Tensor<'a>, indices: &[usize]) -> Self {
        let Tensor { format, storage, .. } = tensor;
        // What is no dim is the result of a query.
        let first = |dim: usize| match indices.get(dim) {
            Some(index) => indices.iter().position(|other| other == index).unwrap_or(dim),
            None => dim,
        };
        let levels = format.levels.iter();
        let expressions: Vec<Expression> = levels.map(|level| joined(&level.expression, &first)).collect();
        let dims: Vec<Expression> = (0..format.dims.len()).map(Expression::Dim).collect();
        let direct = expressions
            .iter()
            .zip(&format.levels)
            .filter(|(_, level)| !level.indirect);
        let known = Known::new(direct.map(|(expression, _)| expression).chain(&dims));
        Walk {
            tensor,
            expressions,
            known,
            repeats: (0..format.dims.len()).any(|dim| first(dim) != dim),
            agreed: (0, 0),
            learned: Vec::new(),
            known_quotients: Vec::new(),
            begun: false,
            level: 0,
            position: Expr::zero(),
            run: None,
            slot: None,
            passed: vec![false; format.levels.len()],
            coordinates: vec![None; format.levels.len()],
            quotients: vec![None; format.inverse.quotients.len()],
            dims: vec![None; format.dims.len()],
            pending: pending_conditions(format, storage),
            inside: vec![false; format.dims.len()],
        }
    }

    /// The dim's value is known from outside.
    pub(crate) fn learn_dim(&mut self, dim: usize, value: &Expr) {
        self.learn(&Expression::Dim(dim), value.clone(), true);
        self.inside[dim] = true;
    }

    /// The dim's value, once the levels tell it.
    pub(crate) fn dim(&self, dim: usize) -> Option<&Expr> {
        self.dims[dim].as_ref()
    }

    /// The position in the values, after the last level.
    pub(crate) fn position(&self) -> Option<&Expr> {
        (self.level == self.tensor.format.levels.len()).then_some(&self.position)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.position().is_some()
    }

    pub(crate) fn is_started(&self) -> bool {
        self.begun || self.level > 0
    }

    /// From here on it is inside a part of a tensor that is cut apart.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Goes down as far as no loop is needed.
    pub(crate) fn locate(&mut self, steps: &mut Steps, variables: &mut Variables) {
        self.agree(steps, variables);
        while !self.is_done() && self.step(false, steps, variables) {
            self.settle(steps, variables);
        }
    }

    /// Loops over the next level.
    pub(crate) fn enter(&mut self, steps: &mut Steps, variables: &mut Variables) {
        if !self.is_done() {
            self.step(true, steps, variables);
            self.settle(steps, variables);
        }
    }

    /// One level down; false if that takes a loop, and none may be made.
    fn step(&mut self, may_loop: bool, steps: &mut Steps, variables: &mut Variables) -> bool {
        let (
            level,
            Tensor {
                format,
                storage,
                context,
                ..
            },
        ) = (self.level, self.tensor);
        let encoding = &format.levels[level];
        let natural = encoding.interval.is_nonnegative();
        if self.passed[level] {
            self.level += 1;
            return true;
        }
        match storage.levels[level].kind {
            Kind::Fixed => {}
            Kind::Given => {
                if let Some(given) = context.numbers[level].filter(|_| self.is_read(level)) {
                    self.meet(level, Expr::Var(given), steps, variables);
                }
            }
            Kind::Aligned { .. } => {
                if self.is_read(level) {
                    let var = variables.fresh(&encoding.name, natural);
                    let at = self.run.map_or(self.position.clone(), |(first, _)| Expr::Var(first));
                    let level_of = self.level_of(level);
                    steps.push(Stmt::Lookup {
                        level: level_of,
                        var,
                        at,
                        invariant_below: encoding.steady,
                    });
                    self.meet(level, Expr::Var(var), steps, variables);
                }
            }
            Kind::Dense | Kind::Counted { pointer: None } => {
                let located = self.located(level, steps, variables);
                if located.is_none() && !may_loop {
                    return false;
                }
                let (lo, size) = self.domain(level, steps, variables);
                let coordinate = match located {
                    Some((coordinate, outside)) => {
                        // What follows from other levels may lie outside the domain.
                        if !outside || context.numbers[level].is_some() {
                            let above = coordinate.clone().sub(lo.clone());
                            let below = size.clone().sub(Expr::Int(1)).sub(above.clone());
                            steps.push(Stmt::If {
                                conditions: vec![Condition::Nonnegative(above), Condition::Nonnegative(below)],
                                body: Vec::new(),
                            });
                        }
                        steps.bind(coordinate, &encoding.name, natural, variables)
                    }
                    None => {
                        let var = variables.fresh(&encoding.name, natural);
                        let high = lo.clone().add(size.clone());
                        let high = if lo == Expr::zero() {
                            high
                        } else {
                            steps.named(high, &format!("{}_end", encoding.name), natural, variables)
                        };
                        steps.push(Stmt::Range(Range {
                            level: Some(self.level_of(level)),
                            var,
                            lows: vec![lo.clone()],
                            highs: vec![high],
                            stride: None,
                            nonempty: None,
                            body: Vec::new(),
                        }));
                        self.learn_level(level, Expr::Var(var));
                        Expr::Var(var)
                    }
                };
                self.position = self.position.clone().mul(size).add(coordinate.clone().sub(lo));
                self.coordinates[level] = Some(coordinate);
            }
            Kind::Counted { .. } | Kind::Indexed { .. } => {
                let found = if storage.levels[level].kind.is_indexed() {
                    if self.slot.is_none() {
                        self.slot = Some(steps.slot());
                    }
                    self.located(level, steps, variables)
                } else {
                    None
                };
                match found {
                    Some((coordinate, outside)) => {
                        // What follows from other levels may be below zero, where no entry is.
                        let coordinate = steps.bind(coordinate, &encoding.name, natural && outside, variables);
                        self.find(level, coordinate, steps, variables);
                    }
                    None if may_loop => self.pass(level, steps, variables),
                    None => return false,
                }
                self.slot = None;
            }
        }
        self.level += 1;
        true
    }

    /// Searches the level's entries for a coordinate.
    fn find(&mut self, level: usize, coordinate: Expr, steps: &mut Steps, variables: &mut Variables) {
        let Tensor { format, storage, .. } = self.tensor;
        let (encoding, kind) = (&format.levels[level], storage.levels[level].kind);
        let finder = variables.fresh(&format!("{}_finder", encoding.name), true);
        let open = Stmt::Open {
            finder,
            level: self.level_of(level),
            within: self.segment(level),
        };
        match self.slot.and_then(|slot| steps.steps.get_mut(slot)) {
            Some(slot) => *slot = Step::Slot(Some(open)),
            None => steps.push(open),
        }
        let found = if kind.is_copied() {
            let first = variables.fresh(&format!("{}_first", encoding.name), true);
            let end = variables.fresh(&format!("{}_last", encoding.name), true);
            self.run = Some((first, end));
            Found::Run(first, end)
        } else {
            let at = variables.fresh(&format!("{}_position", encoding.name), true);
            (self.run, self.position) = (None, Expr::Var(at));
            Found::Position(at)
        };
        steps.push(Stmt::Find(Find {
            finder,
            level: self.level_of(level),
            coordinate: coordinate.clone(),
            found,
            body: Vec::new(),
        }));
        self.coordinates[level] = Some(coordinate);
    }

    /// A pass over the entries of a level, and of those stored in step with it.
    fn pass(&mut self, level: usize, steps: &mut Steps, variables: &mut Variables) {
        let Tensor { format, storage, .. } = self.tensor;
        let (last, within) = (storage.chain_end(level), self.segment(level));
        let (mut coordinates, mut met) = (Vec::new(), Vec::new());
        for read in storage.streamed(level) {
            self.passed[read] = true;
            if self.is_read(read) {
                let encoding = &format.levels[read];
                let var = variables.fresh(&encoding.name, encoding.interval.is_nonnegative());
                coordinates.push((read, var));
                met.push((read, var));
            }
        }
        self.passed[level..=last].fill(true);
        let position = variables.fresh(&format!("{}_position", format.levels[last].name), true);
        (self.run, self.position) = (None, Expr::Var(position));
        steps.push(Stmt::Entries(Entries {
            tensor: self.tensor.number,
            first: level,
            last,
            within,
            position,
            coordinates,
            loads: Vec::new(),
            indirect: false,
            prefetch: None,
            body: Vec::new(),
        }));
        for (read, var) in met {
            self.meet(read, Expr::Var(var), steps, variables);
        }
    }

    /// The entries that a pass or a search of the level goes over.
    fn segment(&self, level: usize) -> Segment {
        match (self.run, self.tensor.storage.levels[level].parent) {
            (Some((first, end)), _) => Segment::Between(Expr::Var(first), Expr::Var(end)),
            (None, Some(_)) => Segment::Of(self.position.clone()),
            (None, None) => Segment::All,
        }
    }

    fn level_of(&self, level: usize) -> Level {
        Level {
            tensor: self.tensor.number,
            level,
        }
    }

    /// Whether the coordinate of the level is needed to know that of an element.
    fn is_read(&self, level: usize) -> bool {
        !self.tensor.format.levels[level].indirect
    }

    /// The lowest coordinate of a dense level, and how many it has.
    fn domain(&self, level: usize, steps: &mut Steps, variables: &mut Variables) -> (Expr, Expr) {
        let Tensor { format, context, .. } = self.tensor;
        if let Some(size) = context.numbers[level] {
            // A measured domain starts at zero.
            return (Expr::zero(), Expr::Var(size));
        }
        let (name, interval) = (&format.levels[level].name, &format.levels[level].interval);
        let size = steps.named(size_of(interval, context), &format!("{name}_size"), true, variables);
        let lo = bound(&interval.lo, context);
        let lo = steps.named(lo, &format!("{name}_lo"), interval.is_nonnegative(), variables);
        (lo, size)
    }
}

/// The expression with each dim replaced by the first that is equal to it.
fn joined(expression: &Expression, first: &impl Fn(usize) -> usize) -> Expression {
    let inner = |inner: &Expression| Box::new(joined(inner, first));
    match expression {
        Expression::Dim(dim) => Expression::Dim(first(*dim)),
        Expression::Constant(constant) => Expression::Constant(constant.clone()),
        Expression::Sum(left, right) => Expression::Sum(inner(left), inner(right)),
        Expression::Scaled(factor, scaled) => Expression::Scaled(factor.clone(), inner(scaled)),
        Expression::Quotient(dividend, divisor) => Expression::Quotient(inner(dividend), divisor.clone()),
        Expression::Remainder(dividend, divisor) => Expression::Remainder(inner(dividend), divisor.clone()),
    }
}
