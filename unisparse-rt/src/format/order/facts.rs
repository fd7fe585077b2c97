//! Proves the sign of the difference of a level between two elements, from linear equations and bounds.

use super::atoms::{ATOMS, Affine, Atoms, CoefficientRows, Row, Unknown, plus};
use super::rows::{ceil, content, divided, eliminate, first, unit};

/// Maximum number of bounds that one proof combines.
const COMBINED: usize = 3;

/// The steps left for a proof. Proofs are constants, which the compiler evaluates slowly and rejects if they take
/// millions of steps; their cost grows with the cube of the number of quotients. Without steps left nothing more is proven.
pub(super) struct Work(u32);

impl Work {
    /// About a second of the compiler. Each proof of a pair of stock formats takes less than 130,000 steps.
    const ALLOWED: u32 = 300_000;
    /// Approximate cost of scanning a row and doing arithmetic on some of its factors.
    const ROW: u32 = 60;

    pub(super) const fn new() -> Self {
        Work(Self::ALLOWED)
    }

    /// Spends `steps` steps. Returns whether more than `steps` were left.
    const fn take(&mut self, steps: u32) -> bool {
        let enough = self.0 > steps;
        self.0 = if enough { self.0 - steps } else { 0 };
        enough
    }

    pub(super) const fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// A lower bound: the difference of the form `row` is at least `least`.
#[derive(Clone, Copy)]
struct Bound {
    row: Row,
    least: i64,
}

/// Forms whose difference is zero, and forms whose difference is bounded from below.
///
/// A fact that overflows `i64` is dropped, which only weakens what can be proven.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    atoms: &'a Atoms,
    /// Rows whose difference is zero. Each has a pivot, an unknown that no other row of `zeros` or `bounds` mentions.
    zeros: [Row; ATOMS],
    pivots: [usize; ATOMS],
    zero_count: usize,
    bounds: [Bound; ATOMS],
    bound_count: usize,
    /// The facts contradict each other: no two elements satisfy them.
    impossible: bool,
}

impl<'a> Facts<'a> {
    /// Creates an empty set of facts.
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

