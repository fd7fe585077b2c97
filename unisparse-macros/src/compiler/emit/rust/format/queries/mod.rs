//! Prints the evaluation of a format's queries, as calls of the run time.

mod group;

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use group::Group;

use crate::compiler::algebra::{Expression, Polynomial};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::own_name;
use crate::compiler::emit::rust::algebra::{domain, expression, last_coordinates, polynomial};
use crate::compiler::emit::rust::print::count;
use crate::compiler::encoding::{
    Arm, Closure, Format, Function, Query, absent_arm, mentions_query, mentions_unknown, stored_arms,
};
use crate::compiler::syntax::Identifiers;
use crate::compiler::syntax::query::Comparison;

/// The inputs for printing the calls.
struct Evaluation<'a> {
    format: &'a Format,
    names: Names,
    /// The paths `::unisparse` and `::unisparse::__private`.
    runtime: &'a TokenStream,
    private: &'a TokenStream,
    /// Whether each query is needed by levels, or by the queries printed so far.
    needed: RefCell<Vec<bool>>,
}

/// Returns the method `__evaluate(queries)`, with one call per needed query, in the order written. Without levels, all queries
/// are needed. It does not depend on the type of the source, so it is compiled once.
pub(crate) fn evaluate(format: &Format, names: Names, paths: [&TokenStream; 2]) -> TokenStream {
    Evaluation::new(format, names, paths).print()
}

/// An enumeration whose numbers follow from the elements before, for elements in its order: all elements are of one class, whose
/// first number is constant.
pub(super) struct Enumeration {
    /// Checks that expressions of dims do not overflow, with the extents they need.
    pub(super) checks: TokenStream,
    /// A closure from the coordinate of an element to its group and its place in the order of the group.
    pub(super) clauses: TokenStream,
    /// A closure from the number of an element within its group to the results of all queries.
    pub(super) results: TokenStream,
}

/// Returns the enumeration, if it is the only query that the levels need, itself included.
pub(super) fn enumeration(format: &Format, names: Names, paths: [&TokenStream; 2]) -> Option<Enumeration> {
    Evaluation::new(format, names, paths).enumeration()
}

