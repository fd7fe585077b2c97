//! Prints values of the element type.

use super::Printer;
use super::arguments::ArgumentKind;
use crate::compiler::loops::{Array, Expr, Literal, Reduction, Value};

impl Printer<'_> {
    /// Returns an element of an array.
    pub(super) fn element(&self, array: Array, at: &str) -> String {
        let array = match array {
            Array::Values(tensor) => self.argument(ArgumentKind::Values(tensor)),
            Array::Dense(operand) => self.argument(ArgumentKind::Dense(operand)),
            Array::Sums => "sums",
        };
        format!("{array}[{at}]")
    }

    pub(super) fn element_at(&self, array: Array, at: &Expr) -> String {
        self.element(array, &self.integer(at))
    }

    pub(super) fn value(&self, value: &Value) -> Result<String, String> {
        let all = |values: &[Value]| {
            values
                .iter()
                .map(|value| self.factor(value))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match value {
            Value::Load(array, at) => self.element_at(*array, at),
            Value::Scalar(operand) => self.argument(ArgumentKind::Scalar(*operand)).to_owned(),
            Value::Literal(Literal::Integer(number)) => format!("(ELEMENT)({number})"),
            Value::Literal(Literal::Float(number)) => {
                return Err(format!("`{number}` is not a value of every element type"));
            }
            Value::Coordinate(at) => format!("(ELEMENT)({})", self.integer(at)),
            Value::Bound(var) => self.var(*var),
            Value::Negated(inner) => format!("-{}", self.factor(inner)?),
            Value::Product(factors) => all(factors)?.join(" * "),
            Value::Sum(terms) => all(terms)?.join(" + "),
            Value::Or(_) | Value::And(_) => return Err("`|` and `&` are not printed".to_owned()),
            Value::Call(function, _) => {
                let name = self.program.kernel.functions[*function].name();
                return Err(format!(
                    "`{name}` is a function of the caller: a kernel does not call it"
                ));
            }
            Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_) => {
                return Err("a value may be missing: that is not printed".to_owned());
            }
        })
    }

    /// Returns the value as an operand of a product or a sum.
    fn factor(&self, value: &Value) -> Result<String, String> {
        let printed = self.value(value)?;
        Ok(match value {
            Value::Product(_) | Value::Sum(_) | Value::Negated(_) => format!("({printed})"),
            _ => printed,
        })
    }

    /// Prints `place += value;`.
    pub(super) fn add(&mut self, place: &str, reduction: Reduction, value: &str) -> Result<(), String> {
        match reduction {
            Reduction::Plus => {
                self.lines.line(format!("{place} += {value};"));
                Ok(())
            }
            Reduction::Min | Reduction::Max | Reduction::Or | Reduction::And => {
                Err("the statement reduces by something else than sums: that is not printed".to_owned())
            }
        }
    }
}
