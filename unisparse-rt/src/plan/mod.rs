//! Plans conversions as the paper does: computes, from two encodings, the operators that turn one into the other.
//!
//! Planning is not part of a conversion. A conversion runs one pass with the effect of all operators; `execution` describes
//! that pass.

mod arrays;
mod builder;
mod bytes;
mod execution;
mod expression;
mod format;
mod layout;
mod map;
mod mutate;
mod operator;
mod query;
mod sort;
mod step;
#[cfg(test)]
mod tests;
mod text;
mod traffic;

pub use crate::format::QueryKind;
pub use arrays::ArrayAccess;
pub use bytes::Bytes;
pub use execution::{Execution, Method};
pub use expression::{Expression, Factor, Unknown};
pub use operator::Operator;
pub use step::{Fate, Plan, Step};

use crate::format::{Encoded, Query};
use builder::PlanBuilder;
use execution::Order;
use format::{Format, formats, title};
use operator::{LevelState, State};

/// Plans the conversion of an `A` into a `B`: `plan::<Csc<f64>, Bcsr<f64>>()`.
///
/// Both must have equally many dims, as conversions between others do not compile; otherwise the plan has no steps.
#[must_use]
pub fn plan<A: Encoded, B: Encoded>() -> Plan {
    let sources = formats::<A>();
    let targets = formats::<B>();
    match (sources.as_slice(), targets.as_slice()) {
        ([source], [target]) => between(source, target),
        ([], _) | (_, []) => Plan::empty(String::new(), String::new()),
        _ => in_parts(&sources, &targets),
    }
}

/// Returns the method and the number of passes of the conversion of an `A` into a `B`, as the plan has them, for a small part of the
/// time that planning takes; `None` if `B` is in parts.
pub(crate) fn outline<A: Encoded, B: Encoded>() -> Option<(Method, usize)> {
    let (sources, targets) = (formats::<A>(), formats::<B>());
    let ([source, ..], [target]) = (sources.as_slice(), targets.as_slice()) else {
        return None;
    };
    let (_, execution) = execution::outline(source, order_of(&sources), target);
    Some((execution.method(), execution.passes()))
}

/// Returns the order in which the elements of a tensor arrive whose parts have these formats.
fn order_of(sources: &[Format]) -> Order {
    match sources {
        [source] if source.storage.sorted => Order::Of(source.encoding),
        [_] => Order::Found,
        _ => Order::Unknown,
    }
}

/// Plans a conversion between two formats without parts.
fn between(source: &Format, target: &Format) -> Plan {
    let order = order_of(core::slice::from_ref(source));
    let state = State::new(&source.encoding, &source.storage);
    planned(source, state, order, target).unwrap_or_else(|| Plan::empty(title(source), title(target)))
}

/// Plans a conversion from or to a format in parts: the elements of all parts are visited, and divided again.
fn in_parts(sources: &[Format], targets: &[Format]) -> Plan {
    let name = |formats: &[Format]| formats.iter().map(title).collect::<Vec<_>>().join(" + ");
    let mut plan = Plan::empty(name(sources), name(targets));
    let dims = targets[0].encoding.dims.len();
    let coordinates = || State {
        levels: (0..dims)
            .map(|dim| LevelState::flat(Expression::unknown(Unknown::Dim(dim))))
            .collect(),
        vector: None,
        packs: Vec::new(),
        partition: None,
        sorted: true,
    };
    let loose = |operator: Operator, fate: Fate| Step {
        operator,
        rule: None,
        map: None,
        reads: Vec::new(),
        writes: Vec::new(),
        fate,
    };
    if sources.len() > 1 {
        let visited = Fate::Fused("the parts are visited one after another");
        plan.steps.push(loose(Operator::Compose(sources.len()), visited));
    } else if let Some(state) = State::new(&sources[0].encoding, &sources[0].storage) {
        if let Some(builder) = operators(state, coordinates(), targets[0].encoding.dims, &[]) {
            let visited = Fate::Fused("the traversal of the source gives the coordinates of each element");
            let steps = builder.steps.into_iter();
            plan.steps = steps
                .map(|(operator, rule)| Step {
                    rule,
                    ..loose(operator, visited)
                })
                .collect();
        }
    }
    if let [target] = targets {
        let mut state = coordinates();
        state.sorted = false;
        if let Some(rest) = planned(&sources[0], Some(state), order_of(sources), target) {
            plan.steps.extend(rest.steps);
            plan.execution = rest.execution;
        }
        return plan;
    }
    plan.steps.push(loose(Operator::Decompose(targets.len()), Fate::Runs));
    for target in targets {
        // Each part receives its elements in logical order.
        let part = planned(&sources[0], Some(coordinates()), Order::Logical, target);
        plan.parts.extend(part.map(|part| Plan {
            source: format!("({})", target.encoding.dims.join(", ")),
            ..part
        }));
    }
    plan
}

/// Plans the conversion of elements in `state` and in this order.
fn planned(source: &Format, state: Option<State>, order: Order, target: &Format) -> Option<Plan> {
    let state = state?;
    let wanted = State::new(&target.encoding, &target.storage)?;
    let encoding = &target.encoding;
    let builder = operators(state.clone(), wanted.clone(), encoding.dims, encoding.queries)?;
    let execution = execution::of(source, &wanted, order, target);
    Some(Plan {
        source: title(source),
        target: title(target),
        steps: traffic::steps(source, state, target, &wanted, &builder, &execution)?,
        execution: Some(execution),
        parts: Vec::new(),
    })
}

/// Runs the paper's algorithm. `None` if a number in the encodings overflows.
fn operators<'a>(
    source: State,
    target: State,
    dims: &'a [&'static str],
    queries: &'a [Query],
) -> Option<PlanBuilder<'a>> {
    let queried = !queries.is_empty() || source.levels.iter().any(|level| level.expression.mentions_query());
    let mut builder = PlanBuilder {
        state: source,
        target,
        dims,
        queries,
        steps: Vec::new(),
    };
    if !queried && builder.state == builder.target {
        return Some(builder);
    }
    layout::undo(&mut builder)?;
    // Queries of the source are not reused: they may have been evaluated before elements were dropped as holes.
    if queried || !builder.state.same_map(&builder.target) {
        // The paper does not specify this: its index maps change while coordinates are explicit.
        mutate::flatten(&mut builder)?;
        let tiles = map::align(&mut builder)?;
        query::evaluate(&mut builder, &tiles)?;
        sort::arrange(&mut builder)?;
    } else if !builder.state.sorted {
        sort::arrange(&mut builder)?;
    }
    let wanted = builder.target.levels.clone();
    mutate::trims(&mut builder, &wanted)?;
    mutate::merges(&mut builder, &wanted)?;
    layout::generate(&mut builder)?;
    Some(builder)
}