impl<'a> Evaluation<'a> {
    /// Nothing is printed yet.
    fn new(format: &'a Format, names: Names, [runtime, private]: [&'a TokenStream; 2]) -> Self {
        let evaluation = Evaluation {
            format,
            names,
            runtime,
            private,
            needed: RefCell::new(vec![format.levels.is_empty(); format.queries.len()]),
        };
        evaluation.need(format.levels.iter().map(|level| &level.expression));
        evaluation
    }

    fn enumeration(&self) -> Option<Enumeration> {
        let needed = |query: &usize| self.needed.borrow()[*query];
        let mut queries = (0..self.format.queries.len()).filter(needed);
        let (number, None) = (queries.next()?, queries.next()) else {
            return None;
        };
        let query = &self.format.queries[number];
        let Function::Enumerate { map, traverse } = &query.function else {
            return None;
        };
        let mut arms = stored_arms(map);
        let (arm, None) = (arms.next()?, arms.next()) else {
            return None;
        };
        let (first, dims) = (&arm.number, self.format.dims.len());
        if mentions_unknown(first, &|_| true)
            || traverse
                .iter()
                .chain(&query.groups)
                .any(|value| mentions_query(value, dims))
        {
            return None;
        }
        let (groups, traverse) = (self.values(&query.groups), self.values(traverse));
        let body = quote!(([#groups], [#traverse]));
        let coordinate = self.coordinate(&body);
        let first = match first {
            Expression::Constant(first) if first.is_zero() => quote!(number),
            _ => {
                let first = expression(first, self.format, self.names, false);
                quote!(number.saturating_add(#first))
            }
        };
        let results =
            (0..self.format.queries.len()).map(|query| if query == number { first.clone() } else { quote!(0) });
        let checks = self.checks(query);
        let extents = self.extents(&checks, &quote!(source.shape()));
        Some(Enumeration {
            checks: quote!(#extents #checks),
            clauses: quote!(|#coordinate| #body),
            results: quote!(|number| [#(#results),*]),
        })
    }

    fn print(&self) -> TokenStream {
        let (runtime, private, dims) = (self.runtime, self.private, count(self.format.dims.len()));
        let number = count(self.format.queries.len());
        // The last query comes first, because a query needs only earlier ones.
        let mut calls = TokenStream::new();
        for query in (0..self.format.queries.len()).rev() {
            if self.needed.borrow()[query] {
                let call = self.query(query);
                calls = quote!(#call #calls);
            }
        }
        let extents = self.extents(&calls, &quote!(queries.shape()));
        let queries = if calls.is_empty() { quote!(_) } else { quote!(queries) };
        quote! {
            #[doc(hidden)]
            fn __evaluate(
                #queries: &mut #private::Queries<'_, T, #dims, #number>,
            ) -> ::core::result::Result<(), #runtime::Error> {
                #extents
                #calls
                ::core::result::Result::Ok(())
            }
        }
    }

    /// Returns `let` statements of the shape and of the extents that `body` mentions, if it mentions any.
    fn extents(&self, body: &TokenStream, shape: &TokenStream) -> Option<TokenStream> {
        let used = Identifiers::of(body);
        let mut extents = self
            .format
            .dims
            .iter()
            .map(|dim| self.names.local(&format!("{dim}_extent")));
        extents.any(|extent| used.contain(&extent)).then(|| {
            let (last, name) = (last_coordinates(self.format, self.names), self.names.local("shape"));
            quote!(let #name = #shape; #last)
        })
    }

    /// Marks the queries that these expressions mention as needed.
    fn need<'e>(&self, expressions: impl IntoIterator<Item = &'e Expression>) {
        let dims = self.format.dims.len();
        let mut needed = self.needed.borrow_mut();
        for expression in expressions {
            for (query, needed) in needed.iter_mut().enumerate() {
                *needed |= mentions_unknown(expression, &|unknown| unknown == dims + query);
            }
        }
    }

    fn query(&self, number: usize) -> TokenStream {
        let query = &self.format.queries[number];
        self.need(&query.groups);
        match &query.function {
            Function::Sum { map } => self.need(stored_arms(map).map(|arm| &arm.number)),
            Function::Enumerate { map, traverse } => {
                self.need(stored_arms(map).map(|arm| &arm.number).chain(traverse));
            }
            Function::Slot { key, traverse, .. } => self.need(key.iter().chain(traverse)),
            // Queries that are looked up in tables are marked when the lookups are printed.
            Function::Reorder { source, .. } | Function::Schedule { source, .. } => {
                self.needed.borrow_mut()[*source] = true;
            }
        }
        let (at, name) = (count(number), &query.name);
        let checks = self.checks(query);
        let call = match &query.function {
            Function::Sum { map } => {
                let (groups, group) = (self.groups(query), self.of_element(&query.groups));
                let numbers = self.map(map, |_, number| number);
                let absent = self.absent(query, map);
                quote!(sum(#at, #name, #groups, #group, #numbers, #absent))
            }
            Function::Enumerate { map, traverse } => {
                let (groups, group) = (self.groups(query), self.of_element(&query.groups));
                let traverse = self.of_element(traverse);
                let classes = self.map(map, |class, number| {
                    let class = count(class);
                    quote!((#class, #number))
                });
                quote!(enumerate(#at, #name, #groups, #group, #traverse, #classes))
            }
            Function::Reorder {
                source,
                descending,
                within,
                traverse,
            } => {
                let (within_count, traverse_count) = (within.len(), traverse.len());
                let (within, traverse) = (self.of_group(query, within), self.of_group(query, traverse));
                let source = count(*source);
                let lengths = [query.groups.len(), within_count, traverse_count].map(count);
                quote!(reorder::<#(#lengths),*>(#at, #name, #source, #descending, #within, #traverse))
            }
            Function::Schedule {
                source,
                buckets,
                traverse,
            } => {
                let lengths = [query.groups.len(), traverse.len()].map(count);
                let (source, traverse) = (count(*source), self.of_group(query, traverse));
                let buckets = polynomial(buckets, self.format, self.names, &quote!(usize));
                quote!(schedule::<#(#lengths),*>(#at, #name, #source, #buckets, #traverse))
            }
            Function::Slot {
                distance,
                key,
                traverse,
            } => {
                let (groups, group) = (self.groups(query), self.of_element(&query.groups));
                let (key, traverse) = (self.of_element(key), self.of_element(traverse));
                let distance = polynomial(distance, self.format, self.names, &quote!(usize));
                quote!(slot(#at, #name, #distance, #groups, #group, #key, #traverse))
            }
        };
        quote!(#checks queries.#call?;)
    }

    /// Returns checks that the expressions of dims in the query do not overflow.
    fn checks(&self, query: &Query) -> TokenStream {
        let (first, second): (&[Expression], &[Expression]) = match &query.function {
            Function::Enumerate { traverse, .. } => (traverse, &[]),
            Function::Slot { key, traverse, .. } => (key, traverse),
            Function::Sum { .. } | Function::Reorder { .. } | Function::Schedule { .. } => (&[], &[]),
        };
        let numbers = match &query.function {
            Function::Sum { map } | Function::Enumerate { map, .. } => map.iter().map(|arm| &arm.number).collect(),
            _ => Vec::new(),
        };
        // The factors of a query's result must fit by themselves; the product saturates, which the domain rejects.
        let mut constants = Vec::new();
        numbers.iter().for_each(|number| factors(number, &mut constants));
        let constants: Vec<Expression> = constants.into_iter().map(Expression::Constant).collect();
        let dims = self.format.dims.len();
        let large = |value: &&Expression| !matches!(value, Expression::Dim(_)) && !mentions_query(value, dims);
        let small = |value: &&Expression| matches!(value, Expression::Constant(number) if number.as_integer().is_some_and(|n| n < 1 << 32));
        let checked = first.iter().chain(second).chain(numbers).chain(&constants);
        let checked = checked.filter(large).filter(|value| !small(value));
        let domains = checked.filter_map(|value| self.domain(&query.name, value));
        quote!(#(#domains;)*)
    }

    /// Returns the domain of an expression, if the shape determines it.
    fn domain(&self, name: &str, value: &Expression) -> Option<TokenStream> {
        let interval = self.format.interval(value)?;
        let from_shape = !self.format.is_measured(&interval);
        from_shape.then(|| domain(name, &interval, self.format, self.names, self.private))
    }

    /// Returns the domains of the group expressions: `None` for measured domains.
    fn groups(&self, query: &Query) -> TokenStream {
        let domains = query.groups.iter().map(|group| match self.domain(&query.name, group) {
            Some(domain) => quote!(::core::option::Option::Some(#domain)),
            None => quote!(::core::option::Option::None),
        });
        quote!([#(#domains),*])
    }

    /// Returns `[i, _], [len, _]`: the coordinate of an element and its results so far, with the names that `body`
    /// mentions.
    fn element(&self, body: &TokenStream) -> TokenStream {
        let dims = self.coordinate(body);
        let results = self.pattern(self.format.queries.iter().map(|query| &query.name), body);
        quote!(#dims, #results)
    }

    /// Returns `[i, _]`: the coordinate of an element, with the names that `body` mentions.
    fn coordinate(&self, body: &TokenStream) -> TokenStream {
        self.pattern(self.format.dims.iter(), body)
    }

    /// Returns an array pattern of the names that `body` mentions.
    fn pattern<'n>(&self, names: impl Iterator<Item = &'n String>, body: &TokenStream) -> TokenStream {
        let used = Identifiers::of(body);
        let places: Vec<Option<Ident>> = names
            .map(|name| Some(self.names.local(name)).filter(|name| used.contain(name)))
            .collect();
        if places.iter().all(Option::is_none) {
            return quote!(_);
        }
        let places = places.iter().map(|place| match place {
            Some(name) => quote!(#name),
            None => quote!(_),
        });
        quote!([#(#places),*])
    }

    /// Returns a closure of an element, such as `|[i, j], _| [i / B, j - i]`.
    fn of_element(&self, expressions: &[Expression]) -> TokenStream {
        let values = self.values(expressions);
        let body = quote!([#values]);
        let element = self.element(&body);
        quote!(|#element| #body)
    }

    /// Returns expressions of an element, separated by commas.
    fn values(&self, expressions: &[Expression]) -> TokenStream {
        let values = expressions
            .iter()
            .map(|value| expression(value, self.format, self.names, false));
        quote!(#(#values),*)
    }

    /// Returns a closure of stored elements, such as `|value, _, [len, _]| if greater(value, 0.5) { len } else { 0 }`.
    fn map(&self, map: &[Arm], result: impl Fn(usize, TokenStream) -> TokenStream) -> TokenStream {
        let private = self.private;
        let taken = || {
            self.format
                .dims
                .iter()
                .chain(self.format.queries.iter().map(|query| &query.name))
        };
        let value = own_name(self.names, "value", || taken().map(String::as_str));
        let arms: Vec<&Arm> = stored_arms(map).collect();
        let mut body = TokenStream::new();
        for (class, arm) in arms.iter().enumerate().rev() {
            let number = expression(&arm.number, self.format, self.names, false);
            let number = result(class, number);
            body = match arm.condition {
                Some((comparison, bound)) if class + 1 < arms.len() => {
                    let test = self.names.public(comparison_name(comparison));
                    quote!(if #private::compare::#test(#value, #bound) { #number } else { #body })
                }
                _ => number,
            };
        }
        let element = self.element(&body);
        let value = if Identifiers::of(&body).contain(&value) {
            quote!(#value)
        } else {
            quote!(_)
        };
        quote!(|#value, #element| #body)
    }

    /// Returns the numbers that absent elements add, if any.
    fn absent(&self, query: &Query, map: &[Arm]) -> TokenStream {
        let private = self.private;
        let zero = |arm: usize| matches!(&map[arm].number, Expression::Constant(number) if number.is_zero());
        let Some(arm) = absent_arm(map).filter(|&arm| !zero(arm)) else {
            return quote!(::core::option::Option::None);
        };
        let involved = query.groups.iter().map(|group| {
            let dims = (0..self.format.dims.len()).filter(|&dim| mentions_unknown(group, &|unknown| unknown == dim));
            let dims = dims.map(count);
            quote!(&[#(#dims),*])
        });
        let number = self.closure_of_group(
            query,
            std::slice::from_ref(&map[arm].number),
            |values| quote!(#(#values)*),
        );
        quote!(::core::option::Option::Some(#private::Absent { number: &#number, involves: [#(#involved),*] }))
    }

    /// Returns a closure of expressions that the group determines, such as `|group, tables| [group[0] / SIGMA]`.
    fn of_group(&self, query: &Query, expressions: &[Expression]) -> TokenStream {
        self.closure_of_group(query, expressions, |values| quote!([#(#values),*]))
    }

    fn closure_of_group(
        &self,
        query: &Query,
        expressions: &[Expression],
        body: impl Fn(&[TokenStream]) -> TokenStream,
    ) -> TokenStream {
        let known = Closure::of_group(self.format.dims.len(), &self.format.queries, &query.groups, expressions);
        let group = Group {
            evaluation: self,
            query,
            known: &known,
        };
        let values: Vec<TokenStream> = expressions.iter().map(|value| group.value(value)).collect();
        let body = body(&values);
        let identifiers = Identifiers::of(&body);
        let used = |name: &str| {
            let name = self.names.local(name);
            if identifiers.contain(&name) {
                quote!(#name)
            } else {
                quote!(_)
            }
        };
        let (group, tables) = (used("group"), used("tables"));
        quote!(|#group, #tables| #body)
    }
}

/// Collects the constants, factors and divisors of an expression.
fn factors(expression: &Expression, found: &mut Vec<Polynomial>) {
    match expression {
        Expression::Dim(_) => {}
        Expression::Constant(constant) => found.push(constant.clone()),
        Expression::Sum(left, right) => {
            factors(left, found);
            factors(right, found);
        }
        Expression::Scaled(factor, inner) => {
            found.push(factor.clone());
            factors(inner, found);
        }
        Expression::Quotient(inner, divisor) | Expression::Remainder(inner, divisor) => {
            found.push(divisor.clone());
            factors(inner, found);
        }
    }
}

pub(super) fn comparison_name(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "equal",
        Comparison::Different => "different",
        Comparison::Less => "less",
        Comparison::LessOrEqual => "less_or_equal",
        Comparison::Greater => "greater",
        Comparison::GreaterOrEqual => "greater_or_equal",
    }
}
