//! Prints how a tensor is cut into parts, and how parts are joined to a tensor.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Partition;
use crate::compiler::emit::rust::format::Parts;
use crate::compiler::emit::rust::format::pack::Member;
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::{FieldKind, Kind, parent_name};
use crate::compiler::syntax::Identifiers;

impl Partition<'_> {
    /// Returns the accessors of the parts, and the construction of a tensor from parts.
    pub(super) fn parts(&self, uncut: &TokenStream, part: &TokenStream) -> TokenStream {
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = &self.uncut;
        let (depth, upper, lower) = (&self.depth, self.upper_names(), self.lower_names());
        let members = self.upper();
        let types: Vec<TokenStream> = members.iter().map(|member| self.whole.part(member)).collect();
        let taken = members.iter().zip(&upper).map(|(member, ident)| {
            if member.is_size() {
                quote!(self.#ident)
            } else {
                quote!(self.#ident.into_vec())
            }
        });
        let list: String = upper.iter().map(|name| format!(", `{name}`")).collect();
        let order = format!("\nThe arguments are the shape{list}, and the parts.");
        let level = &self.uncut.format.levels[self.cut].name;
        let doc = format!("Returns the parts, one for each position of level `{level}`.");
        let (cut, apart, joined) = (self.cut(uncut), self.apart(), self.joined());
        let (made, made_part) = (self.uncut.made(), self.made_part());
        let (held, prefix, values) = (self.held(), self.prefix_of_node(), self.uncut.member(&Member::Values));
        quote! {
            #[doc = #doc]
            #[must_use]
            pub fn parts(&self) -> &[#part] {
                &self.parts
            }

            /// Returns the shape, the arrays above the parts from the root down, and the parts.
            #[allow(clippy::type_complexity)]
            pub fn into_parts(self) -> ([usize; #dims], #(#types,)* ::std::vec::Vec<#part>) {
                (self.shape, #(#taken,)* self.parts)
            }

            /// Creates a tensor from its arrays and parts.
            #[doc = #order]
            ///
            /// # Errors
            /// If the arrays and parts are not the storage of a tensor in this format. The error names the array or the
            /// part, the position, counted through all parts, what was found and what was expected. `O(stored)`.
            pub fn try_from_parts(
                shape: [usize; #dims],
                #(#upper: #types,)*
                parts: ::std::vec::Vec<#part>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #private::same_shape(shape, parts.iter().map(|part| part.shape))?;
                #apart
                #joined
                let uncut = #made;
                let count = ::core::option::Option::Some(parts.len());
                let nodes = #private::nodes::<#uncut, #dims, #levels>(&uncut, #depth, count)?;
                #private::belong(nodes.iter().map(|node| #prefix), parts.iter().map(|part| part.prefix))?;
                #private::check::<#uncut, #dims, #levels>(&uncut)?;
                Self::__cut(uncut)
            }

            fn __cut(uncut: #uncut) -> ::core::result::Result<Self, #runtime::Error> {
                let nodes = #private::nodes::<#uncut, #dims, #levels>(&uncut, #depth, ::core::option::Option::None)?;
                let mut cut = #private::Cut::new(nodes.len());
                let mut prefixes = nodes.iter().map(|node| #prefix);
                #cut
                let mut #values = cut.entries(uncut.#values);
                let shape = uncut.shape;
                let parts = ::core::iter::from_fn(|| {
                    ::core::option::Option::Some((prefixes.next()?, #(#lower.next()?,)* #values.next()?))
                });
                let parts = parts.map(|(prefix, #(#lower,)* #values)| #made_part);
                let parts = parts.collect::<::core::result::Result<::std::vec::Vec<_>, #runtime::Error>>()?;
                #held
                ::core::result::Result::Ok(Self { shape, #(#upper,)* parts })
            }
        }
    }

    /// Returns the names of a part's sizes and arrays, which are not packed.
    fn lower_names(&self) -> Vec<Ident> {
        self.part.fields.iter().map(|field| self.part.field(field)).collect()
    }

    /// Returns the coordinates that a part is given, such as `[bank]`, from the coordinates `node` of all levels.
    fn prefix_of_node(&self) -> TokenStream {
        let given = self.part.storage.given().map(count);
        quote!([#(node[#given]),*])
    }

    /// Returns the construction of a part from its arrays.
    fn made_part(&self) -> TokenStream {
        let (runtime, name, members) = (&self.part.runtime, &self.part.name, self.part.members());
        let members = members.iter().map(|member| self.part.member(member));
        let packed = self
            .part
            .storage
            .tuple_arrays
            .iter()
            .map(|tuples| self.part.interleave(tuples));
        quote!({
            #(#packed)*
            ::core::result::Result::<_, #runtime::Error>::Ok(#name { shape, prefix, #(#members,)* })
        })
    }

    /// Returns the arrays down to the cut, taken out of `uncut`.
    fn held(&self) -> TokenStream {
        let fields = self.uncut.fields.iter().filter(|field| field.level <= self.cut);
        let names = fields.map(|field| self.uncut.field(field));
        let packed = self
            .whole
            .storage
            .tuple_arrays
            .iter()
            .map(|tuples| self.whole.interleave(tuples));
        quote!(#(let #names = uncut.#names;)* #(#packed)*)
    }

    /// Returns the arrays down to the cut, copied out of tuples.
    fn apart(&self) -> TokenStream {
        let columns = self
            .whole
            .array_fields()
            .filter(|field| field.kind == FieldKind::Indices);
        let columns = columns.filter_map(|field| {
            let (name, (entries, item)) = (self.whole.field(field), self.whole.column(field.level)?);
            Some(quote! {
                let #name = #entries.iter().map(|entry| entry.#item).collect::<::std::vec::Vec<_>>();
            })
        });
        quote!(#(#columns)*)
    }

    /// Returns the field of a level with this kind in the uncut tensor, and in a part.
    fn fields_of(&self, level: usize, kind: FieldKind) -> (Option<Ident>, Option<Ident>) {
        (self.uncut.name_of(level, kind), self.part.name_of(level, kind))
    }

    /// Returns an iterator over the sections of the arrays below the cut that belong to each part.
    fn cut(&self, uncut: &TokenStream) -> TokenStream {
        let Parts {
            private, dims, levels, ..
        } = &self.uncut;
        let mut calls = TokenStream::new();
        for level in self.cut + 1..self.uncut.format.levels.len() {
            let number = count(level);
            for below in self.uncut.storage.invariant_from(level) {
                let (indices, _) = self.fields_of(below, FieldKind::Indices);
                let sizes = self.uncut.storage.below_invariant(below).map(count);
                calls.extend(quote!(let mut #indices = cut.blocks(uncut.#indices, 1 #(* domains[#sizes].size)*);));
            }
            let (pointers, of_part) = self.fields_of(level, FieldKind::Pointers);
            let (size, size_of_part) = self.fields_of(level, FieldKind::Size);
            match (self.uncut.storage.levels[level].kind, &pointers, of_part) {
                (Kind::Dense | Kind::Counted { pointer: None }, ..) => {
                    calls.extend(quote!(cut.dense(domains[#number].size);));
                }
                (_, Some(pointers), Some(_)) => {
                    calls.extend(quote!(let mut #pointers = cut.pointers(&uncut.#pointers);));
                }
                (Kind::Counted { .. }, Some(pointers), None) => {
                    calls.extend(quote!(let mut #size_of_part = cut.counts(&uncut.#pointers);));
                }
                (_, Some(pointers), None) => calls.extend(quote!(cut.counts(&uncut.#pointers);)),
                (Kind::Indexed { .. }, None, _) if self.uncut.storage.starts_chain(level) => {
                    let indices = self.uncut.name_of(level, FieldKind::Indices);
                    calls.extend(quote!(cut.root(uncut.#indices.len());));
                }
                _ => {}
            }
            // The size of a measured domain is the same in all parts.
            calls.extend(size.map(|size| quote!(let mut #size = ::core::iter::repeat(uncut.#size);)));
            if self.uncut.storage.is_invariant(level) {
                continue;
            }
            let (indices, _) = self.fields_of(level, FieldKind::Indices);
            calls.extend(indices.map(|indices| quote!(let mut #indices = cut.entries(uncut.#indices);)));
        }
        let used = Identifiers::of(&calls);
        let domains = used.contain(&self.uncut.names.public("domains")).then(|| {
            quote! {
                let sizes = #private::Tree::<#dims, #levels>::sizes(&uncut);
                let domains = <#uncut as #private::Tree<#dims, #levels>>::domains(uncut.shape, &sizes)?;
            }
        });
        quote!(#domains #calls)
    }

    /// Returns the arrays below the cut, and the values, of all parts joined.
    fn joined(&self) -> TokenStream {
        let private = &self.uncut.private;
        // The entries are an array, or a field of tuples.
        let entries = |name: &Ident, column| match column {
            None => quote!(#private::join_entries(parts.iter().map(|part| &part.#name[..]))),
            Some((entries, item)) => {
                let items = quote!(parts.iter().flat_map(|part| part.#entries.iter()).map(|entry| entry.#item));
                quote!(#items.collect::<::std::vec::Vec<_>>())
            }
        };
        let lower = self.uncut.fields.iter().filter(|field| field.level > self.cut);
        let joins = lower.map(|field| {
            let (level, name) = (field.level, self.uncut.field(field));
            let level_name = &self.uncut.format.levels[level].name;
            let parent = parent_name(self.uncut.format, self.uncut.storage, level);
            let in_part = |kind| self.part.name_of(level, kind);
            let column = || self.part.column(level);
            let join = match field.kind {
                FieldKind::Indices => entries(&name, column()),
                FieldKind::Size => quote!(#private::join_sizes(#level_name, parts.iter().map(|part| part.#name))?),
                FieldKind::Pointers => match (in_part(FieldKind::Pointers), self.uncut.storage.levels[level].kind) {
                    (Some(_), _) => {
                        quote!(#private::join_pointers(#parent, parts.iter().map(|part| &part.#name[..]))?)
                    }
                    (None, Kind::Counted { .. }) => {
                        let size = in_part(FieldKind::Size);
                        quote!(#private::join_counts(#parent, parts.iter().map(|part| part.#size))?)
                    }
                    (None, _) => {
                        let array = column().map(|(entries, _)| entries);
                        let array = array.or_else(|| in_part(FieldKind::Indices));
                        quote!(#private::join_counts(#parent, parts.iter().map(|part| part.#array.len()))?)
                    }
                },
            };
            quote!(let #name = #join;)
        });
        let values = self.uncut.member(&Member::Values);
        let join = entries(&values, self.part.value_column());
        quote!(#(#joins)* let #values = #join;)
    }
}
