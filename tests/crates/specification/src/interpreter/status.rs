//! Which levels are fixed, aligned and counted.
//!
//! An expression is the vector of its values at random points, where dims and queries are independent unknowns.
//! Expressions determine the span of their vectors, and the digits of what is in it.

use super::{Arm, Expr, Format, Function, Name};

const POINTS: usize = 128;
/// The modulus of all vectors: a prime by which products are reduced without a division.
const PRIME: u64 = (1 << 61) - 1;

type Vector = Vec<u64>;
/// Dividends, each with its quotient.
type Digits = Vec<(Vector, Vector)>;

/// The status of a level, given the levels above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Fixed,
    Aligned,
    Free { counts: bool },
}

/// Expressions whose values are known.
struct Known<'a> {
    format: &'a Format,
    points: &'a [Vec<i64>],
    /// Reduced vectors, each with its pivot.
    span: Vec<(usize, Vector)>,
    /// Dividends and divisors: a known dividend makes the quotient known.
    digits: Vec<(Vector, Vector)>,
}

/// Dividends, each with its quotient.
fn digits(format: &Format, points: &[Vec<i64>]) -> Vec<(Vector, Vector)> {
    let values = |expr: &Expr| values(format, points, expr);
    let queries = format
        .queries
        .iter()
        .flat_map(|query| [&query.group, &query.traverse, &query.key])
        .flatten();
    let numbers = format.queries.iter().flat_map(|query| match &query.function {
        Function::Sum(arms) | Function::Enumerate(arms) => arms.iter().map(|arm| &arm.number).collect(),
        _ => Vec::new(),
    });
    let mut quotients: Vec<(Vec<i64>, i64)> = Vec::new();
    let levels = format.levels.iter().map(|level| &level.expr);
    for expr in levels.chain(queries).chain(numbers) {
        expr.visit(&mut |part| {
            if let Expr::Op('/' | '%', inner, divisor) = part {
                let (mut inner, mut divisor) = (&**inner, values(divisor)[0]);
                loop {
                    let quotient = (values(inner), divisor);
                    if !quotients.contains(&quotient) {
                        quotients.push(quotient);
                    }
                    // A quotient of a quotient is one by the product.
                    let Expr::Op('/', dividend, by) = inner else { break };
                    (inner, divisor) = (dividend, divisor * values(by)[0]);
                }
            }
        });
    }
    let mut digits = Vec::new();
    let mut digit = |values: &[i64], divisor: i64| {
        let quotient: Vec<i64> = values.iter().map(|value| value.div_euclid(divisor)).collect();
        let digit = (residues(values), residues(&quotient));
        if !digits.contains(&digit) {
            digits.push(digit);
        }
    };
    let levels: Vec<Vec<i64>> = format.levels.iter().map(|level| values(&level.expr)).collect();
    let sums = sums(levels.len());
    for (values, divisor) in &quotients {
        digit(values, *divisor);
        // An expression that differs from the dividend by multiples of the divisor and a constant has a quotient that
        // determines this one.
        // A factor beyond half of the divisor stands for a smaller one.
        for &(sign, level, factor, other) in sums.iter().filter(|sum| *divisor > 1 && 2 * sum.2.abs() <= *divisor) {
            let sum = |at: usize| sign * levels[level][at] + factor * levels[other][at];
            let rest = |at: usize| (values[at] - sum(at)).rem_euclid(*divisor);
            let first = rest(0);
            if (1..values.len()).all(|at| rest(at) == first) {
                digit(
                    &(0..values.len()).map(|at| sum(at) + first).collect::<Vec<_>>(),
                    *divisor,
                );
            }
        }
        // Coarser and finer digits of one number.
        for (_, finer) in quotients
            .iter()
            .filter(|(other, finer)| other == values && finer < divisor && divisor % finer == 0)
        {
            let upper: Vec<i64> = values.iter().map(|value| value.div_euclid(*finer)).collect();
            let lower: Vec<i64> = values.iter().map(|value| value.rem_euclid(*divisor)).collect();
            digit(&upper, divisor / finer);
            digit(&lower, *finer);
        }
    }
    digits
}

