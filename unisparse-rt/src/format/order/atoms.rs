//! Affine forms as coefficient rows over numbered unknowns, with floor quotients in a normal form.

use crate::format::encoding::{Atom, Encoding, Form};

/// Maximum number of unknowns. The orders of a pair of formats with more are not compared.
pub(super) const ATOMS: usize = 24;

/// The factor of each unknown.
pub(super) type Row = [i64; ATOMS];

/// The forms of an order's levels, without their constants.
pub(super) struct CoefficientRows {
    pub(super) rows: [Row; ATOMS],
    pub(super) count: usize,
}

impl CoefficientRows {
    /// Returns whether `other` starts with these rows.
    pub(super) const fn starts(&self, other: &Self) -> bool {
        let mut row = 0;
        while row < self.count {
            if row == other.count || !are_equal(&self.rows[row], &other.rows[row]) {
                return false;
            }
            row += 1;
        }
        true
    }
}

const fn are_equal(left: &Row, right: &Row) -> bool {
    let mut at = 0;
    while at < ATOMS {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The format that a query belongs to: the two formats evaluate their queries separately.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Source,
    Target,
}

/// What an unknown is.
#[derive(Clone, Copy)]
pub(super) enum Unknown {
    Dim,
    /// The result of a query; if `of_groups`, it is a function of the group, otherwise of the element.
    Query {
        side: Side,
        number: usize,
        of_groups: bool,
    },
    Quotient {
        dividend: Affine,
        divisor: i64,
    },
}

/// A row and a constant.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub(super) row: Row,
    constant: i64,
}

impl Affine {
    const ZERO: Affine = Affine {
        row: [0; ATOMS],
        constant: 0,
    };

    /// Returns `self + factor * other`, or `None` on overflow.
    const fn add(mut self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut at = 0;
        while at < ATOMS {
            self.row[at] = match plus(self.row[at], other.row[at], factor) {
                Some(sum) => sum,
                None => return None,
            };
            at += 1;
        }
        self.constant = match plus(self.constant, other.constant, factor) {
            Some(sum) => sum,
            None => return None,
        };
        Some(self)
    }

    const fn is(&self, other: &Affine) -> bool {
        self.is_shifted(other, 1) && self.constant == other.constant
    }

    /// Returns whether the rows are equal and the constants differ by a multiple of `step`.
    pub(super) const fn is_shifted(&self, other: &Affine, step: i64) -> bool {
        are_equal(&self.row, &other.row) && self.constant.rem_euclid(step) == other.constant.rem_euclid(step)
    }
}

/// Returns `left + right * factor`; `None` if it or its negative does not fit.
pub(super) const fn plus(left: i64, right: i64, factor: i64) -> Option<i64> {
    match right.checked_mul(factor) {
        Some(product) => match left.checked_add(product) {
            Some(i64::MIN) => None,
            sum => sum,
        },
        None => None,
    }
}

