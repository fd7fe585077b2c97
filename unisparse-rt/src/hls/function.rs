//! A kernel as C++, with what it takes, as the macros emit it.

use crate::kernel::c::Parameter;

/// A kernel over one choice of formats.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Function {
    /// The name of the function.
    pub name: &'static str,
    /// The statement and the formats.
    pub about: &'static str,
    /// The structs of interleaved arrays.
    pub structs: &'static str,
    /// The function with its comments. It includes nothing.
    pub text: &'static str,
    /// The operands, extents and const parameters, in order.
    pub parameters: &'static [Parameter],
    /// What the function takes, in order: several ports for a tensor, none for a const parameter.
    pub ports: &'static [Port<'static>],
    /// The loops whose lengths depend on the operands.
    pub trips: &'static [Trips],
}

impl Function {
    /// In place of a statement that the macro refused.
    pub const REFUSED: Function = Function {
        name: "",
        about: "",
        structs: "",
        text: "",
        parameters: &[],
        ports: &[],
        trips: &[],
    };

    /// Returns the name, and what the function takes.
    pub(super) fn signature(&self) -> Signature<'static> {
        Signature {
            name: self.name,
            ports: self.ports,
        }
    }
}

/// The name of a function, and what it takes.
pub(super) struct Signature<'a> {
    pub(super) name: &'a str,
    pub(super) ports: &'a [Port<'a>],
}

/// A parameter of the function.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Port<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of the number, or of an element of the array.
    pub kind: &'a str,
    /// Whether it is an array in memory.
    pub is_array: bool,
    /// Whether the function writes to it.
    pub is_written: bool,
}

/// A loop whose length depends on the operands.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Trips {
    /// The name of the loop's variable.
    pub name: &'static str,
    /// What it goes over.
    pub of: TripsOf,
    /// How many of them an iteration takes.
    pub step: usize,
}

/// What a loop goes over.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub enum TripsOf {
    /// As many as the value of a parameter, by its number.
    Extent(usize),
    /// The coordinates of a level.
    Size {
        /// The parameter that is the tensor.
        parameter: usize,
        /// The level.
        level: usize,
    },
    /// The entries of a level below one parent.
    Entries {
        /// The parameter that is the tensor.
        parameter: usize,
        /// The level.
        level: usize,
    },
}

/// The function over one choice of formats, with the values of its const parameters.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct OfFormats {
    /// The function.
    pub function: &'static Function,
    /// The values of the parameters that are constants, in order.
    pub constants: &'static [usize],
}
