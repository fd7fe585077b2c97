//! The request of a kernel for the declarations of its sparse operands' formats.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path, Token, braced};

use crate::compiler::kernel::Kernel;
use crate::compiler::syntax::kernel::{KernelDecl, SparseOperand};
use crate::compiler::transport::{self, Runtime};

/// The macro that is called with the requested declarations.
pub(super) const RESUME: &str = "__sparse_kernel_resume";

/// A kernel with formats of its sparse operands.
pub(super) struct Request {
    /// The path of the kernel.
    pub(super) path: Path,
    /// The crate that declares the kernel; empty if unknown.
    pub(super) origin: String,
    pub(super) listed: Vec<SparseOperand>,
    pub(super) declaration: KernelDecl,
}

impl Request {
    /// Requests the declarations of the formats: one request per format that implements the kernel's trait, with all
    /// formats of the other operands.
    pub(super) fn send(&self, kernel: &Kernel, cfg: &TokenStream, runtime: &Runtime) -> TokenStream {
        let ordered = kernel.sparse().filter_map(|number| {
            let name = &kernel.operands[number].name;
            self.listed.iter().find(|operand| operand.name == name)
        });
        let ordered: Vec<&SparseOperand> = ordered.collect();
        let Some((implementor, others)) = ordered.split_first() else {
            return TokenStream::new();
        };
        // Without formats, an operand has no combinations yet: formats join later. A result can be in any format.
        let is_output = |operand: &SparseOperand| operand.name == kernel.operands[0].name;
        if others
            .iter()
            .any(|operand| operand.formats.is_empty() && !is_output(operand))
        {
            return TokenStream::new();
        }
        let (path, origin, tokens) = (&self.path, &self.origin, &self.declaration.tokens);
        // One implementation for every format has the loops of all that are listed.
        let at_once = if implementor.every.is_some() {
            implementor.formats.len()
        } else {
            1
        };
        let requests = implementor.formats.chunks(at_once.max(1)).map(|formats| {
            let one = SparseOperand {
                formats: formats.to_vec(),
                ..(*implementor).clone()
            };
            let request = quote!({#path} {#origin} {#one #(, #others)*} {#tokens;});
            let operands = std::iter::once(&one).chain(others.iter().copied());
            let request = transport::request(&distinct(operands), runtime, RESUME, &request);
            quote!(#cfg #request)
        });
        requests.collect()
    }
}

impl Parse for Request {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (path, origin, listed, declaration);
        braced!(path in input);
        braced!(origin in input);
        braced!(listed in input);
        braced!(declaration in input);
        let operands = listed.parse_terminated(SparseOperand::parse, Token![,])?;
        Ok(Request {
            path: path.call(Path::parse_mod_style)?,
            origin: origin.parse::<LitStr>()?.value(),
            listed: operands.into_iter().collect(),
            declaration: declaration.parse()?,
        })
    }
}

/// Returns the distinct paths of all formats.
pub(super) fn distinct<'a>(operands: impl Iterator<Item = &'a SparseOperand>) -> Vec<Path> {
    let mut paths: Vec<Path> = Vec::new();
    for format in operands.flat_map(|operand| &operand.formats) {
        if !paths.iter().any(|path| text(path) == text(&format.path)) {
            paths.push(format.path.clone());
        }
    }
    paths
}

pub(super) fn text(path: &Path) -> String {
    path.to_token_stream().to_string()
}
