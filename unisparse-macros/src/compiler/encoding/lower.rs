//! Lowers index map expressions: resolves names and folds coefficients.

use proc_macro2::Ident;

use crate::compiler::algebra::{Expression, Polynomial};
use crate::compiler::diagnostics::{Diagnostics, did_you_mean, list};
use crate::compiler::syntax::expression::{BinaryOperator, Expr, ExprKind};

/// The names that an expression may use.
pub(crate) struct Scope<'a> {
    pub(crate) dims: &'a [Ident],
    pub(crate) parameters: &'a [Ident],
    /// The queries before the expression.
    pub(crate) queries: &'a [Ident],
    /// The queries after the expression; `None` where queries cannot be declared.
    pub(crate) later: Option<&'a [Ident]>,
}

impl Scope<'_> {
    /// Returns the number of an unknown: dims come first, then queries.
    fn unknown(&self, name: &Ident) -> Option<usize> {
        self.dims.iter().chain(self.queries).position(|known| known == name)
    }

    fn parameter(&self, name: &Ident) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter == name)
    }

    /// Lowers the expression, or returns `None` after reporting errors.
    pub(crate) fn lower(&self, expr: &Expr, errors: &mut Diagnostics) -> Option<Expression> {
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(unknown) = self.unknown(name) {
                    return Some(Expression::Dim(unknown));
                }
                if let Some(parameter) = self.parameter(name) {
                    return Some(Expression::Constant(Polynomial::parameter(parameter)));
                }
                self.refuse(name, errors);
                None
            }
            ExprKind::Literal(literal) => match literal.base10_parse::<u32>() {
                Ok(value) if literal.suffix().is_empty() => {
                    Some(Expression::Constant(Polynomial::integer(value.into())))
                }
                _ => {
                    let (what, help) = if literal.suffix().is_empty() {
                        ("literals of the language are below 2^32", "use a smaller one")
                    } else {
                        ("literals of the language have no suffix", "leave it out")
                    };
                    errors.error(literal, format!("{what}\nhelp: {help}"));
                    None
                }
            },
            ExprKind::Negate(inner) => {
                let inner = self.lower(inner, errors)?;
                Some(scaled(Polynomial::integer(-1), inner))
            }
            ExprKind::Binary(operator, left, right) => {
                // Lower both sides before returning, so that the errors of both are reported.
                let lowered = (self.lower(left, errors), self.lower(right, errors));
                let (Some(left_value), Some(right_value)) = lowered else {
                    return None;
                };
                match operator {
                    BinaryOperator::Add => Some(sum(left_value, right_value)),
                    BinaryOperator::Sub => Some(sum(left_value, scaled(Polynomial::integer(-1), right_value))),
                    BinaryOperator::Mul => match (left_value, right_value) {
                        (Expression::Constant(factor), other) | (other, Expression::Constant(factor)) => {
                            Some(scaled(factor, other))
                        }
                        _ => {
                            errors.error(
                                &expr.tokens,
                                "a product of two dims is not linear\nhelp: an index map adds multiples of dims, and their `/` and `%` by literals or const parameters",
                            );
                            None
                        }
                    },
                    BinaryOperator::Div | BinaryOperator::Rem => {
                        self.divided(*operator, left_value, right, right_value, errors)
                    }
                }
            }
        }
    }

    fn divided(
        &self,
        operator: BinaryOperator,
        left: Expression,
        divisor: &Expr,
        right: Expression,
        errors: &mut Diagnostics,
    ) -> Option<Expression> {
        let sign = if operator == BinaryOperator::Div { "/" } else { "%" };
        let Expression::Constant(number) = right else {
            errors.error(
                &divisor.tokens,
                format!("the right of `{sign}` must be a positive literal or a const parameter\nhelp: declare one, `<const B: usize = 64>`, and write `{sign} B`"),
            );
            return None;
        };
        if number.is_zero() {
            errors.error(
                &divisor.tokens,
                format!("`{sign}` by zero\nhelp: write a positive literal or a const parameter"),
            );
            return None;
        }
        if number.inverse().is_none() || !number.is_nonnegative() {
            let found = number
                .as_integer()
                .map_or("this may be zero or negative", |_| "this is negative");
            errors.error(&divisor.tokens, format!("the right of `{sign}` must be positive: {found}\nhelp: write a positive literal or a const parameter"));
            return None;
        }
        if let Expression::Constant(constant) = &left {
            if let (Some(constant), Some(number)) = (constant.as_integer(), number.as_integer()) {
                let value = if operator == BinaryOperator::Div {
                    constant.div_euclid(number)
                } else {
                    constant.rem_euclid(number)
                };
                return Some(Expression::Constant(Polynomial::integer(value)));
            }
        }
        Some(match operator {
            BinaryOperator::Div => Expression::Quotient(Box::new(left), number),
            _ => Expression::Remainder(Box::new(left), number),
        })
    }

    fn refuse(&self, name: &Ident, errors: &mut Diagnostics) {
        if self.later.is_some_and(|later| later.contains(name)) {
            errors.error(
                name,
                format!("query `{name}` is declared further down\nhelp: move it before its first use: queries are evaluated in the order written"),
            );
            return;
        }
        let known: Vec<String> = [self.dims, self.parameters, self.queries]
            .into_iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        let near = did_you_mean(&name.to_string(), known.iter().map(String::as_str));
        let suggestion = if near.is_empty() && self.later.is_some() {
            format!("\nhelp: name a dim, or write a query `where {{ {name} = ..; }}`")
        } else {
            near
        };
        let all = list(known.iter().map(String::as_str));
        errors.error(name, format!("`{name}` is neither a dim, a const parameter nor a query of this format{suggestion}\nnote: the names known here are {all}"));
    }
}

fn sum(left: Expression, right: Expression) -> Expression {
    match (left, right) {
        (Expression::Constant(left), Expression::Constant(right)) => Expression::Constant(left.add(&right)),
        (left, right) => Expression::Sum(Box::new(left), Box::new(right)),
    }
}

fn scaled(factor: Polynomial, inner: Expression) -> Expression {
    match inner {
        Expression::Constant(constant) => Expression::Constant(constant.mul(&factor)),
        Expression::Scaled(inner_factor, inner) => Expression::Scaled(inner_factor.mul(&factor), inner),
        inner => Expression::Scaled(factor, Box::new(inner)),
    }
}
