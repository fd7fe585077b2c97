//! Rules 6 to 11: which coordinates levels hold, and which nodes are merged.

use super::builder::PlanBuilder;
use super::operator::{LevelState, Operator};

/// Gives each element one explicit coordinate on every level, as operators on index maps require.
pub(super) fn flatten(builder: &mut PlanBuilder<'_>) -> Option<()> {
    let levels = builder
        .state
        .levels
        .iter()
        .map(|level| LevelState::flat(level.expression.clone()));
    let levels: Vec<LevelState> = levels.collect();
    trims(builder, &levels)?;
    merges(builder, &levels)
}

/// Trims and fills levels, and turns them into dense vectors or back, until they are as in `wanted`.
pub(super) fn trims(builder: &mut PlanBuilder<'_>, wanted: &[LevelState]) -> Option<()> {
    let count = wanted.len();
    let depends = |level: &LevelState| level.trimmed || level.padded;
    let tail = wanted.iter().rposition(depends).map_or(0, |last| last + 1);
    // Rule 8: the last level that depends on the elements is further down.
    for level in builder.state.tail()..tail {
        builder.rule(8, Operator::Devectorize(level))?;
        coordinates(builder, level, wanted, 8)?;
        if level + 1 < count {
            builder.rule(8, Operator::Vectorize(level + 1))?;
        }
    }
    // Rules 6 and 7: the levels above it.
    for level in 0..tail {
        if !wanted[level].trimmed {
            coordinates(builder, level, wanted, 7)?;
        }
    }
    for level in (0..tail).rev() {
        coordinates(builder, level, wanted, 6)?;
    }
    // Rule 9: it is further up.
    for level in (tail..builder.state.tail()).rev() {
        if level + 1 < count {
            builder.rule(9, Operator::Devectorize(level + 1))?;
        }
        coordinates(builder, level, wanted, 9)?;
        builder.rule(9, Operator::Vectorize(level))?;
    }
    Some(())
}

/// Trims, pads or fills one level as wanted.
fn coordinates(builder: &mut PlanBuilder<'_>, level: usize, wanted: &[LevelState], rule: u8) -> Option<()> {
    let (now, then) = (&builder.state.levels[level], &wanted[level]);
    if (now.trimmed, now.padded) == (then.trimmed, then.padded) {
        return Some(());
    }
    match (then.trimmed, then.padded) {
        (true, _) => builder.rule(rule, Operator::Trim(level)),
        (false, true) => builder.run(Operator::Pad(level)),
        (false, false) => builder.rule(rule, Operator::Fill(level)),
    }
}

/// Splits and merges levels until they are as in `wanted`.
pub(super) fn merges(builder: &mut PlanBuilder<'_>, wanted: &[LevelState]) -> Option<()> {
    for level in (0..wanted.len()).rev() {
        if builder.state.levels[level].merged && !wanted[level].merged {
            builder.run(Operator::Split(level))?;
        }
    }
    for (level, wanted) in wanted.iter().enumerate() {
        if !builder.state.levels[level].merged && wanted.merged {
            builder.run(Operator::Merge(level))?;
        }
    }
    Some(())
}
