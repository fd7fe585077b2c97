//! Numbers elements whose groups come one after the other, each in its order, in one visit.

use super::column::Column;
use super::fits;
use super::groups::Budget;
use crate::error::Error;

/// What the clauses of an enumeration give for one element: its group, its place in the order of the group, and its class, which
/// is the number of an arm and the first number of that arm.
pub(super) type Evaluated<const G: usize, const K: usize> = ([i64; G], [i64; K], (usize, i64));

/// An element of an enumeration in runs, and its number without the first number of its class.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<const G: usize, const K: usize> {
    pub(crate) group: [i64; G],
    pub(crate) place: [i64; K],
    pub(crate) number: i64,
}

/// How an element follows the one before it.
pub(crate) struct Followed {
    /// Whether groups are contiguous and ascending here, and the elements of a group in its order.
    pub(crate) in_order: bool,
    pub(crate) same_group: bool,
}

impl<const G: usize, const K: usize> Numbered<G, K> {
    /// An element that gets the number 0.
    #[inline(always)]
    pub(crate) fn first(group: [i64; G], place: [i64; K]) -> Self {
        let number = 0;
        Numbered { group, place, number }
    }

    /// What a visit begins with, so that its first [`step`](Numbered::step), to this element, gets the number 0.
    #[inline(always)]
    pub(crate) fn start<const KNOWN: bool>(group: [i64; G], place: [i64; K]) -> Self {
        let number = if KNOWN { -1 } else { 0 };
        Numbered { group, place, number }
    }

    /// Goes on to the next element, and returns whether it comes in order. If that is `KNOWN`, and that each element has a place of its own
    /// in its group, places are not looked at.
    #[inline(always)]
    pub(crate) fn step<const KNOWN: bool>(&mut self, group: [i64; G], place: [i64; K]) -> bool {
        if !KNOWN {
            return self.advance(group, place).in_order;
        }
        self.number = if_true(are_equal(&self.group, &group), self.number + 1);
        self.group = group;
        true
    }

    /// Goes on to the next element.
    ///
    /// Branch-free, as groups may be short.
    #[inline(always)]
    pub(crate) fn advance(&mut self, group: [i64; G], place: [i64; K]) -> Followed {
        let (same, repeated) = (are_equal(&self.group, &group), are_equal(&self.place, &place));
        let in_order = !is_above(&self.group, &group) & (!same | !is_above(&self.place, &place));
        let number = if_true(same, self.number + i64::from(!repeated));
        *self = Numbered { group, place, number };
        Followed {
            in_order,
            same_group: same,
        }
    }
}

/// The state of numbering the elements of a piece.
pub(super) struct Runs<const G: usize, const K: usize> {
    /// Group and place of the first element, and the last element.
    first: ([i64; G], [i64; K]),
    last: Numbered<G, K>,
    reached: Reached,
}

/// What is known after some elements of a piece, whatever their groups.
struct Reached {
    /// Number of elements, and of those in the first group.
    count: usize,
    of_first: usize,
    in_order: bool,
    fit: bool,
}

impl<const G: usize, const K: usize> Runs<G, K> {
    pub(super) fn new() -> Self {
        Runs {
            first: ([0; G], [0; K]),
            last: Numbered::first([0; G], [0; K]),
            reached: Reached {
                count: 0,
                of_first: 0,
                in_order: true,
                fit: true,
            },
        }
    }

    /// Numbers the elements of a batch, and returns whether all elements so far belong to the first class and came in order.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        elements: impl Iterator<Item = Evaluated<G, K>> + Clone,
        numbers: &mut [i64],
    ) -> bool {
        let reached = &mut self.reached;
        if reached.count == 0 {
            let Some((group, place, _)) = elements.clone().next() else {
                return true;
            };
            (self.first, self.last) = ((group, place), Numbered::first(group, place));
        }
        // Local copies, so that the loop keeps them in registers.
        let (mut last, mut of_first) = (self.last, reached.of_first);
        let (mut in_order, mut fit, mut in_first) = (true, true, of_first == reached.count);
        for ((group, place, (arm, first)), number) in elements.zip(&mut *numbers) {
            let followed = last.advance(group, place);
            in_order &= (arm == 0) & followed.in_order;
            in_first &= followed.same_group;
            of_first += usize::from(in_first);
            // No code at all where the only class counts from 0.
            let (sum, overflows) = first.overflowing_add(last.number);
            fit &= !overflows & fits(first).is_some();
            *number = sum;
        }
        self.last = last;
        reached.of_first = of_first;
        reached.count += numbers.len();
        reached.in_order &= in_order;
        reached.fit &= fit;
        reached.in_order
    }

    /// Ends a piece, whose numbers are in this column.
    pub(super) fn end(self, numbers: Column) -> Run {
        Run {
            numbers,
            groups: G,
            ends: [self.first, (self.last.group, self.last.place)].map(|(group, place)| [&group[..], &place].concat()),
            number: self.last.number,
            reached: self.reached,
        }
    }
}

/// Returns the number, or 0 if `condition` is false, without a branch.
#[inline(always)]
fn if_true(condition: bool, number: i64) -> i64 {
    number & -i64::from(condition)
}

/// Returns whether two tuples are equal, without a branch for each field.
#[inline(always)]
fn are_equal<const N: usize>(left: &[i64; N], right: &[i64; N]) -> bool {
    left.iter()
        .zip(right)
        .fold(true, |equal, (left, right)| equal & (left == right))
}

/// Returns whether the left tuple comes after the right one, without a branch for each field.
#[inline(always)]
fn is_above<const N: usize>(left: &[i64; N], right: &[i64; N]) -> bool {
    let fields = left.iter().zip(right).rev();
    fields.fold(false, |above, (left, right)| (left > right) | ((left == right) & above))
}

/// The numbers of a piece, and what joins them to those of the pieces before and after.
pub(super) struct Run {
    numbers: Column,
    /// The number of fields of a group.
    groups: usize,
    /// Group and place of the first and of the last element.
    ends: [Vec<i64>; 2],
    /// The number of the last element in its group.
    number: i64,
    reached: Reached,
}

/// Joins the numbers of all pieces, in the order of these; `None` if elements are not in order.
pub(super) fn join(runs: Vec<Run>, budget: Budget) -> Result<Option<Vec<Column>>, Error> {
    // The last element of the previous piece, and its number.
    let (mut columns, mut before): (_, Option<(Vec<i64>, i64)>) = (Vec::with_capacity(runs.len()), None);
    for mut run in runs {
        let reached = run.reached;
        if !reached.in_order {
            return Ok(None);
        }
        if !reached.fit {
            return Err(budget.overflow());
        }
        if reached.count > 0 {
            let [first, last] = run.ends;
            let mut number = run.number;
            if let Some((before, last_number)) = before {
                if before > first {
                    return Ok(None);
                }
                if before[..run.groups] == first[..run.groups] {
                    // The first group of this piece continues the last group of the previous piece.
                    let more = last_number + i64::from(before != first);
                    run.numbers
                        .add(reached.of_first, more)
                        .ok_or_else(|| budget.overflow())?;
                    number += if reached.of_first == reached.count { more } else { 0 };
                }
            }
            before = Some((last, number));
        }
        columns.push(run.numbers);
    }
    Ok(Some(columns))
}
