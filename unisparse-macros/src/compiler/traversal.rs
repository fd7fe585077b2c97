//! Levels to logical coordinates: the loops that visit every element of a format.

use crate::compiler::affine::{self, Interval, Linear, Polynomial, Source, Symbol};
use crate::compiler::encoding::{Format, Level};
use crate::compiler::loops::{Condition, Entries, Expr, Range, Stmt, Var, Variables};
use crate::compiler::storage::{Kind, Storage};

/// The values known before the first loop.
pub(crate) struct Context {
    /// The extent of each dim.
    pub(crate) extents: Vec<Var>,
    /// The const parameters.
    pub(crate) parameters: Vec<Var>,
    /// The number of each level that has one: its size, or its coordinate where that is given.
    pub(crate) numbers: Vec<Option<Var>>,
}

impl Context {
    /// Names the extents after the dims, and declares the parameters.
    pub(crate) fn declare(format: &Format, storage: &Storage, variables: &mut Variables) -> Self {
        let parameters = format
            .parameters
            .iter()
            .map(|parameter| variables.parameter(&parameter.name))
            .collect();
        let extents = format
            .dims
            .iter()
            .map(|dim| variables.fresh(&format!("{dim}_extent"), true))
            .collect();
        Context {
            extents,
            parameters,
            numbers: Self::numbers(format, storage, variables),
        }
    }

    /// `slot_size`, `bank_given`, for each level that has one.
    pub(crate) fn numbers(format: &Format, storage: &Storage, variables: &mut Variables) -> Vec<Option<Var>> {
        let levels = format.levels.iter().enumerate();
        let number = |(at, level): (usize, &Level)| {
            if storage.levels[at].kind == Kind::Given {
                return Some(variables.fresh(&given_name(level), level.interval.is_nonnegative()));
            }
            storage
                .is_sized(format, at)
                .then(|| variables.fresh(&format!("{}_size", level.name), true))
        };
        levels.map(number).collect()
    }
}

/// What loops call the coordinate of a given level.
pub(crate) fn given_name(level: &Level) -> String {
    format!("{}_given", level.name)
}

/// One element, as the innermost body sees it.
pub(crate) struct Element {
    /// The logical coordinate.
    pub(crate) coordinate: Vec<Expr>,
    /// Its position in the values.
    pub(crate) position: Expr,
}

/// The loops over all elements of a format around `body`.
///
/// Conditions that fail only for holes outside the tensor stand as early as their values are known; those
/// that the domains or the stored elements imply are left out.
pub(crate) fn traverse(
    format: &Format,
    storage: &Storage,
    context: &Context,
    variables: &mut Variables,
    body: impl FnOnce(Element, &mut Variables) -> Vec<Stmt>,
) -> Vec<Stmt> {
    let mut walk = Walk {
        format,
        storage,
        context,
        coordinates: vec![None; format.levels.len()],
        quotients: vec![None; format.inverse.quotients.len()],
        dims: vec![None; format.dims.len()],
        pending: pending_conditions(format, storage),
        head: Vec::new(),
    };
    let mut steps = walk.plan(variables);
    let coordinate = walk.dims.iter().flatten().cloned().collect();
    let mut block = body(
        Element {
            coordinate,
            position: steps.position,
        },
        variables,
    );
    while let Some(step) = steps.steps.pop() {
        block = step.around(block);
    }
    let mut all = walk.head;
    all.extend(block);
    all
}

/// The size of a dense level: a name if it takes more than one to say.
fn size_of(interval: &Interval, context: &Context) -> Expr {
    let one = Linear::constant(Polynomial::one());
    if interval.lo.is_zero() {
        // floor((x - 1) / g) + 1 = ceil(x / g)
        if let Some(Symbol::Floor(inner, divisor)) = interval.hi.as_variable() {
            let dividend = bound(&inner.add(&one), context);
            return dividend.ceil(polynomial(divisor, context));
        }
    }
    bound(&interval.hi.sub(&interval.lo).add(&one), context)
}

/// A loop or a statement that the rest of the traversal stands inside, or after.
enum Step {
    Let(Stmt),
    If(Vec<Condition>),
    Range(Range),
    Entries(Entries),
}

