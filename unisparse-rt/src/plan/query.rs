//! Rules 12 to 15: the queries of the target, in declaration order.

use super::builder::PlanBuilder;
use super::expression::{Expression, Unknown};
use super::map;
use super::operator::Operator;

/// Evaluates the queries and adds the levels that mention them; `tiles` of these levels are then split.
pub(super) fn evaluate(builder: &mut PlanBuilder<'_>, tiles: &[(Expression, i128)]) -> Option<()> {
    let levels = builder
        .target
        .levels
        .iter()
        .map(|level| level.expression.clone())
        .collect();
    let (united, _) = map::unite(levels)?;
    let mut wanted: Vec<Expression> = united.into_iter().filter(Expression::mentions_query).collect();
    for (number, query) in builder.queries.iter().enumerate() {
        let level = wanted
            .iter()
            .position(|level| level.as_unknown() == Some(&Unknown::Query(number)));
        if let Some(level) = level {
            wanted.remove(level);
        }
        builder.run(Operator::Query {
            kind: query.kind,
            number,
            name: query.name,
            inserted: level.is_some(),
        })?;
    }
    for level in wanted {
        builder.compute(level)?;
    }
    map::split(builder, tiles)
}
