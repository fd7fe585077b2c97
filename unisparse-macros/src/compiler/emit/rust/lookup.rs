//! Prints access to elements: `get`, `fiber`, `within`, `for` loops and `Display`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::compiler::emit::rust::print::count;

/// Returns `get`, `fiber` and `within` of a tensor with these dims, and `row` and `col` of a matrix.
pub(crate) fn lookups(runtime: &TokenStream, dims: usize) -> TokenStream {
    let is_matrix = dims == 2;
    let dims = count(dims);
    let matrix = is_matrix.then(|| {
        quote! {
            /// Iterates over the columns and values of a row, in storage order, without holes.
            pub fn row(&self, i: usize) -> impl ::core::iter::Iterator<Item = (usize, T)> + '_ {
                self.fiber([i]).map(|([_, j], value)| (j, value))
            }

            /// Iterates over the rows and values of a column, in storage order, without holes.
            pub fn col(&self, j: usize) -> impl ::core::iter::Iterator<Item = (usize, T)> + '_ {
                self.within([0..usize::MAX, j..j.saturating_add(1)]).map(|([i, _], value)| (i, value))
            }
        }
    });
    quote! {
        /// Returns the element at a coordinate; `None` if none is stored there.
        #[must_use]
        pub fn get(&self, at: [usize; #dims]) -> ::core::option::Option<T> {
            <Self as #runtime::SparseTensor<#dims>>::get(self, at)
        }

        /// Iterates over the elements whose first coordinates are these, in storage order, without holes.
        pub fn fiber<const K: usize>(
            &self,
            first: [usize; K],
        ) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
            <Self as #runtime::SparseTensor<#dims>>::fiber(self, first)
        }

        /// Iterates over the elements whose coordinates lie in a range for each dim, in storage order, without holes.
        pub fn within(
            &self,
            ranges: [::core::ops::Range<usize>; #dims],
        ) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
            <Self as #runtime::SparseTensor<#dims>>::within(self, ranges)
        }

        #matrix
    }
}

/// The bodies of the methods of `SparseTensor` that read and write values.
pub(crate) struct Reading {
    /// An iterator over the values.
    pub(crate) values: TokenStream,
    /// An iterator over the elements within `ranges`.
    pub(crate) within: TokenStream,
    /// An iterator over the positions within `ranges`, with those of `holes`.
    pub(crate) positions: TokenStream,
    /// Passes all values to `visit`.
    pub(crate) visit: TokenStream,
}

impl Reading {
    /// Returns the methods of a tensor with these dims.
    pub(crate) fn print(&self, dims: &Literal) -> TokenStream {
        let Reading {
            values,
            within,
            positions,
            visit,
        } = self;
        quote! {
            fn values(&self) -> impl ::core::iter::ExactSizeIterator<Item = T> + '_ {
                #values
            }

            fn within(
                &self,
                ranges: [::core::ops::Range<usize>; #dims],
            ) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                #within
            }

            fn positions(
                &self,
                ranges: [::core::ops::Range<usize>; #dims],
                holes: bool,
            ) -> impl ::core::iter::Iterator<Item = ([usize; #dims], usize)> + '_ {
                #positions
            }

            fn visit_values(&mut self, mut visit: impl ::core::ops::FnMut(&mut T)) {
                #visit
            }
        }
    }
}

/// The tokens of an implementation for a tensor: its attributes, generics, type and dims.
pub(crate) struct Head<'a> {
    pub(crate) attributes: &'a TokenStream,
    pub(crate) element: &'a TokenStream,
    pub(crate) declared: &'a TokenStream,
    pub(crate) this: &'a TokenStream,
    pub(crate) private: &'a TokenStream,
    pub(crate) dims: &'a Literal,
}

impl Head<'_> {
    /// Returns the implementations of `IntoIterator` of a reference, and of `Display`. `iterator` is the type of the iterator that
    /// `new` makes.
    pub(crate) fn iteration_and_text(&self, iterator: &TokenStream, new: &TokenStream) -> TokenStream {
        let Head {
            attributes,
            element,
            declared,
            this,
            private,
            dims,
        } = self;
        quote! {
            #attributes
            impl<'__tensor, T: #element, #declared> ::core::iter::IntoIterator for &'__tensor #this {
                type Item = ([usize; #dims], T);
                type IntoIter = #iterator;

                fn into_iter(self) -> Self::IntoIter {
                    #new
                }
            }

            #attributes
            impl<T: #element + ::core::fmt::Display, #declared> ::core::fmt::Display for #this {
                fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    #private::display::<Self, #dims>(self, formatter)
                }
            }
        }
    }

    /// Returns the same where the iterator has no name.
    pub(crate) fn boxed_iteration_and_text(&self) -> TokenStream {
        let dims = self.dims;
        let iterator = quote! {
            ::std::boxed::Box<dyn ::core::iter::Iterator<Item = ([usize; #dims], T)> + '__tensor>
        };
        self.iteration_and_text(&iterator, &quote!(::std::boxed::Box::new(self.iter())))
    }
}
