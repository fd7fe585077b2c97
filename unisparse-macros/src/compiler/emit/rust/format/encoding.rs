//! Prints the declaration as data, from which the run time derives orders and conversion plans.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Parts, cfgs};
use crate::compiler::algebra::{Atom, Expression, Linear, Polynomial};
use crate::compiler::emit::rust::algebra;
use crate::compiler::emit::rust::print::count;
use crate::compiler::encoding::{Function, Query, stored_arms};
use crate::compiler::storage::FieldKind;
use crate::compiler::syntax::format::FormatDecl;

impl Parts<'_> {
    /// Returns the encoding of the format's type.
    pub(super) fn encoding(&self, declaration: &FormatDecl) -> TokenStream {
        let Parts {
            runtime,
            private,
            name,
            declared,
            given,
            format,
            ..
        } = self;
        let (cfg, holes) = (cfgs(declaration), self.storage.holes);
        let (format_name, dims) = (&format.name, &format.dims);
        let levels = format.levels.iter().map(|level| {
            let (name, text, merged, trimmed) = (&level.name, &level.text, level.merged, level.trimmed);
            let form = self.form_of(&level.expression);
            quote! {
                #private::LevelForm { name: #name, text: #text, form: #form, merged: #merged, trimmed: #trimmed }
            }
        });
        let queries = format.queries.iter().map(|query| self.query(query));
        let packs = format.packs.iter().map(|&(first, last)| {
            let (first, last) = (count(first), count(last));
            quote!((#first, #last))
        });
        let partition = match format.partition.map(count) {
            None => quote!(::core::option::Option::None),
            Some(level) => quote!(::core::option::Option::Some(#level)),
        };
        let stored = (0..format.levels.len()).map(|level| {
            let array = |kind| self.stored_array(level, kind);
            let (kind, ptr, idx) = (self.kind(level), array(FieldKind::Pointers), array(FieldKind::Indices));
            let invariant_over = self.invariant_over(level);
            quote!(#private::LevelStorage { kind: #kind, invariant_over: #invariant_over, ptr: #ptr, idx: #idx })
        });
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            impl<T, #declared> #runtime::Encoded for #name<T, #given> {
                const ENCODINGS: &'static [#runtime::Encoding] = &[#runtime::Encoding {
                    name: #format_name,
                    dims: &[#(#dims),*],
                    levels: &[#(#levels),*],
                    queries: &[#(#queries),*],
                    packs: &[#(#packs),*],
                    partition: #partition,
                }];
                const STORAGE: &'static [#private::Storage] = &[#private::Storage {
                    levels: &[#(#stored),*],
                    value_width: ::core::mem::size_of::<T>(),
                    holes: #holes,
                    sorted: true,
                }];
            }
        }
    }

    /// Returns the array of a level with this kind.
    fn stored_array(&self, level: usize, kind: FieldKind) -> TokenStream {
        let private = &self.private;
        let mut fields = self.fields.iter();
        match fields.find(|field| field.level == level && field.kind == kind) {
            None => quote!(::core::option::Option::None),
            Some(field) => {
                let (name, integer) = (&field.name, self.integer(field));
                quote! {
                    ::core::option::Option::Some(#private::Array::of::<#integer>(#name))
                }
            }
        }
    }

    fn query(&self, query: &Query) -> TokenStream {
        let private = &self.private;
        let (kind, traverse): (_, &[Expression]) = match &query.function {
            Function::Sum { .. } => (quote!(Sum), &[]),
            Function::Enumerate { traverse, .. } => (quote!(Enumerate), traverse),
            Function::Reorder { traverse, .. } => (quote!(Reorder), traverse),
            Function::Schedule { traverse, .. } => (quote!(Schedule), traverse),
            Function::Slot { traverse, .. } => (quote!(Slot), traverse),
        };
        let (key, distance): (&[Expression], _) = match &query.function {
            Function::Slot { key, distance, .. } => (key, self.number(distance)),
            _ => (&[], quote!(0)),
        };
        let first = match &query.function {
            Function::Enumerate { map, .. } if !query.reads_values() => stored_arms(map).next(),
            _ => None,
        };
        let first = match first.map(|arm| self.form_of(&arm.number)) {
            Some(form) => quote!(::core::option::Option::Some(#form)),
            None => quote!(::core::option::Option::None),
        };
        let (name, text) = (&query.name, &query.text);
        let key = key.iter().map(|expression| self.form_of(expression));
        let groups = query.groups.iter().map(|group| self.form_of(group));
        let traverse = traverse.iter().map(|expression| self.form_of(expression));
        quote! {
            #private::Query {
                name: #name,
                text: #text,
                kind: #private::QueryKind::#kind,
                groups: &[#(#groups),*],
                traverse: &[#(#traverse),*],
                key: &[#(#key),*],
                distance: #distance,
                first: #first,
            }
        }
    }

    fn form_of(&self, expression: &Expression) -> TokenStream {
        self.form(&expression.linear())
    }

    fn form(&self, form: &Linear<Atom>) -> TokenStream {
        let private = &self.private;
        let terms = form.terms().map(|(atom, coefficient)| {
            let (atom, coefficient) = (self.atom(atom), self.number(coefficient));
            quote!((#atom, #coefficient))
        });
        let constant = self.number(form.constant_term());
        quote!(#private::Form { terms: &[#(#terms),*], constant: #constant })
    }

    fn atom(&self, atom: &Atom) -> TokenStream {
        let (private, dims) = (&self.private, self.format.dims.len());
        match atom {
            Atom::Dim(unknown) => match unknown.checked_sub(dims) {
                None => {
                    let dim = count(*unknown);
                    quote!(#private::Atom::Dim(#dim))
                }
                Some(query) => {
                    let query = count(query);
                    quote!(#private::Atom::Query(#query))
                }
            },
            Atom::Quotient(form, divisor) => {
                let (form, divisor) = (self.form(form), self.number(divisor));
                quote!(#private::Atom::Quotient(&#form, #divisor))
            }
        }
    }

    fn number(&self, value: &Polynomial) -> TokenStream {
        algebra::polynomial(value, self.format, self.names, &quote!(i64))
    }
}
