//! The compiler against brute force: random formats, their trees as docs/LANGUAGE.md says, and an interpreter of the
//! loops instead of a printer.

mod formats;
mod interpreter;
mod parallel;
mod statements;
mod tests;
mod tree;

use proc_macro2::TokenStream;

use crate::compiler::affine::Expression;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::encoding::Format;
use crate::compiler::loops::{Var, Variables};
use crate::compiler::operand::Summand;
use crate::compiler::storage::{self, Storage};
use crate::compiler::syntax::format::FormatDecl;

/// A declared format and its storage.
pub(super) struct Compiled {
    pub(super) format: Format,
    pub(super) storage: Storage,
}

/// The format of a declaration, or the errors.
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

/// The format of a declaration that is known to be legal.
pub(super) fn declared(text: &str) -> Compiled {
    compile(text.parse().expect("tokens")).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

impl Compiled {
    /// What a kernel's loops run over, if an operand of this number has the format.
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

    fn expressions(&self) -> Vec<Expression> {
        self.format
            .levels
            .iter()
            .map(|level| level.expression.clone())
            .collect()
    }
}

/// The variables of the const parameters of these formats: they are the first of a nest.
fn parameters(tensors: &[(&Compiled, &[i128])]) -> Vec<(Var, i128)> {
    let mut names = Variables::default();
    let mut of_tensor = |&(compiled, values): &(&Compiled, &[i128])| {
        let parameters = compiled.format.parameters.iter().zip(values);
        parameters
            .map(|(parameter, &value)| (names.parameter(&parameter.name), value))
            .collect::<Vec<_>>()
    };
    tensors.iter().flat_map(&mut of_tensor).collect()
}
