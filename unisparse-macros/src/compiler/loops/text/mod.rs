//! Prints loops as pseudo-code for `kernel_text!`, the documentation of kernels, and snapshot tests.

mod names;
mod statements;
mod values;

use std::fmt;

use super::{Reduction, Stmt, Var, Variables};
pub(crate) use names::{ArrayName, LevelNames, Names, OperandNames, TensorNames};

/// A nest of loops, printed with two spaces per level.
pub(crate) struct Text<'a> {
    pub(crate) block: &'a [Stmt],
    pub(crate) variables: &'a Variables,
    pub(crate) names: &'a Names,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer {
            names: self.names,
            variables: self.variables.clone(),
            text: String::new(),
            depth: 0,
            reductions: Vec::new(),
            workspaces: Vec::new(),
            items: Vec::new(),
            parallel: None,
        };
        printer.block(self.block);
        f.write_str(&printer.text)
    }
}

struct Printer<'a> {
    names: &'a Names,
    variables: Variables,
    text: String,
    depth: usize,
    /// The reductions of the enclosing sums.
    reductions: Vec<Reduction>,
    /// The extents of the coordinates of the enclosing workspaces.
    workspaces: Vec<Vec<Var>>,
    /// The elements at which the enclosing loops are.
    items: Vec<String>,
    /// The comment on a parallel loop, until its head is printed.
    parallel: Option<String>,
}

impl Printer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let indent = 2 * self.depth;
        self.text += &format!("{:indent$}{}\n", "", line.as_ref());
    }

    /// Prints the head of a loop, with the comment if the loop is parallel.
    fn head(&mut self, head: impl AsRef<str>) {
        match self.parallel.take() {
            Some(said) => self.line(format!("{}  // {said}", head.as_ref())),
            None => self.line(head),
        }
    }

    fn within(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    fn var(&self, var: Var) -> String {
        self.names.var(var, &self.variables).to_owned()
    }

    /// Creates a variable with an unused name.
    fn fresh(&mut self, name: &str) -> Var {
        self.variables.fresh(name, true)
    }
}

impl Reduction {
    pub(crate) fn operator(self) -> &'static str {
        match self {
            Reduction::Plus => "+=",
            Reduction::Min => "min=",
            Reduction::Max => "max=",
            Reduction::Or => "|=",
            Reduction::And => "&=",
        }
    }

    /// Returns the value of a reduction over no elements.
    pub(crate) fn start(self) -> &'static str {
        match self {
            Reduction::Plus | Reduction::Or => "0",
            Reduction::Min => "infinity",
            Reduction::Max => "-infinity",
            Reduction::And => "true",
        }
    }

    /// Returns the name of a reduction's result.
    fn sum(self) -> &'static str {
        match self {
            Reduction::Plus => "sum",
            Reduction::Min => "least",
            Reduction::Max => "greatest",
            Reduction::Or => "any",
            Reduction::And => "all",
        }
    }
}

#[cfg(test)]
impl<'a> Text<'a> {
    /// Returns the text of loops over unnamed tensors.
    pub(crate) fn numbered(block: &'a [Stmt], variables: &'a Variables) -> String {
        let names = &Names::default();
        Text {
            block,
            variables,
            names,
        }
        .to_string()
    }
}
