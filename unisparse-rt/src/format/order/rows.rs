//! Arithmetic on rows of factors, in constants. Rows are zero from `count` on: the compiler takes as long for a factor of zero as
//! for any other.

use super::atoms::{ATOMS, Row, gcd, plus};

/// Returns `factor * row` minus a multiple of `other` such that the entry at `pivot` is zero, and the positive `factor`.
pub(super) const fn eliminate(row: &Row, other: &Row, pivot: usize, count: usize) -> Option<(Row, i64)> {
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
    while at < count {
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

pub(super) const fn ceil(dividend: i64, divisor: i64) -> i64 {
    dividend.div_euclid(divisor) + (dividend.rem_euclid(divisor) != 0) as i64
}

/// Returns the greatest common divisor of all factors.
pub(super) const fn content(row: &Row, count: usize) -> i64 {
    let mut content = 0;
    let mut at = 0;
    while at < count {
        content = gcd(content, row[at].unsigned_abs());
        at += 1;
    }
    content as i64
}

pub(super) const fn divided(row: &Row, divisor: i64, count: usize) -> Row {
    let mut divided = *row;
    let mut at = 0;
    while at < count {
        divided[at] /= divisor;
        at += 1;
    }
    divided
}

/// Returns the row of one unknown with this factor.
pub(super) const fn unit(unknown: usize, factor: i64) -> Row {
    let mut unit = [0; ATOMS];
    unit[unknown] = factor;
    unit
}

/// Returns the first of `count` unknowns that the row mentions.
pub(super) const fn first(row: &Row, count: usize) -> Option<usize> {
    let mut at = 0;
    while at < count {
        if row[at] != 0 {
            return Some(at);
        }
        at += 1;
    }
    None
}
