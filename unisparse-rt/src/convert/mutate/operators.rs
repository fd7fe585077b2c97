//! The operators between the levels of two formats, their selection and their order.

use std::borrow::Cow;

use crate::array::{Domain, Pointers};
use crate::error::Error;
use crate::format::Kind;
use crate::limit::Limit;
use crate::source::lend::merge::{self, Marks};
use crate::source::lend::{Nodes, made, trim};

/// A level that is not determined, above the dense levels at the end, which are unchanged.
struct MutatedLevel<'n, 'a> {
    domain: Domain,
    nodes: &'n mut Nodes<'a>,
}

/// How a level holds its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense,
    /// One entry for each distinct coordinate below each parent.
    Merged,
    /// One entry per child.
    Copied,
}

impl Form {
    /// Returns the form of a level; `None` if it is fixed, or of a kind that no operator handles.
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

/// Returns the number of levels above the dense ones at the end.
const fn end(kinds: &[Kind]) -> usize {
    let mut end = kinds.len();
    while end > 0 && !matches!(kinds[end - 1], Kind::Indexed { .. }) {
        end -= 1;
    }
    end
}

/// Returns whether operators on single levels can turn the kinds `from` into `to` without changing the values.
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

/// Returns the number of positions that the dense levels at the end have below each position above them.
pub(super) fn tail(kinds: &[Kind], domains: &[Domain]) -> Option<usize> {
    let dense = (end(kinds)..kinds.len()).filter(|&level| matches!(kinds[level], Kind::Dense));
    dense.map(|level| domains[level].size).try_fold(1, usize::checked_mul)
}

/// The bytes that a format's arrays take, and the bytes they may take.
pub(super) struct Account<'a> {
    pub(super) format: &'a str,
    pub(super) bytes: u128,
    pub(super) allowed: u128,
}

impl Account<'_> {
    /// Adds `count` items of `width` bytes.
    ///
    /// # Errors
    /// `Limit` if the limit does not allow them.
    pub(super) fn reserve(&mut self, count: u128, width: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(count.saturating_mul(width as u128));
        Limit::check(self.format, self.bytes, self.allowed)
    }
}

/// The change that an operator makes to a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Merge,
    Trim,
    Fill,
    Split,
}

impl Change {
    /// All changes in the order in which they run. Merges are first and splits last, so that in between each level has one
    /// entry per node; trims precede fills, so that no array is larger than at the start or at the end.
    const ALL: [Change; 4] = [Change::Merge, Change::Trim, Change::Fill, Change::Split];

    /// Returns whether turning a level from one form into another involves this change.
    fn is_between(self, from: Form, to: Form) -> bool {
        from != to
            && match self {
                Change::Merge => from == Form::Copied,
                Change::Trim => from == Form::Dense,
                Change::Fill => to == Form::Dense,
                Change::Split => to == Form::Copied,
            }
    }

    /// Returns the form of a level after this change.
    fn form(self) -> Form {
        match self {
            Change::Merge | Change::Trim => Form::Merged,
            Change::Fill => Form::Dense,
            Change::Split => Form::Copied,
        }
    }
}

/// A change of one level. It rebuilds the `idx` of the levels `first..=level`, the `ptr` of `first`, and the `ptr` of `next`.
#[derive(Debug, Clone, Copy)]
struct LevelOperator {
    change: Change,
    level: usize,
    first: usize,
    next: usize,
}

/// Returns the operators that turn the forms of the levels into `to`, in the order in which they run.
fn operators(mut forms: Vec<Form>, to: &[Form]) -> Vec<LevelOperator> {
    let from = forms.clone();
    let mut operators = Vec::new();
    for change in Change::ALL {
        for level in (0..forms.len()).rev() {
            if !change.is_between(from[level], to[level]) {
                continue;
            }
            let chain = forms[..level].iter().rev().take_while(|&&above| above == Form::Copied);
            let dense = forms[level + 1..].iter().take_while(|&&below| below == Form::Dense);
            let (first, next) = match change {
                Change::Merge | Change::Split => (level - chain.count(), level + 1),
                // The pointers below a dense level belong to the next level that has an `idx`.
                Change::Trim | Change::Fill => (level, level + 1 + dense.count()),
            };
            forms[level] = change.form();
            operators.push(LevelOperator {
                change,
                level,
                first,
                next,
            });
        }
    }
    operators
}

