//! A format that is cut apart at a level: the whole, which holds parts, and the format of the parts.
//!
//! A tensor is assembled, and checked, as if it were not cut; `Uncut` is that. Then it is cut.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::Visibility;

use super::{Parts, cfgs, part_name};
use crate::compiler::emit::rust::access::{Field, FieldKind, parent_name};
use crate::compiler::emit::rust::docs;
use crate::compiler::emit::rust::print::count;
use crate::compiler::encoding::Format;
use crate::compiler::runtime::Runtime;
use crate::compiler::storage::{Kind, Storage};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::syntax::mentions;
use crate::compiler::transport;

struct Partition<'a> {
    declaration: &'a FormatDecl,
    cut: usize,
    /// The number of levels down to the cut.
    depth: Literal,
    uncut: Parts<'a>,
    part: Parts<'a>,
}

/// The structs of the format and of its parts, and everything implemented for them, except kernels.
pub(super) fn print(declaration: &FormatDecl, format: &Format, cut: usize, runtime: &Runtime) -> TokenStream {
    let (whole, below) = (Storage::new(format), Storage::of_part(format, cut));
    let mut uncut = Parts::new(declaration, format, &whole, runtime);
    uncut.name = uncut
        .names
        .public(&format!("__{}Uncut", format.name.trim_start_matches("r#")));
    let mut part = Parts::new(declaration, format, &below, runtime);
    part.picture = None;
    part.name = part.names.public(&part_name(&format.name));
    part.given_levels = Some(below.given().count());
    let partition = Partition {
        declaration,
        cut,
        depth: count(cut + 1),
        uncut,
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
        let (source, tensor) = (uncut.source(declaration), uncut.tensor(declaration));
        quote!(#definition #methods #tree #source #tensor)
    }

    fn part(&self) -> TokenStream {
        let (part, declaration) = (&self.part, self.declaration);
        let (cfg, name) = (cfgs(declaration), &declaration.name);
        let text = format!(
            "One part of a [`{name}`]: what is below one node of level `{}`.\n\nKernels run over it as over a whole tensor, and give what it adds to their output.\n\n{}",
            part.format.levels[self.cut].name,
            docs::format(part.format, part.storage, None)
        );
        let definition = part.definition(declaration, &quote!(#cfg #[doc = #text]), &declaration.visibility);
        let (methods, tree, source) = (
            part.methods(declaration),
            part.tree(declaration),
            part.source(declaration),
        );
        quote!(#definition #methods #tree #source)
    }

    /// The fields of the levels that stay with the whole.
    fn upper(&self) -> impl Iterator<Item = &Field> {
        self.uncut.fields.iter().filter(|field| field.level <= self.cut)
    }

    fn upper_names(&self) -> Vec<Ident> {
        self.upper().map(|field| self.uncut.field(field)).collect()
    }

    /// The fields of a part.
    fn lower_names(&self) -> Vec<Ident> {
        self.part.fields.iter().map(|field| self.part.field(field)).collect()
    }

    /// `[bank]` of `node`, the coordinates of all levels: what a part is given.
    fn prefix_of_node(&self) -> TokenStream {
        let given = self.part.storage.given().map(count);
        quote!([#(node[#given]),*])
    }

    fn whole(&self) -> TokenStream {
        let declaration = self.declaration;
        let (attributes, visibility, cfg) = (&declaration.attributes, &declaration.visibility, cfgs(declaration));
        let Parts {
            runtime,
            declared,
            given,
            dims,
            ..
        } = &self.uncut;
        let (name, part, visit) = (&declaration.name, &self.part.name, self.uncut.names.local("visit"));
        let text = docs::format(
            self.uncut.format,
            &Storage::to_read(self.uncut.format),
            self.uncut.picture.as_ref(),
        );
        let parameters = declaration.parameters.iter();
        let (upper, types) = (
            self.upper_names(),
            self.upper().map(|field| self.uncut.array_type(field)),
        );
        let methods = self.methods();
        let uncut = &self.uncut.name;
        let tensor = self.uncut.tensor_of(
            declaration,
            name,
            &self.values(),
            &quote! {
                Self::__cut(<#uncut<T, #given> as #runtime::SparseTensor<#dims>>::assemble(source, limit)?)
            },
        );
        quote! {
            #(#attributes)*
            #[doc = ""]
            #[doc = #text]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #[allow(non_snake_case)]
            #visibility struct #name<T, #(#parameters)*> {
                shape: [usize; #dims],
                #(#upper: #types,)*
                parts: ::std::vec::Vec<#part<T, #given>>,
            }

            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #runtime::Scalar, #declared> #name<T, #given> {
                #methods
            }

            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            impl<T: #runtime::Scalar, #declared> #runtime::Source<#dims> for #name<T, #given> {
                type Scalar = T;

                fn shape(&self) -> [usize; #dims] {
                    self.shape
                }

                fn count(&self) -> usize {
                    self.nnz()
                }

                fn for_each(&self, mut #visit: impl ::core::ops::FnMut([usize; #dims], T)) {
                    for part in &self.parts {
                        #runtime::Source::for_each(part, &mut #visit);
                    }
                }
            }

            #tensor

            #cfg
            #[automatically_derived]
            impl<T: #runtime::Scalar, #declared> ::core::cmp::PartialEq for #name<T, #given> {
                /// Whether the two are equal as tensors.
                fn eq(&self, other: &Self) -> bool {
                    self.shape == other.shape && ::core::iter::Iterator::eq(self.iter(), other.iter())
                }
            }
        }
    }

    fn values(&self) -> TokenStream {
        let private = &self.uncut.private;
        quote! {
            #private::Exactly::new(self.parts.iter().flat_map(|part| part.values.iter().copied()), self.stored())
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
        let describe = self.uncut.describe(&quote!({
            let mut levels = <#uncut as #tree>::LEVELS;
            levels[#depth..].copy_from_slice(&<#part as #tree>::LEVELS[#depth..]);
            levels
        }));
        let (whole, convert) = (self.uncut.of_whole(), self.uncut.convert());
        let accessors = self.uncut.accessors(0..self.cut + 1, &uncut);
        let (parts, explain) = (self.parts(&uncut, &part), self.explain(&uncut, &part));
        let arrays = self
            .upper()
            .filter(|field| field.kind != FieldKind::Size)
            .map(|field| self.uncut.field(field));
        let id = transport::id(&self.declaration.name, &self.declaration.tokens);
        quote! {
            /// The level table: what each level holds, how it is stored, and why.
            #[must_use]
            pub fn describe() -> #runtime::Describe {
                #describe
            }

            #whole

            #parts

            /// The extent of each dimension.
            #[must_use]
            pub fn shape(&self) -> [usize; #dims] {
                self.shape
            }

            /// How many elements are stored in all parts, holes not counted.
            #[must_use]
            pub fn nnz(&self) -> usize {
                self.parts.iter().map(|part| part.nnz()).sum()
            }

            /// How many positions are held in all parts, holes counted.
            #[must_use]
            pub fn stored(&self) -> usize {
                self.parts.iter().map(|part| part.stored()).sum()
            }

            /// The bytes of all arrays.
            #[must_use]
            pub fn bytes(&self) -> usize {
                #(::core::mem::size_of_val(&self.#arrays[..]) +)* self.parts.iter().map(|part| part.bytes()).sum::<usize>()
            }

            #accessors

            /// The elements of part after part, in storage order, holes left out.
            pub fn iter(&self) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                self.parts.iter().flat_map(|part| part.iter())
            }

            #convert

            #explain

            /// Which declaration this is: what a kernel was told is compared with it.
            #[doc(hidden)]
            pub const __ID: u64 = #id;
        }
    }

    /// The parts, and putting a tensor together from them.
    fn parts(&self, uncut: &TokenStream, part: &TokenStream) -> TokenStream {
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = &self.uncut;
        let (depth, upper, lower) = (&self.depth, self.upper_names(), self.lower_names());
        let types: Vec<TokenStream> = self
            .upper()
            .map(|field| match field.kind {
                FieldKind::Size => quote!(usize),
                _ => {
                    let integer = self.uncut.integer(field);
                    quote!(::std::vec::Vec<#integer>)
                }
            })
            .collect();
        let taken = self.upper().zip(&upper).map(|(field, ident)| match field.kind {
            FieldKind::Size => quote!(self.#ident),
            _ => quote!(self.#ident.into_vec()),
        });
        let list: String = self.upper().map(|field| format!(", `{}`", field.name)).collect();
        let order = format!("\nIn order: the shape{list}, the parts.");
        let level = &self.uncut.format.levels[self.cut].name;
        let doc = format!("The parts, one for each position of level `{level}`.");
        let (cut, joined, made) = (self.cut(uncut), self.joined(), self.uncut.made());
        let (prefix, values) = (self.prefix_of_node(), self.uncut.names.public("values"));
        let part_name = &self.part.name;
        quote! {
            #[doc = #doc]
            #[must_use]
            pub fn parts(&self) -> &[#part] {
                &self.parts
            }

            /// The shape, the arrays of the whole from the root down, and the parts.
            #[allow(clippy::type_complexity)]
            pub fn into_parts(self) -> ([usize; #dims], #(#types,)* ::std::vec::Vec<#part>) {
                (self.shape, #(#taken,)* self.parts)
            }

            /// The tensor that these arrays and parts are the storage of.
            #[doc = #order]
            ///
            /// # Errors
            /// If they are not the one storage of a tensor in this format: the error names the array or the part, the
            /// position, counted through all parts, what was found and what was expected. `O(stored)`.
            pub fn try_from_parts(
                shape: [usize; #dims],
                #(#upper: #types,)*
                parts: ::std::vec::Vec<#part>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #private::same_shape(shape, parts.iter().map(|part| part.shape))?;
                #joined
                let #values = #private::join_entries(parts.iter().map(|part| &part.#values[..]));
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
                let mut values = cut.entries(&uncut.values);
                let parts = ::core::iter::from_fn(|| {
                    ::core::option::Option::Some(#part_name {
                        shape: uncut.shape,
                        prefix: prefixes.next()?,
                        #(#lower: #lower.next()?,)*
                        values: values.next()?,
                    })
                });
                let parts = parts.collect();
                ::core::result::Result::Ok(Self { shape: uncut.shape, #(#upper: uncut.#upper,)* parts })
            }
        }
    }

    /// The field of this kind that a level has in the whole, and in a part.
    fn fields_of(&self, level: usize, kind: FieldKind) -> (Option<Ident>, Option<Ident>) {
        (self.uncut.name_of(level, kind), self.part.name_of(level, kind))
    }

    /// An iterator over what each part has of each array below the cut.
    fn cut(&self, uncut: &TokenStream) -> TokenStream {
        let Parts {
            private, dims, levels, ..
        } = &self.uncut;
        let mut calls = TokenStream::new();
        for level in self.cut + 1..self.uncut.format.levels.len() {
            let number = count(level);
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
            let (indices, _) = self.fields_of(level, FieldKind::Indices);
            calls.extend(indices.map(|indices| quote!(let mut #indices = cut.entries(&uncut.#indices);)));
        }
        let domains = mentions(&calls, &self.uncut.names.public("domains")).then(|| {
            quote! {
                let sizes = #private::Tree::<#dims, #levels>::sizes(&uncut);
                let domains = <#uncut as #private::Tree<#dims, #levels>>::domains(uncut.shape, &sizes)?;
            }
        });
        quote!(#domains #calls)
    }

    /// The arrays below the cut, of all parts taken together.
    fn joined(&self) -> TokenStream {
        let private = &self.uncut.private;
        let lower = self.uncut.fields.iter().filter(|field| field.level > self.cut);
        let joins = lower.map(|field| {
            let (level, name) = (field.level, self.uncut.field(field));
            let level_name = &self.uncut.format.levels[level].name;
            let parent = parent_name(self.uncut.format, self.uncut.storage, level);
            let join = match field.kind {
                FieldKind::Indices => quote!(join_entries(parts.iter().map(|part| &part.#name[..]))),
                FieldKind::Size => quote!(join_sizes(#level_name, parts.iter().map(|part| part.#name))?),
                FieldKind::Pointers => {
                    let in_part = |kind| self.part.name_of(level, kind);
                    match (in_part(FieldKind::Pointers), self.uncut.storage.levels[level].kind) {
                        (Some(_), _) => quote!(join_pointers(#parent, parts.iter().map(|part| &part.#name[..]))?),
                        (None, Kind::Counted { .. }) => {
                            let size = in_part(FieldKind::Size);
                            quote!(join_counts(#parent, parts.iter().map(|part| part.#size))?)
                        }
                        (None, _) => {
                            let indices = in_part(FieldKind::Indices);
                            quote!(join_counts(#parent, parts.iter().map(|part| part.#indices.len()))?)
                        }
                    }
                }
            };
            quote!(let #name = #private::#join;)
        });
        quote!(#(#joins)*)
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
        let arrays = (0..=self.cut).map(|level| self.uncut.level_arrays(level));
        let sized = self.upper().filter(|field| field.kind == FieldKind::Size);
        let sizes = sized.map(|field| {
            let (at, name) = (count(field.level), self.uncut.field(field));
            quote!(sizes[#at] = self.#name;)
        });
        // The size of a level below is in every part.
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
            /// The level table with what each array holds, those of all parts taken together, and the bytes.
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
