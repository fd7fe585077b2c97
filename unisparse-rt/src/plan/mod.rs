//! Plans conversions as the paper does: computes, from two encodings, the operators that turn one into the other.
//!
//! Planning is not part of a conversion. A conversion runs one pass with the effect of all operators; `execution` describes
//! that pass.

mod bytes;
mod execution;
mod expression;
mod layout;
mod map;
mod mutate;
mod operator;
mod query;
mod sort;
#[cfg(test)]
mod tests;
mod text;
mod traffic;

pub use crate::format::QueryKind;
pub use bytes::Bytes;
pub use execution::{Execution, Method};
pub use expression::{Expression, Factor, Unknown};
pub use operator::Operator;

use crate::format::{Encoded, Encoding, Query, Storage};
use execution::Order;
use operator::{Level, State};

/// How one format is converted into another; printed by `{}`.
///
/// The steps are those of the paper's algorithm (its Figure 9): tiles are united, one matrix is turned into another, tiles
/// are split, queries evaluated, elements sorted, levels trimmed, filled and merged, and arrays laid out. They specify the
/// result; [`execution`](Plan::execution) says how it is computed, as the steps do not run one by one.
#[derive(Debug, Clone)]
pub struct Plan {
    source: String,
    target: String,
    steps: Vec<Step>,
    execution: Option<Execution>,
    parts: Vec<Plan>,
}

/// One operator of a plan.
#[derive(Debug, Clone)]
pub struct Step {
    operator: Operator,
    rule: Option<u8>,
    map: Option<String>,
    reads: Vec<Use>,
    writes: Vec<Use>,
    fate: Fate,
}

/// An array that a step reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// Its name: `row_ptr`, `values`.
    pub array: String,
    /// The number of bytes of the array that are read or written.
    pub bytes: Bytes,
}

/// How the conversion realizes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The step runs.
    Runs,
    /// Another pass has the effect of the step.
    Fused(&'static str),
    /// The step has no effect in this conversion.
    Elided(&'static str),
}

impl Plan {
    /// Returns the operators in order; for a target in parts, up to the division.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns how the operators run; `None` for a target in parts.
    #[must_use]
    pub fn execution(&self) -> Option<&Execution> {
        self.execution.as_ref()
    }

    /// Returns the plan of each part of a hybrid target; empty for other targets.
    #[must_use]
    pub fn parts(&self) -> &[Plan] {
        &self.parts
    }
}

impl Step {
    /// Returns the operator that the step applies.
    #[must_use]
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Returns the step's rule in the paper (1 to 17); `None` for operators that the paper lacks.
    #[must_use]
    pub fn rule(&self) -> Option<u8> {
        self.rule
    }

    /// Returns the index map after the step, if the step changed it.
    #[must_use]
    pub fn map(&self) -> Option<&str> {
        self.map.as_deref()
    }

    /// Returns the arrays that the step would read if it ran by itself.
    #[must_use]
    pub fn reads(&self) -> &[Use] {
        &self.reads
    }

    /// Returns the arrays that the step would write if it ran by itself.
    #[must_use]
    pub fn writes(&self) -> &[Use] {
        &self.writes
    }

    /// Returns how the conversion realizes the step.
    #[must_use]
    pub fn fate(&self) -> Fate {
        self.fate
    }
}

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

fn formats<A: Encoded>() -> Vec<Format> {
    let both = A::ENCODINGS.iter().zip(A::STORAGE);
    both.map(|(encoding, storage)| Format {
        encoding: *encoding,
        storage: *storage,
    })
    .collect()
}

/// A format as declared, and its storage.
#[derive(Debug, Clone, Copy)]
struct Format {
    encoding: Encoding,
    storage: Storage,
}

impl Plan {
    fn empty(source: String, target: String) -> Self {
        Plan {
            source,
            target,
            steps: Vec::new(),
            execution: None,
            parts: Vec::new(),
        }
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
    planned(source, state, order, target).unwrap_or_else(|| Plan::empty(text::title(source), text::title(target)))
}

/// Plans a conversion from or to a format in parts: the elements of all parts are visited, and divided again.
fn in_parts(sources: &[Format], targets: &[Format]) -> Plan {
    let name = |formats: &[Format]| formats.iter().map(text::title).collect::<Vec<_>>().join(" + ");
    let mut plan = Plan::empty(name(sources), name(targets));
    let dims = targets[0].encoding.dims.len();
    let coordinates = || State {
        levels: (0..dims)
            .map(|dim| Level::flat(Expression::unknown(Unknown::Dim(dim))))
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
        source: text::title(source),
        target: text::title(target),
        steps: traffic::steps(source, state, target, &wanted, &course, &execution)?,
        execution: Some(execution),
        parts: Vec::new(),
    })
}

/// The state of planning a conversion.
#[derive(Debug, Clone)]
struct Course<'a> {
    state: State,
    target: State,
    dims: &'a [&'static str],
    queries: &'a [Query],
    steps: Vec<(Operator, Option<u8>)>,
}

impl Course<'_> {
    /// Adds a step; `None` if it does not apply.
    fn run(&mut self, operator: Operator) -> Option<()> {
        let rule = operator.rule();
        self.state.apply(&operator)?;
        self.steps.push((operator, rule));
        Some(())
    }

    /// Adds a step of a rule. A `Devectorize` right after the matching `Vectorize` cancels it instead.
    fn rule(&mut self, rule: u8, operator: Operator) -> Option<()> {
        self.state.apply(&operator)?;
        let made = match operator {
            Operator::Devectorize(level) => Some(Operator::Vectorize(level)),
            _ => None,
        };
        if made.is_some() && self.steps.last().map(|(last, _)| last) == made.as_ref() {
            self.steps.pop();
        } else {
            self.steps.push((operator, Some(rule)));
        }
        Some(())
    }

    fn run_all(&mut self, operators: Vec<Operator>) -> Option<()> {
        operators.into_iter().try_for_each(|operator| self.run(operator))
    }

    /// Adds a level below all others.
    fn compute(&mut self, expression: Expression) -> Option<()> {
        self.compute_at(self.state.levels.len(), expression)
    }

    fn compute_at(&mut self, level: usize, expression: Expression) -> Option<()> {
        let names: Vec<&str> = self.queries.iter().map(|query| query.name).collect();
        let text = expression.text(self.dims, &names);
        self.run(Operator::Compute {
            level,
            expression,
            text,
        })
    }
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
