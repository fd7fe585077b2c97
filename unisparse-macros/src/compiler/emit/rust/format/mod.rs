//! Prints a format as Rust: its struct, its constructors and accessors, its tree, its assembly and traversal.

mod assembly;
mod encoding;
pub(crate) mod methods;
mod mutation;
mod pack;
mod partition;
pub(crate) mod queries;
mod source;
mod tree;
mod upload;
pub(crate) mod values;
mod word;

use std::iter;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Attribute, Visibility};

use pack::Member;
pub(crate) use source::coordinate;
pub(super) use upload::{summands, upload};

use super::print::count;
use super::serial::{self, Serial};
use super::{Names, docs};
use crate::compiler::encoding::{Format, part_name};
use crate::compiler::example::Picture;
use crate::compiler::storage::{Field, FieldKind, Storage, Stored, fields};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::transport::Runtime;

/// The tokens that all sections of an expansion share.
struct Parts<'a> {
    stored: &'a Stored,
    format: &'a Format,
    /// The storage of the printed type: the whole tensor, one part, or the whole tensor before it is cut.
    storage: &'a Storage,
    fields: Vec<Field>,
    /// The example in the documentation.
    picture: Option<Picture>,
    names: Names,
    /// The run time's root, such as `::unisparse`.
    runtime: TokenStream,
    /// The path `::unisparse::__private`.
    private: TokenStream,
    /// The trait of the values: `::unisparse::Stored`, or `::unisparse::Padding` if there are holes.
    element: TokenStream,
    name: Ident,
    /// The number of coordinates that a part of a tensor is given; `None` for a tensor.
    given_levels: Option<usize>,
    /// The declared parameters: `const R: usize,` for each.
    declared: TokenStream,
    /// The arguments: `R,` for each parameter.
    given: TokenStream,
    dims: Literal,
    levels: Literal,
}

