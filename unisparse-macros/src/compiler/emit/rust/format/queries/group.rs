//! Prints expressions that the group of a query determines, in terms of that group and of the tables of other queries.

use proc_macro2::TokenStream;
use quote::quote;

use super::Evaluation;
use crate::compiler::algebra::{Expression, Linear, Polynomial, Source};
use crate::compiler::emit::rust::algebra::{linear, polynomial};
use crate::compiler::emit::rust::print::count;
use crate::compiler::encoding::{Closure, Query};

/// The context for expressions in terms of a group and of query tables.
pub(super) struct Group<'a> {
    pub(super) evaluation: &'a Evaluation<'a>,
    pub(super) query: &'a Query,
    pub(super) known: &'a Closure<'a>,
}

impl Group<'_> {
    pub(super) fn value(&self, value: &Expression) -> TokenStream {
        if let Some(at) = self.query.groups.iter().position(|group| group == value) {
            let (group, at) = (self.evaluation.names.local("group"), count(at));
            return quote!(#group[#at]);
        }
        match self.known.express(value) {
            Some(form) => {
                let value = self.form(&form);
                quote!(((#value) as i64))
            }
            None => self.part_by_part(value),
        }
    }

    /// Returns the expression as written, where the algebra has no formula.
    fn part_by_part(&self, value: &Expression) -> TokenStream {
        let factor = |factor: &Polynomial| {
            let (format, names) = (self.evaluation.format, self.evaluation.names);
            polynomial(factor, format, names, &quote!(i64))
        };
        match value {
            Expression::Sum(left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                quote!(#left.saturating_add(#right))
            }
            Expression::Scaled(by, inner) => {
                let (by, inner) = (factor(by), self.value(inner));
                quote!(#inner.saturating_mul(#by))
            }
            Expression::Quotient(inner, by) => {
                let (by, inner) = (factor(by), self.value(inner));
                quote!(#inner.div_euclid(#by))
            }
            Expression::Remainder(inner, by) => {
                let (by, inner) = (factor(by), self.value(inner));
                quote!(#inner.rem_euclid(#by))
            }
            Expression::Dim(_) | Expression::Constant(_) => unreachable!("the check found this to be known"),
        }
    }

    /// Returns a linear form in `i128`.
    fn form(&self, form: &Linear<Source>) -> TokenStream {
        let (format, names) = (self.evaluation.format, self.evaluation.names);
        let denominator = form.denominator();
        let scaled = linear(&form.scale(&denominator), format, names, |source| self.source(source));
        if denominator.as_integer() == Some(1) {
            return scaled;
        }
        let denominator = polynomial(&denominator, format, names, &quote!(i128));
        quote!((#scaled).div_euclid(#denominator))
    }

    fn source(&self, source: &Source) -> TokenStream {
        let names = self.evaluation.names;
        match source {
            Source::Level(fact) => match self.known.result(*fact) {
                None => {
                    let (group, at) = (names.local("group"), count(*fact));
                    quote!(i128::from(#group[#at]))
                }
                Some(query) => {
                    self.evaluation.needed.borrow_mut()[query] = true;
                    let groups = &self.evaluation.format.queries[query].groups;
                    let groups = groups.iter().map(|group| self.value(group));
                    let (tables, query) = (names.local("tables"), count(query));
                    quote!(i128::from(#tables.at(#query, &[#(#groups),*])))
                }
            },
            Source::Quotient(at) => {
                let (form, divisor) = &self.known.quotients()[*at];
                let denominator = form.denominator();
                let value = linear(&form.scale(&denominator), self.evaluation.format, names, |source| {
                    self.source(source)
                });
                let divisor = polynomial(&divisor.mul(&denominator), self.evaluation.format, names, &quote!(i128));
                quote!((#value).div_euclid(#divisor))
            }
        }
    }
}
