//! The value of a statement, coordinate by coordinate.

use std::collections::BTreeMap;

use super::{Access, Reduction, Statement, Value};

/// The operations on elements.
pub trait Element: Copy + PartialEq + std::fmt::Debug {
    fn zero() -> Self;
    fn literal(number: i64) -> Self;
    fn is_zero(self) -> bool;
    /// The identity of `min=` or `max=`.
    fn extreme(reduction: Reduction) -> Self;
    fn negated(self) -> Self;
    fn times(self, other: Self) -> Self;
    /// Combines two values by the reduction; `Set` is `Plus`.
    fn reduced(self, other: Self, reduction: Reduction) -> Self;
    /// A function, by number in [`super::FUNCTIONS`].
    fn call(function: usize, arguments: &[Self]) -> Self;
}

/// The stored elements of an operand: a dense one stores every coordinate, a scalar one the empty one.
pub type Elements<T> = BTreeMap<Vec<usize>, T>;

/// All operands by name.
pub type Operands<T> = BTreeMap<&'static str, Elements<T>>;

/// Returns the right side at each coordinate of the output where it is evaluated. `extents` are those
/// of the indices. A term without an index of the output has the same value at each of its coordinates.
pub fn evaluate<T: Element>(statement: &Statement, extents: &[usize], operands: &Operands<T>) -> Elements<T> {
    let whole = matches!(statement.reduction, Reduction::Min | Reduction::Max);
    let mut result = Elements::new();
    for term in terms(&statement.value, statement.reduction) {
        let mut indices = [term.indices(), statement.output.indices.clone()].concat();
        indices.sort_unstable();
        indices.dedup();
        for at in coordinates(&indices, extents) {
            let place = |access: &Access| access.indices.iter().map(|&index| at[index]).collect::<Vec<_>>();
            if let Some(mask) = &statement.mask {
                let stored = operands[mask.access.name].get(&place(&mask.access));
                if stored.is_none_or(|value| value.is_zero()) != mask.negated {
                    continue;
                }
            }
            let read = |access: &Access| operands[access.name].get(&place(access)).copied();
            if let Some(value) = value(&term, whole, &at, &read) {
                let reduced = |old: T| old.reduced(value, statement.reduction);
                let output = place(&statement.output);
                let new = result.get(&output).copied().map_or(value, reduced);
                result.insert(output, new);
            }
        }
    }
    result
}

/// Returns the initial value of a scalar output.
pub fn start<T: Element>(reduction: Reduction) -> T {
    match reduction {
        Reduction::Min | Reduction::Max => T::extreme(reduction),
        _ => T::zero(),
    }
}

/// Returns a dense output after a statement: `=` replaces all elements, other reductions change those with a result.
pub fn updated<T: Element>(before: &Elements<T>, result: &Elements<T>, reduction: Reduction) -> Elements<T> {
    let update = |(at, &old): (&Vec<usize>, &T)| {
        let old = if reduction == Reduction::Set { T::zero() } else { old };
        let new = result.get(at).map_or(old, |&value| old.reduced(value, reduction));
        (at.clone(), new)
    };
    before.iter().map(update).collect()
}

/// The terms that are reduced separately, because the reduction combines them anyway.
fn terms(value: &Value, reduction: Reduction) -> Vec<Value> {
    let all = |parts: &[Value]| parts.iter().map(|part| terms(part, reduction)).collect::<Vec<_>>();
    let sums = matches!(reduction, Reduction::Set | Reduction::Plus);
    match value {
        Value::Sum(parts) if sums => all(parts).concat(),
        Value::Negated(inner) if sums => {
            let negated = |term| Value::Negated(Box::new(term));
            terms(inner, reduction).into_iter().map(negated).collect()
        }
        Value::Product(parts) if sums => choices(&all(parts)).into_iter().map(Value::Product).collect(),
        Value::Or(parts) if reduction == Reduction::Or => all(parts).concat(),
        Value::And(parts) if reduction == Reduction::Or => choices(&all(parts)).into_iter().map(Value::And).collect(),
        _ => vec![value.clone()],
    }
}

/// Returns all combinations of one of each.
fn choices<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let longer = |chosen: Vec<Vec<T>>, list: &Vec<T>| {
        let with = |one: &Vec<T>| {
            list.iter()
                .map(|last| [one.as_slice(), std::slice::from_ref(last)].concat())
                .collect::<Vec<_>>()
        };
        chosen.iter().flat_map(with).collect()
    };
    lists.iter().fold(vec![Vec::new()], longer)
}

/// Returns every combination of values of these indices; the others are zero.
fn coordinates(indices: &[usize], extents: &[usize]) -> Vec<Vec<usize>> {
    let ranges: Vec<Vec<usize>> = (0..extents.len())
        .map(|index| {
            let extent = if indices.contains(&index) { extents[index] } else { 1 };
            (0..extent).collect()
        })
        .collect();
    choices(&ranges)
}

/// Returns the value at a coordinate where it is evaluated: a product where all factors are, a sum where any term is.
fn value<T: Element>(of: &Value, whole: bool, at: &[usize], read: &impl Fn(&Access) -> Option<T>) -> Option<T> {
    let one = |of: &Value| value(of, whole, at, read);
    let all = |parts: &[Value]| parts.iter().map(one).collect::<Option<Vec<T>>>();
    let any = |parts: &[Value], reduction| {
        if whole && parts.iter().any(|part| one(part).is_none()) {
            return None;
        }
        let stored = parts.iter().filter_map(one);
        stored.reduce(|left, right| left.reduced(right, reduction))
    };
    match of {
        Value::Read(access) => read(access),
        Value::Literal(number) => Some(T::literal(*number)),
        Value::Index(index) => Some(T::literal(at[*index] as i64)),
        Value::Negated(inner) => one(inner).map(T::negated),
        Value::Product(parts) => all(parts)?.into_iter().reduce(T::times),
        Value::And(parts) => {
            let parts = all(parts)?.into_iter();
            parts.reduce(|left, right| left.reduced(right, Reduction::And))
        }
        Value::Sum(parts) => any(parts, Reduction::Plus),
        Value::Or(parts) => any(parts, Reduction::Or),
        Value::Call(function, parts) => Some(T::call(*function, &all(parts)?)),
    }
}
