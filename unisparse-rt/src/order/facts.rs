//! What is known of the differences between two elements, one before the other.

use super::atoms::{ATOMS, Affine, Atoms, Row, Rows, Unknown, gcd, plus};

/// How many bounds are made use of together.
const TOGETHER: usize = 3;

/// The steps that a proof may still take. Proofs are constants, which the compiler evaluates slowly and refuses where they take
/// millions of steps; the cost grows with the cube of the number of quotients. Without steps nothing more is proven.
pub(super) struct Work(u32);

impl Work {
    /// Half as many loop iterations and calls as the compiler allows a constant.
    const ALLOWED: u32 = 1_000_000;
    /// About as many as it takes to go through a row, and to do arithmetic with some of its factors.
    const ROW: u32 = 60;

    pub(super) const fn new() -> Self {
        Work(Self::ALLOWED)
    }

    /// Takes steps. Whether there were as many.
    const fn take(&mut self, steps: u32) -> bool {
        let enough = self.0 > steps;
        self.0 = self.0.saturating_sub(steps);
        enough
    }

    pub(super) const fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// A form whose difference is at least a number.
#[derive(Clone, Copy)]
struct Bound {
    row: Row,
    least: i64,
}

/// Differences that are zero, and such that are bounded.
///
/// What does not fit `i64` is left out: less is known then.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    atoms: &'a Atoms,
    /// Rows that are zero. Each has a pivot, an unknown that no other row mentions, zero or bound.
    zeros: [Row; ATOMS],
    pivots: [usize; ATOMS],
    zero_count: usize,
    bounds: [Bound; ATOMS],
    bound_count: usize,
    /// The facts contradict each other: there are no such elements.
    impossible: bool,
}

impl<'a> Facts<'a> {
    /// Nothing is known.
    pub(super) const fn new(atoms: &'a Atoms) -> Self {
        Facts {
            atoms,
            zeros: [[0; ATOMS]; ATOMS],
            pivots: [0; ATOMS],
            zero_count: 0,
            bounds: [Bound {
                row: [0; ATOMS],
                least: 0,
            }; ATOMS],
            bound_count: 0,
            impossible: false,
        }
    }

    /// How many levels of `target` are proven to ascend, lexicographically, if the first `given` are equal and that was learned.
    pub(super) const fn walk(&self, target: &Rows, given: usize, work: &mut Work) -> usize {
        let mut facts = *self;
        let mut level = given;
        while level < target.count {
            if facts.impossible {
                return target.count;
            }
            match facts.at_least(&target.rows[level], work) {
                Some(1..) => return target.count,
                Some(0) => {
                    facts.learn_zero(&target.rows[level], work);
                    facts.close(work);
                }
                _ => return level,
            }
            level += 1;
        }
        target.count
    }

    /// Learns that the difference of a form is zero. Whether that was new.
    pub(super) const fn learn_zero(&mut self, row: &Row, work: &mut Work) -> bool {
        let mut facts = *self;
        match facts.zero(row, work) {
            Some(true) => {
                *self = facts;
                true
            }
            _ => false,
        }
    }

    /// `None`, and what is known in disorder, if numbers get too large.
    const fn zero(&mut self, row: &Row, work: &mut Work) -> Option<bool> {
        let (row, _) = match self.reduce(row, work) {
            Some(reduced) => reduced,
            None => return None,
        };
        let Some(pivot) = first(&row, self.atoms.count) else {
            return Some(false);
        };
        let row = divided(&row, content(&row));
        let mut at = 0;
        while at < self.zero_count {
            self.zeros[at] = match eliminate(&self.zeros[at], &row, pivot) {
                Some((rest, _)) => divided(&rest, content(&rest)),
                None => return None,
            };
            at += 1;
        }
        self.zeros[self.zero_count] = row;
        self.pivots[self.zero_count] = pivot;
        self.zero_count += 1;
        let mut at = 0;
        while at < self.bound_count {
            if !work.take(2 * Work::ROW) {
                return None;
            }
            let Bound { row: form, least } = self.bounds[at];
            self.bounds[at] = match eliminate(&form, &row, pivot) {
                Some((rest, scale)) => match least.checked_mul(scale) {
                    Some(least) => bound(rest, least),
                    None => return None,
                },
                None => return None,
            };
            self.impossible |= first(&self.bounds[at].row, ATOMS).is_none() && self.bounds[at].least > 0;
            at += 1;
        }
        Some(true)
    }

