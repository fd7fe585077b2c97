//! Prints the mapping of values, which keeps the structure.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Parts;
use super::pack::Member;
use super::queries::comparison_name;
use crate::compiler::emit::rust::Names;
use crate::compiler::encoding::{Format, Function, Query, stored_arms};
use crate::compiler::syntax::query::Comparison;

/// Whether values can be replaced by others of any type, because no level depends on them.
pub(crate) fn are_free(format: &Format) -> bool {
    !format.queries.iter().any(Query::reads_values)
}

/// Returns `map_values` of a type with these arguments, where `fields` construct the result.
pub(crate) fn map_values(
    (name, given): (&Ident, &TokenStream),
    (element, holes): (&TokenStream, bool),
    fields: &TokenStream,
) -> TokenStream {
    let of_holes = holes.then(|| {
        quote! {
            #[doc = "Holes stay holes, and values that become zero become holes."]
        }
    });
    quote! {
        /// Replaces each value, by one of any type. The arrays of the levels are moved, not copied. `O(stored)`.
        #of_holes
        #[must_use]
        pub fn map_values<__Value: #element>(
            self,
            mut map: impl ::core::ops::FnMut(T) -> __Value,
        ) -> #name<__Value, #given> {
            #name { #fields }
        }
    }
}

/// Returns a stand-in for `map_values` of a format whose queries compare values. A call of it explains the error.
pub(crate) fn no_map_values(
    (name, given): (&Ident, &TokenStream),
    element: &TokenStream,
    private: &TokenStream,
) -> TokenStream {
    quote! {
        #[doc(hidden)]
        pub fn map_values<__Value: #element>(self, _: impl ::core::ops::FnMut(T) -> __Value) -> #name<__Value, #given>
        where
            Self: #private::FreeValues,
        {
            ::core::unreachable!()
        }
    }
}

/// Returns `keeps_place` of a format whose queries compare values: whether all comparisons hold equally of both values.
pub(super) fn keeps_place(format: &Format, names: Names, private: &TokenStream) -> TokenStream {
    let maps = format.queries.iter().filter(|query| query.reads_values());
    let maps = maps.filter_map(|query| match &query.function {
        Function::Sum { map } | Function::Enumerate { map, .. } => Some(map),
        Function::Reorder { .. } | Function::Schedule { .. } | Function::Slot { .. } => None,
    });
    let tests = maps.flat_map(|map| stored_arms(map)).filter_map(|arm| {
        // A stored zero counts as different from zero, as any stored value.
        let (comparison, bound) = arm.condition.filter(|&all| all != (Comparison::Different, 0.0))?;
        let test = names.public(comparison_name(comparison));
        Some(quote!(#private::compare::#test(old, #bound) == #private::compare::#test(new, #bound)))
    });
    let tests: Vec<TokenStream> = tests.collect();
    if tests.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn keeps_place(old: T, new: T) -> bool {
            #(#tests)&&*
        }
    }
}

impl Parts<'_> {
    /// Returns `values_mut` of a format where the values are a slice, each of them is that of an element, and none determines a
    /// place.
    pub(super) fn values_mut(&self) -> TokenStream {
        if self.packed_values().is_some() || self.storage.holes || !are_free(self.format) {
            return TokenStream::new();
        }
        quote! {
            /// Returns the values in storage order, to be changed in place.
            #[must_use]
            pub fn values_mut(&mut self) -> &mut [T] {
                &mut self.values
            }
        }
    }

    /// Returns `map_values`, or a stand-in that only explains its absence if a query compares values.
    pub(super) fn map_values(&self) -> TokenStream {
        let private = &self.private;
        let map = if self.storage.holes {
            quote!(#private::keeping_holes(&mut map))
        } else {
            quote!(&mut map)
        };
        let fields = self.members().into_iter().map(|member| {
            let name = self.member(&member);
            match member {
                Member::Values => quote!(#name: self.#name.into_iter().map(#map).collect(),),
                Member::TupleArray(tuples) if tuples.values => quote!(#name: self.#name.map_values(#map),),
                Member::TupleArray(_) | Member::Level(_) => quote!(#name: self.#name,),
            }
        });
        let prefix = self.given_levels.map(|_| quote!(prefix: self.prefix,));
        let fields = quote!(shape: self.shape, #prefix #(#fields)*);
        if !are_free(self.format) {
            return no_map_values((&self.name, &self.given), &self.element, private);
        }
        map_values((&self.name, &self.given), (&self.element, self.storage.holes), &fields)
    }
}
