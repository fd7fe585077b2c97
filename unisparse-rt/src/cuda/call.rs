//! Calls of kernels: their arguments, in the order of the kernels' own table, and their launches.

use super::argument::{Argument, Input};
use super::array::Array;
use super::driver::Function;
use super::element::Element;
use super::error::Error;
use super::launch::{Arguments, Known, evaluate, lanes, shape};
use super::modules::Variant;
use super::stream::Stream;
use super::tensor::Summand;
use crate::kernel::c::{Kernels, Launch, OfFormats, ParameterKind, Work};

/// Positions and coordinates have 32 bits below this number, so that they can be added.
const NARROW: u64 = 1 << 30;

/// Enqueues a kernel with a dense output.
///
/// # Errors
/// `OtherDevice` if an operand is not on the device of the stream, else what the driver and the compiler report.
pub fn run<E: Element>(
    stream: &Stream,
    of: OfFormats,
    output: &mut Array<E::Result>,
    inputs: &[Argument<'_>],
    extents: &[usize],
) -> Result<(), Error> {
    let inputs: Vec<Input<'_>> = std::iter::once(Input::Dense(output.buffer(), output.len()))
        .chain(inputs.iter().map(|argument| argument.0))
        .collect();
    call::<E>(stream, of, &inputs, extents)
}

/// Runs a kernel with a scalar output.
///
/// # Errors
/// As [`run`].
pub fn reduce<E: Element>(
    stream: &Stream,
    of: OfFormats,
    inputs: &[Argument<'_>],
    extents: &[usize],
) -> Result<E::Result, Error> {
    let mut total = Array::<E::Result>::zeros(stream.device(), 1)?;
    run::<E>(stream, of, &mut total, inputs, extents)?;
    Ok(total.download()?[0])
}

fn call<E: Element>(stream: &Stream, of: OfFormats, inputs: &[Input<'_>], extents: &[usize]) -> Result<(), Error> {
    let device = stream.device();
    if !inputs.iter().all(|input| input.is_on(device)) {
        return Err(Error::OtherDevice);
    }
    let OfFormats { kernels, constants } = of;
    let given = Given::new(kernels, inputs, extents, constants);
    let multiprocessors = device.driver.properties().multiprocessors;
    let launches: Vec<Planned<'_>> = kernels
        .launches
        .iter()
        .map(|launch| Planned::new(launch, &given, multiprocessors))
        .collect();
    let most = launches.iter().map(|planned| planned.blocks).max().unwrap_or(1);
    // Held until all launches are enqueued, so that no other thread's use the same partial results in between.
    let has_partials = given.values.iter().any(|value| matches!(value, Value::Partials));
    let bytes = most as usize * <E::Result as Element>::BYTES;
    let partials = has_partials.then(|| stream.partials(bytes)).transpose()?;
    let partials_at = partials.as_ref().and_then(|partials| partials.as_ref());
    let (mut arguments, count) = given.arguments(stream, partials_at.map_or(0, |buffer| buffer.address().0))?;
    for planned in &launches {
        let function = planned.function::<E>(stream, kernels, given.is_wide())?;
        // SAFETY: the arguments are made from the table from which the kernel's parameters are printed, and the extents were
        // compared with the lengths of the arrays.
        unsafe {
            device
                .driver
                .launch(stream.handle(), function, planned.blocks, planned.threads, &arguments)?;
        }
        if let Some(count) = count.filter(|_| planned.launch.work != Work::Block) {
            arguments.set(count, u64::from(planned.blocks));
        }
    }
    Ok(())
}

/// A launch with its threads.
struct Planned<'a> {
    launch: &'a Launch,
    lanes: u32,
    blocks: u32,
    threads: u32,
}

impl<'a> Planned<'a> {
    fn new(launch: &'a Launch, given: &Given<'_>, multiprocessors: u32) -> Self {
        let positions = evaluate(&launch.positions, given);
        let lanes = match launch.has_lanes {
            true => lanes(positions, evaluate(&launch.terms, given)),
            false => 1,
        };
        let (blocks, threads) = shape(launch.work, lanes, positions, multiprocessors);
        Planned {
            launch,
            lanes,
            blocks,
            threads,
        }
    }

    /// Returns the kernel, which is compiled for its number of lanes.
    fn function<E: Element>(&self, stream: &Stream, kernels: &Kernels, is_wide: bool) -> Result<Function, Error> {
        let variant = Variant {
            element: E::NAME,
            lanes: self.lanes,
            is_wide,
        };
        let device = stream.device();
        let functions = device.modules.functions(&*device.driver, kernels, variant)?;
        let at = kernels
            .launches
            .iter()
            .position(|launch| std::ptr::eq(launch, self.launch));
        Ok(functions[at.unwrap_or(0)])
    }
}

/// What is given for each parameter.
enum Value<'a> {
    Number(u64),
    Scalar(u64),
    Dense(u64, usize),
    Summand(&'a Summand),
    Partials,
    PartialCount,
}

/// The operands by parameter.
struct Given<'a> {
    kernels: &'a Kernels,
    values: Vec<Value<'a>>,
}

impl<'a> Given<'a> {
    /// Gives each parameter its operand: these stand in the order of the statement, and a sparse one has a parameter for each
    /// summand.
    fn new(kernels: &'a Kernels, inputs: &[Input<'a>], extents: &[usize], constants: &[usize]) -> Self {
        let mut operands = inputs.iter().flat_map(|input| match *input {
            Input::Dense(buffer, len) => vec![Value::Dense(buffer.address().0, len)],
            Input::Scalar(word) => vec![Value::Scalar(word)],
            Input::Tensor(summands, _) => summands.iter().map(Value::Summand).collect(),
        });
        let mut extents = extents.iter().map(|&extent| Value::Number(extent as u64));
        let mut constants = constants.iter().map(|&constant| Value::Number(constant as u64));
        let mut value = |kind: &ParameterKind| match kind {
            ParameterKind::Extent => extents.next(),
            ParameterKind::Constant => constants.next(),
            ParameterKind::Partials => Some(Value::Partials),
            ParameterKind::Count => Some(Value::PartialCount),
            _ => operands.next(),
        };
        let values = kernels
            .parameters
            .iter()
            .map(|parameter| value(&parameter.kind).unwrap_or_else(|| unreachable!("the macro counted the operands")));
        Given {
            kernels,
            values: values.collect(),
        }
    }

    /// Whether positions need 64 bits.
    fn is_wide(&self) -> bool {
        self.values.iter().any(|value| match value {
            Value::Number(number) => *number >= NARROW,
            Value::Dense(_, len) => *len as u64 >= NARROW,
            Value::Summand(summand) => summand.parts.iter().any(|part| part.longest() as u64 >= NARROW),
            Value::Scalar(_) | Value::Partials | Value::PartialCount => false,
        })
    }

    /// Returns the arguments, and the place of the number of partial results.
    fn arguments(&self, stream: &Stream, partials: u64) -> Result<(Arguments, Option<usize>), Error> {
        let (mut arguments, mut count) = (Arguments::default(), None);
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
                (Value::Partials, _) => {
                    arguments.push([partials]);
                }
                (Value::PartialCount, _) => count = Some(arguments.push([0])),
            }
        }
        Ok((arguments, count))
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
}