/// A sign and a level, a factor and another level: each level and its negative, and those with a small multiple of another.
fn sums(levels: usize) -> Vec<(i64, usize, i64, usize)> {
    let of_pair = |level: usize, other: usize| {
        let factors = if level == other { 0..=0 } else { -4..=4 };
        factors.flat_map(move |factor| [1, -1].map(|sign| (sign, level, factor, other)))
    };
    let pairs = (0..levels).flat_map(|level| (0..levels).map(move |other| (level, other)));
    // Without another level a sum is there once.
    let is_new = |&(_, level, factor, other): &(i64, usize, i64, usize)| factor != 0 || level == other;
    pairs
        .flat_map(|(level, other)| of_pair(level, other))
        .filter(is_new)
        .collect()
}

impl<'a> Known<'a> {
    fn new(format: &'a Format, points: &'a [Vec<i64>], digits: &[(Vector, Vector)]) -> Self {
        let mut known = Known {
            format,
            points,
            span: Vec::new(),
            digits: digits.to_vec(),
        };
        known.learn(&vec![1; POINTS]);
        known
    }

    fn values(&self, expr: &Expr) -> Vec<i64> {
        values(self.format, self.points, expr)
    }

    fn vector(&self, expr: &Expr) -> Vector {
        residues(&self.values(expr))
    }

    fn reduced(&self, vector: &Vector) -> Vector {
        let mut rest = vector.clone();
        for (pivot, row) in &self.span {
            let factor = PRIME - rest[*pivot];
            if factor != PRIME {
                for (rest, &row) in rest.iter_mut().zip(row) {
                    *rest = residue(u128::from(*rest) + u128::from(factor) * u128::from(row));
                }
            }
        }
        rest
    }

    fn has(&self, vector: &Vector) -> bool {
        self.reduced(vector).iter().all(|&value| value == 0)
    }

    fn learn(&mut self, vector: &Vector) -> bool {
        let rest = self.reduced(vector);
        let Some(pivot) = rest.iter().position(|&value| value != 0) else {
            return false;
        };
        assert!(self.span.len() < POINTS / 2, "more points are wanted");
        let inverse = power(rest[pivot], PRIME - 2);
        self.span
            .push((pivot, rest.iter().map(|&value| product(value, inverse)).collect()));
        true
    }

    fn learn_all(&mut self, exprs: &[Expr]) -> bool {
        exprs
            .iter()
            .fold(false, |learned, expr| self.learn(&self.vector(expr)) | learned)
    }

    fn knows(&self, exprs: &[Expr]) -> bool {
        exprs.iter().all(|expr| self.has(&self.vector(expr)))
    }

    fn close(&mut self, functions: bool) {
        let format = self.format;
        let mut learned = true;
        while learned {
            learned = false;
            for (dividend, quotient) in std::mem::take(&mut self.digits) {
                if self.has(&dividend) {
                    learned |= self.learn(&quotient);
                } else {
                    self.digits.push((dividend, quotient));
                }
            }
            let dims: Vec<Expr> = (0..format.dims).map(|dim| Expr::Name(Name::Dim(dim))).collect();
            for (number, query) in format.queries.iter().enumerate().filter(|_| functions) {
                let own = [Expr::Name(Name::Query(number))];
                let knows_own = self.knows(&own);
                let knows_group = self.knows(&query.group);
                // One class of elements, whose first number is known: number and place determine each other.
                let is_place = match &query.function {
                    Function::Enumerate(arms) => match Arm::of_stored(arms)[..] {
                        [arm] => knows_group && self.knows(std::slice::from_ref(&arm.number)),
                        _ => false,
                    },
                    _ => false,
                };
                let given = match &query.function {
                    Function::Enumerate(_) => self.knows(&dims) || is_place && self.knows(&query.traverse),
                    Function::Slot { .. } => self.knows(&dims),
                    _ => self.knows(format.groups_of(number)),
                };
                if given {
                    learned |= self.learn_all(&own);
                }
                learned |= match &query.function {
                    Function::Enumerate(_) if knows_own && is_place => self.learn_all(&query.traverse),
                    Function::Slot { .. } if knows_own && knows_group => self.learn_all(&dims),
                    Function::Reorder { of, .. } if knows_own && knows_group => self.learn_all(format.groups_of(*of)),
                    _ => false,
                };
            }
        }
    }
}

