//! Prints reductions and values of the element type as data: each with the function of the run time that computes it.

use proc_macro2::{Literal as Number, TokenStream};
use quote::quote;

use super::Printer;
use crate::compiler::emit::reductions;
use crate::compiler::loops::{Literal, Reduction, Value};

impl Printer<'_> {
    /// Returns a reduction and the value with which it changes nothing.
    pub(super) fn reduction(&self, reduction: Reduction) -> TokenStream {
        let (path, both, identity) = (&self.path, self.both(reduction), self.identity(reduction));
        quote!(#path::Reduction { both: #both, identity: #identity })
    }

    fn both(&self, reduction: Reduction) -> TokenStream {
        reductions::function(reduction, &self.elements.sum, &self.elements.runtime)
    }

    fn identity(&self, reduction: Reduction) -> TokenStream {
        let identity = reductions::identity(reduction, &self.elements.sum, &self.elements.runtime);
        identity.expect("`reason` refuses a conjunction of all")
    }

    /// Returns what the elements of an output start with.
    pub(super) fn start(&self, reduction: Reduction) -> TokenStream {
        let start = reductions::start(reduction, &self.elements.sum, &self.elements.runtime);
        start.expect("`reason` refuses a conjunction of all")
    }

    pub(super) fn value(&self, value: &Value) -> TokenStream {
        let (path, sum, runtime) = (&self.path, &self.elements.sum, &self.elements.runtime);
        let all = |values: &[Value]| {
            let values = values.iter().map(|value| self.value(value));
            quote!(&[#(#values),*])
        };
        let folded = |values: &[Value], reduction: Reduction| {
            let (values, both) = (all(values), self.both(reduction));
            quote!(Both(#values, #both))
        };
        let kind = match value {
            Value::Load(array, at) => {
                let (array, at) = (self.array(*array), self.expr(at));
                quote!(Load(#array, #at))
            }
            Value::Scalar(operand) => quote!(Scalar(#operand)),
            Value::Bound(var) => {
                let var = self.number(*var);
                quote!(Bound(#var))
            }
            Value::Literal(Literal::Integer(number)) => {
                let number = Number::i64_suffixed(*number);
                quote!(Literal(|| <#sum as #runtime::FromInteger>::from_integer(#number)))
            }
            Value::Literal(Literal::Float(number)) => {
                let number = Number::f64_suffixed(*number);
                quote!(Literal(|| <#sum as #runtime::FromFloat>::from_float(#number)))
            }
            Value::Coordinate(at) => {
                let at = self.expr(at);
                quote!(Coordinate(#at, <#sum as #runtime::FromInteger>::from_integer))
            }
            Value::Negated(inner) => {
                let inner = self.value(inner);
                quote!(Negated(&#inner, <#sum as #runtime::Negate>::negated))
            }
            Value::Product(factors) => {
                let factors = all(factors);
                quote!(Product(#factors))
            }
            Value::Sum(terms) => {
                let terms = all(terms);
                quote!(Sum(#terms))
            }
            Value::Or(terms) => folded(terms, Reduction::Or),
            Value::And(factors) => folded(factors, Reduction::And),
            Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_) | Value::Call(..) => {
                unreachable!("`reason` refuses values that may be missing, and calls")
            }
        };
        quote!(#path::Value::#kind)
    }
}