impl Step {
    fn around(self, block: Vec<Stmt>) -> Vec<Stmt> {
        match self {
            Step::Let(stmt) => std::iter::once(stmt).chain(block).collect(),
            Step::If(conditions) => vec![Stmt::If {
                conditions,
                body: block,
            }],
            Step::Range(range) => vec![Stmt::Range(Range { body: block, ..range })],
            Step::Entries(entries) => vec![Stmt::Entries(Entries { body: block, ..entries })],
        }
    }
}

struct Steps {
    steps: Vec<Step>,
    position: Expr,
}

struct Walk<'a> {
    format: &'a Format,
    storage: &'a Storage,
    context: &'a Context,
    coordinates: Vec<Option<Expr>>,
    quotients: Vec<Option<Expr>>,
    dims: Vec<Option<Expr>>,
    pending: Vec<affine::Condition>,
    /// Sizes and bounds that do not change during the traversal.
    head: Vec<Stmt>,
}

impl Walk<'_> {
    fn plan(&mut self, variables: &mut Variables) -> Steps {
        let mut steps = Vec::new();
        let mut position = Expr::zero();
        for level in 0..self.format.levels.len() {
            let encoding = &self.format.levels[level];
            match self.storage.levels[level].kind {
                Kind::Fixed => continue,
                Kind::Given => {
                    if self.is_read(level) {
                        self.coordinates[level] = self.context.numbers[level].map(Expr::Var);
                    }
                }
                Kind::Dense | Kind::Counted { pointer: None } => {
                    let natural = encoding.interval.is_nonnegative();
                    let (lo, size) = if let Some(size) = self.context.numbers[level] {
                        // A measured domain starts at zero.
                        (Expr::zero(), Expr::Var(size))
                    } else {
                        let size = size_of(&encoding.interval, self.context);
                        let size = self.named(size, &format!("{}_size", encoding.name), true, variables);
                        let lo = bound(&encoding.interval.lo, self.context);
                        (
                            self.named(lo, &format!("{}_lo", encoding.name), natural, variables),
                            size,
                        )
                    };
                    let var = variables.fresh(&encoding.name, natural);
                    let high = lo.clone().add(size.clone());
                    let high = if lo == Expr::zero() {
                        high
                    } else {
                        self.named(high, &format!("{}_end", encoding.name), natural, variables)
                    };
                    self.coordinates[level] = Some(Expr::Var(var));
                    position = position.mul(size).add(Expr::Var(var).sub(lo.clone()));
                    steps.push(Step::Range(Range {
                        var,
                        lows: vec![lo],
                        highs: vec![high],
                        stride: None,
                        body: Vec::new(),
                    }));
                }
                Kind::Aligned { .. } => {
                    if self.storage.is_streamed(level) || !self.is_read(level) {
                        continue;
                    }
                    let var = variables.fresh(&encoding.name, encoding.interval.is_nonnegative());
                    self.coordinates[level] = Some(Expr::Var(var));
                    let at = position.clone();
                    steps.push(Step::Let(Stmt::Lookup { level, var, at }));
                }
                Kind::Counted { .. } | Kind::Indexed { .. } if self.starts_pass(level) => {
                    let last = self.storage.chain_end(level);
                    let mut coordinates = Vec::new();
                    for within in self.storage.streamed(level) {
                        let encoding = &self.format.levels[within];
                        if self.is_read(within) {
                            let var = variables.fresh(&encoding.name, encoding.interval.is_nonnegative());
                            self.coordinates[within] = Some(Expr::Var(var));
                            coordinates.push((within, var));
                        }
                    }
                    let name = format!("{}_position", self.format.levels[last].name);
                    let at = variables.fresh(&name, true);
                    let parent = self.storage.levels[level].parent.map(|_| position);
                    position = Expr::Var(at);
                    steps.push(Step::Entries(Entries {
                        first: level,
                        last,
                        parent,
                        between: None,
                        position: at,
                        coordinates,
                        body: Vec::new(),
                    }));
                }
                Kind::Counted { .. } | Kind::Indexed { .. } => continue,
            }
            self.settle(&mut steps, variables);
        }
        Steps { steps, position }
    }

    /// Whether a pass over entries starts at this level.
    fn starts_pass(&self, level: usize) -> bool {
        matches!(self.storage.levels[level].kind, Kind::Counted { .. }) || self.storage.starts_chain(level)
    }

    /// Whether the coordinate of the level is needed to know that of an element.
    fn is_read(&self, level: usize) -> bool {
        !self.format.levels[level].indirect
    }

    /// A variable for an expression that is more than a name or a number, computed once.
    fn named(&mut self, value: Expr, name: &str, natural: bool, variables: &mut Variables) -> Expr {
        if matches!(value, Expr::Int(_) | Expr::Var(_)) {
            return value;
        }
        let var = variables.fresh(name, natural);
        self.head.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    /// Everything that has become known: quotients, conditions, dims.
    fn settle(&mut self, steps: &mut Vec<Step>, variables: &mut Variables) {
        for at in 0..self.quotients.len() {
            let (form, divisor) = &self.format.inverse.quotients[at];
            let denominator = form.denominator();
            let numerator = self
                .form(&form.scale(&denominator))
                .filter(|_| self.quotients[at].is_none());
            let Some(value) = numerator else { continue };
            let divisor = divisor.mul(&denominator);
            let natural = Interval::of_form(form, &self.intervals(), &self.format.inverse.quotients)
                .is_some_and(|i| i.is_nonnegative());
            let var = variables.fresh(&format!("quotient{at}"), natural);
            steps.push(Step::Let(Stmt::Let {
                var,
                value: value.floor(polynomial(&divisor, self.context)),
            }));
            self.quotients[at] = Some(Expr::Var(var));
        }
        let mut known = Vec::new();
        for condition in std::mem::take(&mut self.pending) {
            match self.condition(&condition) {
                Some(condition) => known.push(condition),
                None => self.pending.push(condition),
            }
        }
        // Divisibility first: what follows may divide.
        let (divisible, mut rest): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|c| matches!(c, Condition::Divisible(..)));
        let fractions = self.settle_dims(variables);
        if fractions.is_empty() {
            rest.splice(0..0, divisible);
        } else {
            if !divisible.is_empty() {
                steps.push(Step::If(divisible));
            }
            steps.extend(fractions.into_iter().map(Step::Let));
        }
        if !rest.is_empty() {
            steps.push(Step::If(rest));
        }
    }

    /// The dims that are known now; those that are a quotient get a variable.
    fn settle_dims(&mut self, variables: &mut Variables) -> Vec<Stmt> {
        let mut lets = Vec::new();
        for dim in 0..self.dims.len() {
            let form = &self.format.inverse.dims[dim];
            let denominator = form.denominator();
            let Some(value) = self
                .form(&form.scale(&denominator))
                .filter(|_| self.dims[dim].is_none())
            else {
                continue;
            };
            self.dims[dim] = Some(if denominator == Polynomial::one() {
                value
            } else {
                let var = variables.fresh(&self.format.dims[dim], true);
                lets.push(Stmt::Let {
                    var,
                    value: value.floor(polynomial(&denominator, self.context)),
                });
                Expr::Var(var)
            });
        }
        lets
    }

    fn intervals(&self) -> Vec<Interval> {
        self.format.levels.iter().map(|level| level.interval.clone()).collect()
    }

    /// The form as an expression, if all of its sources are known.
    fn form(&self, form: &Linear<Source>) -> Option<Expr> {
        linear(form, self.context, |source| match source {
            Source::Level(level) => self.coordinates[*level].clone(),
            Source::Quotient(quotient) => self.quotients[*quotient].clone(),
        })
    }

    fn condition(&self, condition: &affine::Condition) -> Option<Condition> {
        Some(match condition {
            affine::Condition::Nonnegative(form) => {
                // The sign of a form is that of its numerator.
                Condition::Nonnegative(self.form(&form.scale(&form.denominator()))?)
            }
            affine::Condition::Divisible(form, divisor) => {
                Condition::Divisible(self.form(form)?, polynomial(divisor, self.context))
            }
            affine::Condition::BelowExtent(dim, form) => {
                // A dim that is a fraction of its form: the bound of the numerator says the same.
                let denominator = form.denominator();
                let value = self.form(&form.scale(&denominator))?;
                let end = Expr::Var(self.context.extents[*dim]).mul(polynomial(&denominator, self.context));
                Condition::Nonnegative(end.sub(Expr::Int(1)).sub(value))
            }
        })
    }
}

