//! Which operators make the levels of one format those of another, and their order.

use std::borrow::Cow;

use super::arrays::{Nodes, made};
use super::merge::{self, Marks};
use super::trim;
use crate::level::{Domain, Kind};
use crate::storage::Pointers;
use crate::{Error, Limit};

/// A free level above the dense ones at the end, which stay.
struct Level<'n, 'a> {
    from: Form,
    to: Form,
    domain: Domain,
    nodes: &'n mut Nodes<'a>,
}

/// How a level holds its coordinates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense,
    /// One entry for each coordinate below each parent.
    Merged,
    /// One entry for each child.
    Copied,
}

impl Form {
    /// That of a level, unless it is fixed and has none. `None` of kinds that operators know nothing of, too.
    const fn of(kind: Kind) -> Option<Form> {
        match kind {
            Kind::Dense => Some(Form::Dense),
            Kind::Indexed {
                copied, full: false, ..
            } => Some(if copied { Form::Copied } else { Form::Merged }),
            _ => None,
        }
    }
}

/// The end of the levels above the dense ones at the end.
const fn end(kinds: &[Kind]) -> usize {
    let mut end = kinds.len();
    while end > 0 && !matches!(kinds[end - 1], Kind::Indexed { .. }) {
        end -= 1;
    }
    end
}

/// Whether operators on single levels make levels of these kinds those of the others, the values as they are.
pub(super) const fn reach(from: &[Kind], to: &[Kind]) -> bool {
    if from.len() != to.len() || end(from) != end(to) {
        return false;
    }
    let mut level = 0;
    while level < from.len() {
        match (from[level], to[level]) {
            (Kind::Fixed, Kind::Fixed) => {}
            (from, to) if Form::of(from).is_some() && Form::of(to).is_some() => {}
            _ => return false,
        }
        level += 1;
    }
    !from.is_empty()
}

/// How many positions the dense levels at the end have below each of the level above them.
pub(super) fn tail(kinds: &[Kind], domains: &[Domain]) -> Option<usize> {
    let dense = (end(kinds)..kinds.len()).filter(|&level| matches!(kinds[level], Kind::Dense));
    dense.map(|level| domains[level].size).try_fold(1, usize::checked_mul)
}

/// What a format allows of its arrays.
pub(super) struct Account<'a> {
    pub(super) format: &'a str,
    pub(super) bytes: u128,
    pub(super) allowed: u128,
}

impl Account<'_> {
    /// Takes `count` items of `width` bytes on the account.
    ///
    /// # Errors
    /// `Limit` if they are not allowed.
    pub(super) fn reserve(&mut self, count: u128, width: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(count.saturating_mul(width as u128));
        Limit::check(self.format, self.bytes, self.allowed)
    }
}

/// Makes the arrays of levels of the kinds `from` those of the kinds `to`, which they [`reach`].
///
/// Merges come first and splits last, so that each level between has an entry for each of its nodes; trims before
/// fills, so that no array is larger than at the start or at the end.
///
/// # Errors
/// `Limit` if a filled level would exceed the account.
pub(super) fn mutate(
    nodes: &mut [Nodes<'_>],
    (from, to): (&[Kind], &[Kind]),
    domains: &[Domain],
    account: &Account<'_>,
) -> Result<(), Error> {
    let kinds = from.iter().zip(to).take(end(to));
    let levels = nodes.iter_mut().zip(domains).zip(kinds);
    let mut levels: Vec<Level<'_, '_>> = levels
        .filter_map(|((nodes, &domain), (&from, &to))| {
            Some(Level {
                from: Form::of(from)?,
                to: Form::of(to)?,
                domain,
                nodes,
            })
        })
        .collect();
    let all = || (0..levels_of(to)).rev();
    for level in all() {
        if levels[level].from == Form::Copied && levels[level].to != Form::Copied {
            merge(&mut levels, level)?;
        }
    }
    for level in all() {
        if levels[level].from == Form::Dense && levels[level].to != Form::Dense {
            trim(&mut levels, level)?;
        }
    }
    for level in all() {
        if levels[level].from == Form::Merged && levels[level].to == Form::Dense {
            fill(&mut levels, level, account)?;
        }
    }
    for level in all() {
        if levels[level].from == Form::Merged && levels[level].to == Form::Copied {
            split(&mut levels, level)?;
        }
    }
    Ok(())
}

/// How many levels of these kinds operators are about.
fn levels_of(kinds: &[Kind]) -> usize {
    kinds[..end(kinds)]
        .iter()
        .filter(|&&kind| Form::of(kind).is_some())
        .count()
}

/// The first of the levels that have an entry for each entry of `level`.
fn chain(levels: &[Level<'_, '_>], level: usize) -> usize {
    let copied = levels[..level]
        .iter()
        .rev()
        .take_while(|above| above.from == Form::Copied);
    level - copied.count()
}

/// The next level with an `idx`, and how many pointers it has below each position of `level`.
fn below(levels: &[Level<'_, '_>], level: usize) -> (usize, usize) {
    let dense = levels[level + 1..].iter().take_while(|below| below.from == Form::Dense);
    let stride = dense.clone().map(|below| below.domain.size).product();
    (level + 1 + dense.count(), stride)
}

impl Level<'_, '_> {
    /// Its `ptr` array as operators read it.
    fn ptr(&self) -> Option<Cow<'_, [u32]>> {
        self.nodes.ptr.as_ref().map(|ptr| ptr.starts())
    }

    fn point(&mut self, ptr: Option<Vec<u32>>) -> Result<(), Error> {
        self.nodes.ptr = None;
        if let Some(ptr) = ptr {
            self.nodes.ptr = Some(Box::new(Cow::Owned(Pointers::try_new("", ptr)?)));
        }
        Ok(())
    }
}

