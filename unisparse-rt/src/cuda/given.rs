//! Binds the operands of a call to the parameters of its CUDA kernels.

use super::argument::Input;
use super::driver::Address;
use super::error::Error;
use super::launch::{Arguments, Known};
use super::stream::Stream;
use super::tensor::Summand;
use crate::kernel::c::{Kernels, ParameterKind};

/// What is given for each parameter.
enum Value<'a> {
    Number(u64),
    Scalar(u64),
    Dense(u64, usize),
    Summand(&'a Summand),
    /// The arrays of a sparse output, one of coordinates for each dim and one of values.
    Elements(usize),
    /// An array for the phases of a sparse output.
    OfPhases(OfPhases),
    /// Room for what launches leave to later ones.
    Room,
    /// The number of blocks of the launch before.
    Blocks,
    /// The number of groups of lanes of the launch before.
    Groups,
}

/// An array that the phases of a sparse output leave to one another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OfPhases {
    /// Where the elements of each worker begin.
    Starts,
    /// Where the table of each worker begins.
    Tables,
    /// The keys of the tables.
    Keys,
    /// The elements of the tables.
    Sums,
    /// The first array of the output.
    Elements,
}

/// The operands by parameter.
pub(super) struct Given<'a> {
    kernels: &'a Kernels,
    values: Vec<Value<'a>>,
    /// The elements of the output for one first coordinate.
    stride: usize,
}

impl<'a> Given<'a> {
    /// Gives each parameter its operand: these stand in the order of the statement, and a sparse one has a parameter for each
    /// summand.
    pub(super) fn new(kernels: &'a Kernels, inputs: &[Input<'a>], extents: &[usize], constants: &[usize]) -> Self {
        let stride = match (inputs.first(), extents.first()) {
            // The first index of a statement is the first of its output.
            (Some(Input::Dense(_, len, _)), Some(&first)) => len.checked_div(first).unwrap_or(0),
            _ => 1,
        };
        let mut operands = inputs.iter().flat_map(|input| match *input {
            Input::Dense(buffer, len, _) => vec![Value::Dense(buffer.address().0, len)],
            Input::Scalar(word) => vec![Value::Scalar(word)],
            Input::Tensor(summands, ..) => summands.iter().map(Value::Summand).collect(),
            Input::Elements(dims) => vec![Value::Elements(dims)],
        });
        // The places of workers in the output come before those in the tables.
        let mut starts = [OfPhases::Starts, OfPhases::Tables].into_iter();
        let mut extents = extents.iter().map(|&extent| Value::Number(extent as u64));
        let mut constants = constants.iter().map(|&constant| Value::Number(constant as u64));
        let mut value = |kind: &ParameterKind| match kind {
            ParameterKind::Extent => extents.next(),
            ParameterKind::Constant => constants.next(),
            ParameterKind::Partials | ParameterKind::Carries => Some(Value::Room),
            ParameterKind::Count => Some(Value::Blocks),
            ParameterKind::Workers => Some(Value::Groups),
            ParameterKind::Starts => starts.next().map(Value::OfPhases),
            ParameterKind::Keys => Some(Value::OfPhases(OfPhases::Keys)),
            ParameterKind::Sums => Some(Value::OfPhases(OfPhases::Sums)),
            ParameterKind::Dense
            | ParameterKind::Scalar
            | ParameterKind::Tensor { .. }
            | ParameterKind::Output { .. } => operands.next(),
        };
        let values = kernels
            .parameters
            .iter()
            .map(|parameter| value(&parameter.kind).unwrap_or_else(|| unreachable!("the macro counted the operands")));
        Given {
            kernels,
            values: values.collect(),
            stride,
        }
    }

    /// Returns the greatest extent, length of an array or number of coordinates.
    pub(super) fn greatest(&self) -> u64 {
        let of_value = |value: &Value<'_>| match value {
            Value::Number(number) => *number,
            Value::Dense(_, len) => *len as u64,
            Value::Summand(summand) => {
                let parts = summand.parts.iter().map(|part| part.longest() as u64);
                parts.max().unwrap_or(0)
            }
            Value::Scalar(_)
            | Value::Elements(_)
            | Value::OfPhases(_)
            | Value::Room
            | Value::Blocks
            | Value::Groups => 0,
        };
        self.values.iter().map(of_value).max().unwrap_or(0)
    }

    /// Returns the number of elements of all dense operands.
    pub(super) fn dense(&self) -> usize {
        let len = |value: &Value<'_>| match *value {
            Value::Dense(_, len) => len,
            _ => 0,
        };
        self.values.iter().map(len).fold(0, usize::saturating_add)
    }

    fn has(&self, is: impl Fn(&ParameterKind) -> bool) -> bool {
        self.kernels.parameters.iter().any(|parameter| is(&parameter.kind))
    }

    /// Whether each block leaves an element to a later launch.
    pub(super) fn has_partials(&self) -> bool {
        self.has(|kind| matches!(kind, ParameterKind::Partials))
    }

    /// Returns the number of elements that each group leaves to a later launch.
    pub(super) fn carried(&self) -> usize {
        match self.has(|kind| matches!(kind, ParameterKind::Carries)) {
            true => self.stride,
            false => 0,
        }
    }

    /// Returns the arguments, with the address of the room for what launches leave to later ones.
    pub(super) fn arguments(&self, stream: &Stream, room: u64) -> Result<Words, Error> {
        let (mut arguments, mut blocks, mut groups) = (Arguments::default(), None, None);
        let mut of_phases = Vec::new();
        for (parameter, value) in self.kernels.parameters.iter().zip(&self.values) {
            match (value, &parameter.kind) {
                (Value::Summand(summand), ParameterKind::Tensor { members, .. }) if summand.is_cut => {
                    let structs = summand.structs.address(stream.device(), members, &summand.parts)?;
                    arguments.push([structs.0]);
                    arguments.push([summand.parts.len() as u64]);
                }
                (Value::Summand(summand), ParameterKind::Tensor { members, .. }) => {
                    let members = members.iter().map(|member| summand.parts[0].member(member));
                    arguments.push(members.collect::<Result<Vec<u64>, Error>>()?);
                }
                (Value::Summand(_), _) => unreachable!("a sparse operand has a parameter for each summand"),
                (Value::Number(word) | Value::Scalar(word) | Value::Dense(word, _), _) => {
                    arguments.push([*word]);
                }
                (Value::Room, _) => {
                    arguments.push([room]);
                }
                (&Value::OfPhases(array), _) => of_phases.push((array, arguments.push([0]))),
                (&Value::Elements(dims), _) => {
                    let at = arguments.push(std::iter::repeat_n(0, dims + 1));
                    of_phases.push((OfPhases::Elements, at));
                }
                (Value::Blocks, _) => blocks = Some(arguments.push([0])),
                (Value::Groups, _) => groups = Some(arguments.push([0])),
            }
        }
        Ok(Words {
            words: arguments,
            blocks,
            groups,
            of_phases,
        })
    }

    fn summand(&self, parameter: usize) -> Option<&Summand> {
        match self.values.get(parameter)? {
            Value::Summand(summand) => Some(summand),
            _ => None,
        }
    }
}