/// The conditions that neither the domains nor the stored elements imply.
fn pending_conditions(format: &Format, storage: &Storage) -> Vec<affine::Condition> {
    let levels: Vec<Interval> = format.levels.iter().map(|level| level.interval.clone()).collect();
    let quotients = &format.inverse.quotients;
    // Down to the last indexed level, the coordinates are those of an element, unless entries can be holes.
    let full = storage.levels.iter().any(|level| level.kind.is_full());
    let padded = |level: usize| {
        let holder = storage.levels[level].parent;
        holder.is_some_and(|holder| {
            matches!(storage.levels[holder].kind, Kind::Counted { .. }) && format.levels[holder].padded
        })
    };
    let of_entry = |level: usize| storage.is_streamed(level) && !padded(level);
    let deepest = (0..levels.len()).rev().find(|&level| of_entry(level));
    let proven = if full { None } else { deepest };
    // A dense level above has coordinates without elements, too: what is read there must be guarded there.
    let of_an_element = |form: &Linear<Source>| {
        let depth = depth(form, quotients);
        depth <= proven && depth.is_none_or(of_entry)
    };
    let implied = |condition: &affine::Condition| match condition {
        affine::Condition::Nonnegative(form) => {
            of_an_element(form) || Interval::of_form(form, &levels, quotients).is_some_and(|i| i.is_nonnegative())
        }
        affine::Condition::Divisible(form, _) => of_an_element(form),
        affine::Condition::BelowExtent(dim, form) => {
            of_an_element(form) || Interval::of_form(form, &levels, quotients).is_some_and(|i| i.is_below_extent(*dim))
        }
    };
    // The coordinate of a hole says nothing of the levels above it, and nothing is added or visited there:
    // only the bounds of the dims, which come last, must hold.
    let of_hole = |level: usize| matches!(storage.levels[level].kind, Kind::Aligned { .. }) && !of_entry(level);
    let conditions = &format.inverse.conditions;
    let bounds = conditions.len() - 2 * format.dims.len();
    let needed = |(at, condition): &(usize, &affine::Condition)| {
        let (affine::Condition::Nonnegative(form)
        | affine::Condition::Divisible(form, _)
        | affine::Condition::BelowExtent(_, form)) = condition;
        !implied(condition) && (*at >= bounds || !mentions(form, quotients, &of_hole))
    };
    let conditions = conditions.iter().enumerate().filter(needed);
    conditions.map(|(_, condition)| condition.clone()).collect()
}