    /// Returns the number of levels of `target` proven to ascend, lexicographically, given that the first `given` levels are
    /// equal and that these facts include it.
    pub(super) const fn walk(&self, target: &CoefficientRows, given: usize, work: &mut Work) -> usize {
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

    /// Learns that the difference of a form is zero. Returns whether that was new.
    pub(super) const fn learn_zero(&mut self, row: &Row, work: &mut Work) -> bool {
        let Some((row, _)) = self.reduce(row, work) else {
            return false;
        };
        let Some(pivot) = first(&row, self.atoms.count) else {
            return false;
        };
        let mut facts = *self;
        match facts.zero(&row, pivot, work) {
            Some(()) => {
                *self = facts;
                true
            }
            None => false,
        }
    }

    /// Adds a reduced row whose difference is zero, with its first unknown. On overflow it returns `None` and leaves `self` in an
    /// invalid state.
    const fn zero(&mut self, row: &Row, pivot: usize, work: &mut Work) -> Option<()> {
        let row = self.primitive(row);
        let mut at = 0;
        while at < self.zero_count {
            self.zeros[at] = match eliminate(&self.zeros[at], &row, pivot, self.atoms.count) {
                Some((rest, _)) => self.primitive(&rest),
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
            self.bounds[at] = match eliminate(&form, &row, pivot, self.atoms.count) {
                Some((rest, scale)) => match least.checked_mul(scale) {
                    Some(least) => self.bound(rest, least),
                    None => return None,
                },
                None => return None,
            };
            self.impossible |= first(&self.bounds[at].row, self.atoms.count).is_none() && self.bounds[at].least > 0;
            at += 1;
        }
        Some(())
    }

    /// Learns that the difference of a form is at least `least`. Returns whether that was new.
    pub(super) const fn learn_bound(&mut self, row: &Row, least: i64, work: &mut Work) -> bool {
        match self.reduce(row, work) {
            Some((row, scale)) => self.learn_reduced_bound(&row, scale, least, work),
            None => false,
        }
    }

    /// Does what [`learn_bound`](Self::learn_bound) does, for a form that was reduced to `row / scale`.
    const fn learn_reduced_bound(&mut self, row: &Row, scale: i64, least: i64, work: &mut Work) -> bool {
        if let Some(known) = self.combine(row, scale, 0, COMBINED, work) {
            if known >= least {
                return false;
            }
        }
        let Some(least) = least.checked_mul(scale) else {
            return false;
        };
        if first(row, self.atoms.count).is_none() {
            self.impossible |= least > 0;
            return self.impossible;
        }
        if self.bound_count == ATOMS {
            return false;
        }
        self.bounds[self.bound_count] = self.bound(*row, least);
        self.bound_count += 1;
        true
    }

    /// Adds the consequences of the facts until there are no new ones.
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
                at += 1;
                if !self.may_oppose(&row) {
                    continue;
                }
                if let Some(opposite) = self.at_least(&divided(&row, -1, self.atoms.count), work) {
                    self.impossible |= opposite > -least;
                    changed |= opposite == 0 && least == 0 && self.learn_zero(&row, work);
                }
            }
        }
    }

    /// Returns whether the bounds may prove anything of the negative of a form.
    const fn may_oppose(&self, row: &Row) -> bool {
        let Some(pivot) = first(row, self.atoms.count) else {
            return true;
        };
        let mut at = 0;
        while at < self.bound_count {
            let factor = self.bounds[at].row[pivot];
            if factor != 0 && (factor > 0) != (row[pivot] > 0) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Returns whether the result of a query is equal for both elements: their groups are equal, or they are one element.
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

    /// Propagates bounds and zeros between a quotient and its dividend, in both directions.
    const fn divide(&mut self, quotient: usize, dividend: &Row, divisor: i64, work: &mut Work) -> bool {
        if !work.take(4 * Work::ROW) {
            return false;
        }
        let Some((dividend, dividend_scale)) = self.reduce(dividend, work) else {
            return false;
        };
        if first(&dividend, self.atoms.count).is_none() {
            return self.learn_zero(&unit(quotient, 1), work);
        }
        let Some((reduced, scale)) = self.reduce(&unit(quotient, 1), work) else {
            return false;
        };
        let mut changed = false;
        let mut sign = 1;
        while sign >= -1 {
            let reduced = divided(&reduced, sign, self.atoms.count);
            let dividend = divided(&dividend, sign, self.atoms.count);
            // If the dividend grows by m, the quotient grows by at least floor(m / divisor).
            if let Some(more @ 0..) = self.combine(&dividend, dividend_scale, 0, COMBINED, work) {
                changed |= self.learn_reduced_bound(&reduced, scale, more / divisor, work);
            }
            // The remainder decreases by less than the divisor.
            if let Some(more @ 1..) = self.combine(&reduced, scale, 0, COMBINED, work) {
                if let Some(least) = plus(1, divisor, more - 1) {
                    changed |= self.learn_reduced_bound(&dividend, dividend_scale, least, work);
                }
            }
            sign -= 2;
        }
        // If the dividend's difference is a multiple of the divisor, the quotient's difference is exactly their quotient.
        if let Some(whole) = dividend_scale.checked_mul(divisor) {
            if content(&dividend, self.atoms.count) % whole == 0 {
                let mut difference = divided(&dividend, -whole, self.atoms.count);
                difference[quotient] += 1;
                changed |= self.learn_zero(&difference, work);
            }
        }
        changed
    }

    /// Treats the quotient as a quotient of one by a divisor of its divisor: `floor(x / 6)` is `floor(floor(x / 2) / 3)`.
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

    /// Returns the best lower bound of a form's difference that at most `COMBINED` bounds prove.
    const fn at_least(&self, row: &Row, work: &mut Work) -> Option<i64> {
        match self.reduce(row, work) {
            Some((row, scale)) => self.combine(&row, scale, 0, COMBINED, work),
            None => None,
        }
    }

    /// Returns a lower bound of `(row + sum) / scale`: subtracts multiples of bounds from `row` until it is zero.
    const fn combine(&self, row: &Row, scale: i64, sum: i64, left: usize, work: &mut Work) -> Option<i64> {
        let Some(pivot) = first(row, self.atoms.count) else {
            return Some(ceil(sum, scale));
        };
        if left == 0 || !work.take(3 * self.bound_count as u32) {
            return None;
        }
        let mut best = None;
        let mut at = 0;
        while at < self.bound_count {
            let fact = &self.bounds[at];
            at += 1;
            if fact.row[pivot] == 0 || (fact.row[pivot] > 0) != (row[pivot] > 0) {
                continue;
            }
            if !work.take(Work::ROW) {
                return best;
            }
            let Some((rest, factor)) = eliminate(row, &fact.row, pivot, self.atoms.count) else {
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
            if let Some(found) = self.combine(&rest, scale, sum, left - 1, work) {
                best = match best {
                    Some(known) if known >= found => best,
                    _ => Some(found),
                };
            }
        }
        best
    }

    /// Eliminates the pivots from `row`. Returns the rest and a positive factor: `rest = factor * row`, up to zero rows.
    const fn reduce(&self, row: &Row, work: &mut Work) -> Option<(Row, i64)> {
        let (mut row, mut scale) = (*row, 1_i64);
        let mut at = 0;
        while at < self.zero_count {
            if row[self.pivots[at]] == 0 {
                at += 1;
                continue;
            }
            if !work.take(Work::ROW) {
                return None;
            }
            match eliminate(&row, &self.zeros[at], self.pivots[at], self.atoms.count) {
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

    /// Returns the row without a common factor.
    const fn primitive(&self, row: &Row) -> Row {
        divided(row, content(row, self.atoms.count), self.atoms.count)
    }

    /// Returns the bound `row >= least` in lowest terms, with `least` rounded up, as differences are integers.
    const fn bound(&self, row: Row, least: i64) -> Bound {
        match content(&row, self.atoms.count) {
            0 => Bound { row, least },
            content => Bound {
                row: divided(&row, content, self.atoms.count),
                least: ceil(least, content),
            },
        }
    }
}