/// The values of an expression at the points.
fn values(format: &Format, points: &[Vec<i64>], expr: &Expr) -> Vec<i64> {
    let value = |point: &Vec<i64>| {
        expr.eval(&|name| match name {
            Name::Dim(dim) => point[dim],
            Name::Query(query) => point[format.dims + query],
            Name::Parameter(parameter) => point[format.dims + format.queries.len() + parameter],
        })
    };
    points.iter().map(value).collect()
}

/// Returns a number modulo the prime, which is a power of two minus one, so that the bits above count as much as those below.
fn residue(number: u128) -> u64 {
    let folded = (number as u64 & PRIME) + (number >> 61) as u64;
    let folded = (folded & PRIME) + (folded >> 61);
    if folded == PRIME { 0 } else { folded }
}

fn product(left: u64, right: u64) -> u64 {
    residue(u128::from(left) * u128::from(right))
}

fn residues(values: &[i64]) -> Vector {
    values
        .iter()
        .map(|value| value.rem_euclid(PRIME as i64) as u64)
        .collect()
}

fn power(base: u64, exponent: u64) -> u64 {
    if exponent == 0 {
        return 1;
    }
    let half = power(product(base, base), exponent / 2);
    if exponent % 2 == 1 { product(half, base) } else { half }
}

/// Random dims and queries, and what the parameters are.
fn points(format: &Format, parameters: &[i64]) -> Vec<Vec<i64>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as i64
    };
    let mut point = || {
        (0..format.dims + format.queries.len())
            .map(|_| random())
            .chain(parameters.iter().copied())
            .collect()
    };
    (0..POINTS).map(|_| point()).collect()
}

/// A format at random points, for each of several values of its parameters.
pub struct Sampled<'a> {
    format: &'a Format,
    points: Vec<(Vec<Vec<i64>>, Digits)>,
}

impl<'a> Sampled<'a> {
    pub fn new(format: &'a Format) -> Self {
        // Whatever the parameters are: one is as large as all dividends, or as small as can be, or neither.
        let assignments = [[7, 23], [29, 5], [2, 3], [1, 1], [2, 1], [1, 3]].map(|values| {
            values
                .into_iter()
                .cycle()
                .take(format.parameters.len())
                .collect::<Vec<i64>>()
        });
        let assignments = &assignments[..if format.parameters.is_empty() { 1 } else { 6 }];
        let sample = |parameters: &Vec<i64>| {
            let points = points(format, parameters);
            let digits = digits(format, &points);
            (points, digits)
        };
        Sampled {
            format,
            points: assignments.iter().map(sample).collect(),
        }
    }

    /// Whether the wanted expressions follow from the given ones, with the functions of queries or without.
    fn follows(&self, given: &[Expr], functions: bool, wanted: &[Expr]) -> bool {
        self.points.iter().all(|(points, digits)| {
            let mut known = Known::new(self.format, points, digits);
            known.learn_all(given);
            known.close(functions);
            known.knows(wanted)
        })
    }

