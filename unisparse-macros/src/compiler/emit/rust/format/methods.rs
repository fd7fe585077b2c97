//! Prints constructors, accessors and conversions.

use std::ops::Range;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::pack::Member;
use super::{Parts, cfgs};
use crate::compiler::diagnostics;
use crate::compiler::emit::rust::docs;
use crate::compiler::emit::rust::lookup::lookups;
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::{FieldKind, Kind, parent_name};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::transport;

/// Returns the conversions into other formats.
pub(crate) fn conversions(runtime: &TokenStream, dims: &Literal) -> TokenStream {
    quote! {
        /// Converts to another format.
        ///
        /// # Errors
        /// `Limit` if the storage would take more bytes than the default limit, `Overflow` if an
        /// index or pointer does not fit.
        pub fn convert<__Format: #runtime::SparseTensor<#dims, Scalar = T>>(&self) -> ::core::result::Result<__Format, #runtime::Error> {
            __Format::assemble(self, #runtime::Limit::default())
        }

        /// Converts to another format within a memory limit.
        ///
        /// # Errors
        /// As `convert`.
        pub fn convert_within<__Format: #runtime::SparseTensor<#dims, Scalar = T>>(
            &self,
            limit: #runtime::Limit,
        ) -> ::core::result::Result<__Format, #runtime::Error> {
            __Format::assemble(self, limit)
        }
    }
}

/// Returns the conversions of a tensor that is consumed.
pub(crate) fn consumed(runtime: &TokenStream, dims: &Literal) -> TokenStream {
    quote! {
        /// Consumes the tensor and converts it to another format: the arrays that both formats share are moved, not copied.
        ///
        /// # Errors
        /// As `convert`. The tensor is dropped.
        pub fn convert_into<__Format: #runtime::SparseTensor<#dims, Scalar = T>>(self) -> ::core::result::Result<__Format, #runtime::Error> {
            <Self as #runtime::SparseTensor<#dims>>::convert_into(self)
        }

        /// Consumes the tensor and converts it to another format within a memory limit.
        ///
        /// # Errors
        /// As `convert_into`.
        pub fn convert_into_within<__Format: #runtime::SparseTensor<#dims, Scalar = T>>(
            self,
            limit: #runtime::Limit,
        ) -> ::core::result::Result<__Format, #runtime::Error> {
            <Self as #runtime::SparseTensor<#dims>>::convert_into_within(self, limit)
        }
    }
}

