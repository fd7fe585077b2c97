//! Prints a partitioned format: the whole tensor, which holds parts, and the format of the parts.
//!
//! A tensor is assembled and checked as if it were neither partitioned nor packed, in the type `Uncut`. Then it is cut,
//! and its packed arrays are interleaved.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::Visibility;

use super::pack::Member;
use super::values::{are_free, map_values, no_map_values};
use super::{Parts, cfgs};
use crate::compiler::emit::rust::docs;
use crate::compiler::emit::rust::lookup::{Reading, lookups};
use crate::compiler::emit::rust::print::count;
use crate::compiler::emit::rust::serial;
use crate::compiler::encoding::part_name;
use crate::compiler::example::Picture;
use crate::compiler::storage::{Cut, FieldKind, Kind, Stored, parent_name};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::syntax::mentions;
use crate::compiler::transport::{self, Runtime};

struct Partition<'a> {
    declaration: &'a FormatDecl,
    cut: usize,
    /// The number of levels down to the cut.
    depth: Literal,
    /// The tensor as it is assembled and checked.
    uncut: Parts<'a>,
    /// The tensor as it is stored: its fields down to the cut, and the parts.
    whole: Parts<'a>,
    part: Parts<'a>,
}

/// Returns the structs of the format and of its parts, and all of their implementations except kernels.
pub(super) fn print(declaration: &FormatDecl, stored: &Stored, cut: &Cut, runtime: &Runtime) -> TokenStream {
    let format = &stored.format;
    let mut whole = Parts::new(declaration, stored, &stored.whole, runtime);
    whole.picture = Picture::new(format, &stored.whole);
    let storage = stored.uncut();
    let mut uncut = Parts::new(declaration, stored, &storage, runtime);
    uncut.name = uncut
        .names
        .public(&format!("__{}Uncut", format.name.trim_start_matches("r#")));
    let mut part = Parts::new(declaration, stored, &cut.part, runtime);
    part.name = part.names.public(&part_name(&format.name));
    part.given_levels = Some(cut.part.given().count());
    let partition = Partition {
        declaration,
        cut: cut.level,
        depth: count(cut.level + 1),
        uncut,
        whole,
        part,
    };
    let (uncut, part, whole) = (partition.uncut(), partition.part(), partition.whole());
    quote!(#uncut #part #whole)
}

impl Partition<'_> {
    fn uncut(&self) -> TokenStream {
        let (uncut, declaration) = (&self.uncut, self.declaration);
        let hidden = quote!(#[doc(hidden)] #[allow(dead_code)]);
        let cfg = cfgs(declaration);
        let definition = uncut.definition(declaration, &quote!(#cfg #hidden), &Visibility::Inherited);
        let (methods, tree) = (uncut.methods(declaration), uncut.tree(declaration));
        let (whole, part) = (self.whole.paddings(), self.part.paddings());
        let (source, tensor) = (
            uncut.source(declaration),
            uncut.tensor(declaration, &quote!(#whole #part), &self.tallied()),
        );
        quote!(#definition #methods #tree #source #tensor)
    }

    /// Returns the corrections that cutting and packing make to the estimate.
    fn tallied(&self) -> TokenStream {
        let (depth, private) = (&self.depth, &self.part.private);
        let (part, given, dims, levels) = (&self.part.name, &self.part.given, &self.part.dims, &self.part.levels);
        let (whole, below) = (self.whole.tallied(), self.part.tallied());
        quote!(.cut(#depth, &<#part<T, #given> as #private::Tree<#dims, #levels>>::LEVELS) #whole #below)
    }

    fn part(&self) -> TokenStream {
        let (part, declaration) = (&self.part, self.declaration);
        let (cfg, name) = (cfgs(declaration), &declaration.name);
        let text = format!(
            "One part of a [`{name}`]: the subtree below one node of level `{}`.\n\nA kernel over a part computes what the part contributes to the output.\n\n{}",
            part.format.levels[self.cut].name,
            docs::format(part.format, part.storage, None)
        );
        let definition = part.definition(declaration, &quote!(#cfg #[doc = #text]), &declaration.visibility);
        let (methods, tree, source) = (
            part.methods(declaration),
            part.tree(declaration),
            part.source(declaration),
        );
        let (upload, serial, words) = (
            part.upload(declaration),
            part.serial(declaration),
            part.words(declaration),
        );
        quote!(#definition #methods #tree #source #upload #serial #words)
    }

    /// Returns the fields of the levels down to the cut.
    fn upper(&self) -> Vec<Member<'_>> {
        let stays = |member: &Member<'_>| match member {
            Member::Level(field) => field.level <= self.cut,
            Member::Run(_) => true,
            Member::Values => false,
        };
        let mut members = self.whole.members();
        members.retain(stays);
        members
    }

    fn upper_names(&self) -> Vec<Ident> {
        self.upper().iter().map(|member| self.whole.member(member)).collect()
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

    fn whole(&self) -> TokenStream {
        let declaration = self.declaration;
        let (attributes, visibility, cfg) = (&declaration.attributes, &declaration.visibility, cfgs(declaration));
        let Parts {
            element,
            runtime,
            declared,
            private,
            given,
            dims,
            levels,
            ..
        } = &self.whole;
        let encoding = self.whole.encoding(declaration);
        let (name, part, visit) = (&declaration.name, &self.part.name, self.whole.names.local("visit"));
        let text = docs::format(
            self.whole.format,
            &self.whole.stored.joined(),
            self.whole.picture.as_ref(),
        );
        let (upload, serial) = (self.whole.upload_of_parts(declaration), self.serial());
        let words = self.part.word_parts(declaration, &declaration.name);
        let parameters = declaration.parameters.iter();
        let (upper, types) = (self.upper_names(), self.upper());
        let types = types.iter().map(|member| self.whole.member_type(member));
        let methods = self.methods();
        let parts = quote!(.field("parts", &#private::First(&self.parts)));
        let debug = self.whole.debug(declaration, &self.upper(), &parts);
        let uncut = &self.uncut.name;
        let tensor = self.whole.tensor_of(
            declaration,
            name,
            &self.reading(),
            &quote!(<#uncut<T, #given> as #runtime::SparseTensor<#dims>>::profiles_of(source, counting)),
            &quote! {
                Self::__cut(<#uncut<T, #given> as #runtime::SparseTensor<#dims>>::assemble(source, limit)?)
            },
            &TokenStream::new(),
        );
        let this = quote!(#name<T, #given>);
        let read = self.whole.head(&cfg, &this).boxed_iteration_and_text();
        let operators = self.whole.operators(declaration);
        // Queries count explicit zeros, which read as holes: the order of the other elements depends on them.
        let is_reordered = self.whole.storage.holes && !self.whole.format.queries.is_empty();
        let reordered = is_reordered.then(|| quote!(|| #private::same_elements::<Self, #dims>(self, other)));
        quote! {
            #(#attributes)*
            #[doc = ""]
            #[doc = #text]
            #[derive(::core::clone::Clone)]
            #[allow(non_snake_case)]
            #visibility struct #name<T, #(#parameters)*> {
                shape: [usize; #dims],
                #(#upper: #types,)*
                parts: ::std::vec::Vec<#part<T, #given>>,
            }

            #debug

            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #element, #declared> #name<T, #given> {
                #methods
            }

            #cfg
            #[automatically_derived]
            impl<T: #element, #declared> #private::Partitioned<#dims, #levels> for #name<T, #given> {
                type Part = #part<T, #given>;
                fn parts(&self) -> &[Self::Part] {
                    &self.parts
                }
            }

            #encoding

            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            #[diagnostic::do_not_recommend]
            impl<T: #element, #declared> #runtime::Source<#dims> for #name<T, #given> {
                type Scalar = T;
                const ORDER: #private::Order = #private::Order::By(&<Self as #runtime::Encoded>::ENCODINGS[0]);
                const IS_CHECKED: bool = true;

                fn shape(&self) -> [usize; #dims] {
                    self.shape
                }

                fn count(&self) -> usize {
                    self.nnz()
                }

                #[inline]
                fn for_each(&self, mut #visit: impl ::core::ops::FnMut([usize; #dims], T)) {
                    for part in &self.parts {
                        #runtime::Source::for_each(part, &mut #visit);
                    }
                }

                fn borders(&self, pieces: usize) -> ::std::vec::Vec<usize> {
                    let stored = |parts: usize| self.parts[..parts].iter().map(|part| part.stored()).sum();
                    #private::balanced(self.parts.len(), pieces, stored)
                }

                #[inline]
                fn for_each_between(
                    &self,
                    piece: ::core::ops::Range<usize>,
                    mut #visit: impl ::core::ops::FnMut([usize; #dims], T),
                ) {
                    for part in &self.parts[piece] {
                        #runtime::Source::for_each(part, &mut #visit);
                    }
                }
            }

            #tensor

            #upload

            #serial

            #words

            #read

            #operators

            #cfg
            #[automatically_derived]
            impl<T: #element, #declared> ::core::cmp::PartialEq for #name<T, #given> {
                /// Whether both have the same shape and elements.
                fn eq(&self, other: &Self) -> bool {
                    self.shape == other.shape && (::core::iter::Iterator::eq(self.iter(), other.iter()) #reordered)
                }
            }
        }
    }

    /// Returns the traits of `serde` of the whole tensor, which has those of its parts.
    fn serial(&self) -> TokenStream {
        let item = |name: &str| serial::Member::Item(self.whole.names.public(name));
        let mut members = vec![item("shape")];
        members.extend(self.whole.serial_members(&self.upper()));
        members.push(item("parts"));
        self.whole.serial_of(self.declaration, &self.declaration.name, members)
    }

    fn reading(&self) -> Reading {
        let (private, part) = (
            &self.whole.private,
            self.part.visited(&quote!(part), &quote!(&mut visit)),
        );
        let within = quote!(#private::Within::new);
        Reading {
            values: self.values(),
            within: quote!(self.parts.iter().flat_map(move |part| #within(part, ranges.clone(), false).elements())),
            positions: quote! {
                let mut end = 0;
                self.parts.iter().flat_map(move |part| {
                    let start = end;
                    end += part.stored();
                    #within(part, ranges.clone(), holes).map(move |(at, position)| (at, start + position))
                })
            },
            visit: quote!(for part in &mut self.parts { #part }),
        }
    }

    fn values(&self) -> TokenStream {
        let private = &self.whole.private;
        let values = match self.part.value_column() {
            None => quote!(part.values.iter().copied()),
            Some(_) => quote!(part.values()),
        };
        quote! {
            #private::Exactly::new(self.parts.iter().flat_map(|part| #values), self.stored())
        }
    }

    fn methods(&self) -> TokenStream {
        let Parts {
            runtime,
            private,
            given,
            dims,
            levels,
            ..
        } = &self.uncut;
        let (uncut, part) = (
            {
                let name = &self.uncut.name;
                quote!(#name<T, #given>)
            },
            {
                let name = &self.part.name;
                quote!(#name<T, #given>)
            },
        );
        let tree = quote!(#private::Tree<#dims, #levels>);
        let depth = &self.depth;
        let describe = self.whole.describe(&quote!({
            let mut levels = <#uncut as #tree>::LEVELS;
            levels[#depth..].copy_from_slice(&<#part as #tree>::LEVELS[#depth..]);
            levels
        }));
        let (whole, convert) = (self.whole.of_whole(), self.whole.convert());
        let lookups = lookups(runtime, self.whole.format.dims.len());
        let accessors = self.whole.accessors(0..self.cut + 1, &uncut);
        let map_values = self.map_values();
        let (parts, explain) = (self.parts(&uncut, &part), self.explain(&uncut, &part));
        let upper = self.upper();
        let arrays = upper.iter().filter(|member| !member.is_size());
        let arrays = arrays.map(|member| self.whole.member(member));
        let id = transport::id(&self.declaration.name, &self.declaration.tokens);
        quote! {
            /// Returns the level table: the expression, the domain and the storage of each level, with the reason for it.
            #[must_use]
            pub fn describe() -> #runtime::Describe {
                #describe
            }

            #whole

            #parts

            /// Returns the extent of each dimension.
            #[must_use]
            pub fn shape(&self) -> [usize; #dims] {
                self.shape
            }

            /// Returns the number of elements stored in all parts, without holes.
            #[must_use]
            pub fn nnz(&self) -> usize {
                self.parts.iter().map(|part| part.nnz()).sum()
            }

            /// Returns the number of positions in all parts, including holes.
            #[must_use]
            pub fn stored(&self) -> usize {
                self.parts.iter().map(|part| part.stored()).sum()
            }

            /// Returns the size of all arrays in bytes.
            #[must_use]
            pub fn bytes(&self) -> usize {
                #(::core::mem::size_of_val(&self.#arrays[..]) +)* self.parts.iter().map(|part| part.bytes()).sum::<usize>()
            }

            #accessors

            /// Iterates over the elements of one part after another, in storage order, without holes.
            pub fn iter(&self) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                self.parts.iter().flat_map(|part| part.iter())
            }

            #lookups

            #convert

            #map_values

            #explain

            /// The hash of the declaration, compared with that of the declaration from which a kernel was compiled.
            #[doc(hidden)]
            pub const __ID: u64 = #id;
        }
    }

    /// Returns `map_values`, or a stand-in that only explains its absence if a query compares values.
    fn map_values(&self) -> TokenStream {
        let (whole, upper) = (&self.whole, self.upper_names());
        let fields = quote! {
            shape: self.shape,
            #(#upper: self.#upper,)*
            parts: self.parts.into_iter().map(|part| part.map_values(&mut map)).collect(),
        };
        let element = (&whole.element, whole.storage.holes);
        if !are_free(whole.format) {
            return no_map_values((&whole.name, &whole.given), &whole.element, &whole.private);
        }
        map_values((&whole.name, &whole.given), element, &fields)
    }

    /// Returns the accessors of the parts, and the construction of a tensor from parts.
    fn parts(&self, uncut: &TokenStream, part: &TokenStream) -> TokenStream {
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
                let nodes = #private::nodes::<#uncut, #dims, #levels>(&uncut, #depth)?;
                #private::belong(nodes.iter().map(|node| #prefix), parts.iter().map(|part| part.prefix))?;
                #private::check::<#uncut, #dims, #levels>(&uncut)?;
                Self::__cut(uncut)
            }

            fn __cut(uncut: #uncut) -> ::core::result::Result<Self, #runtime::Error> {
                let nodes = #private::nodes::<#uncut, #dims, #levels>(&uncut, #depth)?;
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

    /// Returns the construction of a part from its arrays.
    fn made_part(&self) -> TokenStream {
        let (runtime, name, members) = (&self.part.runtime, &self.part.name, self.part.members());
        let members = members.iter().map(|member| self.part.member(member));
        let packed = self.part.storage.runs.iter().map(|run| self.part.interleave(run));
        quote!({
            #(#packed)*
            ::core::result::Result::<_, #runtime::Error>::Ok(#name { shape, prefix, #(#members,)* })
        })
    }

    /// Returns the arrays down to the cut, taken out of `uncut`.
    fn held(&self) -> TokenStream {
        let fields = self.uncut.fields.iter().filter(|field| field.level <= self.cut);
        let names = fields.map(|field| self.uncut.field(field));
        let packed = self.whole.storage.runs.iter().map(|run| self.whole.interleave(run));
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
        let domains = mentions(&calls, &self.uncut.names.public("domains")).then(|| {
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

    fn explain(&self, uncut: &TokenStream, part: &TokenStream) -> TokenStream {
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = &self.uncut;
        let title = self.uncut.title();
        let arrays = (0..=self.cut).map(|level| self.whole.level_arrays(level));
        let sized = self.uncut.fields.iter();
        let sized = sized.filter(|field| field.kind == FieldKind::Size && field.level <= self.cut);
        let sizes = sized.map(|field| {
            let (at, name) = (count(field.level), self.uncut.field(field));
            quote!(sizes[#at] = self.#name;)
        });
        // The size of a level below the cut is stored in every part.
        let below = self
            .uncut
            .fields
            .iter()
            .filter(|field| field.kind == FieldKind::Size && field.level > self.cut);
        let below = below.map(|field| {
            let (at, name) = (count(field.level), self.uncut.field(field));
            quote!(sizes[#at] = self.parts.first().map_or(0, |part| part.#name);)
        });
        quote! {
            /// Returns the level table with the length of each array, summed over the parts, and the size of all arrays in
            /// bytes.
            #[must_use]
            pub fn explain(&self) -> #runtime::Explain {
                #[allow(unused_mut)]
                let mut sizes = [0; #levels];
                #(#sizes)*
                #(#below)*
                #private::Explain::partitioned::<#uncut, #part, #dims, #levels>(
                    &#title,
                    [self.nnz(), self.stored(), self.bytes()],
                    (self.shape, sizes),
                    &[#(#arrays),*],
                    &self.parts,
                )
            }
        }
    }
}