    fn query(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Name(Name::Query(query)) => Some(*query),
            _ => None,
        }
    }

    /// Whether the numbers of an enumeration below these levels are 0, 1, 2, ..
    fn enumerates(&self, above: &[Expr], own: &Expr) -> bool {
        self.query(own).is_some_and(|query| {
            let query = &self.format.queries[query];
            matches!(&query.function, Function::Enumerate(arms)
                if Arm::of_stored(arms).iter().all(|arm| arm.number == Expr::Number(0)))
                && self.follows(&query.group, true, above)
        })
    }

    /// Whether the ranks below these levels, or their quotients, are 0, 1, 2, ..
    fn ranks(&self, above: &[Expr], own: &Expr) -> bool {
        if let Expr::Op('/', inner, _) = own {
            return self.ranks(above, inner);
        }
        let Some(query) = self.query(own) else { return false };
        let Function::Reorder { of, descending } = self.format.queries[query].function else {
            return false;
        };
        let (groups, within) = (self.format.groups_of(of), &self.format.queries[query].group);
        let places = |level: &Expr| self.query(level).is_some_and(|number| self.numbers_all(number, groups));
        let (numbers, others): (Vec<Expr>, Vec<Expr>) = above.iter().cloned().partition(places);
        self.grows(of, descending)
            && numbers.len() < 2
            && self.follows(within, true, &others)
            && self.follows(&others, true, within)
    }

    /// Whether the sum is the greater, or the less, the more elements a group has.
    fn grows(&self, sum: usize, descending: bool) -> bool {
        let Function::Sum(arms) = &self.format.queries[sum].function else {
            return false;
        };
        let constant = |arm: &Arm| {
            let values = |(points, _): &(Vec<Vec<i64>>, Digits)| values(self.format, points, &arm.number);
            let all: Vec<Vec<i64>> = self.points.iter().map(values).collect();
            all.iter()
                .all(|values| values.iter().all(|value| *value == values[0]))
                .then(|| all.iter().map(|values| values[0]).collect::<Vec<i64>>())
        };
        let stored: Vec<_> = Arm::of_stored(arms).into_iter().map(constant).collect();
        let absent = arms.iter().find(|arm| arm.holds(None)).and_then(constant);
        let (Some(Some(stored)), true, Some(absent)) = (
            &stored.first(),
            stored.windows(2).all(|pair| pair[0] == pair[1]),
            absent,
        ) else {
            return false;
        };
        let mut pairs = stored.iter().zip(&absent);
        pairs.all(|(stored, absent)| if descending { stored > absent } else { stored < absent })
    }

    /// Whether the query numbers all elements of each of these groups from zero, no two of them equally.
    fn numbers_all(&self, query: usize, groups: &[Expr]) -> bool {
        let query = &self.format.queries[query];
        let Function::Enumerate(arms) = &query.function else {
            return false;
        };
        let dims: Vec<Expr> = (0..self.format.dims).map(|dim| Expr::Name(Name::Dim(dim))).collect();
        matches!(Arm::of_stored(arms)[..], [arm] if arm.number == Expr::Number(0))
            && self.follows(&query.group, true, groups)
            && self.follows(groups, true, &query.group)
            && self.follows(&[&query.group[..], &query.traverse].concat(), true, &dims)
    }

    /// The status of each level, which is the same for all values of the parameters.
    pub fn statuses(&self) -> Vec<Status> {
        let exprs: Vec<Expr> = self.format.levels.iter().map(|level| level.expr.clone()).collect();
        let status = |level: usize| {
            let (above, own) = (&exprs[..level], &exprs[level]);
            if self.follows(above, false, &exprs[level..=level]) {
                return Status::Fixed;
            }
            if self.follows(above, true, &exprs[level..=level]) {
                return Status::Aligned;
            }
            Status::Free {
                counts: self.enumerates(above, own) || !self.format.is_packed(level) && self.ranks(above, own),
            }
        };
        (0..exprs.len()).map(status).collect()
    }

    /// Returns the levels of `above` without which these and the `given` levels still determine this one: each in turn, from
    /// the last, if the others that are left do.
    pub fn not_needed(&self, given: &[usize], above: &[usize], level: usize) -> Vec<usize> {
        let expr = |level: &usize| self.format.levels[*level].expr.clone();
        let mut left: Vec<usize> = above.to_vec();
        for candidate in above.iter().rev() {
            let others: Vec<usize> = left.iter().copied().filter(|level| level != candidate).collect();
            if self.follows(
                &given.iter().chain(&others).map(expr).collect::<Vec<_>>(),
                true,
                &[expr(&level)],
            ) {
                left = others;
            }
        }
        above.iter().copied().filter(|level| !left.contains(level)).collect()
    }
}