impl Parts<'_> {
    pub(super) fn methods(&self, declaration: &FormatDecl) -> TokenStream {
        let Parts {
            element,
            runtime,
            private,
            name,
            declared,
            given,
            dims,
            levels,
            ..
        } = self;
        let cfg = cfgs(declaration);
        let members = self.members();
        let member_names: Vec<Ident> = members.iter().map(|member| self.member(member)).collect();
        let parts: Vec<TokenStream> = members.iter().map(|member| self.part(member)).collect();
        let taken = members.iter().zip(&member_names).map(|(member, ident)| match member {
            Member::Values => quote!(self.#ident),
            member if member.is_size() => quote!(self.#ident),
            _ => quote!(self.#ident.into_vec()),
        });
        let held = members
            .iter()
            .zip(&member_names)
            .filter(|(member, _)| !member.is_size());
        let held = held.map(|(_, ident)| ident);
        let (arrays, array_types): (Vec<TokenStream>, Vec<TokenStream>) =
            self.array_fields().map(|field| self.array(field)).unzip();
        let (values, value_count, (value_stream, value_type)) =
            (self.values(), self.value_count(), self.value_stream());
        let title = self.title();
        let nnz = if self.storage.holes {
            quote!(#values.iter().filter(|value| !value.reads_zero()).count())
        } else {
            value_count.clone()
        };
        let nnz_doc = if self.storage.holes {
            "Returns the number of stored elements, without holes: a zero of this format is a hole. `O(stored)`."
        } else {
            "Returns the number of stored elements, including explicit zeros. `O(1)`."
        };
        let made = self.made();
        let (accessors, values_accessor) = (
            self.accessors(0..self.format.levels.len(), &quote!(Self)),
            self.values_accessor(),
        );
        let describe = self.describe(&quote!(<Self as #private::Tree<#dims, #levels>>::LEVELS));
        // A part of a tensor is not a tensor itself.
        let lookups = self
            .given_levels
            .is_none()
            .then(|| lookups(runtime, self.format.dims.len()));
        let (convert, map_values, values_mut) = (self.convert(), self.map_values(), self.values_mut());
        let (prefix, whole) = match self.given_levels {
            None => (TokenStream::new(), self.of_whole()),
            Some(given) => (self.prefix(given), TokenStream::new()),
        };
        let prefixes: Vec<_> = self.given_levels.map(count).into_iter().collect();
        let (prefix_types, prefix_taken) = (
            quote!(#([i64; #prefixes],)*),
            self.given_levels.map(|_| quote!(self.prefix,)),
        );
        let (prefix_given, check) = match self.given_levels {
            None => (TokenStream::new(), quote!(check)),
            Some(_) => (quote!(prefix: #prefix_types), quote!(check_part)),
        };
        let id = transport::id(&declaration.name, &declaration.tokens);
        let parts_doc = self.parts_doc();
        let cost = if self.format.queries.is_empty() {
            "`O(stored)`."
        } else {
            "As expensive as assembling the tensor, because the results of the queries are checked too."
        };
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #element, #declared> #name<T, #given> {
                /// Returns the level table: the expression, the domain and the storage of each level, with the reason for it.
                #[must_use]
                pub fn describe() -> #runtime::Describe {
                    #describe
                }

                #whole

                #prefix

                /// Creates a tensor from its arrays.
                #[doc = #parts_doc]
                ///
                /// # Errors
                /// If the arrays are not the storage of a tensor in this format. The error names the array,
                /// the position, what was found and what was expected.
                #[doc = #cost]
                pub fn try_from_parts(
                    shape: [usize; #dims],
                    #prefix_given
                    #(#member_names: #parts,)*
                ) -> ::core::result::Result<Self, #runtime::Error> {
                    let tensor = #made;
                    #private::#check::<Self, #dims, #levels>(&tensor)?;
                    ::core::result::Result::Ok(tensor)
                }

                /// Returns the shape, the arrays from the root down, and the values.
                #[allow(clippy::type_complexity)]
                pub fn into_parts(self) -> ([usize; #dims], #prefix_types #(#parts,)*) {
                    (self.shape, #prefix_taken #(#taken,)*)
                }

                /// Returns the extent of each dim.
                #[must_use]
                pub fn shape(&self) -> [usize; #dims] {
                    self.shape
                }

                #[doc = #nnz_doc]
                #[must_use]
                pub fn nnz(&self) -> usize {
                    #nnz
                }

                /// Returns the number of positions, including holes.
                #[must_use]
                pub fn stored(&self) -> usize {
                    #value_count
                }

                /// Returns the size of all arrays in bytes.
                #[must_use]
                pub fn bytes(&self) -> usize {
                    0 #(+ ::core::mem::size_of_val(&self.#held[..]))*
                }

                #values_accessor

                #values_mut

                #accessors

                /// Iterates over the elements in storage order, without holes.
                pub fn iter(&self) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                    #private::Elements::<Self, #dims, #levels>::new(self)
                }

                #lookups

                #convert

                #map_values

                /// Returns the level table with the length of each array, and the size of all arrays in bytes.
                #[must_use]
                pub fn explain(&self) -> #runtime::Explain {
                    #private::Explain::new::<Self, #dims, #levels>(self, &#title, self.nnz(), self.bytes())
                }

                /// The hash of the declaration, compared with that of the declaration from which a kernel was compiled.
                #[doc(hidden)]
                pub const __ID: u64 = #id;

                #[doc(hidden)]
                #[inline]
                #[allow(clippy::type_complexity)]
                pub fn __arrays(&self) -> (#(&#array_types,)* #value_type,) {
                    (#(#arrays,)* #value_stream,)
                }
            }
        }
    }

    /// Returns the construction of a tensor from arrays, each of which is checked separately.
    pub(super) fn made(&self) -> TokenStream {
        let (name, private, dims, levels) = (&self.name, &self.private, &self.dims, &self.levels);
        let sized = self.fields.iter().filter(|field| field.kind == FieldKind::Size);
        let sized: Vec<TokenStream> = sized
            .map(|field| {
                let (at, ident) = (count(field.level), self.field(field));
                quote!(sizes[#at] = #ident;)
            })
            .collect();
        let sizes = if sized.is_empty() {
            quote!(let sizes = [0; #levels];)
        } else {
            quote!(let mut sizes = [0; #levels]; #(#sized)*)
        };
        let members = self.members();
        let member_names = members.iter().map(|member| self.member(member));
        let checked = members.iter().map(|member| self.checked(member));
        let indexed = self.fields.iter().any(|field| field.kind == FieldKind::Indices);
        let domains = indexed.then(|| quote!(let domains =));
        let (prefix, given) = (self.given_levels.map(|_| quote!(prefix,)), &self.given);
        quote!({
            #sizes
            #domains <#name<T, #given> as #private::Tree<#dims, #levels>>::domains(shape, &sizes)?;
            #name::<T, #given> { shape, #prefix #(#member_names: #checked,)* }
        })
    }

    /// Returns the accessor of the coordinates of the node to which a part belongs.
    fn prefix(&self, given: usize) -> TokenStream {
        let levels = self
            .storage
            .given()
            .map(|level| self.format.levels[level].name.as_str());
        let text = format!(
            "Returns the coordinates of the node to which this part belongs: those of {}.",
            diagnostics::list(levels)
        );
        let given = count(given);
        quote! {
            #[doc = #text]
            #[must_use]
            #[inline]
            pub fn prefix(&self) -> [i64; #given] {
                self.prefix
            }
        }
    }

    /// Returns the methods of a tensor that its parts do not have.
    pub(super) fn of_whole(&self) -> TokenStream {
        let Parts {
            runtime, private, dims, ..
        } = self;
        quote! {
            /// Creates a tensor of this shape from its elements, in any order; duplicates are summed.
            ///
            /// # Errors
            /// `OutOfBounds` for a coordinate outside the shape, `Limit` if the storage would take
            /// more bytes than the default limit, `Overflow` if an index or pointer does not fit.
            pub fn try_from_triplets(
                shape: [usize; #dims],
                triplets: impl ::core::iter::IntoIterator<Item = ([usize; #dims], T)>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #runtime::Triplets::try_from_triplets(shape, triplets)?.convert()
            }

            /// Returns the tensor without its explicit zeros, which all other operations keep.
            ///
            /// # Errors
            /// None in practice, because the result is not larger than the tensor.
            pub fn drop_zeros(&self) -> ::core::result::Result<Self, #runtime::Error> {
                #private::drop_zeros::<Self, #dims>(self)
            }
        }
    }

    /// Returns the conversions into other formats.
    pub(super) fn convert(&self) -> TokenStream {
        let (runtime, dims) = (&self.runtime, &self.dims);
        // A part of a tensor is not a tensor itself, and is copied.
        let consumed = self.given_levels.is_none().then(|| consumed(runtime, dims));
        let conversions = conversions(runtime, dims);
        quote!(#consumed #conversions)
    }

    /// Returns the name of the type with its arguments, such as `Bdia<f64, B=64>`.
    pub(super) fn title(&self) -> TokenStream {
        let private = &self.private;
        let mut text = format!("{}<{{}}", self.title_name());
        for parameter in &self.format.parameters {
            text += &format!(", {}={{}}", parameter.name);
        }
        text += ">";
        let given = self
            .format
            .parameters
            .iter()
            .map(|parameter| self.names.public(&parameter.name));
        quote!(::std::format!(#text, #private::short_type_name::<T>(), #(#given),*))
    }

    fn parts_doc(&self) -> String {
        let mut text = String::from("\nThe arguments are the shape");
        if self.given_levels.is_some() {
            text += ", the coordinates of the node to which it belongs";
        }
        for member in self.members() {
            let name = self.member(&member);
            let what = match member {
                Member::Level(field) => match field.kind {
                    FieldKind::Pointers => "the start of the segment of each parent, and the end of the last",
                    FieldKind::Indices => "the coordinate of each entry",
                    FieldKind::Size => "the number of coordinates of the level",
                }
                .to_owned(),
                Member::TupleArray(tuples) => self.contents(tuples),
                Member::Values => "one value for each position of the last level".to_owned(),
            };
            text += &format!(", `{name}` ({what})");
        }
        text + "."
    }

    /// Returns the accessors of these levels, such as `row_size`, `row_ptr`, `col_idx`. `tree` is the type with the
    /// level table.
    pub(super) fn accessors(&self, range: Range<usize>, tree: &TokenStream) -> TokenStream {
        let (private, dims, levels) = (&self.private, &self.dims, &self.levels);
        let tuple_arrays = self
            .storage
            .tuple_arrays
            .iter()
            .map(|tuples| self.tuples_accessors(tuples));
        let single = self
            .array_fields()
            .filter(|field| range.contains(&field.level) && !self.is_packed(field));
        let arrays = single.map(|field| {
            let (name, integer, level) = (
                self.field(field),
                self.integer(field),
                &self.format.levels[field.level].name,
            );
            let text = match field.kind {
                FieldKind::Pointers => {
                    let parent = parent_name(self.format, self.storage, field.level);
                    format!("Returns where the segment of level `{level}` starts for each position of `{parent}`, and where the last one ends.")
                }
                FieldKind::Indices => match self.storage.levels[field.level].kind {
                    Kind::Aligned { .. } if self.storage.is_invariant(field.level) => {
                        let over = &self.storage.levels[field.level].invariant_over;
                        let over: Vec<String> =
                            over.iter().map(|&over| format!("`{}`", self.format.levels[over].name)).collect();
                        format!("Returns the coordinate of level `{level}` at each position of the levels above without {}, over which it is invariant.", over.join(" and "))
                    }
                    Kind::Aligned { .. } => {
                        let parent = parent_name(self.format, self.storage, field.level);
                        format!("Returns the coordinate of level `{level}` at each position of `{parent}`.")
                    }
                    _ => format!("Returns the coordinate of each entry of level `{level}`."),
                },
                FieldKind::Size => unreachable!("a size is no array"),
            };
            quote! {
                #[doc = #text]
                #[must_use]
                pub fn #name(&self) -> &[#integer] {
                    &self.#name
                }
            }
        });
        let sizes = range.clone().filter_map(|number| {
            let stored = &self.storage.levels[number];
            let name = &self.format.levels[number].name;
            let at = count(number);
            let value = match stored.kind {
                _ if self.storage.is_sized(self.format, number) => {
                    let size = self.names.public(&format!("{name}_size"));
                    quote!(self.#size)
                }
                Kind::Dense => quote! {
                    <#tree as #private::Tree<#dims, #levels>>::domains(self.shape, &[0; #levels]).map_or(0, |domains| domains[#at].size)
                },
                Kind::Indexed { copied: false, .. } if stored.parent.is_none() => {
                    let mut indices = self.array_fields().filter(|field| field.level == number);
                    let (indices, _) = self.array(indices.next()?);
                    quote!((#indices).len())
                }
                _ => return None,
            };
            let text = docs::size(stored.kind, name);
            let accessor = self.names.public(&format!("{name}_size"));
            Some(quote! {
                #[doc = #text]
                #[must_use]
                pub fn #accessor(&self) -> usize {
                    #value
                }
            })
        });
        quote!(#(#arrays)* #(#tuple_arrays)* #(#sizes)*)
    }
}
