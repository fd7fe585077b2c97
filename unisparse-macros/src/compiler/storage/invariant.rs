//! Finds the levels above over which an aligned level is invariant, so that its array need not repeat the coordinate.

use super::{Kind, LevelStorage};
use crate::compiler::encoding::{Format, Status};

/// Returns the levels that the array of an aligned level leaves out: the other `free` levels above determine its coordinate,
/// and their coordinates give a position.
///
/// A level that a `pack` lays side by side with others, or that a word has, keeps one entry for each position.
pub(super) fn invariant_over(format: &Format, levels: &[LevelStorage], free: &[usize], level: usize) -> Vec<usize> {
    let is_packed = format
        .packs
        .iter()
        .any(|&(first, last)| (first..=last).contains(&level))
        || format.word.iter().any(|word| word.has(level));
    if format.levels[level].status != Status::Aligned || is_packed {
        return Vec::new();
    }
    let above: Vec<usize> = free.iter().copied().filter(|&above| above < level).collect();
    // Each part of a tensor has an array of its own.
    let in_one_part = |above: usize| format.partition.is_none_or(|cut| cut < above);
    let mut kept = above.clone();
    for &candidate in above.iter().rev().filter(|&&above| in_one_part(above)) {
        let others: Vec<usize> = kept.iter().copied().filter(|&kept| kept != candidate).collect();
        if format.determine(&others, level) {
            kept = others;
        }
    }
    let mut over: Vec<usize> = above.iter().copied().filter(|level| !kept.contains(level)).collect();
    while over
        .first()
        .is_some_and(|&first| !are_placed(format, levels, &above, &over, first))
    {
        over.remove(0);
    }
    over
}

/// Whether the position above the level `first`, and the coordinates of the levels below it that are not in `over`, give a
/// position among all of these.
///
/// Dense levels have as many coordinates below each parent. A counted level has not, but if the only node above is the root,
/// the coordinate itself is the position.
fn are_placed(format: &Format, levels: &[LevelStorage], above: &[usize], over: &[usize], first: usize) -> bool {
    let parent = above.iter().rev().find(|&&parent| parent < first);
    let mut kept = above
        .iter()
        .copied()
        .filter(|level| *level > first && !over.contains(level));
    let is_placed = |level: usize, is_outermost: bool| match levels[level].kind {
        Kind::Dense => true,
        Kind::Counted { .. } => is_outermost && format.levels[level].measured,
        _ => false,
    };
    let outermost = kept.next();
    parent.is_none_or(|&parent| !levels[parent].kind.is_copied())
        && outermost.is_none_or(|level| is_placed(level, parent.is_none()))
        && kept.all(|level| is_placed(level, false))
}