fn merge(levels: &mut [Level<'_, '_>], level: usize) -> Result<(), Error> {
    let first = chain(levels, level);
    let Some(last) = levels[level].nodes.idx.take() else {
        return Ok(());
    };
    let mut marks = Marks::new(last.len());
    for idx in levels[first..level].iter().filter_map(|above| above.nodes.idx.as_ref()) {
        idx.changes(&mut marks);
    }
    let ptr = levels[first].ptr();
    if let Some(ptr) = &ptr {
        marks.parents(ptr);
    }
    let (starts, merged) = last.runs(marks)?;
    let ptr = ptr.map(|ptr| merge::to_runs(&ptr, &starts));
    levels[first].point(ptr)?;
    for idx in levels[first..level]
        .iter_mut()
        .filter_map(|above| above.nodes.idx.as_mut())
    {
        *idx = idx.first_of_each(&starts)?;
    }
    levels[level].nodes.idx = Some(merged);
    levels[level].from = Form::Merged;
    levels[level + 1].point(Some(starts))
}

fn split(levels: &mut [Level<'_, '_>], level: usize) -> Result<(), Error> {
    let first = chain(levels, level);
    let children = levels[level + 1].nodes.ptr.take();
    let Some(children) = children.as_ref().map(|ptr| ptr.starts()) else {
        return Ok(());
    };
    for idx in levels[first..=level]
        .iter_mut()
        .filter_map(|level| level.nodes.idx.as_mut())
    {
        *idx = idx.for_each_child(&children)?;
    }
    levels[level].from = Form::Copied;
    let ptr = levels[first].ptr().map(|ptr| merge::to_children(&ptr, &children));
    levels[first].point(ptr)
}

fn trim(levels: &mut [Level<'_, '_>], level: usize) -> Result<(), Error> {
    let (next, stride) = below(levels, level);
    let domain = levels[level].domain;
    let Some(pointers) = levels[next].ptr() else {
        return Ok(());
    };
    let trimmed = trim::trim(&pointers, domain.size, stride);
    levels[next].point(Some(trimmed.below))?;
    let nodes = &mut levels[level].nodes;
    nodes.idx = Some(if domain.lo == 0 {
        made(trimmed.offsets, domain)?
    } else {
        let coordinates = trimmed.offsets.iter().map(|&offset| domain.lo + i64::from(offset));
        made(coordinates.collect::<Vec<i64>>(), domain)?
    });
    levels[level].from = Form::Merged;
    levels[level].point((level > 0).then_some(trimmed.ptr))
}

fn fill(levels: &mut [Level<'_, '_>], level: usize, account: &Account<'_>) -> Result<(), Error> {
    let (next, stride) = below(levels, level);
    let (domain, idx) = (levels[level].domain, levels[level].nodes.idx.take());
    let (Some(idx), Some(pointers)) = (idx, levels[next].ptr()) else {
        return Ok(());
    };
    let root = || Cow::Owned(vec![0, idx.len() as u32]);
    let ptr = levels[level].ptr().unwrap_or_else(root);
    let positions = (ptr.len() as u128 - 1) * domain.size as u128 * stride as u128;
    let bytes = positions.saturating_add(1).saturating_mul(size_of::<u32>() as u128);
    Limit::check(account.format, bytes.saturating_add(account.bytes), account.allowed)?;
    let filled = idx.fill(&ptr, &pointers, domain, stride);
    levels[next].point(Some(filled))?;
    levels[level].from = Form::Dense;
    levels[level].point(None)
}
