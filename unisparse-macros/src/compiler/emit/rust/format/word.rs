//! Prints how the elements of a tensor are made into words, and read from these.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::pack::Member;
use super::{Parts, cfgs};
use crate::compiler::emit::rust::print::count;
use crate::compiler::encoding::{Word, WordField};
use crate::compiler::storage::{FieldKind, is_per_value};
use crate::compiler::syntax::format::FormatDecl;

impl Parts<'_> {
    /// Returns `WORD`, `words` and `try_from_words` of a type that has the values, if its format lays them out as words.
    pub(super) fn words(&self, declaration: &FormatDecl) -> TokenStream {
        let Some(word) = &self.format.word else {
            return TokenStream::new();
        };
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
        let (cfg, layout, integer) = (cfgs(declaration), self.word(word), self.word_type(word));
        let check = self.check_value(word);
        let text = format!(
            "Returns the word of each position, in storage order. The fields: {}.",
            self.field_texts(word)
        );
        let holes = match word.filler {
            None => String::new(),
            Some(filler) => format!("\n\nA hole is `{filler:#x}`."),
        };
        let read = self.read(word, &integer, &check);
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #element + #runtime::Bits, #declared> #name<T, #given> {
                /// The layout of an element as a word.
                pub const WORD: #runtime::Word = #layout;

                #[doc = #text]
                #[doc = #holes]
                ///
                /// # Errors
                /// `Overflow` for a coordinate that does not fit its field, `Structure` for an element whose word is that of a
                /// hole. The error names the level and the position.
                pub fn words(&self) -> ::core::result::Result<::std::vec::Vec<#integer>, #runtime::Error> {
                    #check
                    #private::words::<Self, #integer, #dims, #levels>(self, &Self::WORD)
                }

                #read
            }
        }
    }

    /// Returns `try_from_words`.
    fn read(&self, word: &Word, integer: &Ident, check: &Option<TokenStream>) -> TokenStream {
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = self;
        let members = self.members();
        let names: Vec<Ident> = members.iter().map(|member| self.member(member)).collect();
        let place = |member: &Member<'_>| match member {
            Member::Level(field) if field.kind == FieldKind::Indices => {
                let place = word.fields.iter().position(|of| of.level == Some(field.level));
                place.filter(|_| is_per_value(self.storage, field.level))
            }
            Member::Values => word.fields.iter().position(|of| of.level.is_none()),
            _ => None,
        };
        let (mut others, mut types, mut reads, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (member, name) in members.iter().zip(&names) {
            let Some(at) = place(member) else {
                others.push(name);
                types.push(self.part(member));
                if let Member::Level(field) = member {
                    let level = count(field.level);
                    sizes.extend(member.is_size().then(|| quote!(sizes[#level] = #name;)));
                }
                continue;
            };
            let at = count(at);
            let read = match member {
                Member::Level(field) => {
                    let level = count(field.level);
                    quote!(#private::column(words, word, &word.fields[#at], domains[#level].lo)?)
                }
                _ => quote!(#private::values(words, word, &word.fields[#at])?),
            };
            reads.push(quote!(let #name = #read;));
        }
        let prefix = self.given_levels.map(count).into_iter();
        let prefix_name = self.given_levels.map(|_| quote!(prefix,));
        quote! {
            /// Creates a tensor from its words, and the arrays that they do not have.
            ///
            /// # Errors
            /// If these are not the words of a tensor in this format. The error names the level or the array, the position,
            /// what was found and what was expected.
            pub fn try_from_words(
                shape: [usize; #dims],
                #(prefix: [i64; #prefix],)*
                #(#others: #types,)*
                words: &[#integer],
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #check
                let (word, mut sizes) = (&Self::WORD, [0; #levels]);
                #(#sizes)*
                let domains = <Self as #private::Tree<#dims, #levels>>::domains(shape, &sizes)?;
                #(#reads)*
                let tensor = Self::try_from_parts(shape, #prefix_name #(#names,)*)?;
                #private::check_words::<Self, #dims, #levels>(&tensor, word, words)?;
                ::core::result::Result::Ok(tensor)
            }
        }
    }

    /// Returns the trait of a partitioned tensor, of which this is the part. `whole` is its type without arguments.
    pub(super) fn word_parts(&self, declaration: &FormatDecl, whole: &Ident) -> TokenStream {
        let Some(word) = &self.format.word else {
            return TokenStream::new();
        };
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
        let (cfg, check) = (cfgs(declaration), self.check_value(word));
        let tree = quote!(<#name<T, #given> as #private::Tree<#dims, #levels>>);
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            impl<T: #element + #runtime::Bits, #declared> #runtime::WordParts<#dims> for #whole<T, #given> {
                const WORD: #runtime::Word = #name::<T, #given>::WORD;

                fn levels() -> ::std::vec::Vec<#private::Level> {
                    #tree::LEVELS.to_vec()
                }

                fn size(shape: [usize; #dims], level: usize) -> ::core::option::Option<usize> {
                    let domains = #tree::domains(shape, &[0; #levels]).ok()?;
                    let measured = #tree::LEVELS.get(level)?.measured;
                    (!measured).then(|| domains[level].size)
                }

                fn decode(shape: [usize; #dims], coordinates: &[i64]) -> ::core::option::Option<[usize; #dims]> {
                    #tree::decode(shape, ::core::convert::TryInto::try_into(coordinates).ok()?)
                }

                fn count_parts(&self) -> usize {
                    self.parts.len()
                }

                fn given(&self, part: usize) -> ::std::vec::Vec<i64> {
                    #tree::given(&self.parts[part]).to_vec()
                }

                fn visit_words(
                    &self,
                    part: usize,
                    visit: &mut dyn ::core::ops::FnMut(&[i64], u128),
                ) -> ::core::result::Result<(), #runtime::Error> {
                    #check
                    #private::visit::<_, #dims, #levels>(&self.parts[part], &Self::WORD, |levels, word| visit(levels, word))
                }
            }
        }
    }

    /// Returns a check that values fit their field.
    fn check_value(&self, word: &Word) -> Option<TokenStream> {
        let (private, runtime) = (&self.private, &self.runtime);
        let field = word.fields.iter().find(|field| field.level.is_none())?;
        let bits = Literal::u32_unsuffixed(field.bits);
        Some(quote!(const { #private::check_value_bits(<T as #runtime::Bits>::BITS, #bits) }))
    }

    fn word_type(&self, word: &Word) -> Ident {
        format_ident!("u{}", word.bits, span = self.names.span())
    }

    fn field_name(&self, field: &WordField) -> &str {
        field.level.map_or("value", |level| &self.format.levels[level].name)
    }

    /// Returns the layout as data.
    fn word(&self, word: &Word) -> TokenStream {
        let runtime = &self.runtime;
        let fields = word.fields.iter().map(|field| {
            let (name, bits, at) = (self.field_name(field), field.bits, field.at);
            let signed = |level: usize| !self.format.levels[level].interval.is_nonnegative();
            let signed = field.level.is_some_and(signed);
            let stored = field.level.is_none_or(|level| is_per_value(self.storage, level));
            let level = match field.level.map(count) {
                None => quote!(::core::option::Option::None),
                Some(level) => quote!(::core::option::Option::Some(#level)),
            };
            quote! {
                #runtime::WordField {
                    level: #level, name: #name, bits: #bits, at: #at, signed: #signed, stored: #stored,
                }
            }
        });
        let bits = word.bits;
        let filler = match word.filler {
            None => quote!(::core::option::Option::None),
            Some(filler) => quote!(::core::option::Option::Some(#filler)),
        };
        quote!(#runtime::Word { bits: #bits, fields: &[#(#fields),*], filler: #filler })
    }

    /// Returns the fields for the documentation, the highest first.
    fn field_texts(&self, word: &Word) -> String {
        let mut fields = word.fields.clone();
        fields.sort_by_key(|field| std::cmp::Reverse(field.at));
        let text = |field: &WordField| {
            let name = self.field_name(field);
            match field.bits {
                1 => format!("`{name}` in bit {}", field.at),
                _ => format!("`{name}` in bits {} to {}", field.at, field.at + field.bits - 1),
            }
        };
        fields.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}
