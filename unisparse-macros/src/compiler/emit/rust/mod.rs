//! The Rust code to which the macros expand.

pub(crate) mod access;
pub(crate) mod algebra;
pub(crate) mod convert;
pub(crate) mod docs;
pub(crate) mod format;
pub(crate) mod hybrid;
pub(crate) mod kernel;
mod lookup;
mod operators;
pub(crate) mod print;
mod serial;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Whether there is a run time for devices. Snapshots are of code for processors.
pub(crate) const HAS_DEVICE: bool = cfg!(all(feature = "cuda", not(test)));

/// Whether the run time implements the traits of `serde`. Snapshots are of code without them.
const HAS_SERDE: bool = cfg!(all(feature = "serde", not(test)));

/// Whether there is a run time for high-level synthesis.
pub(crate) const HAS_HARDWARE: bool = cfg!(all(feature = "hls", not(test)));

/// Creates identifiers of generated code, which are hygienic and point to a place in the user's code.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    at: Span,
}

impl Names {
    pub(crate) fn new(at: Span) -> Self {
        Names { at }
    }

    /// Returns the place to which identifiers point.
    pub(crate) fn span(self) -> Span {
        self.at
    }

    /// Returns a name that only generated code can use: it neither captures the user's names nor is captured by them.
    pub(crate) fn local(self, name: &str) -> Ident {
        ident(name, Span::mixed_site().located_at(self.at))
    }

    /// Returns a name that the user's code can use.
    pub(crate) fn public(self, name: &str) -> Ident {
        ident(name, self.at)
    }
}

/// Returns the trait of stored elements, which has a zero for holes if `holes`.
pub(crate) fn stored(holes: bool, runtime: &TokenStream) -> TokenStream {
    if holes {
        quote!(#runtime::Padding)
    } else {
        quote!(#runtime::Stored)
    }
}

/// The words that `syn` does not parse as identifiers, sorted. To parse each name instead took a sixth of an expansion.
#[rustfmt::skip]
const KEYWORDS: [&str; 51] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut",
    "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Returns an identifier, which is raw if the name is a keyword, or is written as a raw identifier.
fn ident(name: &str, span: Span) -> Ident {
    let keyword = KEYWORDS.binary_search(&name).is_ok().then_some(name);
    match name.strip_prefix("r#").or(keyword) {
        Some(raw) => Ident::new_raw(raw, span),
        None => Ident::new(name, span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_what_syn_refuses() {
        assert!(KEYWORDS.is_sorted());
        for keyword in KEYWORDS {
            assert!(syn::parse_str::<Ident>(keyword).is_err(), "{keyword}");
        }
        // Keywords of some places only, and names that begin with a keyword.
        for name in [
            "union", "default", "auto", "raw", "safe", "gen", "dynamic", "r", "self_",
        ] {
            assert!(syn::parse_str::<Ident>(name).is_ok(), "{name}");
            assert_eq!(ident(name, Span::call_site()).to_string(), name);
        }
        for name in ["type", "r#type"] {
            assert_eq!(ident(name, Span::call_site()).to_string(), "r#type");
        }
    }
}