/// Returns the struct of a format and all of its implementations except kernels.
pub(crate) fn format(declaration: &FormatDecl, stored: &Stored, runtime: &Runtime) -> TokenStream {
    if let Some(cut) = &stored.cut {
        return partition::print(declaration, stored, cut, runtime);
    }
    let (format, storage) = (&stored.format, &stored.whole);
    let mut parts = Parts::new(declaration, stored, storage, runtime);
    parts.picture = Picture::new(format, storage);
    let (attributes, visibility) = (&declaration.attributes, &declaration.visibility);
    let text = docs::format(format, storage, parts.picture.as_ref());
    let definition = parts.definition(
        declaration,
        &quote!(#(#attributes)* #[doc = ""] #[doc = #text]),
        visibility,
    );
    let (methods, tree) = (parts.methods(declaration), parts.tree(declaration));
    let (source, tensor) = (
        parts.source(declaration),
        parts.tensor(declaration, &parts.paddings(), &parts.tallied()),
    );
    let (upload, operators) = (parts.upload(declaration), parts.operators(declaration));
    let (serial, words) = (parts.serial(declaration), parts.words(declaration));
    quote!(#definition #methods #tree #source #tensor #operators #upload #serial #words)
}

impl<'a> Parts<'a> {
    fn new(declaration: &FormatDecl, stored: &'a Stored, storage: &'a Storage, runtime: &Runtime) -> Self {
        let format = &stored.format;
        let names = Names::new(declaration.name.span());
        let runtime = runtime.at(names.span());
        let parameters: Vec<Ident> = declaration
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect();
        Parts {
            stored,
            format,
            storage,
            fields: fields(format, storage),
            picture: None,
            names,
            private: quote!(#runtime::__private),
            element: super::stored(storage.holes, &runtime),
            runtime,
            name: declaration.name.clone(),
            given_levels: None,
            declared: quote!(#(const #parameters: usize,)*),
            given: quote!(#(#parameters,)*),
            dims: count(format.dims.len()),
            levels: count(format.levels.len()),
        }
    }

    /// Returns the traits of `serde`.
    fn serial(&self, declaration: &FormatDecl) -> TokenStream {
        let prefix = self.given_levels.map(|_| "prefix");
        let fixed = iter::once("shape").chain(prefix);
        let items = fixed.map(|name| serial::Member::Item(self.names.public(name)));
        let members = self.members();
        self.serial_of(
            declaration,
            &self.name,
            items.chain(self.serial_members(&members)).collect(),
        )
    }

    /// Returns how fields are written.
    fn serial_members(&self, members: &[Member<'_>]) -> Vec<serial::Member> {
        let written = members.iter().map(|member| match (self.member(member), member) {
            (name, member) if member.is_size() => serial::Member::Item(name),
            (name, Member::TupleArray(tuples)) if tuples.values || tuples.levels.len() > 1 => {
                serial::Member::Tuples(name)
            }
            (name, _) => serial::Member::Items(name),
        });
        written.collect()
    }

    /// Returns the traits of `serde` of a type with these members.
    fn serial_of(&self, declaration: &FormatDecl, name: &Ident, members: Vec<serial::Member>) -> TokenStream {
        let parameters = declaration.parameters.iter();
        let serial = Serial {
            runtime: &self.runtime,
            cfg: &cfgs(declaration),
            name,
            element: &self.element,
            declared: &self.declared,
            given: parameters.map(|parameter| parameter.name.clone()).collect(),
            members,
        };
        serial.implementations()
    }

    fn integer(&self, field: &Field) -> Ident {
        self.names.public(&field.integer.name())
    }

    fn field(&self, field: &Field) -> Ident {
        self.names.public(&field.name)
    }

    /// Returns the fields that are arrays.
    fn array_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.kind != FieldKind::Size)
    }

    /// Returns the type of a field: `Pointers<u32>`, `Indices<u32>`, or `usize` for a size.
    fn array_type(&self, field: &Field) -> TokenStream {
        let (private, integer) = (&self.private, self.integer(field));
        match field.kind {
            FieldKind::Pointers => quote!(#private::Pointers<#integer>),
            FieldKind::Indices => quote!(#private::Indices<#integer>),
            FieldKind::Size => quote!(usize),
        }
    }

    /// Returns the name of the type for users.
    fn title_name(&self) -> String {
        match self.given_levels {
            None => self.format.name.clone(),
            Some(_) => part_name(&self.format.name),
        }
    }

    fn definition(&self, declaration: &FormatDecl, attributes: &TokenStream, visibility: &Visibility) -> TokenStream {
        let (name, dims, parameters) = (&self.name, &self.dims, declaration.parameters.iter());
        let members = self.members();
        let debug = self.debug(declaration, &members, &TokenStream::new());
        let names = members.iter().map(|member| self.member(member));
        let types = members.iter().map(|member| self.member_type(member));
        let prefix = self.given_levels.map(count).into_iter();
        quote! {
            #attributes
            #[derive(::core::clone::Clone)]
            #[allow(non_snake_case)]
            #visibility struct #name<T, #(#parameters)*> {
                shape: [usize; #dims],
                #(prefix: [i64; #prefix],)*
                #(#names: #types,)*
            }

            #debug
        }
    }

    /// Returns the implementation of `Debug`, which shows the first entries of each array. `more` shows further fields.
    fn debug(&self, declaration: &FormatDecl, members: &[Member<'_>], more: &TokenStream) -> TokenStream {
        let Parts {
            private,
            name,
            declared,
            given,
            ..
        } = self;
        let (cfg, title) = (cfgs(declaration), self.title_name());
        let prefix = self.given_levels.map(|_| quote!(.field("prefix", &self.prefix)));
        let fields = members.iter().map(|member| {
            let field = self.member(member);
            let text = field.unraw().to_string();
            let shown = match member {
                Member::Values => quote!(#private::First(&self.#field)),
                Member::Level(_) | Member::TupleArray(_) => quote!(self.#field),
            };
            quote!(.field(#text, &#shown))
        });
        quote! {
            #cfg
            #[automatically_derived]
            impl<T: ::core::fmt::Debug, #declared> ::core::fmt::Debug for #name<T, #given> {
                fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    formatter.debug_struct(#title).field("shape", &self.shape) #prefix #(#fields)* #more .finish()
                }
            }
        }
    }
}

/// Returns the `#[cfg]`s of a declaration, which all items made from it repeat.
pub(crate) fn cfgs(declaration: &FormatDecl) -> TokenStream {
    cfgs_in(&declaration.attributes)
}

/// Returns the `#[cfg]`s among these attributes.
pub(crate) fn cfgs_in(attributes: &[Attribute]) -> TokenStream {
    let cfgs = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote!(#(#cfgs)*)
}
