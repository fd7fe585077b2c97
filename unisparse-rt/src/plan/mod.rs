//! Plans conversions as the paper does: computes, from two encodings, the operators that turn one into the other.
//!
//! Planning is not part of a conversion. A conversion runs one pass with the effect of all operators; `execution` describes
//! that pass.

mod arrays;
mod bytes;
mod course;
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
pub use arrays::Use;
pub use bytes::Bytes;
pub use execution::{Execution, Method};
pub use expression::{Expression, Factor, Unknown};
pub use operator::Operator;
pub use step::{Fate, Plan, Step};

use crate::format::{Encoded, Query};
use course::Course;
use execution::Order;
use format::{Format, formats, title};
use operator::{LevelState, State};

/// Plans the conversion of an `A` into a `B`: `plan::<Csc<f64>, Bcsr<f64>>()`.
///
/// Both must have equally many dimensions, as conversions between others do not compile; otherwise the plan has no steps.
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

/// Plans a conversion between two formats without parts.
fn between(source: &Format, target: &Format) -> Plan {
    let order = if source.storage.sorted {
        Order::Of(source.encoding)
    } else {
        Order::Found
    };
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
        if let Some(course) = operators(state, coordinates(), targets[0].encoding.dims, &[]) {
            let visited = Fate::Fused("the traversal of the source gives the coordinates of each element");
            let steps = course.steps.into_iter();
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
        if let Some(rest) = planned(&sources[0], Some(state), Order::Unknown, target) {
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
    let course = operators(state.clone(), wanted.clone(), encoding.dims, encoding.queries)?;
    let execution = execution::of(source, &wanted, order, target);
    Some(Plan {
        source: title(source),
        target: title(target),
        steps: traffic::steps(source, state, target, &wanted, &course, &execution)?,
        execution: Some(execution),
        parts: Vec::new(),
    })
}

/// Runs the paper's algorithm. `None` if a number in the encodings overflows.
fn operators<'a>(source: State, target: State, dims: &'a [&'static str], queries: &'a [Query]) -> Option<Course<'a>> {
    let queried = !queries.is_empty() || source.levels.iter().any(|level| level.holds.mentions_query());
    let mut course = Course {
        state: source,
        target,
        dims,
        queries,
        steps: Vec::new(),
    };
    if !queried && course.state == course.target {
        return Some(course);
    }
    layout::undo(&mut course)?;
    // Queries of the source are not reused: they may have been evaluated before elements were dropped as holes.
    if queried || !course.state.same_map(&course.target) {
        // The paper does not specify this: its index maps change while coordinates are explicit.
        mutate::flatten(&mut course)?;
        let tiles = map::align(&mut course)?;
        query::evaluate(&mut course, &tiles)?;
        sort::arrange(&mut course)?;
    } else if !course.state.sorted {
        sort::arrange(&mut course)?;
    }
    let wanted = course.target.levels.clone();
    mutate::trims(&mut course, &wanted)?;
    mutate::merges(&mut course, &wanted)?;
    layout::generate(&mut course)?;
    Some(course)
}
