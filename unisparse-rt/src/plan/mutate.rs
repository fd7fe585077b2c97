//! Rules 6 to 11: which coordinates levels hold, and which nodes are merged.

use super::course::Course;
use super::operator::{LevelState, Operator};

/// Gives each element one explicit coordinate on every level, as operators on index maps require.
pub(super) fn flatten(course: &mut Course<'_>) -> Option<()> {
    let levels = course
        .state
        .levels
        .iter()
        .map(|level| LevelState::flat(level.holds.clone()));
    let levels: Vec<LevelState> = levels.collect();
    trims(course, &levels)?;
    merges(course, &levels)
}

/// Trims and fills levels, and turns them into dense vectors or back, until they are as in `wanted`.
pub(super) fn trims(course: &mut Course<'_>, wanted: &[LevelState]) -> Option<()> {
    let count = wanted.len();
    let depends = |level: &LevelState| level.trimmed || level.padded;
    let tail = wanted.iter().rposition(depends).map_or(0, |last| last + 1);
    // Rule 8: the last level that depends on the elements is further down.
    for level in course.state.tail()..tail {
        course.rule(8, Operator::Devectorize(level))?;
        coordinates(course, level, wanted, 8)?;
        if level + 1 < count {
            course.rule(8, Operator::Vectorize(level + 1))?;
        }
    }
    // Rules 6 and 7: the levels above it.
    for level in 0..tail {
        if !wanted[level].trimmed {
            coordinates(course, level, wanted, 7)?;
        }
    }
    for level in (0..tail).rev() {
        coordinates(course, level, wanted, 6)?;
    }
    // Rule 9: it is further up.
    for level in (tail..course.state.tail()).rev() {
        if level + 1 < count {
            course.rule(9, Operator::Devectorize(level + 1))?;
        }
        coordinates(course, level, wanted, 9)?;
        course.rule(9, Operator::Vectorize(level))?;
    }
    Some(())
}

/// Trims, pads or fills one level as wanted.
fn coordinates(course: &mut Course<'_>, level: usize, wanted: &[LevelState], rule: u8) -> Option<()> {
    let (now, then) = (&course.state.levels[level], &wanted[level]);
    if (now.trimmed, now.padded) == (then.trimmed, then.padded) {
        return Some(());
    }
    match (then.trimmed, then.padded) {
        (true, _) => course.rule(rule, Operator::Trim(level)),
        (false, true) => course.run(Operator::Pad(level)),
        (false, false) => course.rule(rule, Operator::Fill(level)),
    }
}

/// Splits and merges levels until they are as in `wanted`.
pub(super) fn merges(course: &mut Course<'_>, wanted: &[LevelState]) -> Option<()> {
    for level in (0..wanted.len()).rev() {
        if course.state.levels[level].merged && !wanted[level].merged {
            course.run(Operator::Split(level))?;
        }
    }
    for (level, wanted) in wanted.iter().enumerate() {
        if !course.state.levels[level].merged && wanted.merged {
            course.run(Operator::Merge(level))?;
        }
    }
    Some(())
}
