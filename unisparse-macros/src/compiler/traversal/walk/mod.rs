//! The walk of one tensor through the levels of a nest: known coordinates are located, unknown ones are looped over.

mod known;
mod steps;

use super::{Context, bound, pending_conditions, size_of};
use crate::compiler::algebra::{self, Expression, Interval, Known};
use crate::compiler::encoding::Format;
use crate::compiler::loops::{
    Condition, Entries, Expr, Find, Found, Range, Segment, Stmt, TensorLevel, Var, Variables,
};
use crate::compiler::storage::{Kind, Storage};
pub(crate) use steps::{Step, Steps};

/// A sparse tensor of a nest.
#[derive(Clone, Copy)]
pub(crate) struct Tensor<'a> {
    /// The number of the tensor in the nest.
    pub(crate) number: usize,
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    pub(crate) context: &'a Context,
}

/// A value that a walk has learned.
struct Learned {
    value: Expr,
    /// Whether the value is a coordinate that comes from outside the walk.
    outside: bool,
}

pub(crate) struct Walk<'a> {
    tensor: Tensor<'a>,
    /// The expression of each level, where dims that are read at one index are the same unknown.
    expressions: Vec<Expression>,
    known: Known,
    /// For each dim, the first dim that is read at the same index.
    first: Vec<usize>,
    /// The number of agreements and of conditions of `known` that were handled.
    agreed: (usize, usize),
    learned: Vec<Learned>,
    /// The values of the quotients of `known`, where they were needed.
    known_quotients: Vec<Option<Expr>>,
    /// Dividends and divisors that were required to divide without remainder.
    divided: Vec<(Expr, Expr)>,
    /// Whether the walk is inside a part of a partitioned tensor.
    begun: bool,
    /// The next level.
    level: usize,
    /// The position in the level above.
    position: Expr,
    /// The position above each level, as far as the walk has come.
    above: Vec<Expr>,
    /// The coordinate of each dense or counted level minus the lowest, and the number of its coordinates.
    offsets: Vec<(Expr, Expr)>,
    /// The entries of a chain that match the coordinates found so far.
    run: Option<(Var, Var)>,
    /// The step where the search of the next level can be opened.
    search_opening: Option<usize>,
    /// The levels that a loop has read already.
    passed: Vec<bool>,
    coordinates: Vec<Option<Expr>>,
    quotients: Vec<Option<Expr>>,
    dims: Vec<Option<Expr>>,
    pending: Vec<algebra::Condition>,
    /// Pairs of dims that are read at one index and not yet known to be equal.
    unequal: Vec<(usize, usize)>,
    /// The dims that are known from outside and are therefore inside the shape.
    inside: Vec<bool>,
}