    /// Learns that the difference of a form is at least a number. Whether that was new.
    pub(super) const fn learn_bound(&mut self, row: &Row, least: i64, work: &mut Work) -> bool {
        if let Some(known) = self.at_least(row, work) {
            if known >= least {
                return false;
            }
        }
        let Some((row, scale)) = self.reduce(row, work) else {
            return false;
        };
        let Some(least) = least.checked_mul(scale) else {
            return false;
        };
        if first(&row, ATOMS).is_none() {
            self.impossible |= least > 0;
            return self.impossible;
        }
        if self.bound_count == ATOMS {
            return false;
        }
        self.bounds[self.bound_count] = bound(row, least);
        self.bound_count += 1;
        true
    }

    /// Learns what follows from what is known.
    pub(super) const fn close(&mut self, work: &mut Work) {
        let mut changed = true;
        while changed && !self.impossible && !work.is_spent() {
            changed = false;
            let mut at = self.atoms.dims;
            while at < self.atoms.count {
                changed |= match self.atoms.unknowns[at] {
                    Unknown::Dim => false,
                    Unknown::Query { of_groups, .. } => {
                        self.is_determined(at, of_groups, work) && self.learn_zero(&unit(at, 1), work)
                    }
                    Unknown::Quotient { dividend, divisor } => {
                        self.divide(at, &dividend.row, divisor, work) | self.nest(at, &dividend, divisor, work)
                    }
                };
                at += 1;
            }
            let mut at = 0;
            while at < self.bound_count {
                let Bound { row, least } = self.bounds[at];
                if let Some(opposite) = self.at_least(&divided(&row, -1), work) {
                    self.impossible |= opposite > -least;
                    changed |= opposite == 0 && least == 0 && self.learn_zero(&row, work);
                }
                at += 1;
            }
        }
    }

    /// Whether the result of a query is the same for both elements: their group is, or they are one element.
    const fn is_determined(&self, unknown: usize, of_groups: bool, work: &mut Work) -> bool {
        let mut at = 0;
        if of_groups {
            while at < self.atoms.group_count {
                let (query, row) = &self.atoms.groups[at];
                if *query == unknown && !self.is_zero(row, work) {
                    return false;
                }
                at += 1;
            }
        } else {
            while at < self.atoms.dims {
                if !self.is_zero(&unit(at, 1), work) {
                    return false;
                }
                at += 1;
            }
        }
        true
    }

    /// What a quotient and its dividend say of each other, in both directions.
    const fn divide(&mut self, quotient: usize, dividend: &Row, divisor: i64, work: &mut Work) -> bool {
        let mut changed = false;
        if !work.take(4 * Work::ROW) {
            return false;
        }
        let mut sign = 1;
        while sign >= -1 {
            let (quotient, dividend) = (unit(quotient, sign), divided(dividend, sign));
            // A dividend greater by m makes the quotient greater by floor(m / divisor) or more.
            if let Some(more @ 0..) = self.at_least(&dividend, work) {
                changed |= self.learn_bound(&quotient, more / divisor, work);
            }
            // A remainder shrinks by less than the divisor.
            if let Some(more @ 1..) = self.at_least(&quotient, work) {
                if let Some(least) = plus(1, divisor, more - 1) {
                    changed |= self.learn_bound(&dividend, least, work);
                }
            }
            sign -= 2;
        }
        // A multiple of the divisor passes unrounded.
        if let Some((multiple, scale)) = self.reduce(dividend, work) {
            if let Some(whole) = scale.checked_mul(divisor) {
                if content(&multiple) % whole == 0 {
                    let mut difference = divided(&multiple, -whole);
                    difference[quotient] += 1;
                    changed |= self.learn_zero(&difference, work);
                }
            }
        }
        changed
    }

    /// The quotient as one of a quotient by a factor of its divisor: `floor(x / 6)` is `floor(floor(x / 2) / 3)`.
    const fn nest(&mut self, quotient: usize, dividend: &Affine, divisor: i64, work: &mut Work) -> bool {
        let mut changed = false;
        let mut at = self.atoms.dims;
        while at < self.atoms.count && work.take(Work::ROW / 2) {
            if let Unknown::Quotient {
                dividend: inner,
                divisor: by,
            } = self.atoms.unknowns[at]
            {
                if at != quotient && divisor % by == 0 && dividend.is_shifted(&inner, by) {
                    changed |= self.divide(quotient, &unit(at, 1), divisor / by, work);
                }
            }
            at += 1;
        }
        changed
    }

    const fn is_zero(&self, row: &Row, work: &mut Work) -> bool {
        match self.reduce(row, work) {
            Some((row, _)) => first(&row, self.atoms.count).is_none(),
            None => false,
        }
    }

    /// The best lower bound of the difference of a form that a few of the facts together prove.
    const fn at_least(&self, row: &Row, work: &mut Work) -> Option<i64> {
        match self.reduce(row, work) {
            Some((row, scale)) => self.combine(&row, scale, 0, TOGETHER, work),
            None => None,
        }
    }

