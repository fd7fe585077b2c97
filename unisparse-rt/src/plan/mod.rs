//! Conversions as the paper plans them: from two encodings, the operators that turn one into the other.
//!
//! Data to data; nothing here is on the path of a conversion. What runs is one pass that has the effect of all
//! operators; `execution` says which.

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

pub use crate::encoding::QueryKind;
pub use bytes::Bytes;
pub use execution::{Execution, Method};
pub use expression::{Expression, Factor, Unknown};
pub use operator::Operator;

use crate::encoding::{Encoded, Encoding, Query, Storage};
use execution::Order;
use operator::{Level, State};

/// How one format is converted into another; printed by `{}`.
///
/// The steps are those of the paper's algorithm (its Figure 9): tiles are united, a matrix turned into another, tiles split, queries
/// evaluated, elements sorted, levels trimmed, filled and merged, arrays laid out. They say what is done;
/// [`execution`](Plan::execution) says how, as steps are not run one by one.
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
    /// How many bytes of it.
    pub bytes: Bytes,
}

/// What becomes of a step in the conversion that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It runs.
    Runs,
    /// Another pass has its effect.
    Fused(&'static str),
    /// It has none here.
    Elided(&'static str),
}

impl Plan {
    /// The operators in order; for a target in parts, those down to the division.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How they are run; none for a target in parts.
    #[must_use]
    pub fn execution(&self) -> Option<&Execution> {
        self.execution.as_ref()
    }

    /// The plan of each part of a hybrid target; none for others.
    #[must_use]
    pub fn parts(&self) -> &[Plan] {
        &self.parts
    }
}

impl Step {
    /// What it does.
    #[must_use]
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// The rule of the paper that it is of (1 to 17); operators that the paper lacks have none.
    #[must_use]
    pub fn rule(&self) -> Option<u8> {
        self.rule
    }

    /// The index map after it, if it changed that.
    #[must_use]
    pub fn map(&self) -> Option<&str> {
        self.map.as_deref()
    }

    /// What it reads, were it run on its own.
    #[must_use]
    pub fn reads(&self) -> &[Use] {
        &self.reads
    }

    /// What it writes, were it run on its own.
    #[must_use]
    pub fn writes(&self) -> &[Use] {
        &self.writes
    }

    /// What becomes of it.
    #[must_use]
    pub fn fate(&self) -> Fate {
        self.fate
    }
}

/// The plan of the conversion of an `A` into a `B`: `plan::<Csc<f64>, Bcsr<f64>>()`.
///
/// Both have equally many dimensions; the steps of others are empty, as conversion between them does not compile.
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

/// A format as it was declared, and is stored.
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

/// The plan between two formats, neither in parts.
fn between(source: &Format, target: &Format) -> Plan {
    let order = if source.storage.sorted {
        Order::Of(source.encoding)
    } else {
        Order::Found
    };
    let state = State::new(&source.encoding, &source.storage);
    planned(source, state, order, target).unwrap_or_else(|| Plan::empty(text::title(source), text::title(target)))
}

/// From and to formats in parts: the elements of all parts, divided anew.
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
        // A part is given its elements in logical order.
        let part = planned(&sources[0], Some(coordinates()), Order::Logical, target);
        plan.parts.extend(part.map(|part| Plan {
            source: format!("({})", target.encoding.dims.join(", ")),
            ..part
        }));
    }
    plan
}

/// The plan from elements in `state`, which are in this order.
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

/// A conversion under way.
#[derive(Debug, Clone)]
struct Course<'a> {
    state: State,
    target: State,
    dims: &'a [&'static str],
    queries: &'a [Query],
    steps: Vec<(Operator, Option<u8>)>,
}

impl Course<'_> {
    /// One more step; none if it does not apply.
    fn run(&mut self, operator: Operator) -> Option<()> {
        let rule = operator.rule();
        self.state.apply(&operator)?;
        self.steps.push((operator, rule));
        Some(())
    }

    /// One more step of a rule. A vector that is made and taken apart again is neither.
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

/// The paper's algorithm. None if a number in the encodings is out of range.
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
    // Queries of the source say nothing: they were evaluated on other elements if a hole swallowed some.
    if queried || !course.state.same_map(&course.target) {
        // The paper leaves this open: its index maps are changed while coordinates are explicit.
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