impl Known for Given<'_> {
    fn parameter(&self, parameter: usize) -> Option<u64> {
        match self.values.get(parameter)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn size(&self, parameter: usize, level: usize) -> Option<u64> {
        let parts = &self.summand(parameter)?.parts;
        Some(parts.iter().map(|part| part.size(level) as u64).sum())
    }

    fn entries(&self, parameter: usize, level: usize) -> Option<u64> {
        let parts = &self.summand(parameter)?.parts;
        let entries = parts
            .iter()
            .map(|part| part.entries(level).map(|entries| entries as u64));
        entries.sum()
    }

    fn longest(&self, parameter: usize, level: usize) -> Option<u64> {
        let parts = self.summand(parameter)?.parts.iter();
        let longest = parts.map(|part| part.longest_below(level).map(|longest| longest as u64));
        longest.max().flatten()
    }
}

/// The arguments of all launches of a call, with the places of the numbers that change from one to the next.
pub(super) struct Words {
    pub(super) words: Arguments,
    blocks: Option<usize>,
    groups: Option<usize>,
    of_phases: Vec<(OfPhases, usize)>,
}

impl Words {
    /// Whether there is such an array among the arguments.
    pub(super) fn has(&self, array: OfPhases) -> bool {
        self.of_phases.iter().any(|&(other, _)| other == array)
    }

    /// Sets the addresses of an array, or of several that follow one another, if the kernels take it.
    pub(super) fn set_addresses(&mut self, array: OfPhases, addresses: impl IntoIterator<Item = Address>) {
        let place = self.of_phases.iter().find(|&&(other, _)| other == array);
        if let Some(&(_, first)) = place {
            for (at, address) in addresses.into_iter().enumerate() {
                self.words.set(first + at, address.0);
            }
        }
    }

    /// Sets the numbers of the launch before.
    pub(super) fn set_counts(&mut self, blocks: u32, groups: u32) {
        for (place, count) in [(self.blocks, blocks), (self.groups, groups)] {
            if let Some(place) = place {
                self.words.set(place, u64::from(count));
            }
        }
    }
}
