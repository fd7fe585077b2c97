//! Arithmetic on rows of factors, in constants. Rows are zero from `count` on: the compiler takes as long for a factor of zero as
//! for any other.

use super::atoms::{ATOMS, Row, gcd};

/// Returns `factor * row` minus a multiple of `other` such that the entry at `pivot` is zero, and the positive `factor`.
pub(super) const fn eliminate(row: &Row, other: &Row, pivot: usize, count: usize) -> Option<(Row, i64)> {
    if row[pivot] == 0 {
        return Some((*row, 1));
    }
    // Few calls: the compiler takes as long for a call as for ten operations.
    let (factor, taken) = match (row[pivot], other[pivot]) {
        (taken, 1) => (1, taken),
        (taken, -1) => (1, -taken),
        (from, by) => {
            let common = gcd(from.unsigned_abs(), by.unsigned_abs()) as i64;
            let sign = if by > 0 { 1 } else { -1 };
            (sign * (by / common), sign * (from / common))
        }
    };
    let mut rest = *row;
    let mut at = 0;
    while at < count {
        let (from, by) = (row[at] as i128, other[at] as i128);
        if by != 0 || (factor != 1 && from != 0) {
            // Factors are no less than -`i64::MAX`, so that these products and their difference fit.
            let exact = from * factor as i128 - by * taken as i128;
            rest[at] = exact as i64;
            if rest[at] as i128 != exact || rest[at] == i64::MIN {
                return None;
            }
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
    while at < count && content != 1 {
        if row[at] != 0 {
            content = gcd(content, row[at].unsigned_abs());
        }
        at += 1;
    }
    content as i64
}

pub(super) const fn divided(row: &Row, divisor: i64, count: usize) -> Row {
    let mut divided = *row;
    let mut at = 0;
    while at < count && divisor != 1 {
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
