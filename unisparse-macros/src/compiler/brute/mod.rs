//! Tests of the compiler against brute force: random formats, their trees as specified in docs/LANGUAGE.md, and an
//! interpreter of the loops in place of a printer.

mod device;
mod formats;
mod interpreter;
mod parallel;
mod statements;
mod tests;
mod threads;
pub(super) mod tree;

use crate::compiler::algebra::Expression;
use crate::compiler::compiled::Compiled;
use crate::compiler::loops::{Var, Variables};

impl Compiled {
    fn expressions(&self) -> Vec<Expression> {
        self.format
            .levels
            .iter()
            .map(|level| level.expression.clone())
            .collect()
    }
}

/// Returns the values of the const parameters of these formats, which are the first variables of a nest.
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
