//! One call of a kernel: the data for each port, and the numbers of iterations.

use super::element::{Element, to_bytes};
use super::files::Header;
use super::function::{OfFormats, TripsOf};
use super::project::{Datum, Project};
use super::tensor::{Summand, Summands};
use crate::kernel::c::{Member, ParameterKind};

/// Places and coordinates have 32 bits below this number, so that they can be added.
const NARROW: u64 = 1 << 30;

/// The operands of a call, in the order of the statement.
#[doc(hidden)]
pub struct Call {
    of: OfFormats,
    extents: Vec<usize>,
    operands: Vec<Operand>,
    element: &'static str,
}

enum Operand {
    /// Elements as bytes, and their number.
    Dense(Vec<u8>, usize),
    Scalar(Vec<u8>),
    Tensor(Summand),
}

impl Call {
    /// Creates a call without operands, over indices with these extents.
    #[must_use]
    pub fn new<E: Element>(of: OfFormats, extents: &[usize]) -> Self {
        Call {
            of,
            extents: extents.to_vec(),
            operands: Vec::new(),
            element: E::TEXT,
        }
    }

    /// Adds a dense operand, first of all the output with its contents before the call.
    pub fn dense<E: Element>(&mut self, elements: &[E]) {
        let bytes = to_bytes(elements.iter().copied());
        self.operands.push(Operand::Dense(bytes, elements.len()));
    }

    /// Adds a scalar operand.
    pub fn scalar<E: Element>(&mut self, element: E) {
        self.operands.push(Operand::Scalar(to_bytes(std::iter::once(element))));
    }

    /// Adds a sparse operand.
    pub fn tensor<F: Summands>(&mut self, tensor: &F) {
        let summands = tensor.summands();
        self.operands.extend(summands.into_iter().map(Operand::Tensor));
    }

    /// Returns the project, given the contents of the output after the call.
    #[must_use]
    pub fn project<E: Element>(self, expected: &[E]) -> Project {
        let function = self.of.function;
        let header = Header {
            function,
            element: self.element,
            is_wide: self.is_wide(),
            trips: function
                .trips
                .iter()
                .map(|trips| self.trips(trips.of, trips.step))
                .collect(),
            constants: self.constants(),
        };
        Project::new(
            &function.signature(),
            self.element,
            header.text(),
            function.text.to_owned(),
            self.data(),
            to_bytes(expected.iter().copied()),
        )
    }

    /// Returns the operand that is a parameter, and the number of the parameter among those of its kind.
    fn numbered(&self, parameter: usize) -> usize {
        let kinds = self.of.function.parameters[..parameter].iter();
        let is_same = |kind: &ParameterKind| match self.of.function.parameters[parameter].kind {
            ParameterKind::Extent => matches!(kind, ParameterKind::Extent),
            ParameterKind::Constant => matches!(kind, ParameterKind::Constant),
            _ => !matches!(kind, ParameterKind::Extent | ParameterKind::Constant),
        };
        kinds.filter(|before| is_same(&before.kind)).count()
    }

    /// Returns the data of each port, in order.
    fn data(&self) -> Vec<Datum> {
        let mut data = Vec::new();
        for (at, parameter) in self.of.function.parameters.iter().enumerate() {
            let number = self.numbered(at);
            match (&parameter.kind, self.operands.get(number)) {
                (ParameterKind::Extent, _) => data.push(Datum::number(self.extents[number] as u64)),
                (ParameterKind::Constant, _) => {}
                (ParameterKind::Tensor { members, .. }, Some(Operand::Tensor(summand))) => {
                    tensor_data(summand, members, &mut data);
                }
                (_, Some(Operand::Dense(bytes, _) | Operand::Scalar(bytes))) => data.push(Datum(bytes.clone())),
                _ => unreachable!("the macro counted the operands"),
            }
        }
        data
    }

    /// Returns the names and values of the const parameters.
    fn constants(&self) -> Vec<(&'static str, usize)> {
        let parameters = self.of.function.parameters.iter();
        let constants = parameters.filter(|parameter| matches!(parameter.kind, ParameterKind::Constant));
        constants
            .map(|parameter| parameter.name)
            .zip(self.of.constants.iter().copied())
            .collect()
    }

    /// Whether places need 64 bits.
    fn is_wide(&self) -> bool {
        let is_long = |operand: &Operand| match operand {
            Operand::Dense(_, len) => *len as u64 >= NARROW,
            Operand::Scalar(_) => false,
            Operand::Tensor(summand) => summand.longest() >= NARROW,
        };
        self.operands.iter().any(is_long) || self.extents.iter().any(|&extent| extent as u64 >= NARROW)
    }

    /// Returns the mean and the greatest number of iterations of a loop.
    fn trips(&self, of: TripsOf, step: usize) -> (u64, u64) {
        let parts = |parameter: usize| match &self.operands[self.numbered(parameter)] {
            Operand::Tensor(summand) => summand.parts.iter(),
            _ => [].iter(),
        };
        let (mean, most) = match of {
            TripsOf::Extent(parameter) => {
                let extent = self.extents[self.numbered(parameter)] as u64;
                (extent, extent)
            }
            TripsOf::Size { parameter, level } => {
                let most = parts(parameter).map(|part| part.size(level)).max().unwrap_or(0);
                (most, most)
            }
            TripsOf::Entries { parameter, level } => {
                let below = parts(parameter).map(|part| part.below(level));
                below.fold((0, 0), |(mean, most), (of_part, longest)| {
                    (of_part.max(mean), longest.max(most))
                })
            }
        };
        let step = step.max(1) as u64;
        (mean.div_ceil(step), most.div_ceil(step))
    }
}

/// Appends the data of the ports of a tensor.
fn tensor_data(summand: &Summand, members: &[Member], data: &mut Vec<Datum>) {
    if summand.is_cut {
        let table = summand.table(members);
        data.push(Datum(table.iter().flat_map(|word| word.to_le_bytes()).collect()));
        data.push(Datum::number(summand.parts.len() as u64));
    }
    for member in members {
        match summand.parts.first().and_then(|part| part.number(member)) {
            Some(_) if summand.is_cut => {}
            Some(number) => data.push(Datum::number(number)),
            None => data.push(Datum(summand.entries(member))),
        }
    }
}
