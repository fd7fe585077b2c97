//! Formats and kernels that tests compile: declarations as text, and the stock formats.

use std::path::PathBuf;

use proc_macro2::{TokenStream, TokenTree};

use super::diagnostics::Diagnostics;
use super::encoding::Format;
use super::kernel::{self, Kernel};
use super::operand::Summand;
use super::storage::{self, Storage};
use super::syntax;
use super::syntax::format::FormatDecl;
use super::syntax::kernel::KernelDecl;

/// A declared format with its storage.
pub(super) struct Compiled {
    pub(super) format: Format,
    pub(super) storage: Storage,
}

/// Returns the format of a declaration, or its errors.
pub(super) fn compile(tokens: TokenStream) -> Result<Compiled, String> {
    let declaration: FormatDecl = syn::parse2(tokens).map_err(|error| error.to_string())?;
    let mut errors = Diagnostics::default();
    let stored = storage::check(&declaration, &mut errors);
    let stored = stored.ok_or_else(|| errors.into_tokens().to_string())?;
    Ok(Compiled {
        format: stored.format,
        storage: stored.whole,
    })
}

/// Returns the format of a valid declaration.
pub(super) fn declared(text: &str) -> Compiled {
    compile(text.parse().expect("tokens")).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

/// Returns the kernel of a declaration, such as `fn sum: s = A[i] where A: _;`, or its errors.
pub(super) fn check(text: &str) -> Result<Kernel, String> {
    let declaration: KernelDecl = syn::parse_str(text).map_err(|error| format!("{text}: {error}"))?;
    let mut errors = Diagnostics::default();
    kernel::check(&declaration, &mut errors).ok_or_else(|| format!("{text}: {}", errors.into_tokens()))
}

/// Returns the kernel of a valid declaration.
pub(super) fn checked(text: &str) -> Kernel {
    check(text).unwrap_or_else(|errors| panic!("{errors}"))
}

impl Compiled {
    /// Returns the tensor over which a kernel's loops run, for an operand with this number and format.
    pub(super) fn summand(&self, operand: usize) -> Summand<'_> {
        Summand {
            operand,
            part: None,
            read: None,
            format: &self.format,
            storage: &self.storage,
            is_cut: false,
        }
    }
}

/// Returns the declarations in the facade's `formats.rs`.
pub(super) fn stock_declarations() -> Vec<TokenStream> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../src/formats.rs");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tokens: TokenStream = text.parse().expect("Rust");
    let bodies = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    bodies
        .flat_map(syntax::format::split)
        .filter(|item| !syntax::format::is_hybrid(item))
        .collect()
}

/// Returns the stock formats with their names.
pub(super) fn stock_formats() -> Vec<(String, Compiled)> {
    let formats = stock_declarations().into_iter().map(|tokens| {
        let compiled = compile(tokens).unwrap_or_else(|errors| panic!("{errors}"));
        (compiled.format.name.clone(), compiled)
    });
    formats.collect()
}

/// Returns the stock format of this name.
pub(super) fn stock(name: &str) -> Compiled {
    let found = stock_formats().into_iter().find(|(stock, _)| stock == name);
    found.unwrap_or_else(|| panic!("{name} is no stock format")).1
}
