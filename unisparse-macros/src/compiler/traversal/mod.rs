//! The loops that visit every element of a format and compute its logical coordinates from its levels.

mod walk;

use crate::compiler::algebra::{self, Interval, Linear, Polynomial, Source, Symbol};
use crate::compiler::encoding::{Format, Level};
use crate::compiler::loops::{Expr, Stmt, Var, Variables};
use crate::compiler::storage::{Kind, Storage};

pub(crate) use walk::{Step, Steps, Tensor, Walk};

/// The values that are known before the first loop.
pub(crate) struct Context {
    /// The extent of each dim.
    pub(crate) extents: Vec<Var>,
    /// The const parameters.
    pub(crate) parameters: Vec<Var>,
    /// The size of each sized level and the coordinate of each given level.
    pub(crate) numbers: Vec<Option<Var>>,
}

impl Context {
    /// Creates a context with new variables for extents, named after the dims, and declares the const parameters.
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

    /// Creates the variables of sized and given levels, such as `slot_size` and `bank_given`.
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

/// Returns the name of the variable for the coordinate of a given level.
pub(crate) fn given_name(level: &Level) -> String {
    format!("{}_given", level.name)
}

/// An element in the innermost body of a nest.
pub(crate) struct Element {
    /// The logical coordinates.
    pub(crate) coordinate: Vec<Expr>,
    /// The position in the values.
    pub(crate) position: Expr,
}

/// Returns the loops over all elements of a format, with `body` inside.
///
/// Conditions that fail only for holes outside the tensor are placed as early as their values are known. Conditions
/// that the domains or the stored elements imply are omitted.
pub(crate) fn traverse(
    format: &Format,
    storage: &Storage,
    context: &Context,
    variables: &mut Variables,
    body: impl FnOnce(Element, &mut Variables) -> Vec<Stmt>,
) -> Vec<Stmt> {
    let tensor = Tensor {
        number: 0,
        format,
        storage,
        context,
    };
    let indices: Vec<usize> = (0..format.dims.len()).collect();
    let (mut walk, mut steps) = (Walk::new(tensor, &indices), Steps::default());
    while !walk.is_done() {
        walk.enter(&mut steps, variables);
    }
    let element = Element {
        coordinate: indices.iter().filter_map(|&dim| walk.dim(dim).cloned()).collect(),
        position: walk.position().cloned().unwrap_or(Expr::zero()),
    };
    let block = body(element, variables);
    let mut all = steps.head;
    all.extend(Steps::around(steps.steps, block));
    all
}

/// Returns the size of a dense level from its domain.
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

/// Returns the conditions that neither the domains nor the stored elements imply.
fn pending_conditions(format: &Format, storage: &Storage) -> Vec<algebra::Condition> {
    let levels: Vec<Interval> = format.levels.iter().map(|level| level.interval.clone()).collect();
    let quotients = &format.inverse.quotients;
    // Down to the last level of entries, the coordinates belong to an element, unless entries can be holes.
    let full = storage.levels.iter().any(|level| level.kind.is_full());
    let padded = |level: usize| {
        let holder = storage.levels[level].parent;
        holder.is_some_and(|holder| {
            matches!(storage.levels[holder].kind, Kind::Counted { .. }) && format.levels[holder].padded
        })
    };
    let of_entry = |level: usize| storage.is_of_entry(level) && !padded(level);
    let deepest = (0..levels.len()).rev().find(|&level| of_entry(level));
    let proven = if full { None } else { deepest };
    // A dense level also has coordinates without elements, so a form whose deepest level is dense must be guarded.
    let of_an_element = |form: &Linear<Source>| {
        let depth = depth(form, quotients);
        depth <= proven && depth.is_none_or(of_entry)
    };
    let implied = |condition: &algebra::Condition| match condition {
        algebra::Condition::Nonnegative(form) => {
            of_an_element(form) || Interval::of_form(form, &levels, quotients).is_some_and(|i| i.is_nonnegative())
        }
        algebra::Condition::Divisible(form, _) => of_an_element(form),
        algebra::Condition::BelowExtent(dim, form) => {
            of_an_element(form) || Interval::of_form(form, &levels, quotients).is_some_and(|i| i.is_below_extent(*dim))
        }
    };
    // The stored coordinate of a hole is independent of the levels above it, and holes are neither added nor visited.
    // Only the bounds of the dims, which are the last conditions, must hold there.
    let of_hole = |level: usize| matches!(storage.levels[level].kind, Kind::Aligned { .. }) && !of_entry(level);
    let conditions = &format.inverse.conditions;
    let bounds = conditions.len() - 2 * format.dims.len();
    let needed = |(at, condition): &(usize, &algebra::Condition)| {
        let (algebra::Condition::Nonnegative(form)
        | algebra::Condition::Divisible(form, _)
        | algebra::Condition::BelowExtent(_, form)) = condition;
        !implied(condition) && (*at >= bounds || !mentions(form, quotients, &of_hole))
    };
    let conditions = conditions.iter().enumerate().filter(needed);
    conditions.map(|(_, condition)| condition.clone()).collect()
}

/// Whether the form contains a level for which `level` holds.
fn mentions(form: &Linear<Source>, quotients: &[(Linear<Source>, Polynomial)], level: &impl Fn(usize) -> bool) -> bool {
    form.variables().any(|source| match source {
        Source::Level(at) => level(*at),
        Source::Quotient(quotient) => mentions(&quotients[*quotient].0, quotients, level),
    })
}

/// Returns the deepest level on which the form depends.
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

/// Returns a linear form with integral coefficients as an expression, with the positive terms first.
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

/// Returns the bound of a domain as an expression.
pub(crate) fn bound(form: &Linear<Symbol>, context: &Context) -> Expr {
    let symbol = |symbol: &Symbol| {
        Some(match symbol {
            Symbol::Extent(dim) => Expr::Var(context.extents[*dim]),
            Symbol::Floor(inner, divisor) => bound(inner, context).floor(polynomial(divisor, context)),
        })
    };
    linear(form, context, symbol).unwrap_or(Expr::zero())
}