/// Returns the forms of the levels that operators handle, and the indices of these levels.
fn forms(kinds: &[Kind]) -> (Vec<Form>, Vec<usize>) {
    let kinds = kinds[..end(kinds)].iter().enumerate();
    kinds
        .filter_map(|(level, &kind)| Some((Form::of(kind)?, level)))
        .unzip()
}

/// Returns, for each level, whether operators leave its `ptr` and its `idx` unchanged.
pub(crate) fn kept(from: &[Kind], to: &[Kind]) -> Vec<[bool; 2]> {
    let mut kept = vec![[true; 2]; from.len()];
    let ((from, levels), (to, _)) = (forms(from), forms(to));
    for operator in operators(from, &to) {
        for pointed in [operator.first, operator.next] {
            kept[levels[pointed]][0] = false;
        }
        for &level in &levels[operator.first..=operator.level] {
            kept[level][1] = false;
        }
    }
    kept
}

/// Turns the arrays of levels of kinds `from` into arrays of kinds `to`; [`reach`] must hold for them.
///
/// # Errors
/// `Limit` if a filled level would exceed the limit.
pub(super) fn mutate(
    nodes: &mut [Nodes<'_>],
    (from, to): (&[Kind], &[Kind]),
    domains: &[Domain],
    account: &Account<'_>,
) -> Result<(), Error> {
    let same = |(&from, &to): (&Kind, &Kind)| Form::of(from) == Form::of(to);
    if from.iter().zip(to).all(same) {
        return Ok(());
    }
    let levels = nodes.iter_mut().zip(domains).zip(&from[..end(from)]);
    let levels = levels.filter(|&(_, &kind)| Form::of(kind).is_some());
    let mut levels: Vec<MutatedLevel<'_, '_>> = levels
        .map(|((nodes, &domain), _)| MutatedLevel { domain, nodes })
        .collect();
    for operator in operators(forms(from).0, &forms(to).0) {
        match operator.change {
            Change::Merge => merge(&mut levels, operator)?,
            Change::Trim => trim(&mut levels, operator)?,
            Change::Fill => fill(&mut levels, operator, account)?,
            Change::Split => split(&mut levels, operator)?,
        }
    }
    Ok(())
}

/// Returns the number of pointers below each position of the level that is trimmed or filled.
fn stride(levels: &[MutatedLevel<'_, '_>], operator: LevelOperator) -> usize {
    let dense = &levels[operator.level + 1..operator.next];
    dense.iter().map(|below| below.domain.size).product()
}

impl MutatedLevel<'_, '_> {
    /// Returns its `ptr` array as operators read it.
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

fn merge(levels: &mut [MutatedLevel<'_, '_>], operator: LevelOperator) -> Result<(), Error> {
    let LevelOperator { level, first, next, .. } = operator;
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
    levels[next].point(Some(starts))
}

fn split(levels: &mut [MutatedLevel<'_, '_>], operator: LevelOperator) -> Result<(), Error> {
    let LevelOperator { level, first, next, .. } = operator;
    let children = levels[next].nodes.ptr.take();
    let Some(children) = children.as_ref().map(|ptr| ptr.starts()) else {
        return Ok(());
    };
    for idx in levels[first..=level]
        .iter_mut()
        .filter_map(|level| level.nodes.idx.as_mut())
    {
        *idx = idx.for_each_child(&children)?;
    }
    let ptr = levels[first].ptr().map(|ptr| merge::to_children(&ptr, &children));
    levels[first].point(ptr)
}

fn trim(levels: &mut [MutatedLevel<'_, '_>], operator: LevelOperator) -> Result<(), Error> {
    let (LevelOperator { level, next, .. }, stride) = (operator, stride(levels, operator));
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
    levels[level].point((level > 0).then_some(trimmed.ptr))
}

fn fill(levels: &mut [MutatedLevel<'_, '_>], operator: LevelOperator, account: &Account<'_>) -> Result<(), Error> {
    let (LevelOperator { level, next, .. }, stride) = (operator, stride(levels, operator));
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
    levels[level].point(None)
}
