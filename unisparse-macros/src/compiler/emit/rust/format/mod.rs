//! A format as Rust: its struct, its constructors and accessors, its tree, its assembly and traversal.

mod methods;
mod pack;
pub(crate) mod queries;
mod source;
mod tree;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::Attribute;

use super::access::{Field, FieldKind, fields};
use super::print::count;
use super::{Names, docs};
use crate::compiler::encoding::Format;
use crate::compiler::picture::Picture;
use crate::compiler::runtime::Runtime;
use crate::compiler::storage::Storage;
use crate::compiler::syntax::format::FormatDecl;

/// The pieces that every part of an expansion names.
struct Parts<'a> {
    format: &'a Format,
    storage: &'a Storage,
    fields: Vec<Field>,
    /// The example in its documentation.
    picture: Option<Picture>,
    names: Names,
    /// `::unisparse`
    runtime: TokenStream,
    /// `::unisparse::__private`
    private: TokenStream,
    name: Ident,
    /// `const R: usize,` for each parameter.
    declared: TokenStream,
    /// `R,` for each parameter.
    given: TokenStream,
    dims: Literal,
    levels: Literal,
}

/// The struct of a format and everything implemented for it, except kernels.
pub(crate) fn format(declaration: &FormatDecl, format: &Format, storage: &Storage, runtime: &Runtime) -> TokenStream {
    let names = Names::new(declaration.name.span());
    let runtime = runtime.at(names.span());
    let private = quote!(#runtime::__private);
    let parameters: Vec<Ident> = declaration
        .parameters
        .iter()
        .map(|parameter| parameter.name.clone())
        .collect();
    let parts = Parts {
        format,
        storage,
        fields: fields(format, storage),
        picture: Picture::new(format, storage),
        names,
        runtime,
        private,
        name: declaration.name.clone(),
        declared: quote!(#(const #parameters: usize,)*),
        given: quote!(#(#parameters,)*),
        dims: count(format.dims.len()),
        levels: count(format.levels.len()),
    };
    let definition = parts.definition(declaration);
    let methods = parts.methods(declaration);
    let tree = parts.tree(declaration);
    let source = parts.source(declaration);
    quote!(#definition #methods #tree #source)
}

impl Parts<'_> {
    fn integer(&self, field: &Field) -> Ident {
        self.names.public(&field.integer.name())
    }

    fn field(&self, field: &Field) -> Ident {
        self.names.public(&field.name)
    }

    /// The fields that are arrays.
    fn array_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.kind != FieldKind::Size)
    }

    /// `Pointers<u32>` or `Indices<u32>`, or a plain number.
    fn array_type(&self, field: &Field) -> TokenStream {
        let (private, integer) = (&self.private, self.integer(field));
        match field.kind {
            FieldKind::Pointers => quote!(#private::Pointers<#integer>),
            FieldKind::Indices => quote!(#private::Indices<#integer>),
            FieldKind::Size => quote!(usize),
        }
    }

    fn definition(&self, declaration: &FormatDecl) -> TokenStream {
        let (attributes, visibility, name, dims) =
            (&declaration.attributes, &declaration.visibility, &self.name, &self.dims);
        let text = docs::format(self.format, self.storage, self.picture.as_ref());
        let parameters = declaration.parameters.iter();
        let members = self.members();
        let names = members.iter().map(|member| self.member(member));
        let types = members.iter().map(|member| self.member_type(member));
        quote! {
            #(#attributes)*
            #[doc = ""]
            #[doc = #text]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #[allow(non_snake_case)]
            #visibility struct #name<T, #(#parameters)*> {
                shape: [usize; #dims],
                #(#names: #types,)*
            }
        }
    }
}

/// The `#[cfg]`s of a declaration, which everything made from it repeats.
pub(crate) fn cfgs(declaration: &FormatDecl) -> TokenStream {
    cfgs_in(&declaration.attributes)
}

/// The `#[cfg]`s among these attributes.
pub(crate) fn cfgs_in(attributes: &[Attribute]) -> TokenStream {
    let cfgs = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote!(#(#cfgs)*)
}
