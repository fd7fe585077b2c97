//! Prints the traversal of a format's elements, and its assembly from the elements of any source.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::assembly::Assembly;
use super::values::keeps_place;
use super::{Parts, cfgs};
use crate::compiler::emit::rust::access::{NestArrays, bind_extents, reserved};
use crate::compiler::emit::rust::docs;
use crate::compiler::emit::rust::lookup::{Head, Reading};
use crate::compiler::emit::rust::print::{Printer, import};
use crate::compiler::loops::{
    Array, Arrays, Expr, Stmt, Value, Var, Variables, numbered, piece, prefetch, skip_empty, slices, tighten,
};
use crate::compiler::storage::{FieldKind, Storage};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::traversal::{Context, traverse};

/// The names of the ends of a piece.
const FROM: &str = "from";
const TO: &str = "to";

impl Parts<'_> {
    /// Returns the implementation of the traversal.
    pub(super) fn source(&self, declaration: &FormatDecl) -> TokenStream {
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
        let (for_each, visit) = (self.for_each(), self.names.local("visit"));
        let (from, to) = (self.names.local(FROM), self.names.local(TO));
        let encoding = self.encoding(declaration);
        let arrays = self.lent_and_given();
        let same_prefix = self.given_levels.map(|_| quote!(self.prefix == other.prefix &&));
        quote! {
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
                fn for_each(&self, visit: impl ::core::ops::FnMut([usize; #dims], T)) {
                    #runtime::Source::for_each_between(self, 0..#private::roots::<Self, #dims, #levels>(self), visit);
                }

                fn count_coordinates(&self, dim: usize, shift: u32, counts: &mut [u32]) -> bool {
                    #private::count_coordinates::<Self, #dims, #levels>(self, dim, shift, counts)
                }

                fn borders(&self, pieces: usize) -> ::std::vec::Vec<usize> {
                    #private::borders::<Self, #dims, #levels>(self, pieces)
                }

                #[inline]
                fn for_each_between(
                    &self,
                    ::core::ops::Range { start: #from, end: #to }: ::core::ops::Range<usize>,
                    mut #visit: impl ::core::ops::FnMut([usize; #dims], T),
                ) {
                    #for_each
                }

                #arrays
            }

            #cfg
            #[automatically_derived]
            impl<T: #element, #declared> ::core::cmp::PartialEq for #name<T, #given> {
                /// Whether both have the same shape and elements.
                fn eq(&self, other: &Self) -> bool {
                    #same_prefix #private::equal::<Self, #dims, #levels>(self, other)
                }
            }
        }
    }

    /// Returns the assembly and its estimate. `paddings` and `tallied` account for the padding of tuples in them.
    pub(super) fn tensor(
        &self,
        declaration: &FormatDecl,
        paddings: &TokenStream,
        tallied: &TokenStream,
    ) -> TokenStream {
        let (private, dims, levels) = (&self.private, &self.dims, &self.levels);
        let within = quote!(#private::Within::<Self, #dims, #levels>::new);
        let reading = Reading {
            values: match self.packed_values() {
                None => quote!(self.values.iter().copied()),
                Some(_) => quote!(Self::values(self)),
            },
            within: quote!(#within(self, ranges, false).elements()),
            positions: quote!(#within(self, ranges, holes)),
            visit: self.visited(&quote!(self), &quote!(visit)),
        };
        let Assembly { methods, body } = self.assembly(paddings);
        let cfg = cfgs(declaration);
        let methods = (!methods.is_empty()).then(|| quote!(#cfg #methods));
        let (try_mutation, assemble_from) = self.assembly_from_arrays();
        let tensor = self.tensor_of(
            declaration,
            &self.name,
            &reading,
            &self.tally(tallied),
            &quote!(#try_mutation #body),
            &assemble_from,
        );
        let mutated = self.mutated(declaration, paddings);
        let (name, given) = (&self.name, &self.given);
        let this = quote!(#name<T, #given>);
        let iterator = quote!(#private::Elements<'__tensor, #this, #dims, #levels>);
        let elements = quote!(#private::Elements::new(self));
        let read = self.head(&cfg, &this).iteration_and_text(&iterator, &elements);
        quote!(#methods #tensor #mutated #read)
    }

    /// Returns the implementations of `+`, `-` and `*`.
    pub(super) fn operators(&self, declaration: &FormatDecl) -> TokenStream {
        let (name, given) = (&self.name, &self.given);
        let this = quote!(#name<T, #given>);
        let is_matrix = self.format.dims.len() == 2;
        self.head(&cfgs(declaration), &this).operators(&self.runtime, is_matrix)
    }

    /// Returns the tokens of implementations for the type `this`.
    pub(super) fn head<'a>(&'a self, attributes: &'a TokenStream, this: &'a TokenStream) -> Head<'a> {
        Head {
            attributes,
            element: &self.element,
            declared: &self.declared,
            this,
            private: &self.private,
            dims: &self.dims,
        }
    }

    /// Returns code that passes all values of `tensor` to `visit`.
    pub(super) fn visited(&self, tensor: &TokenStream, visit: &TokenStream) -> TokenStream {
        match self.packed_values() {
            None => quote!(#tensor.values.iter_mut().for_each(#visit);),
            Some(tuples) => {
                let entries = self.tuples_name(tuples);
                quote!(#tensor.#entries.for_each_value::<T>(#visit);)
            }
        }
    }

    /// Returns the `SparseTensor` implementation of the format `name`, with its assembly from a source. For a consumed source,
    /// `assemble_from` may be a different assembly.
    pub(super) fn tensor_of(
        &self,
        declaration: &FormatDecl,
        name: &Ident,
        reading: &Reading,
        profiles: &TokenStream,
        assemble: &TokenStream,
        assemble_from: &TokenStream,
    ) -> TokenStream {
        let Parts {
            element,
            runtime,
            private,
            declared,
            given,
            dims,
            ..
        } = self;
        let (cfg, format_name) = (cfgs(declaration), &self.format.name);
        let coordinate = coordinate(&[&self.stored.joined()]);
        let reading = reading.print(dims);
        let keeps_place = keeps_place(self.format, self.names, private);
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            impl<T: #element, #declared> #runtime::SparseTensor<#dims> for #name<T, #given> {
                const NAME: &'static str = #format_name;
                type Coordinate = #coordinate;

                fn describe() -> #runtime::Describe {
                    Self::describe()
                }

                fn nnz(&self) -> usize {
                    Self::nnz(self)
                }

                fn stored(&self) -> usize {
                    Self::stored(self)
                }

                fn bytes(&self) -> usize {
                    Self::bytes(self)
                }

                #reading

                #keeps_place

                fn profiles_of<__Source: #runtime::Source<#dims, Scalar = T>>(
                    source: &__Source,
                    counting: &#private::Counting,
                ) -> ::core::result::Result<::std::vec::Vec<#private::Profile>, #runtime::Error> {
                    #profiles
                }

                fn assemble<__Source: #runtime::Source<#dims, Scalar = T>>(
                    source: &__Source,
                    limit: #runtime::Limit,
                ) -> ::core::result::Result<Self, #runtime::Error> {
                    let _conversion = #private::conversion(#format_name);
                    #assemble
                }

                #assemble_from
            }
        }
    }

    /// Returns the body of `describe`, with the level table `levels`.
    pub(super) fn describe(&self, levels: &TokenStream) -> TokenStream {
        let (private, called, text) = (&self.private, self.title_name(), &self.format.text);
        let parameters = if self.format.parameters.is_empty() {
            quote!(::std::string::String::new())
        } else {
            let parts: Vec<String> = self
                .format
                .parameters
                .iter()
                .map(|parameter| format!("{}={{}}", parameter.name))
                .collect();
            let template = format!("<{}>", parts.join(", "));
            let given = self
                .format
                .parameters
                .iter()
                .map(|parameter| self.names.public(&parameter.name));
            quote!(::std::format!(#template, #(#given),*))
        };
        let picture = docs::picture(self.picture.as_ref(), private);
        quote!(#private::Describe::new(#called, #text, #parameters, &#levels)#picture)
    }

    /// Returns the count of the nodes, followed by `tallied`.
    fn tally(&self, tallied: &TokenStream) -> TokenStream {
        let (private, dims, levels) = (&self.private, &self.dims, &self.levels);
        let tally = quote!(#private::Tally::<Self, #dims, #levels>);
        let tally = if self.format.queries.is_empty() {
            quote!(#tally::new(source, counting)?)
        } else {
            quote!(#tally::with_queries(source, counting, Self::__evaluate)?)
        };
        quote!(::core::result::Result::Ok(#tally #tallied .profiles()))
    }

    /// Returns the field of a level with this kind.
    pub(super) fn name_of(&self, level: usize, kind: FieldKind) -> Option<Ident> {
        let field = self
            .fields
            .iter()
            .find(|field| field.level == level && field.kind == kind);
        field.map(|field| self.field(field))
    }

    /// Returns the visit of the elements below the positions `from..to` of the outermost loop.
    fn for_each(&self) -> TokenStream {
        let mut variables = Variables::default();
        let arrays = NestArrays::of_self(self.format, self.storage, self.names, self.runtime.clone());
        let (reserved, _) = reserved(&arrays);
        variables.avoid(&reserved, &[]);
        let [from, to] = [FROM, TO].map(|name| Expr::Var(variables.fresh(name, true)));
        let context = Context::declare(self.format, self.storage, &mut variables);
        let holes = self.storage.holes;
        let nest = traverse(self.format, self.storage, &context, &mut variables, |element, _| {
            vec![Stmt::Visit {
                coordinate: element.coordinate,
                value: Value::Load(Array::Values(0), element.position),
                holes,
            }]
        });
        let nest = tighten(piece(nest, &from, &to), &variables);
        let nest = prefetch(numbered(skip_empty(nest, &variables)), &variables);
        let nest = slices(nest, &mut variables, &OfSelf(self.storage));
        let numbers = [context.numbers];
        let body = Printer::new(self.names, &arrays, &numbers, &mut variables).print(&nest);
        let extents = bind_extents(&context.extents, &variables, self.names, &quote!(self.shape), &body);
        let bind = arrays.bind(&numbers, &variables, &body);
        let import = import(self.names, &self.private, &body);
        quote!(#import #extents #bind #body)
    }
}

/// The arrays of a traversal: only the values of one tensor.
struct OfSelf<'a>(&'a Storage);

impl Arrays for OfSelf<'_> {
    fn element(&self, _: Array) -> String {
        "value".to_owned()
    }

    fn holds(&self, _: Array, _: Var, _: &Variables) -> bool {
        false
    }

    fn is_packed(&self, _: usize) -> bool {
        self.0.packs_values()
    }
}

/// Returns the integer type in which kernels collect the coordinates of a result with these storages.
pub(crate) fn coordinate(storages: &[&Storage]) -> TokenStream {
    if storages.iter().any(|storage| storage.is_wide()) {
        quote!(u64)
    } else {
        quote!(u32)
    }
}
