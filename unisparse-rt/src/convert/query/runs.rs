//! Numbers elements whose groups come one after the other, each in its order, in one visit.

use super::column::Column;
use super::fits;
use super::groups::Budget;
use crate::error::Error;

/// What the clauses of an enumeration give for one element: its group, its place in the order of the group, and its class, which
/// is the number of an arm and the first number of that arm.
pub(super) type Evaluated<const G: usize, const K: usize> = ([i64; G], [i64; K], (usize, i64));

/// The state of numbering the elements of a piece.
pub(super) struct Runs<const G: usize, const K: usize> {
    /// Group and place of the first and of the last element.
    first: ([i64; G], [i64; K]),
    last: ([i64; G], [i64; K]),
    reached: Reached,
}

/// What is known after some elements of a piece, whatever their groups.
struct Reached {
    /// The number of the last element in its group.
    number: i64,
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
            last: ([0; G], [0; K]),
            reached: Reached {
                number: 0,
                count: 0,
                of_first: 0,
                in_order: true,
                fit: true,
            },
        }
    }

    /// Numbers the elements of a batch, and returns whether all elements so far belong to the first class and came in order.
    ///
    /// Branch-free, as groups may be short.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        elements: impl Iterator<Item = Evaluated<G, K>> + Clone,
        numbers: &mut [i64],
    ) -> bool {
        let reached = &mut self.reached;
        if reached.count == 0 {
            let Some((group, traverse, _)) = elements.clone().next() else {
                return true;
            };
            (self.first, self.last) = ((group, traverse), (group, traverse));
        }
        // Local copies, so that the loop keeps them in registers.
        let (mut last, mut number, mut of_first) = (self.last, reached.number, reached.of_first);
        let (mut in_order, mut fit, mut in_first) = (true, true, of_first == reached.count);
        for ((group, traverse, (arm, first)), place) in elements.zip(&mut *numbers) {
            let (same, repeated) = (are_equal(&last.0, &group), are_equal(&last.1, &traverse));
            in_order &= (arm == 0) & !is_above(&last.0, &group) & (!same | !is_above(&last.1, &traverse));
            in_first &= same;
            of_first += usize::from(in_first);
            number = if same { number + i64::from(!repeated) } else { 0 };
            // No code at all where the only class counts from 0.
            let (sum, overflows) = first.overflowing_add(number);
            fit &= !overflows & fits(first).is_some();
            *place = sum;
            last = (group, traverse);
        }
        self.last = last;
        (reached.number, reached.of_first) = (number, of_first);
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
            ends: [self.first, self.last].map(|(group, traverse)| [&group[..], &traverse].concat()),
            reached: self.reached,
        }
    }
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
            let mut number = reached.number;
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
