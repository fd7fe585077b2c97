//! Prints the domain of a level for readers.

use crate::compiler::algebra::{Linear, Polynomial, Symbol};
use crate::compiler::encoding::{Format, Level};

/// Returns the domain with an exclusive end, such as `1 - i_extent..j_extent`.
pub(crate) fn domain(format: &Format, level: &Level) -> String {
    if level.measured {
        return "measured".to_owned();
    }
    let interval = &level.interval;
    let lo = form(format, &interval.lo);
    let end = interval.hi.add(&Linear::constant(Polynomial::one()));
    format!(
        "{lo}..{}",
        rounded_up(format, &end).unwrap_or_else(|| form(format, &end))
    )
}

/// Returns an end as a ceiling: `⌊e / B⌋ + 1` is `⌈(e + 1) / B⌉` for an integer `e`.
fn rounded_up(format: &Format, end: &Linear<Symbol>) -> Option<String> {
    let floor = end.sub(&Linear::constant(Polynomial::one()));
    let Symbol::Floor(inner, divisor) = floor.as_variable()? else {
        return None;
    };
    let inner = inner.add(&Linear::constant(Polynomial::one()));
    let inner = rounded_up(format, &inner).unwrap_or_else(|| factor(form(format, &inner)));
    Some(format!("⌈{inner} / {}⌉", factor(polynomial(format, divisor))))
}

fn form(format: &Format, form: &Linear<Symbol>) -> String {
    let mut terms: Vec<(bool, String)> = Vec::new();
    for (symbol, coefficient) in form.terms() {
        let symbol = match symbol {
            Symbol::Extent(dim) => format!("{}_extent", format.dims[*dim]),
            Symbol::Floor(inner, divisor) => {
                let (inner, divisor) = (self::form(format, inner), polynomial(format, divisor));
                format!("⌊{} / {}⌋", factor(inner), factor(divisor))
            }
        };
        let negative = coefficient.neg();
        match (coefficient.as_integer(), negative.as_integer()) {
            (Some(1), _) => terms.push((false, symbol)),
            (_, Some(1)) => terms.push((true, symbol)),
            _ if negative.is_nonnegative() => {
                terms.push((true, format!("{} * {symbol}", factor(polynomial(format, &negative)))));
            }
            _ => terms.push((false, format!("{} * {symbol}", factor(polynomial(format, coefficient))))),
        }
    }
    terms.extend(summands(format, form.constant_term()));
    sum(terms)
}

fn polynomial(format: &Format, value: &Polynomial) -> String {
    sum(summands(format, value))
}

/// Returns the terms of a polynomial, each with whether it is subtracted.
fn summands(format: &Format, value: &Polynomial) -> Vec<(bool, String)> {
    let term = |(exponents, coefficient): (&[i32], crate::compiler::algebra::Rational)| {
        let (numerator, denominator) = (coefficient.numerator(), coefficient.denominator());
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (parameter, &exponent) in format.parameters.iter().zip(exponents) {
            let names = if exponent < 0 { &mut below } else { &mut above };
            names.extend(std::iter::repeat_n(
                parameter.name.clone(),
                exponent.unsigned_abs() as usize,
            ));
        }
        if numerator.unsigned_abs() != 1 || above.is_empty() {
            above.insert(0, numerator.unsigned_abs().to_string());
        }
        if denominator != 1 {
            below.insert(0, denominator.to_string());
        }
        let below: String = below.iter().map(|name| format!(" / {name}")).collect();
        (numerator < 0, above.join(" * ") + &below)
    };
    // The constant is the first term, and is easier to read as the last.
    let mut terms: Vec<_> = value.terms().map(term).collect();
    terms.reverse();
    terms
}

fn sum(mut terms: Vec<(bool, String)>) -> String {
    // Added terms precede subtracted ones, as in `1 - i_extent`.
    terms.sort_by_key(|&(negative, _)| negative);
    let mut text = String::new();
    for (negative, term) in terms {
        text += match (negative, text.is_empty()) {
            (false, true) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (true, false) => " - ",
        };
        text += &term;
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// Returns the text in parentheses, unless it is a name or a number.
fn factor(text: String) -> String {
    if text.contains(' ') { format!("({text})") } else { text }
}
