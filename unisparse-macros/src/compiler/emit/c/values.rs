//! Prints values of the element type. A value that may be missing is two variables: whether it is there, and the value.

use super::Printer;
use super::machine::Machine;
use super::types::Operation;
use crate::compiler::loops::{Array, Reduction, Value};

/// A value, with the expression that tests whether it is there, or `None` if it always is.
pub(super) struct Maybe {
    pub(super) is: Option<String>,
    pub(super) value: Operation,
}

impl<M: Machine> Printer<'_, M> {
    /// Returns an element of an array.
    pub(crate) fn element(&self, array: Array, at: &str) -> String {
        match array {
            Array::Values(tensor) => self.tensors[tensor].value(at),
            Array::Dense(operand) => format!("{}[{at}]", self.operands[operand]),
            Array::Sums => format!("sums[{at}]"),
        }
    }

    /// Returns an element of an array as a number to compute with.
    pub(super) fn read(&self, array: Array, at: &str) -> String {
        let element = self.element(array, at);
        match array {
            Array::Sums | Array::Dense(0) => element,
            Array::Values(_) | Array::Dense(_) => self.element.read(M::read(element)),
        }
    }

    /// Returns a value that is never missing.
    pub(crate) fn value(&self, value: &Value) -> Operation {
        let element = self.element;
        let folded = |values: &[Value], both: &dyn Fn(&Operation, &Operation) -> Operation| {
            let values = values.iter().map(|value| self.value(value));
            values
                .reduce(|left, right| both(&left, &right))
                .unwrap_or_else(|| Operation::atom(element.zero()))
        };
        match value {
            Value::Load(array, at) => Operation::atom(self.read(*array, &self.unsigned(at))),
            Value::Scalar(operand) => Operation::atom(element.read(self.operands[*operand].clone())),
            Value::Literal(literal) => element.literal(*literal),
            Value::Coordinate(at) => Operation::atom(format!("({})({})", element.text, self.unsigned(at))),
            Value::Bound(var) => Operation::atom(self.var(*var)),
            Value::Negated(inner) => element.negated(&self.value(inner)),
            Value::Product(factors) => folded(factors, &|left, right| element.times(left, right)),
            Value::Sum(terms) => folded(terms, &|left, right| element.plus(left, right)),
            Value::Or(terms) => folded(terms, &|left, right| element.reduced(Reduction::Or, left, right)),
            Value::And(terms) => folded(terms, &|left, right| element.reduced(Reduction::And, left, right)),
            Value::Call(function, arguments) => {
                let arguments: Vec<Operation> = arguments.iter().map(|argument| self.value(argument)).collect();
                self.call(*function, &arguments)
            }
            Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_) => {
                unreachable!("a value that may be missing is printed as two variables")
            }
        }
    }

    fn call(&self, function: usize, arguments: &[Operation]) -> Operation {
        let arguments: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        Operation::atom(format!("{}({})", self.functions[function], arguments.join(", ")))
    }

    /// Returns a value that is missing if an operand is, after binding its operands.
    pub(super) fn maybe(&mut self, value: &Value) -> Maybe {
        if !value.is_optional() {
            return Maybe {
                is: None,
                value: self.value(value),
            };
        }
        let element = self.element;
        match value {
            Value::At { tensor, range, holes } => {
                let range = self.var(*range);
                let read = self.read(Array::Values(*tensor), &format!("{range}.start"));
                let zero = element.zero();
                let filled = if *holes {
                    format!(" && {read} != {zero}")
                } else {
                    String::new()
                };
                let is = self.bind("bool", "is", &format!("{range}.start < {range}.end{filled}"));
                let value = self.bind(element.text, "value", &format!("{is} ? {read} : {zero}"));
                there(is, value)
            }
            Value::AtPosition { tensor, position } => {
                let read = self.read(Array::Values(*tensor), &self.unsigned(position));
                let value = self.bind(element.text, "value", &read);
                there(format!("{value} != {}", element.zero()), value)
            }
            Value::Maybe(number) => {
                let (is, value) = self.maybes[number].clone();
                there(is, value)
            }
            Value::Negated(inner) => {
                let Maybe { is, value } = self.maybe(inner);
                Maybe {
                    is,
                    value: element.negated(&value),
                }
            }
            Value::Product(factors) => self.all(factors, &|left, right| element.times(left, right)),
            Value::And(factors) => self.all(factors, &|left, right| element.reduced(Reduction::And, left, right)),
            Value::Sum(terms) => self.any(terms, &|left, right| element.plus(left, right)),
            Value::Or(terms) => self.any(terms, &|left, right| element.reduced(Reduction::Or, left, right)),
            Value::Call(function, arguments) => {
                let arguments: Vec<Maybe> = arguments.iter().map(|argument| self.maybe(argument)).collect();
                let is = all_of(arguments.iter().filter_map(|argument| argument.is.clone()));
                let given: Vec<Operation> = arguments.into_iter().map(|argument| argument.value).collect();
                let called = self.call(*function, &given);
                let Some(is) = is else {
                    return Maybe {
                        is: None,
                        value: called,
                    };
                };
                let is = self.bind("bool", "is", &is);
                let called = format!("{is} ? {} : {}", called.text, element.zero());
                let value = self.bind(element.text, "value", &called);
                there(is, value)
            }
            Value::Load(..) | Value::Scalar(_) | Value::Literal(_) | Value::Coordinate(_) | Value::Bound(_) => {
                unreachable!("a value that is always there is printed as it is")
            }
        }
    }

    /// Returns a value that is there if all operands are.
    fn all(&mut self, values: &[Value], both: &dyn Fn(&Operation, &Operation) -> Operation) -> Maybe {
        let values: Vec<Maybe> = values.iter().map(|value| self.maybe(value)).collect();
        let is = all_of(values.iter().filter_map(|value| value.is.clone()));
        let value = values.into_iter().map(|value| value.value);
        let value = value.reduce(|left, right| both(&left, &right));
        Maybe {
            is,
            value: value.unwrap_or_else(|| Operation::atom(self.element.zero())),
        }
    }

    /// Returns a value that is there if any operand is.
    fn any(&mut self, values: &[Value], both: &dyn Fn(&Operation, &Operation) -> Operation) -> Maybe {
        let values: Vec<Maybe> = values.iter().map(|value| self.maybe(value)).collect();
        let element = self.element;
        let any = values.into_iter().reduce(|left, right| {
            let joined = both(&left.value, &right.value).text;
            let (first, second) = (&left.value.text, &right.value.text);
            let (is, value) = match (&left.is, &right.is) {
                (None, None) => (None, joined),
                (Some(is), None) => (None, format!("{is} ? {joined} : {second}")),
                (None, Some(is)) => (None, format!("{is} ? {joined} : {first}")),
                (Some(one), Some(other)) => (
                    Some(format!("({one}) || ({other})")),
                    format!("!({other}) ? {first} : {one} ? {joined} : {second}"),
                ),
            };
            let is = is.map(|is| self.bind("bool", "is", &is));
            let value = self.bind(element.text, "value", &value);
            Maybe {
                is,
                value: Operation::atom(value),
            }
        });
        any.unwrap_or_else(|| there("false".to_owned(), element.zero().to_owned()))
    }

    /// Binds a new constant, and returns its name.
    pub(crate) fn bind(&mut self, kind: &str, name: &str, value: &str) -> String {
        let name = self.fresh(name);
        self.lines.line(format!("const {kind} {name} = {value};"));
        name
    }
}

fn there(is: String, value: String) -> Maybe {
    Maybe {
        is: Some(is),
        value: Operation::atom(value),
    }
}

/// Returns the conjunction of the conditions, or `None` without conditions.
fn all_of(conditions: impl Iterator<Item = String>) -> Option<String> {
    conditions.reduce(|left, right| format!("{left} && {right}"))
}