/// Returns the greatest common divisor of two magnitudes; `gcd(0, n)` is `n`.
pub(super) const fn gcd(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// The unknowns of two orders.
pub(super) struct Atoms {
    pub(super) unknowns: [Unknown; ATOMS],
    pub(super) count: usize,
    /// The number of dims, which are the first unknowns.
    pub(super) dims: usize,
    /// Pairs of a query's unknown and a form of its `group_by`, one for each form.
    pub(super) groups: [(usize, Row); ATOMS],
    pub(super) group_count: usize,
}

impl Atoms {
    pub(super) const fn new(dims: usize) -> Self {
        Atoms {
            unknowns: [Unknown::Dim; ATOMS],
            // May exceed `ATOMS`; `rows`, `dims` and `add` then return `None`.
            count: dims,
            dims,
            groups: [(0, [0; ATOMS]); ATOMS],
            group_count: 0,
        }
    }

    /// Returns the rows of the first `depth` levels of `encoding`, adding the unknowns they mention.
    pub(super) const fn rows(&mut self, encoding: &Encoding, side: Side, depth: usize) -> Option<CoefficientRows> {
        let mut rows = CoefficientRows {
            rows: [[0; ATOMS]; ATOMS],
            count: depth,
        };
        if depth > ATOMS || self.count > ATOMS {
            return None;
        }
        let mut level = 0;
        while level < depth {
            rows.rows[level] = match self.form(&encoding.levels[level].form, encoding, side) {
                Some(form) => form.row,
                None => return None,
            };
            level += 1;
        }
        Some(rows)
    }

    /// Returns whether a form of the source and one of the target are known to be equal but for a constant.
    pub(super) const fn are_equal(&mut self, form: &Form, source: &Encoding, other: &Form, target: &Encoding) -> bool {
        match (
            self.form(form, source, Side::Source),
            self.form(other, target, Side::Target),
        ) {
            (Some(form), Some(other)) => are_equal(&form.row, &other.row),
            _ => false,
        }
    }

    /// Returns one unit row for each of these dims.
    pub(super) const fn dims(&self, dims: &[usize]) -> Option<CoefficientRows> {
        let mut rows = CoefficientRows {
            rows: [[0; ATOMS]; ATOMS],
            count: dims.len(),
        };
        if dims.len() > ATOMS || self.dims > ATOMS {
            return None;
        }
        let mut at = 0;
        while at < dims.len() {
            if dims[at] >= self.dims {
                return None;
            }
            rows.rows[at][dims[at]] = 1;
            at += 1;
        }
        Some(rows)
    }

    const fn form(&mut self, form: &Form, encoding: &Encoding, side: Side) -> Option<Affine> {
        let mut sum = Affine {
            constant: form.constant,
            ..Affine::ZERO
        };
        let mut at = 0;
        while at < form.terms.len() {
            let (atom, factor) = &form.terms[at];
            let atom = match self.atom(atom, encoding, side) {
                Some(atom) => atom,
                None => return None,
            };
            sum = match sum.add(&atom, *factor) {
                Some(sum) => sum,
                None => return None,
            };
            at += 1;
        }
        Some(sum)
    }

    const fn atom(&mut self, atom: &Atom, encoding: &Encoding, side: Side) -> Option<Affine> {
        match atom {
            Atom::Dim(dim) => {
                if *dim < self.dims {
                    Some(unit(*dim))
                } else {
                    None
                }
            }
            Atom::Query(number) => self.query(*number, encoding, side),
            Atom::Quotient(form, divisor) => match self.form(form, encoding, side) {
                Some(dividend) => self.quotient(&dividend, *divisor),
                None => None,
            },
        }
    }

    const fn query(&mut self, number: usize, encoding: &Encoding, side: Side) -> Option<Affine> {
        let mut at = 0;
        while at < self.count {
            if let Unknown::Query {
                side: whose,
                number: other,
                ..
            } = self.unknowns[at]
            {
                if other == number && whose as u8 == side as u8 {
                    return Some(unit(at));
                }
            }
            at += 1;
        }
        let query = &encoding.queries[number];
        let of_groups = query.kind.is_of_groups();
        let unknown = match self.add(Unknown::Query {
            side,
            number,
            of_groups,
        }) {
            Some(unknown) => unknown,
            None => return None,
        };
        let mut group = 0;
        while of_groups && group < query.groups.len() {
            let form = match self.form(&query.groups[group], encoding, side) {
                Some(form) => form,
                None => return None,
            };
            if self.group_count == ATOMS {
                return None;
            }
            self.groups[self.group_count] = (unknown, form.row);
            self.group_count += 1;
            group += 1;
        }
        Some(unit(unknown))
    }

    /// Returns `floor(dividend / divisor)` in normal form: a combination of unknowns, where the dividend of each quotient has
    /// factors in `0..divisor` whose greatest common divisor with `divisor` is 1, and is not itself a quotient.
    const fn quotient(&mut self, dividend: &Affine, divisor: i64) -> Option<Affine> {
        if divisor <= 0 {
            return None;
        }
        let (mut whole, mut rest) = (Affine::ZERO, Affine::ZERO);
        let mut common = divisor as u64;
        let mut terms = 0;
        let mut last = 0;
        let mut at = 0;
        while at < ATOMS {
            whole.row[at] = dividend.row[at].div_euclid(divisor);
            rest.row[at] = dividend.row[at].rem_euclid(divisor);
            common = gcd(common, rest.row[at] as u64);
            if rest.row[at] != 0 {
                terms += 1;
                last = at;
            }
            at += 1;
        }
        whole.constant = dividend.constant.div_euclid(divisor);
        if terms == 0 {
            return Some(whole);
        }
        let common = common as i64;
        let mut at = 0;
        while at < ATOMS {
            rest.row[at] /= common;
            at += 1;
        }
        rest.constant = dividend.constant.rem_euclid(divisor) / common;
        let divisor = divisor / common;
        if let (
            1,
            1,
            Unknown::Quotient {
                dividend: inner,
                divisor: by,
            },
        ) = (terms, rest.row[last], self.unknowns[last])
        {
            // floor((floor(x / b) + c) / d) = floor((x + b * c) / (b * d))
            let shift = Affine {
                constant: rest.constant,
                ..Affine::ZERO
            };
            let (Some(inner), Some(divisor)) = (inner.add(&shift, by), divisor.checked_mul(by)) else {
                return None;
            };
            return match self.quotient(&inner, divisor) {
                Some(quotient) => whole.add(&quotient, 1),
                None => None,
            };
        }
        match self.find(&rest, divisor) {
            Some(unknown) => whole.add(&unit(unknown), 1),
            None => None,
        }
    }

    /// Returns the unknown for this quotient in normal form, adding it if there is none.
    const fn find(&mut self, dividend: &Affine, divisor: i64) -> Option<usize> {
        let mut at = 0;
        while at < self.count {
            if let Unknown::Quotient {
                dividend: other,
                divisor: by,
            } = &self.unknowns[at]
            {
                if *by == divisor && other.is(dividend) {
                    return Some(at);
                }
            }
            at += 1;
        }
        self.add(Unknown::Quotient {
            dividend: *dividend,
            divisor,
        })
    }

    const fn add(&mut self, unknown: Unknown) -> Option<usize> {
        if self.count >= ATOMS {
            return None;
        }
        self.unknowns[self.count] = unknown;
        self.count += 1;
        Some(self.count - 1)
    }
}

/// Returns the row of one unknown with factor 1.
const fn unit(unknown: usize) -> Affine {
    let mut unit = Affine::ZERO;
    unit.row[unknown] = 1;
    unit
}
