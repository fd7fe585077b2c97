//! Prints the fields of the struct: arrays, and the arrays of tuples that `pack` makes.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Parts;
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::{Field, FieldKind, Run, parent_name};

/// A field of the struct.
#[derive(Clone, Copy)]
pub(super) enum Member<'a> {
    /// An array or the size of a level.
    Level(&'a Field),
    /// One array of tuples for several arrays.
    Run(&'a Run),
    Values,
}

impl Member<'_> {
    pub(super) fn is_size(&self) -> bool {
        matches!(self, Member::Level(field) if field.kind == FieldKind::Size)
    }
}

impl Parts<'_> {
    /// Returns the fields after the shape, in the order of the arrays. Each run is at the place of its first array.
    pub(super) fn members(&self) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        for field in &self.fields {
            match self.run_of(field) {
                None => members.push(Member::Level(field)),
                Some((run, 0)) => members.push(Member::Run(run)),
                Some(_) => {}
            }
        }
        members.extend(self.packed_values().is_none().then_some(Member::Values));
        members
    }

    /// Returns the run that contains an array, and the array's place in the tuples.
    fn run_of(&self, field: &Field) -> Option<(&Run, usize)> {
        let index = field.kind == FieldKind::Indices;
        let runs = self.storage.runs.iter().filter(|_| index);
        let item = |run: &Run| run.levels.iter().position(|&level| level == field.level);
        runs.into_iter().find_map(|run| item(run).map(|item| (run, item)))
    }

    /// Whether the array is a field of tuples.
    pub(super) fn is_packed(&self, field: &Field) -> bool {
        self.run_of(field).is_some()
    }

    /// Returns the run that contains the values.
    pub(super) fn packed_values(&self) -> Option<&Run> {
        self.storage.runs.iter().find(|run| run.values)
    }

    /// Returns the name of a run, such as `col_entries`.
    pub(super) fn run_name(&self, run: &Run) -> Ident {
        let first = &self.format.levels[run.levels[0]].name;
        self.names.public(&format!("{first}_entries"))
    }

    pub(super) fn member(&self, member: &Member<'_>) -> Ident {
        match member {
            Member::Level(field) => self.field(field),
            Member::Run(run) => self.run_name(run),
            Member::Values => self.names.public("values"),
        }
    }

    /// Returns the type of a tuple, such as `(u32, u32, T)`.
    pub(super) fn entry(&self, run: &Run) -> TokenStream {
        let integers = run.levels.iter().map(|level| {
            let integer = self.format.levels[*level].index.name();
            self.names.public(&integer)
        });
        let value = run.values.then(|| quote!(T));
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
            Member::Run(run) => self.entry(run),
            Member::Values => quote!(T),
        };
        quote!(::std::vec::Vec<#entry>)
    }

    /// Returns the type of the field.
    pub(super) fn member_type(&self, member: &Member<'_>) -> TokenStream {
        match member {
            Member::Level(field) => self.array_type(field),
            Member::Run(run) => self.layer_type(run, run.levels.len()),
            Member::Values => quote!(::std::vec::Vec<T>),
        }
    }

    /// Returns the type of the first `layers` of a run, such as `Packed<1, Packed<0, Vec<(u32, u32, T)>>>`.
    fn layer_type(&self, run: &Run, layers: usize) -> TokenStream {
        let (private, entry) = (&self.private, self.entry(run));
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
            Member::Run(run) => self.layers(run, |level| {
                let level = count(level);
                quote!(domains[#level])
            }),
            Member::Values => quote!(#ident),
        }
    }

    /// Returns the array of tuples in scope, with checks of each of its levels.
    fn layers(&self, run: &Run, domain: impl Fn(usize) -> TokenStream) -> TokenStream {
        let (private, entries) = (&self.private, self.run_name(run));
        let levels = run.levels.iter().enumerate();
        levels.fold(quote!(#entries), |rest, (item, &level)| {
            let (item, name, domain) = (count(item), &self.format.levels[level].name, domain(level));
            quote!(#private::Packed::<#item, _>::try_new(#name, #rest, #domain)?)
        })
    }

    /// Returns the tuples that contain the `idx` array of a level, and its place in them.
    pub(super) fn column(&self, level: usize) -> Option<(Ident, Literal)> {
        let mut fields = self.fields.iter().filter(|field| field.level == level);
        let (run, item) = fields.find_map(|field| self.run_of(field))?;
        Some((self.run_name(run), count(item)))
    }

    /// Returns the tuples that contain the values, and the values' place in them.
    pub(super) fn value_column(&self) -> Option<(Ident, Literal)> {
        let run = self.packed_values()?;
        Some((self.run_name(run), count(run.levels.len())))
    }

    /// Returns code that adds the padding of the tuples of all runs to the assembly's memory account.
    pub(super) fn paddings(&self) -> TokenStream {
        self.storage.runs.iter().map(|run| self.padding(run)).collect()
    }

    /// Returns code that adds the padding of the tuples to the estimate.
    pub(super) fn tallied(&self) -> TokenStream {
        let tallied = self.storage.runs.iter().map(|run| {
            let (level, padding) = (count(run.levels[0]), self.padding_of(run));
            quote!(.padding(#level, #padding))
        });
        tallied.collect()
    }

    fn padding(&self, run: &Run) -> TokenStream {
        let first = &self.format.levels[run.levels[0]].name;
        let first = self.names.public(&format!("{first}_idx"));
        let padding = self.padding_of(run);
        quote!(levels.padding(#first.len(), #padding)?;)
    }

    /// Returns the bytes of a tuple that no field uses.
    fn padding_of(&self, run: &Run) -> TokenStream {
        let entry = self.entry(run);
        let integers = run.levels.iter().map(|&level| {
            let integer = self.format.levels[level].index.name();
            self.names.public(&integer)
        });
        let value = run.values.then(|| quote!(-::core::mem::size_of::<T>()));
        quote!(::core::mem::size_of::<#entry>() #(- ::core::mem::size_of::<#integers>())* #value)
    }

    /// Returns `let col_entries = ..`, from the arrays and values that the assembly made.
    pub(super) fn interleave(&self, run: &Run) -> TokenStream {
        let (entries, entry) = (self.run_name(run), self.entry(run));
        let array = |level: usize| self.names.public(&format!("{}_idx", self.format.levels[level].name));
        let arrays = run.levels.iter().map(|&level| array(level));
        let (first, values) = (array(run.levels[0]), self.member(&Member::Values));
        let value = run.values.then(|| quote!(#values[at]));
        let layers = self.layers(run, |level| {
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
        let Some((run, item)) = self.run_of(field) else {
            let (name, array) = (self.field(field), self.array_type(field));
            return (quote!(&self.#name), quote!(#array));
        };
        let (entries, layer) = (self.run_name(run), self.layer_type(run, item + 1));
        let rest = (item + 1..run.levels.len()).map(|_| quote!(.rest()));
        let reference = if item + 1 == run.levels.len() {
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
            Some(run) => {
                let (entries, item) = (self.run_name(run), count(run.levels.len()));
                quote!(self.#entries.values::<#item>())
            }
        }
    }

    /// Returns the number of values.
    pub(super) fn value_count(&self) -> TokenStream {
        let array = match self.packed_values() {
            None => self.member(&Member::Values),
            Some(run) => self.run_name(run),
        };
        quote!(self.#array.len())
    }

    /// Returns the values as loops read them, and their type.
    pub(super) fn value_stream(&self) -> (TokenStream, TokenStream) {
        let values = self.values();
        match self.packed_values() {
            None => (quote!(&#values), quote!(&[T])),
            Some(run) => {
                let (private, entry, item) = (&self.private, self.entry(run), count(run.levels.len()));
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
    pub(super) fn run_accessors(&self, run: &Run) -> TokenStream {
        let (name, entry, contents) = (self.run_name(run), self.entry(run), self.contents(run));
        let text = format!("Returns the tuples of {contents}.");
        // If pointers divide two arrays in the same way, `row_list` would be ambiguous.
        let pointed = |run: &Run| run.pointed(self.storage);
        let same = self.storage.runs.iter().filter(|other| pointed(other) == pointed(run));
        let list = pointed(run).filter(|_| same.count() == 1).map(|level| {
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
    pub(super) fn contents(&self, run: &Run) -> String {
        let level = |&level: &usize| format!("the coordinates of level `{}`", self.format.levels[level].name);
        let mut items: Vec<String> = run.levels.iter().map(level).collect();
        items.extend(run.values.then(|| "the values".to_owned()));
        let last = items.pop().unwrap_or_default();
        format!("{} and {last}", items.join(", "))
    }
}