/// Whether a level for which this holds occurs in the form.
fn mentions(form: &Linear<Source>, quotients: &[(Linear<Source>, Polynomial)], level: &impl Fn(usize) -> bool) -> bool {
    form.variables().any(|source| match source {
        Source::Level(at) => level(*at),
        Source::Quotient(quotient) => mentions(&quotients[*quotient].0, quotients, level),
    })
}

/// The deepest level that the form depends on.
fn depth(form: &Linear<Source>, quotients: &[(Linear<Source>, Polynomial)]) -> Option<usize> {
    let depths = form.variables().map(|source| match source {
        Source::Level(level) => Some(*level),
        Source::Quotient(quotient) => depth(&quotients[*quotient].0, quotients),
    });
    depths.max().flatten()
}

fn polynomial(value: &Polynomial, context: &Context) -> Expr {
    let mut sum = Expr::zero();
    for (exponents, coefficient) in value.terms() {
        let mut term = Expr::Int(coefficient.as_integer().unwrap_or(0));
        for (number, &exponent) in exponents.iter().enumerate() {
            for _ in 0..exponent {
                term = term.mul(Expr::Var(context.parameters[number]));
            }
        }
        sum = sum.add(term);
    }
    sum
}

/// A linear form with integral coefficients as an expression: positive terms first.
fn linear<V: Ord + Clone>(form: &Linear<V>, context: &Context, variable: impl Fn(&V) -> Option<Expr>) -> Option<Expr> {
    let (mut added, mut taken) = (Expr::zero(), Expr::zero());
    for (source, coefficient) in form.terms() {
        let value = variable(source)?;
        if coefficient.neg().is_nonnegative() {
            taken = taken.add(polynomial(&coefficient.neg(), context).mul(value));
        } else {
            added = added.add(polynomial(coefficient, context).mul(value));
        }
    }
    added = added.add(polynomial(form.constant_term(), context));
    Some(added.sub(taken))
}

/// A bound of a domain as an expression.
pub(crate) fn bound(form: &Linear<Symbol>, context: &Context) -> Expr {
    let symbol = |symbol: &Symbol| {
        Some(match symbol {
            Symbol::Extent(dim) => Expr::Var(context.extents[*dim]),
            Symbol::Floor(inner, divisor) => bound(inner, context).floor(polynomial(divisor, context)),
        })
    };
    linear(form, context, symbol).unwrap_or(Expr::zero())
}
