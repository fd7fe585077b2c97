//! The names of a format's fields in loops.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Names;
use super::print::{Arrays, RUNTIME, count};
use crate::compiler::encoding::Format;
use crate::compiler::loops::{Array, TensorLevel, Var, Variables};
use crate::compiler::storage::{Field, FieldKind, Storage, fields, pointers_name};
use crate::compiler::syntax::Identifiers;

/// A tensor whose arrays the loops read.
pub(crate) struct TensorArrays<'a> {
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    /// The prefix of the names of its arrays, if several tensors are read.
    pub(crate) prefix: String,
    /// Whether the loops read the tensor part by part.
    pub(crate) is_cut: bool,
    /// An expression for the tensor, such as `self`.
    pub(crate) tensor: TokenStream,
}

/// The names of the arrays of all tensors of a nest, and of a kernel's operands.
pub(crate) struct NestArrays<'a> {
    pub(crate) names: Names,
    pub(crate) runtime: TokenStream,
    /// The tensors, by their number in the nest.
    pub(crate) tensors: Vec<TensorArrays<'a>>,
    /// The parameters of the kernel's operands, by number.
    pub(crate) operands: Vec<String>,
    /// The functions that the kernel calls.
    pub(crate) functions: Vec<Ident>,
}

impl<'a> NestArrays<'a> {
    /// Creates the names for loops over a single tensor, `self`.
    pub(crate) fn of_self(format: &'a Format, storage: &'a Storage, names: Names, runtime: TokenStream) -> Self {
        let tensor = TensorArrays {
            format,
            storage,
            prefix: String::new(),
            is_cut: false,
            tensor: quote!(self),
        };
        NestArrays {
            names,
            runtime,
            tensors: vec![tensor],
            operands: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Returns `let (row_ptr, col_idx, values) = self.__arrays();` for each tensor, with the names that `body`
    /// mentions.
    pub(crate) fn bind(&self, numbers: &[Vec<Option<Var>>], variables: &Variables, body: &TokenStream) -> TokenStream {
        let body = Identifiers::of(body);
        let tensors = self.tensors.iter().enumerate().filter(|(_, of)| !of.is_cut);
        tensors
            .map(|(number, of)| self.bind_of(number, &of.tensor, &numbers[number], variables, &body))
            .collect()
    }

    /// Returns the definitions for one tensor, or for a part of it.
    fn bind_of(
        &self,
        number: usize,
        tensor: &TokenStream,
        numbers: &[Option<Var>],
        variables: &Variables,
        body: &Identifiers,
    ) -> TokenStream {
        let TensorArrays {
            format,
            storage,
            prefix,
            ..
        } = &self.tensors[number];
        let mut used = false;
        let mut place = |name: &str| {
            let name = self.local(&format!("{prefix}{name}"));
            if body.contain(&name) {
                used = true;
                quote!(#name)
            } else {
                quote!(_)
            }
        };
        let (sizes, arrays): (Vec<Field>, Vec<Field>) = fields(format, storage)
            .into_iter()
            .partition(|field| field.kind == FieldKind::Size);
        let mut places: Vec<TokenStream> = arrays.iter().map(|field| place(&field.name)).collect();
        places.push(place("values"));
        let arrays = used.then(|| quote!(let (#(#places,)*) = #tensor.__arrays();));
        let local = |level: usize| Some(self.names.local(variables.name(numbers[level]?)));
        let sizes = sizes.iter().filter_map(|size| {
            let (local, accessor) = (local(size.level)?, self.names.public(&size.name));
            body.contain(&local).then(|| quote!(let #local = #tensor.#accessor();))
        });
        let given = storage.given().enumerate().filter_map(|(at, level)| {
            let (local, at) = (local(level)?, count(at));
            let integer = if format.levels[level].interval.is_nonnegative() {
                quote!(usize)
            } else {
                quote!(isize)
            };
            body.contain(&local)
                .then(|| quote!(let #local = #tensor.prefix()[#at] as #integer;))
        });
        quote!(#(#sizes)* #(#given)* #arrays)
    }
}

/// Returns the names that printed loops define, which variables of the loops must not have, and the names that only
/// elements may have.
pub(crate) fn reserved(arrays: &NestArrays<'_>) -> (Vec<String>, Vec<String>) {
    let prefixes = || arrays.tensors.iter().map(|of| &of.prefix);
    let named = || {
        arrays
            .operands
            .iter()
            .cloned()
            .chain(prefixes().map(|prefix| format!("{prefix}values")))
    };
    let elements = named().map(|name| format!("{name}_item"));
    let elements = elements.chain(prefixes().map(|prefix| format!("{prefix}value")));
    let reserved = named().flat_map(|name| ["", "_cell", "_window"].map(|suffix| format!("{name}{suffix}")));
    let mut reserved: Vec<String> = reserved.collect();
    for of in &arrays.tensors {
        // The size of a level is itself a variable of the loops.
        let arrays = fields(of.format, of.storage).into_iter();
        let arrays = arrays.filter(|field| field.kind != FieldKind::Size);
        reserved.extend(arrays.map(|field| format!("{}{}", of.prefix, field.name)));
    }
    // A level with the name of a run-time function would cause an import of that function.
    let own = [
        "sum",
        "any",
        "total",
        "output",
        "fiber",
        "workspace",
        "at",
        "extents",
        "visit",
        "part",
    ];
    reserved.extend(own.into_iter().chain(RUNTIME).map(str::to_owned));
    (reserved, elements.collect())
}

/// Returns `let [i_extent, j_extent] = shape;`, with the names that `body` mentions.
pub(crate) fn bind_extents(
    extents: &[Var],
    variables: &Variables,
    names: Names,
    shape: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let extents: Vec<Ident> = extents.iter().map(|&var| names.local(variables.name(var))).collect();
    let body = Identifiers::of(body);
    if !extents.iter().any(|extent| body.contain(extent)) {
        return TokenStream::new();
    }
    let places = extents.iter().map(|extent| {
        if body.contain(extent) {
            quote!(#extent)
        } else {
            quote!(_)
        }
    });
    quote!(let [#(#places),*] = #shape;)
}

/// Returns a name for generated code that no operand has.
pub(crate) fn own_name<'a, I: Iterator<Item = &'a str>>(names: Names, name: &str, operands: impl Fn() -> I) -> Ident {
    let mut own = name.to_owned();
    while operands().any(|operand| operand == own) {
        own += "_";
    }
    names.local(&own)
}

impl NestArrays<'_> {
    fn of(&self, level: TensorLevel) -> (&TensorArrays<'_>, usize) {
        (&self.tensors[level.tensor], level.level)
    }
}

impl Arrays for NestArrays<'_> {
    fn array(&self, array: Array) -> Ident {
        match array {
            Array::Values(tensor) => self.local(&format!("{}values", self.tensors[tensor].prefix)),
            Array::Dense(operand) => self.names.local(&self.operands[operand]),
            Array::Sums => self.local("sums"),
        }
    }

    fn scalar(&self, operand: usize) -> Ident {
        self.names.local(&self.operands[operand])
    }

    fn function(&self, number: usize) -> Ident {
        self.functions[number].clone()
    }

    fn runtime(&self) -> &TokenStream {
        &self.runtime
    }

    fn indices(&self, level: TensorLevel) -> Ident {
        let (of, level) = self.of(level);
        self.local(&format!("{}{}_idx", of.prefix, of.format.levels[level].name))
    }

    fn pointers(&self, level: TensorLevel) -> Ident {
        let (of, level) = self.of(level);
        self.local(&format!("{}{}", of.prefix, pointers_name(of.format, of.storage, level)))
    }

    fn parts(&self, tensor: usize, numbers: &[Option<Var>], body: &TokenStream, variables: &Variables) -> TokenStream {
        let of = &self.tensors[tensor];
        let (part, whole) = (self.local(&format!("{}part", of.prefix)), &of.tensor);
        let bind = self.bind_of(tensor, &quote!(#part), numbers, variables, &Identifiers::of(body));
        quote!(for #part in #whole.parts() { #bind #body })
    }

    fn local(&self, name: &str) -> Ident {
        own_name(self.names, name, || self.operands.iter().map(String::as_str))
    }

    fn level(&self, level: TensorLevel) -> &str {
        let (of, level) = self.of(level);
        &of.format.levels[level].name
    }

    fn is_natural(&self, level: TensorLevel) -> bool {
        let (of, level) = self.of(level);
        of.format.levels[level].interval.is_nonnegative()
    }
}
