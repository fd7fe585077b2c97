//! Parses `#[target(cuda, hls)]`, which requests kernels of a device and for high-level synthesis.

use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Token};

/// Divides the attributes of a statement into those of Rust and the targets.
pub(super) fn split(attributes: Vec<Attribute>) -> (Vec<Attribute>, Vec<Attribute>) {
    attributes
        .into_iter()
        .partition(|attribute| !attribute.path().is_ident("target"))
}

/// Checks that the targets are devices for which kernels are printed.
pub(super) fn check(targets: &[Attribute]) -> syn::Result<()> {
    for target in targets {
        const HELP: &str = "help: write `#[target(cuda)]` or `#[target(hls)]`";
        let names = target
            .parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated)
            .map_err(|_| syn::Error::new_spanned(target, format!("expected the name of a target\n{HELP}")))?;
        if names.is_empty() {
            return Err(syn::Error::new_spanned(
                target,
                format!("expected the name of a target\n{HELP}"),
            ));
        }
        if let Some(other) = names.iter().find(|name| *name != "cuda" && *name != "hls") {
            return Err(syn::Error::new_spanned(
                other,
                format!("unknown target `{other}`\n{HELP}"),
            ));
        }
    }
    Ok(())
}

/// Whether a target is requested.
pub(super) fn has(targets: &[Attribute], name: &str) -> bool {
    targets.iter().any(|target| {
        let names = target.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated);
        names.is_ok_and(|names| names.iter().any(|written| written == name))
    })
}
