//! The fields of a format's struct, and how loops name them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Names;
use super::print::{Arrays, RUNTIME, count};
use crate::compiler::encoding::{Format, IndexType};
use crate::compiler::loops::{Array, Variables};
use crate::compiler::storage::{Kind, Storage};
use crate::compiler::syntax::mentions;
use crate::compiler::traversal::{Context, given_name};

/// One array of a level.
pub(crate) struct Field {
    pub(crate) level: usize,
    /// `row_ptr`, `col_idx`.
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    pub(crate) integer: IndexType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Pointers,
    Indices,
    /// A number, not an array: how many coordinates the level has.
    Size,
}

/// The arrays of all levels, from the root down.
pub(crate) fn fields(format: &Format, storage: &Storage) -> Vec<Field> {
    let mut fields = Vec::new();
    for (level, stored) in storage.levels.iter().enumerate() {
        let level_name = &format.levels[level].name;
        let (index, pointer) = match stored.kind {
            Kind::Indexed { index, pointer, .. } => (Some(index), pointer),
            Kind::Counted { pointer } => (None, pointer),
            Kind::Aligned { index } => (Some(index), None),
            Kind::Fixed | Kind::Given | Kind::Dense => (None, None),
        };
        if storage.is_sized(format, level) {
            fields.push(Field {
                level,
                name: format!("{level_name}_size"),
                kind: FieldKind::Size,
                integer: IndexType::USIZE,
            });
        }
        if let Some(integer) = pointer {
            fields.push(Field {
                level,
                name: pointers_name(format, storage, level),
                kind: FieldKind::Pointers,
                integer,
            });
        }
        if let Some(integer) = index {
            fields.push(Field {
                level,
                name: format!("{level_name}_idx"),
                kind: FieldKind::Indices,
                integer,
            });
        }
    }
    fields
}

fn pointers_name(format: &Format, storage: &Storage, level: usize) -> String {
    format!("{}_ptr", parent_name(format, storage, level))
}

/// The level whose positions index the `ptr` array of `level`.
pub(crate) fn parent_name<'a>(format: &'a Format, storage: &Storage, level: usize) -> &'a str {
    storage.levels[level]
        .parent
        .map_or("root", |parent| &format.levels[parent].name)
}

/// The names of one format's arrays, and of a kernel's operands.
pub(crate) struct FormatArrays<'a> {
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    pub(crate) names: Names,
    /// The dense operands of the kernel.
    pub(crate) dense: Vec<String>,
    /// Its scalar operands.
    pub(crate) scalars: Vec<String>,
}

impl FormatArrays<'_> {
    /// `let (row_ptr, col_idx, values) = self.__arrays();`, of those that `body` mentions.
    pub(crate) fn bind(&self, body: &TokenStream) -> TokenStream {
        self.bind_of(&quote!(self), body)
    }

    /// [`bind`](Self::bind) of another tensor than `self`.
    pub(crate) fn bind_of(&self, tensor: &TokenStream, body: &TokenStream) -> TokenStream {
        let mut used = false;
        let mut place = |name: &str| {
            let name = self.local(name);
            if mentions(body, &name) {
                used = true;
                quote!(#name)
            } else {
                quote!(_)
            }
        };
        let (sizes, arrays): (Vec<Field>, Vec<Field>) = fields(self.format, self.storage)
            .into_iter()
            .partition(|field| field.kind == FieldKind::Size);
        let mut places: Vec<TokenStream> = arrays.iter().map(|field| place(&field.name)).collect();
        places.push(place("values"));
        let arrays = used.then(|| quote!(let (#(#places,)*) = #tensor.__arrays();));
        let sizes = sizes
            .iter()
            .map(|size| (self.names.local(&size.name), self.names.public(&size.name)));
        let sizes = sizes
            .filter(|(local, _)| mentions(body, local))
            .map(|(local, accessor)| quote!(let #local = #tensor.#accessor();));
        let given = self.storage.given().enumerate().filter_map(|(at, level)| {
            let level = &self.format.levels[level];
            let (local, at) = (self.names.local(&given_name(level)), count(at));
            let integer = if level.interval.is_nonnegative() {
                quote!(usize)
            } else {
                quote!(isize)
            };
            mentions(body, &local).then(|| quote!(let #local = #tensor.prefix()[#at] as #integer;))
        });
        quote!(#(#sizes)* #(#given)* #arrays)
    }
}

/// Keeps the names that printed loops give from being given to variables.
pub(crate) fn reserve(variables: &mut Variables, arrays: &FormatArrays<'_>) {
    for name in arrays
        .dense
        .iter()
        .chain(&arrays.scalars)
        .map(String::as_str)
        .chain(["value", "values"])
    {
        for suffix in ["", "_item", "_cell", "_window"] {
            variables.reserve(&format!("{name}{suffix}"));
        }
    }
    for field in fields(arrays.format, arrays.storage) {
        // A size is a variable of the loops itself.
        if field.kind != FieldKind::Size {
            variables.reserve(&field.name);
        }
    }
    // A level called like a function of the run time would have it imported.
    for name in ["sum", "extents", "visit", "part"].into_iter().chain(RUNTIME) {
        variables.reserve(name);
    }
}

/// `let [i_extent, j_extent] = shape;`, of those that `body` mentions.
pub(crate) fn bind_extents(
    context: &Context,
    variables: &Variables,
    names: Names,
    shape: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let extents: Vec<Ident> = context
        .extents
        .iter()
        .map(|&var| names.local(variables.name(var)))
        .collect();
    if !extents.iter().any(|extent| mentions(body, extent)) {
        return TokenStream::new();
    }
    let places = extents.iter().map(|extent| {
        if mentions(body, extent) {
            quote!(#extent)
        } else {
            quote!(_)
        }
    });
    quote!(let [#(#places),*] = #shape;)
}

/// A name of generated code that none of the operands has.
pub(crate) fn own_name<'a, I: Iterator<Item = &'a str>>(names: Names, name: &str, operands: impl Fn() -> I) -> Ident {
    let mut own = name.to_owned();
    while operands().any(|operand| operand == own) {
        own += "_";
    }
    names.local(&own)
}

impl Arrays for FormatArrays<'_> {
    fn array(&self, array: Array) -> Ident {
        match array {
            Array::Values => self.local("values"),
            Array::Dense(number) => self.names.local(&self.dense[number]),
        }
    }

    fn scalar(&self, number: usize) -> Ident {
        self.names.local(&self.scalars[number])
    }

    fn indices(&self, level: usize) -> Ident {
        self.local(&format!("{}_idx", self.format.levels[level].name))
    }

    fn pointers(&self, level: usize) -> Ident {
        self.local(&pointers_name(self.format, self.storage, level))
    }

    fn values_are_packed(&self) -> bool {
        self.storage.runs.iter().any(|run| run.values)
    }

    fn local(&self, name: &str) -> Ident {
        let operands = || self.dense.iter().chain(&self.scalars).map(String::as_str);
        own_name(self.names, name, operands)
    }

    fn level(&self, level: usize) -> &str {
        &self.format.levels[level].name
    }
}