impl<'a> Walk<'a> {
    /// Creates a walk from the root. Dims with equal `indices` have equal values.
    pub(crate) fn new(tensor: Tensor<'a>, indices: &[usize]) -> Self {
        let Tensor { format, storage, .. } = tensor;
        let first = |index: &usize| indices.iter().position(|other| other == index);
        let first: Vec<usize> = indices.iter().filter_map(first).collect();
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
            unequal: pairs(&first),
            first,
            agreed: (0, 0),
            learned: Vec::new(),
            known_quotients: Vec::new(),
            divided: Vec::new(),
            begun: false,
            level: 0,
            position: Expr::zero(),
            above: vec![Expr::zero(); format.levels.len()],
            offsets: vec![(Expr::zero(), Expr::Int(1)); format.levels.len()],
            run: None,
            search_opening: None,
            passed: vec![false; format.levels.len()],
            coordinates: vec![None; format.levels.len()],
            quotients: vec![None; format.inverse.quotients.len()],
            dims: vec![None; format.dims.len()],
            pending: pending_conditions(format, storage),
            inside: vec![false; format.dims.len()],
        }
    }

    /// Learns the value of a dim from outside.
    pub(crate) fn learn_dim(&mut self, dim: usize, value: &Expr) {
        self.learn(&Expression::Dim(dim), value.clone(), true);
        self.inside[dim] = true;
    }

    /// Returns the value of a dim if the levels determine it by now.
    pub(crate) fn dim(&self, dim: usize) -> Option<&Expr> {
        self.dims[dim].as_ref()
    }

    /// Returns the position in the values after the last level.
    pub(crate) fn position(&self) -> Option<&Expr> {
        (self.level == self.tensor.format.levels.len()).then_some(&self.position)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.position().is_some()
    }

    pub(crate) fn is_started(&self) -> bool {
        self.begun || self.level > 0
    }

    /// Marks that the walk is inside a part of a partitioned tensor.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Descends through the next levels while they need no loop.
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

    /// Descends one level. Returns false if that takes a loop and `may_loop` is false.
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
        self.above[level] = self.position.clone();
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
                    let is_invariant = storage.is_invariant(level);
                    let at = match self.run {
                        _ if is_invariant => self.place(level),
                        Some((first, _)) => Expr::Var(first),
                        None => self.position.clone(),
                    };
                    let level_of = self.level_of(level);
                    steps.push(Stmt::Lookup {
                        level: level_of,
                        var,
                        at,
                        invariant_below: encoding.invariant.filter(|_| !is_invariant),
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
                        // A coordinate that follows from other levels may be outside the domain, which is empty if an
                        // extent is zero.
                        let within = outside && self.has_domain(level);
                        if !within || context.numbers[level].is_some() {
                            let above = coordinate.clone().sub(lo.clone());
                            let below = size.clone().sub(Expr::Int(1)).sub(above.clone());
                            steps.require(vec![Condition::Nonnegative(above), Condition::Nonnegative(below)]);
                        }
                        steps.bind(coordinate, &encoding.name, natural, variables)
                    }
                    None => {
                        let var = self.coordinate(level, variables);
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
                            slices: None,
                            body: Vec::new(),
                        }));
                        self.learn_level(level, Expr::Var(var));
                        Expr::Var(var)
                    }
                };
                let offset = coordinate.clone().sub(lo);
                self.position = self.position.clone().mul(size.clone()).add(offset.clone());
                self.offsets[level] = (offset, size);
                self.coordinates[level] = Some(coordinate);
            }
            Kind::Counted { .. } | Kind::Indexed { .. } => {
                let found = if storage.levels[level].kind.is_indexed() {
                    if self.search_opening.is_none() {
                        self.search_opening = Some(steps.search_opening());
                    }
                    self.located(level, steps, variables)
                } else {
                    None
                };
                match found {
                    Some((coordinate, outside)) => {
                        // A coordinate that follows from other levels may be negative, and then has no entry.
                        let coordinate = steps.bind(coordinate, &encoding.name, natural && outside, variables);
                        self.find(level, coordinate, steps, variables);
                    }
                    None if may_loop => self.entries(level, steps, variables),
                    None => return false,
                }
                self.search_opening = None;
            }
        }
        self.level += 1;
        true
    }

    /// Searches the entries of the level for a coordinate.
    fn find(&mut self, level: usize, coordinate: Expr, steps: &mut Steps, variables: &mut Variables) {
        let Tensor { format, storage, .. } = self.tensor;
        let (encoding, kind) = (&format.levels[level], storage.levels[level].kind);
        let finder = variables.fresh(&format!("{}_finder", encoding.name), true);
        let open = Stmt::Open {
            finder,
            level: self.level_of(level),
            within: self.segment(level),
        };
        match self.search_opening.and_then(|step| steps.steps.get_mut(step)) {
            Some(step) => *step = Step::SearchOpening(Some(open)),
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

    /// Loops over the entries of the chain of levels that starts at `level`.
    fn entries(&mut self, level: usize, steps: &mut Steps, variables: &mut Variables) {
        let Tensor { format, storage, .. } = self.tensor;
        let (last, within) = (storage.chain_end(level), self.segment(level));
        let (mut coordinates, mut met) = (Vec::new(), Vec::new());
        for read in storage.streamed(level) {
            self.passed[read] = true;
            if self.is_read(read) {
                let var = self.coordinate(read, variables);
                coordinates.push((read, var));
                met.push((read, var));
            }
        }
        self.passed[level..=last].fill(true);
        let position = variables.fresh(&format!("{}_position", format.levels[last].name), true);
        if self.places_below(level) {
            let first = variables.fresh(&format!("{}_first", format.levels[level].name), true);
            steps.push(Stmt::First {
                level: self.level_of(level),
                within: within.clone(),
                to: first,
                body: Vec::new(),
            });
            self.offsets[level].0 = Expr::Var(position).sub(Expr::Var(first));
        }
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
            block: None,
            item: None,
            numbered: Vec::new(),
            body: Vec::new(),
        }));
        for (read, var) in met {
            self.meet(read, Expr::Var(var), steps, variables);
        }
    }

    /// Whether this is a counted level whose coordinates determine the place in the array of an invariant level below, of which
    /// coordinates are read.
    fn places_below(&self, level: usize) -> bool {
        let storage = self.tensor.storage;
        let is_placed =
            |below: &usize| storage.is_invariant(*below) && storage.below_invariant(*below).any(|above| above == level);
        let mut below = (level + 1..storage.levels.len()).filter(|below| self.is_read(*below));
        matches!(storage.levels[level].kind, Kind::Counted { .. }) && below.any(|below| is_placed(&below))
    }

    /// Returns the position of an invariant level among the positions of the levels that determine it.
    fn place(&self, level: usize) -> Expr {
        let storage = self.tensor.storage;
        let first = storage.levels[level].invariant_over.first().copied().unwrap_or(level);
        storage
            .below_invariant(level)
            .fold(self.above[first].clone(), |position, below| {
                let (offset, size) = self.offsets[below].clone();
                position.mul(size).add(offset)
            })
    }

    /// Returns the entries that a loop or a search of the level covers.
    fn segment(&self, level: usize) -> Segment {
        match (self.run, self.tensor.storage.levels[level].parent) {
            (Some((first, end)), _) => Segment::Between(Expr::Var(first), Expr::Var(end)),
            (None, Some(_)) => Segment::Of(self.position.clone()),
            (None, None) => Segment::All,
        }
    }

    /// Creates a variable for the coordinates of a level, with the upper bounds that its domain gives.
    fn coordinate(&self, level: usize, variables: &mut Variables) -> Var {
        let Tensor { format, context, .. } = self.tensor;
        let encoding = &format.levels[level];
        let var = variables.fresh(&encoding.name, encoding.interval.is_nonnegative());
        for (dim, &extent) in context.extents.iter().enumerate() {
            // A bound that is below the extent unless that is zero does not do: a vector may be empty.
            if encoding.interval.hi == Interval::below_extent(dim).hi {
                variables.set_below(var, extent);
            }
        }
        var
    }

    fn level_of(&self, level: usize) -> TensorLevel {
        TensorLevel {
            tensor: self.tensor.number,
            level,
        }
    }

    /// Whether the coordinate of the level is needed to compute the coordinates of an element.
    fn is_read(&self, level: usize) -> bool {
        !self.tensor.format.levels[level].indirect
    }

    /// Returns the lowest coordinate of a dense level and the number of its coordinates.
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

/// Returns each dim that is not the first at its index, with the first one.
fn pairs(first: &[usize]) -> Vec<(usize, usize)> {
    let repeated = first.iter().copied().enumerate();
    repeated.filter(|(dim, first)| dim != first).collect()
}

/// Returns the expression with each dim replaced by the first dim that is equal to it.
fn joined(expression: &Expression, first: &[usize]) -> Expression {
    let inner = |inner: &Expression| Box::new(joined(inner, first));
    match expression {
        // An unknown that is not a dim is the result of a query.
        Expression::Dim(dim) => Expression::Dim(first.get(*dim).copied().unwrap_or(*dim)),
        Expression::Constant(constant) => Expression::Constant(constant.clone()),
        Expression::Sum(left, right) => Expression::Sum(inner(left), inner(right)),
        Expression::Scaled(factor, scaled) => Expression::Scaled(factor.clone(), inner(scaled)),
        Expression::Quotient(dividend, divisor) => Expression::Quotient(inner(dividend), divisor.clone()),
        Expression::Remainder(dividend, divisor) => Expression::Remainder(inner(dividend), divisor.clone()),
    }
}
