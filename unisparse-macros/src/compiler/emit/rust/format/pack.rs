//! Prints the fields of the struct: arrays, and the arrays of tuples that `pack` makes.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Parts;
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::{Field, FieldKind, TupleArray, parent_name};

/// A field of the struct.
#[derive(Clone, Copy)]
pub(super) enum Member<'a> {
    /// An array or the size of a level.
    Level(&'a Field),
    /// One array of tuples for several arrays.
    TupleArray(&'a TupleArray),
    Values,
}

impl Member<'_> {
    pub(super) fn is_size(&self) -> bool {
        matches!(self, Member::Level(field) if field.kind == FieldKind::Size)
    }
}

impl Parts<'_> {
    /// Returns the fields after the shape, in the order of the arrays. An array of tuples is at the place of its first
    /// array.
    pub(super) fn members(&self) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        for field in &self.fields {
            match self.tuples_of(field) {
                None => members.push(Member::Level(field)),
                Some((tuples, 0)) => members.push(Member::TupleArray(tuples)),
                Some(_) => {}
            }
        }
        members.extend(self.packed_values().is_none().then_some(Member::Values));
        members
    }

    /// Returns the array of tuples that contains an array, and the place of that array in the tuples.
    fn tuples_of(&self, field: &Field) -> Option<(&TupleArray, usize)> {
        let index = field.kind == FieldKind::Indices;
        let tuple_arrays = self.storage.tuple_arrays.iter().filter(|_| index);
        let item = |tuples: &TupleArray| tuples.levels.iter().position(|&level| level == field.level);
        tuple_arrays
            .into_iter()
            .find_map(|tuples| item(tuples).map(|item| (tuples, item)))
    }

    /// Whether the array is a field of tuples.
    pub(super) fn is_packed(&self, field: &Field) -> bool {
        self.tuples_of(field).is_some()
    }

    /// Returns the array of tuples that contains the values.
    pub(super) fn packed_values(&self) -> Option<&TupleArray> {
        self.storage.tuple_arrays.iter().find(|tuples| tuples.values)
    }

    /// Returns the name of an array of tuples, such as `col_entries`.
    pub(super) fn tuples_name(&self, tuples: &TupleArray) -> Ident {
        let first = &self.format.levels[tuples.levels[0]].name;
        self.names.public(&format!("{first}_entries"))
    }

    pub(super) fn member(&self, member: &Member<'_>) -> Ident {
        match member {
            Member::Level(field) => self.field(field),
            Member::TupleArray(tuples) => self.tuples_name(tuples),
            Member::Values => self.names.public("values"),
        }
    }

    /// Returns the type of a tuple, such as `(u32, u32, T)`.
    pub(super) fn entry(&self, tuples: &TupleArray) -> TokenStream {
        let integers = tuples.levels.iter().map(|level| {
            let integer = self.format.levels[*level].index.name();
            self.names.public(&integer)
        });
        let value = tuples.values.then(|| quote!(T));
        quote!((#(#integers,)* #value))
    }

    /// Returns the type that `try_from_parts` takes and `into_parts` returns.
    pub(super) fn part(&self, member: &Member<'_>) -> TokenStream {
        let entry = match member {
            Member::Level(field) if field.kind == FieldKind::Size => return quote!(usize),
            Member::Level(field) => {
                let integer = self.integer(field);
                quote!(#integer)
            }
            Member::TupleArray(tuples) => self.entry(tuples),
            Member::Values => quote!(T),
        };
        quote!(::std::vec::Vec<#entry>)
    }

    /// Returns the type of the field.
    pub(super) fn member_type(&self, member: &Member<'_>) -> TokenStream {
        match member {
            Member::Level(field) => self.array_type(field),
            Member::TupleArray(tuples) => self.layer_type(tuples, tuples.levels.len()),
            Member::Values => quote!(::std::vec::Vec<T>),
        }
    }

    /// Returns the type of the first `layers` of an array of tuples, such as `Packed<1, Packed<0, Vec<(u32, u32, T)>>>`.
    fn layer_type(&self, tuples: &TupleArray, layers: usize) -> TokenStream {
        let (private, entry) = (&self.private, self.entry(tuples));
        (0..layers).map(count).fold(
            quote!(::std::vec::Vec<#entry>),
            |rest, item| quote!(#private::Packed<#item, #rest>),
        )
    }

    /// Returns the field made from an argument of `try_from_parts`, with its checks.
    pub(super) fn checked(&self, member: &Member<'_>) -> TokenStream {
        let (private, ident) = (&self.private, self.member(member));
        match member {
            Member::Level(field) => match field.kind {
                FieldKind::Pointers => {
                    let parent = parent_name(self.format, self.storage, field.level);
                    quote!(#private::Pointers::try_new(#parent, #ident)?)
                }
                FieldKind::Indices => {
                    let (level, name) = (count(field.level), &self.format.levels[field.level].name);
                    quote!(#private::Indices::try_new(#name, #ident, domains[#level])?)
                }
                FieldKind::Size => quote!(#ident),
            },
            Member::TupleArray(tuples) => self.layers(tuples, |level| {
                let level = count(level);
                quote!(domains[#level])
            }),
            Member::Values => quote!(#ident),
        }
    }

    /// Returns the array of tuples in scope, with checks of each of its levels.
    fn layers(&self, tuples: &TupleArray, domain: impl Fn(usize) -> TokenStream) -> TokenStream {
        let (private, entries) = (&self.private, self.tuples_name(tuples));
        let levels = tuples.levels.iter().enumerate();
        levels.fold(quote!(#entries), |rest, (item, &level)| {
            let (item, name, domain) = (count(item), &self.format.levels[level].name, domain(level));
            quote!(#private::Packed::<#item, _>::try_new(#name, #rest, #domain)?)
        })
    }

    /// Returns the tuples that contain the `idx` array of a level, and its place in them.
    pub(super) fn column(&self, level: usize) -> Option<(Ident, Literal)> {
        let mut fields = self.fields.iter().filter(|field| field.level == level);
        let (tuples, item) = fields.find_map(|field| self.tuples_of(field))?;
        Some((self.tuples_name(tuples), count(item)))
    }

    /// Returns the tuples that contain the values, and the values' place in them.
    pub(super) fn value_column(&self) -> Option<(Ident, Literal)> {
        let tuples = self.packed_values()?;
        Some((self.tuples_name(tuples), count(tuples.levels.len())))
    }

    /// Returns code that adds the padding of all tuples to the bytes that the assembly counts.
    pub(super) fn paddings(&self) -> TokenStream {
        self.storage
            .tuple_arrays
            .iter()
            .map(|tuples| self.padding(tuples))
            .collect()
    }

    /// Returns code that adds the padding of the tuples to the estimate.
    pub(super) fn tallied(&self) -> TokenStream {
        let tallied = self.storage.tuple_arrays.iter().map(|tuples| {
            let (level, padding) = (count(tuples.levels[0]), self.padding_of(tuples));
            quote!(.padding(#level, #padding))
        });
        tallied.collect()
    }

    fn padding(&self, tuples: &TupleArray) -> TokenStream {
        let first = &self.format.levels[tuples.levels[0]].name;
        let first = self.names.public(&format!("{first}_idx"));
        let padding = self.padding_of(tuples);
        quote!(levels.padding(#first.len(), #padding)?;)
    }

    /// Returns the bytes of a tuple that no field uses.
    fn padding_of(&self, tuples: &TupleArray) -> TokenStream {
        let entry = self.entry(tuples);
        let integers = tuples.levels.iter().map(|&level| {
            let integer = self.format.levels[level].index.name();
            self.names.public(&integer)
        });
        let value = tuples.values.then(|| quote!(-::core::mem::size_of::<T>()));
        quote!(::core::mem::size_of::<#entry>() #(- ::core::mem::size_of::<#integers>())* #value)
    }

    /// Returns `let col_entries = ..`, from the arrays and values that the assembly made.
    pub(super) fn interleave(&self, tuples: &TupleArray) -> TokenStream {
        let (entries, entry) = (self.tuples_name(tuples), self.entry(tuples));
        let array = |level: usize| self.names.public(&format!("{}_idx", self.format.levels[level].name));
        let arrays = tuples.levels.iter().map(|&level| array(level));
        let (first, values) = (array(tuples.levels[0]), self.member(&Member::Values));
        let value = tuples.values.then(|| quote!(#values[at]));
        let layers = self.layers(tuples, |level| {
            let indices = array(level);
            quote!(#indices.domain())
        });
        quote! {
            let #entries: ::std::vec::Vec<#entry> = (0..#first.len()).map(|at| (#(#arrays[at],)* #value)).collect();
            let #entries = #layers;
        }
    }

    /// Returns a reference to an array of a level, and its type.
    pub(super) fn array(&self, field: &Field) -> (TokenStream, TokenStream) {
        let Some((tuples, item)) = self.tuples_of(field) else {
            let (name, array) = (self.field(field), self.array_type(field));
            return (quote!(&self.#name), quote!(#array));
        };
        let (entries, layer) = (self.tuples_name(tuples), self.layer_type(tuples, item + 1));
        let rest = (item + 1..tuples.levels.len()).map(|_| quote!(.rest()));
        let reference = if item + 1 == tuples.levels.len() {
            quote!(&self.#entries)
        } else {
            quote!(self.#entries #(#rest)*)
        };
        (reference, layer)
    }

    /// Returns the values: a vector, or the last fields of tuples.
    pub(super) fn values(&self) -> TokenStream {
        match self.packed_values() {
            None => quote!(self.values),
            Some(tuples) => {
                let (entries, item) = (self.tuples_name(tuples), count(tuples.levels.len()));
                quote!(self.#entries.values::<#item>())
            }
        }
    }

    /// Returns the number of values.
    pub(super) fn value_count(&self) -> TokenStream {
        let array = match self.packed_values() {
            None => self.member(&Member::Values),
            Some(tuples) => self.tuples_name(tuples),
        };
        quote!(self.#array.len())
    }

    /// Returns the values as loops read them, and their type.
    pub(super) fn value_stream(&self) -> (TokenStream, TokenStream) {
        let values = self.values();
        match self.packed_values() {
            None => (quote!(&#values), quote!(&[T])),
            Some(tuples) => {
                let (private, entry, item) = (&self.private, self.entry(tuples), count(tuples.levels.len()));
                (values, quote!(#private::Column<'_, #entry, #item>))
            }
        }
    }

    /// Returns the accessor `values`, which gives a slice if the values are not packed.
    pub(super) fn values_accessor(&self) -> TokenStream {
        let values = self.values();
        let (result, values) = match self.packed_values() {
            None => (quote!(&[T]), quote!(&#values)),
            Some(_) => (
                quote!(impl ::core::iter::ExactSizeIterator<Item = T> + '_),
                quote!(#values.iter()),
            ),
        };
        quote! {
            /// Returns the values in storage order, including those of holes.
            #[must_use]
            pub fn values(&self) -> #result {
                #values
            }
        }
    }

    /// Returns the accessor `col_entries`, and `row_list` if pointers divide the array into segments.
    pub(super) fn tuples_accessors(&self, tuples: &TupleArray) -> TokenStream {
        let (name, entry, contents) = (self.tuples_name(tuples), self.entry(tuples), self.contents(tuples));
        let text = format!("Returns the tuples of {contents}.");
        // If pointers divide two arrays in the same way, `row_list` would be ambiguous.
        let pointed = |tuples: &TupleArray| tuples.pointed(self.storage);
        let same = self
            .storage
            .tuple_arrays
            .iter()
            .filter(|other| pointed(other) == pointed(tuples));
        let list = pointed(tuples).filter(|_| same.count() == 1).map(|level| {
            let parent = parent_name(self.format, self.storage, level);
            let (list, pointers) = (
                self.names.public(&format!("{parent}_list")),
                self.names.public(&format!("{parent}_ptr")),
            );
            let text = format!(
                "Returns the entries of `{name}` below one position of `{parent}`.\n\n# Panics\nIf there is no such position."
            );
            quote! {
                #[doc = #text]
                #[must_use]
                pub fn #list(&self, position: usize) -> &[#entry] {
                    let [start, end] = [self.#pointers[position], self.#pointers[position + 1]];
                    &self.#name[start as usize..end as usize]
                }
            }
        });
        quote! {
            #[doc = #text]
            #[must_use]
            pub fn #name(&self) -> &[#entry] {
                &self.#name
            }
            #list
        }
    }

    /// Returns the contents of the tuples, such as "the coordinates of level `col` and the values".
    pub(super) fn contents(&self, tuples: &TupleArray) -> String {
        let level = |&level: &usize| format!("the coordinates of level `{}`", self.format.levels[level].name);
        let mut items: Vec<String> = tuples.levels.iter().map(level).collect();
        items.extend(tuples.values.then(|| "the values".to_owned()));
        let last = items.pop().unwrap_or_default();
        format!("{} and {last}", items.join(", "))
    }
}
