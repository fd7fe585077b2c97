//! Generates random expressions and index maps.

use proptest::prelude::*;

use super::super::{Expression, Polynomial};

/// Number of parameters of random expressions.
pub(crate) const PARAMETERS: usize = 2;

/// The names of dims and parameters in [`show`].
pub(crate) const DIMS: [&str; 3] = ["i", "j", "k"];
pub(crate) const NAMES: [&str; PARAMETERS] = ["P", "Q"];

pub(crate) fn constant(value: i128) -> Expression {
    Expression::Constant(Polynomial::integer(value))
}

pub(crate) fn sum(left: Expression, right: Expression) -> Expression {
    Expression::Sum(Box::new(left), Box::new(right))
}

pub(crate) fn scaled(factor: Polynomial, inner: Expression) -> Expression {
    Expression::Scaled(factor, Box::new(inner))
}

pub(crate) fn quotient(inner: Expression, divisor: Polynomial) -> Expression {
    Expression::Quotient(Box::new(inner), divisor)
}

pub(crate) fn remainder(inner: Expression, divisor: Polynomial) -> Expression {
    Expression::Remainder(Box::new(inner), divisor)
}

/// Generates a positive divisor: a literal, a parameter, or a product of both.
pub(crate) fn divisor() -> impl Strategy<Value = Polynomial> {
    let parameter = (0..PARAMETERS).prop_map(Polynomial::parameter);
    prop_oneof![
        3 => (1i128..6).prop_map(Polynomial::integer),
        2 => parameter.clone(),
        1 => (2i128..4, parameter).prop_map(|(number, parameter)| parameter.mul(&Polynomial::integer(number))),
    ]
}

/// Generates a coefficient: a small integer, a multiple of a parameter, or a parameter minus one.
fn factor() -> impl Strategy<Value = Polynomial> {
    let parameter = (0..PARAMETERS).prop_map(Polynomial::parameter);
    prop_oneof![
        5 => (-4i128..5).prop_map(Polynomial::integer),
        1 => (-2i128..3, parameter.clone()).prop_map(|(number, parameter)| parameter.mul(&Polynomial::integer(number))),
        1 => parameter.prop_map(|parameter| parameter.sub(&Polynomial::one())),
    ]
}

/// Generates a nested expression of the first `dims` dims.
pub(crate) fn expression(dims: usize, depth: u32) -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![4 => (0..dims).prop_map(Expression::Dim), 1 => factor().prop_map(Expression::Constant)];
    leaf.prop_recursive(depth, 16, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(left, right)| sum(left, right)),
            1 => (factor(), inner.clone()).prop_map(|(factor, inner)| scaled(factor, inner)),
            2 => (inner.clone(), divisor()).prop_map(|(inner, divisor)| quotient(inner, divisor)),
            2 => (inner, divisor()).prop_map(|(inner, divisor)| remainder(inner, divisor)),
        ]
    })
}

/// A step that keeps an index map invertible.
#[derive(Clone, Debug)]
enum Step {
    /// Replaces a level by its quotient and its remainder.
    Split(usize, Polynomial),
    /// Adds a multiple of one level to another.
    Shear(usize, usize, Polynomial),
    Scale(usize, Polynomial),
    Shift(usize, Polynomial),
    Swap(usize, usize),
    /// Adds a level that is determined by the others.
    Redundant(usize, Expression),
}

fn step(dims: usize) -> impl Strategy<Value = Step> {
    let at = 0usize..8;
    let nonzero = prop_oneof![
        4 => prop_oneof![Just(-1i128), Just(2), Just(-2), Just(3)].prop_map(Polynomial::integer),
        1 => (0..PARAMETERS).prop_map(Polynomial::parameter),
    ];
    prop_oneof![
        5 => (at.clone(), divisor()).prop_map(|(at, divisor)| Step::Split(at, divisor)),
        4 => (at.clone(), at.clone(), factor()).prop_map(|(to, from, factor)| Step::Shear(to, from, factor)),
        1 => (at.clone(), nonzero).prop_map(|(at, factor)| Step::Scale(at, factor)),
        1 => (at.clone(), factor()).prop_map(|(at, constant)| Step::Shift(at, constant)),
        3 => (at.clone(), at.clone()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => (at, expression(dims, 2)).prop_map(|(at, expression)| Step::Redundant(at, expression)),
    ]
}

/// Generates an index map that is invertible by construction, with its number of dims.
pub(crate) fn invertible() -> impl Strategy<Value = (usize, Vec<Expression>)> {
    (1usize..=3).prop_flat_map(|dims| {
        proptest::collection::vec(step(dims), 0..6).prop_map(move |steps| {
            let mut levels: Vec<Expression> = (0..dims).map(Expression::Dim).collect();
            for step in steps {
                apply(step, &mut levels);
            }
            (dims, levels)
        })
    })
}

fn apply(step: Step, levels: &mut Vec<Expression>) {
    let count = levels.len();
    match step {
        Step::Split(at, divisor) => {
            let whole = levels[at % count].clone();
            levels[at % count] = quotient(whole.clone(), divisor.clone());
            levels.insert(at % count + 1, remainder(whole, divisor));
        }
        Step::Shear(to, from, factor) if to % count != from % count => {
            levels[to % count] = sum(levels[to % count].clone(), scaled(factor, levels[from % count].clone()));
        }
        Step::Shear(..) => {}
        Step::Scale(at, factor) => levels[at % count] = scaled(factor, levels[at % count].clone()),
        Step::Shift(at, constant) => {
            levels[at % count] = sum(levels[at % count].clone(), Expression::Constant(constant));
        }
        Step::Swap(a, b) => levels.swap(a % count, b % count),
        Step::Redundant(at, expression) => levels.insert(at % (count + 1), expression),
    }
}

/// Generates values of the parameters.
pub(crate) fn parameters() -> impl Strategy<Value = Vec<i128>> {
    proptest::collection::vec(1i128..5, PARAMETERS)
}

fn show_polynomial(value: &Polynomial) -> String {
    let mut text = String::from("0");
    for (exponents, coefficient) in value.terms() {
        let coefficient = coefficient.as_integer().expect("an integer");
        text += if coefficient < 0 { " - " } else { " + " };
        text += &coefficient.abs().to_string();
        for (number, &exponent) in exponents.iter().enumerate() {
            text += &format!(" * {}", NAMES[number]).repeat(usize::try_from(exponent).expect("integral"));
        }
    }
    text
}

/// Returns a positive divisor as the user would write it: one product.
fn show_divisor(value: &Polynomial) -> String {
    show_polynomial(value).replace("0 + ", "")
}

/// Returns the expression as the user would write it, with extra parentheses.
pub(crate) fn show(expression: &Expression) -> String {
    match expression {
        Expression::Dim(dim) => DIMS[*dim].to_owned(),
        Expression::Constant(constant) => format!("({})", show_polynomial(constant)),
        Expression::Sum(left, right) => format!("{} + {}", show(left), show(right)),
        Expression::Scaled(factor, inner) => format!("({}) * ({})", show_polynomial(factor), show(inner)),
        Expression::Quotient(inner, divisor) => format!("({}) / ({})", show(inner), show_divisor(divisor)),
        Expression::Remainder(inner, divisor) => format!("({}) % ({})", show(inner), show_divisor(divisor)),
    }
}
