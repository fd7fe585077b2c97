//! The arrays and bytes that each step reads and writes, and how the conversion realizes the step.

use super::arrays::{ArrayAccess, Arrays, nnz};
use super::builder::PlanBuilder;
use super::bytes::Bytes;
use super::execution::{Execution, Method};
use super::expression::Expression;
use super::format::Format;
use super::operator::{Operator, State};
use super::step::{Fate, Step};
use super::text;
use crate::format::{LevelStorage, Query};

/// Replays the operators of a plan to find what each reads and writes.
pub(super) fn steps(
    source: &Format,
    mut state: State,
    target: &Format,
    wanted: &State,
    builder: &PlanBuilder<'_>,
    execution: &Execution,
) -> Option<Vec<Step>> {
    let from = state.clone();
    let (before, after) = (Arrays::new(source, &from), Arrays::new(target, wanted));
    let map_ends = builder
        .steps
        .iter()
        .rposition(|(operator, _)| matches!(operator, Operator::Sort(_)));
    let names = |queries: &[Query]| queries.iter().map(|query| query.name).collect::<Vec<_>>();
    // Until the target's queries are evaluated, levels mention the source's queries, which are dropped.
    let is_query = |(operator, _): &(Operator, _)| matches!(operator, Operator::Query { .. });
    let evaluated = builder.steps.iter().position(is_query).unwrap_or(builder.steps.len());
    let (queries, own) = (names(builder.queries), names(source.encoding.queries));
    // An array with one coordinate per element, named after a level that holds it.
    let flat = |expression: &Expression| {
        let place = |state: &State| state.levels.iter().position(|level| level.expression == *expression);
        let stored = |arrays: &Arrays<'_>, level: usize| (arrays.name(level), arrays.format.storage.levels.get(level));
        let (name, width) = match (place(wanted), place(&from)) {
            (Some(level), _) => named(stored(&after, level)),
            (None, Some(level)) if level < source.encoding.levels.len() => named(stored(&before, level)),
            _ => (format!("({})", expression.text(builder.dims, &queries)), 4),
        };
        ArrayAccess {
            array: format!("{name}_idx"),
            bytes: nnz().times(&Bytes::number(width as u128)),
        }
    };
    let mut steps = Vec::with_capacity(builder.steps.len());
    for (at, (operator, rule)) in builder.steps.iter().enumerate() {
        let earlier = state.clone();
        state.apply(operator)?;
        let (old, new) = (
            |level: usize| earlier.levels.get(level).map(|level| flat(&level.expression)),
            |level: usize| state.levels.get(level).map(|level| flat(&level.expression)),
        );
        let all = |state: &State| {
            state
                .levels
                .iter()
                .map(|level| flat(&level.expression))
                .collect::<Vec<_>>()
        };
        let first_half = map_ends.is_some_and(|ends| at < ends);
        let arrays = if first_half { &before } else { &after };
        let one = |array: Option<ArrayAccess>| array.into_iter().collect::<Vec<_>>();
        let (reads, writes) = match operator {
            Operator::TileUnion { level, remainder, .. } => {
                let reads = [old(*level), old(*remainder)].into_iter().flatten().collect();
                (reads, one(new(level - usize::from(remainder < level))))
            }
            Operator::Scale(level, _) | Operator::Shift(level, _) => (one(old(*level)), one(new(*level))),
            Operator::Skew(i, j, _) => ([old(*i), old(*j)].into_iter().flatten().collect(), one(new(*j))),
            Operator::TileSplit(level, _) => {
                let writes = [new(*level), new(level + 1)].into_iter().flatten().collect();
                (one(old(*level)), writes)
            }
            Operator::Compute { level, .. } => (all(&earlier), one(new(*level))),
            Operator::Query { inserted, .. } => {
                let results = one(new(0).filter(|_| *inserted));
                (all(&earlier), results)
            }
            Operator::Sort(_) => {
                let values = each_value(target);
                let (mut reads, mut writes) = (all(&earlier), all(&state));
                reads.push(values.clone());
                writes.push(values);
                (reads, writes)
            }
            Operator::Trim(level) | Operator::Split(level) if *level < arrays.format.encoding.levels.len() => {
                (before_or(first_half, &before, &after, *level), one(new(*level)))
            }
            // Until the level is merged, each child has a coordinate.
            Operator::Fill(level) if wanted.levels[*level].merged && after.ptr_of(*level).is_some() => {
                (one(old(*level)), one(new(*level)))
            }
            Operator::Fill(level) | Operator::Merge(level) | Operator::Pad(level) => {
                (one(old(*level)), after.of(*level))
            }
            Operator::Vectorize(_) => (vec![each_value(target)], vec![after.values()]),
            Operator::Devectorize(_) => (vec![before.values()], vec![each_value(source)]),
            Operator::Pack(first, last) => {
                let packed: Vec<ArrayAccess> = (*first..=*last).filter_map(|level| after.idx(level)).collect();
                (packed.clone(), packed)
            }
            _ => (Vec::new(), Vec::new()),
        };
        steps.push(Step {
            operator: operator.clone(),
            rule: *rule,
            map: (!state.same_map(&earlier)).then(|| {
                let names = if at < evaluated { &own } else { &queries };
                text::map(&state, builder.dims, names)
            }),
            reads,
            writes,
            fate: fate(operator, execution, first_half),
        });
    }
    Some(steps)
}

/// Returns the array of one value per element.
fn each_value(format: &Format) -> ArrayAccess {
    ArrayAccess {
        array: "values".to_owned(),
        bytes: nnz().times(&Bytes::number(format.storage.value_width as u128)),
    }
}

/// Returns the arrays that a level is read from.
fn before_or(first_half: bool, before: &Arrays<'_>, after: &Arrays<'_>, level: usize) -> Vec<ArrayAccess> {
    let arrays = if first_half || level < before.format.encoding.levels.len() {
        before
    } else {
        after
    };
    arrays.of(level)
}

fn named((name, stored): (&'static str, Option<&LevelStorage>)) -> (String, usize) {
    let width = stored.and_then(|stored| stored.idx).map_or(4, |array| array.width);
    (name.to_owned(), width)
}

/// Returns how the conversion realizes a step.
fn fate(operator: &Operator, execution: &Execution, first_half: bool) -> Fate {
    match operator {
        Operator::Decompose(_) | Operator::Query { .. } => Fate::Runs,
        Operator::Drop(_) => Fate::Elided("nothing is held of it"),
        Operator::Swap(..) => Fate::Elided("levels are named, not moved"),
        Operator::Sort(_) if execution.method == Method::Append => Fate::Elided("the order of the source implies it"),
        Operator::Sort(_) if execution.method == Method::Place => {
            Fate::Fused("each value is put in the place of its block")
        }
        Operator::Sort(_) => Fate::Runs,
        operator if operator.is_of_map() => Fate::Fused("computed for each element as it is visited"),
        _ if execution.method == Method::Mutation => Fate::Runs,
        _ if first_half => Fate::Fused("the traversal of the source gives coordinates"),
        Operator::Pack(..) | Operator::Partition(_) => Fate::Runs,
        _ => Fate::Fused("levels are built once, as they end up"),
    }
}