    /// Of `(row + sum) / scale`, bounds taken away from `row` until nothing is left.
    const fn combine(&self, row: &Row, scale: i64, sum: i64, together: usize, work: &mut Work) -> Option<i64> {
        let Some(pivot) = first(row, self.atoms.count) else {
            return Some(ceil(sum, scale));
        };
        let mut best = None;
        let mut at = 0;
        while together > 0 && at < self.bound_count && work.take(3) {
            let fact = &self.bounds[at];
            at += 1;
            if fact.row[pivot].signum() * row[pivot].signum() <= 0 {
                continue;
            }
            if !work.take(Work::ROW) {
                return best;
            }
            let Some((rest, factor)) = eliminate(row, &fact.row, pivot) else {
                continue;
            };
            // rest = factor * row - taken * fact
            let Some(taken) = row[pivot].checked_mul(factor) else {
                continue;
            };
            let taken = taken / fact.row[pivot];
            let (Some(scale), Some(sum)) = (scale.checked_mul(factor), sum.checked_mul(factor)) else {
                continue;
            };
            let Some(sum) = plus(sum, fact.least, taken) else {
                continue;
            };
            if let Some(found) = self.combine(&rest, scale, sum, together - 1, work) {
                best = match best {
                    Some(known) if known >= found => best,
                    _ => Some(found),
                };
            }
        }
        best
    }

    /// The row and a positive factor so that their product is, up to zeros, the first of the result, pivots left out.
    const fn reduce(&self, row: &Row, work: &mut Work) -> Option<(Row, i64)> {
        let (mut row, mut scale) = (*row, 1_i64);
        let mut at = 0;
        while at < self.zero_count {
            let steps = if row[self.pivots[at]] == 0 { 3 } else { Work::ROW };
            if !work.take(steps) {
                return None;
            }
            match eliminate(&row, &self.zeros[at], self.pivots[at]) {
                Some((rest, factor)) => {
                    row = rest;
                    scale = match scale.checked_mul(factor) {
                        Some(scale) => scale,
                        None => return None,
                    };
                }
                None => return None,
            }
            at += 1;
        }
        Some((row, scale))
    }
}

/// `factor * row` less a multiple of `other`, so that nothing is left at `pivot`; and the factor, which is positive.
const fn eliminate(row: &Row, other: &Row, pivot: usize) -> Option<(Row, i64)> {
    if row[pivot] == 0 {
        return Some((*row, 1));
    }
    let common = gcd(row[pivot].unsigned_abs(), other[pivot].unsigned_abs()) as i64;
    let (factor, taken) = if other[pivot] > 0 {
        (other[pivot] / common, row[pivot] / common)
    } else {
        (-(other[pivot] / common), -(row[pivot] / common))
    };
    let mut rest = *row;
    let mut at = 0;
    while at < ATOMS {
        if row[at] != 0 || other[at] != 0 {
            rest[at] = match row[at].checked_mul(factor) {
                Some(scaled) => match plus(scaled, other[at], -taken) {
                    Some(rest) => rest,
                    None => return None,
                },
                None => return None,
            };
        }
        at += 1;
    }
    Some((rest, factor))
}

/// Integers that are at least `least` together, in lowest terms.
const fn bound(row: Row, least: i64) -> Bound {
    match content(&row) {
        0 => Bound { row, least },
        content => Bound {
            row: divided(&row, content),
            least: ceil(least, content),
        },
    }
}

const fn ceil(dividend: i64, divisor: i64) -> i64 {
    dividend.div_euclid(divisor) + (dividend.rem_euclid(divisor) != 0) as i64
}

/// The greatest number that divides all factors.
const fn content(row: &Row) -> i64 {
    let mut content = 0;
    let mut at = 0;
    while at < ATOMS {
        content = gcd(content, row[at].unsigned_abs());
        at += 1;
    }
    content as i64
}

const fn divided(row: &Row, divisor: i64) -> Row {
    let mut divided = *row;
    let mut at = 0;
    while at < ATOMS {
        divided[at] /= divisor;
        at += 1;
    }
    divided
}

/// An unknown by itself, with this factor.
const fn unit(unknown: usize, factor: i64) -> Row {
    let mut unit = [0; ATOMS];
    unit[unknown] = factor;
    unit
}

/// The first of `count` unknowns that the row mentions.
const fn first(row: &Row, count: usize) -> Option<usize> {
    let mut at = 0;
    while at < count {
        if row[at] != 0 {
            return Some(at);
        }
        at += 1;
    }
    None
}
