//! Prints values of the element type. A value that may be missing is an `Option`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::{Arrays, Printer, integer, reduced};
use crate::compiler::loops::{Array, Reduction, Value};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn value(&self, value: &Value) -> TokenStream {
        let runtime = self.arrays.runtime();
        let folded = |values: &[Value], reduction: Reduction| {
            let mut values = values.iter().map(|value| self.value(value));
            let first = values
                .next()
                .unwrap_or_else(|| quote!(<T::Sum as #runtime::Scalar>::ZERO));
            values.fold(first, |left, right| {
                let reduced = reduced(reduction, &left, &right);
                match reduction {
                    Reduction::Or | Reduction::And => quote!((#reduced)),
                    _ => reduced,
                }
            })
        };
        match value {
            Value::Load(array, at) => {
                let (array, at) = (self.arrays.array(*array), self.usize(at));
                quote!(#array[#at].wide())
            }
            Value::Scalar(operand) => {
                let scalar = self.arrays.scalar(*operand);
                quote!(#scalar.wide())
            }
            Value::Literal(crate::compiler::loops::Literal::Integer(number)) => {
                let number = integer(i128::from(*number));
                quote!(<T::Sum as #runtime::FromInteger>::from_integer(#number))
            }
            Value::Literal(crate::compiler::loops::Literal::Float(number)) => {
                let number = Literal::f64_unsuffixed(*number);
                quote!(<T::Sum as #runtime::FromFloat>::from_float(#number))
            }
            Value::Coordinate(at) => {
                let at = self.usize(at);
                quote!(<T::Sum as #runtime::FromInteger>::from_integer((#at) as i64))
            }
            Value::Bound(var) => {
                let name = self.var(*var);
                if self.stored.contains(var) {
                    quote!(#name.wide())
                } else {
                    quote!(#name)
                }
            }
            Value::Product(factors) => {
                let mut factors = factors.iter().map(|factor| self.value(factor));
                let first = factors
                    .next()
                    .unwrap_or_else(|| quote!(<T::Sum as #runtime::Scalar>::ONE));
                factors.fold(first, |product, factor| quote!(#product.times(#factor)))
            }
            Value::Negated(inner) => {
                let inner = self.value(inner);
                quote!(#inner.negated())
            }
            Value::Sum(terms) => folded(terms, Reduction::Plus),
            Value::Or(terms) => folded(terms, Reduction::Or),
            Value::And(terms) => folded(terms, Reduction::And),
            Value::Call(function, arguments) => {
                let function = self.arrays.function(*function);
                let arguments = arguments.iter().map(|argument| self.value(argument));
                quote!(#function(#(T::narrow(#arguments)),*).wide())
            }
            Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_) => {
                unreachable!("a value that may be missing is printed as an option")
            }
        }
    }

    /// Returns the value as an `Option`, which is missing if an operand is.
    pub(super) fn maybe(&self, value: &Value) -> TokenStream {
        if !value.is_optional() {
            let value = self.value(value);
            return quote!(::core::option::Option::Some(#value));
        }
        let closed = |reduction: Reduction| reduced(reduction, &quote!(left), &quote!(right));
        let folded = |values: &[Value], both: &dyn Fn(TokenStream, TokenStream) -> TokenStream| {
            let values = values.iter().map(|value| self.maybe(value));
            values
                .reduce(both)
                .unwrap_or_else(|| quote!(::core::option::Option::None))
        };
        let either = |reduction: Reduction| {
            let (either, joined) = (self.runtime("either"), self.combined(reduction));
            move |left: TokenStream, right: TokenStream| quote!(#either(#left, #right, #joined))
        };
        let both = |joined: TokenStream| move |left: TokenStream, right: TokenStream| quote!(#left.zip(#right).map(|(left, right)| #joined));
        match value {
            Value::At { tensor, range, holes } => {
                let (values, range) = (self.arrays.array(Array::Values(*tensor)), self.var(*range));
                let filter = holes.then(|| quote!(.filter(|value| !value.is_zero())));
                quote!((!#range.is_empty()).then(|| #values[#range.start].wide())#filter)
            }
            Value::AtPosition { tensor, position } => {
                let (values, position) = (self.arrays.array(Array::Values(*tensor)), self.usize(position));
                quote!(::core::option::Option::Some(#values[#position].wide()).filter(|value| !value.is_zero()))
            }
            Value::Maybe(number) => {
                let found = self.found(*number);
                quote!(#found)
            }
            Value::Negated(inner) => {
                let inner = self.maybe(inner);
                quote!(#inner.map(|value| value.negated()))
            }
            Value::Product(factors) => folded(factors, &both(quote!(left.times(right)))),
            Value::And(factors) => folded(factors, &both(closed(Reduction::And))),
            Value::Sum(terms) => folded(terms, &either(Reduction::Plus)),
            Value::Or(terms) => folded(terms, &either(Reduction::Or)),
            Value::Call(function, arguments) => {
                let function = self.arrays.function(*function);
                let names: Vec<Ident> = (0..arguments.len())
                    .map(|number| self.local(&format!("argument_{number}")))
                    .collect();
                let mut options = arguments.iter().map(|argument| self.maybe(argument));
                let first = options
                    .next()
                    .unwrap_or_else(|| quote!(::core::option::Option::Some(())));
                let zipped = options.fold(first, |left, right| quote!(#left.zip(#right)));
                let pattern = names.iter().skip(1).fold(
                    names.first().map_or_else(|| quote!(_), |name| quote!(#name)),
                    |pattern, name| quote!((#pattern, #name)),
                );
                quote!(#zipped.map(|#pattern| #function(#(T::narrow(#names)),*).wide()))
            }
            Value::Load(..) | Value::Scalar(_) | Value::Literal(_) | Value::Coordinate(_) | Value::Bound(_) => {
                unreachable!("a value that is always there is printed as it is")
            }
        }
    }

    /// Returns an element of an array in its stored type.
    pub(super) fn stored_value(&self, value: &Value) -> TokenStream {
        match value {
            Value::Load(array, at) => {
                let (array, at) = (self.arrays.array(*array), self.usize(at));
                quote!(#array[#at])
            }
            Value::Bound(var) => {
                let name = self.var(*var);
                quote!(#name)
            }
            _ => unreachable!("only elements of arrays are visited"),
        }
    }
}
