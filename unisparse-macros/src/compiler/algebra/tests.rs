//! Property tests of the algebra against brute force.

mod arithmetic;
mod forms;
mod inverse;
pub(crate) mod maps;

use super::{Atom, Expression, Interval, Linear, Polynomial, Rational, Source};

/// Returns the configuration of a property; `PROPTEST_CASES` overrides the number of cases.
pub(crate) fn config(cases: u32) -> proptest::test_runner::Config {
    let given = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let cases = given.unwrap_or(cases);
    proptest::test_runner::Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Default::default()
    }
}

/// Returns the value of a form, where `value` gives the values of its variables.
fn evaluate<V: Ord + Clone>(form: &Linear<V>, parameters: &[i128], value: &impl Fn(&V) -> Rational) -> Rational {
    let terms = form
        .terms()
        .map(|(variable, c)| c.evaluate(parameters).mul(value(variable)));
    terms.fold(form.constant_term().evaluate(parameters), Rational::add)
}

/// Returns the quotient rounded down.
fn floor(dividend: Rational, divisor: &Polynomial, parameters: &[i128]) -> Rational {
    let quotient = dividend.mul(divisor.evaluate(parameters).inverse());
    Rational::integer(quotient.numerator().div_euclid(quotient.denominator()))
}

fn atom_value(atom: &Atom, dims: &[i128], parameters: &[i128]) -> Rational {
    match atom {
        Atom::Dim(dim) => Rational::integer(dims[*dim]),
        Atom::Quotient(inner, divisor) => floor(form_value(inner, dims, parameters), divisor, parameters),
    }
}

/// Returns the value of a normal form.
fn form_value(form: &Linear<Atom>, dims: &[i128], parameters: &[i128]) -> Rational {
    evaluate(form, parameters, &|atom| atom_value(atom, dims, parameters))
}

/// Returns the least and the greatest value in a box of this shape.
pub(crate) fn range(interval: &Interval, shape: &[i128], parameters: &[i128]) -> (i128, i128) {
    interval.at(shape, parameters).expect("small bounds")
}

/// Returns every coordinate of a box, in lexicographic order.
pub(crate) fn coordinates(ranges: &[(i128, i128)]) -> Vec<Vec<i128>> {
    let mut all = vec![Vec::new()];
    for &(lo, hi) in ranges {
        let longer = |prefix: Vec<i128>| (lo..=hi).map(move |last| [prefix.as_slice(), &[last]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Returns every coordinate of a tensor of this shape.
pub(crate) fn coordinates_of(shape: &[i128]) -> Vec<Vec<i128>> {
    coordinates(&shape.iter().map(|&extent| (0, extent - 1)).collect::<Vec<_>>())
}

/// Returns the level coordinates of a logical coordinate.
pub(crate) fn encode(levels: &[Expression], coordinate: &[i128], parameters: &[i128]) -> Vec<i128> {
    levels
        .iter()
        .map(|level| level.evaluate(coordinate, parameters).expect("a small value"))
        .collect()
}

/// Returns the value of a form of level coordinates and quotients.
fn source_value(form: &Linear<Source>, levels: &[i128], quotients: &[Rational], parameters: &[i128]) -> Rational {
    evaluate(form, parameters, &|source| match source {
        Source::Level(level) => Rational::integer(levels[*level]),
        Source::Quotient(quotient) => quotients[*quotient],
    })
}
