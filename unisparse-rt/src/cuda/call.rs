//! Calls of kernels: their arguments, in the order of the kernels' own table, and their launches.

use super::argument::{Argument, Input};
use super::array::Array;
use super::element::Element;
use super::error::Error;
use super::given::{Given, Words};
use super::launch::{Rows, THREADS, evaluate, lanes, parts, shape};
use super::modules::Variant;
use super::phases::{OutputElements, Phases};
use super::stream::Stream;
use crate::kernel::c::{Kernels, Launch, OfFormats, When, Work};

/// Enqueues a kernel with a dense output, which the statement writes by these indices.
///
/// # Errors
/// `OtherDevice` if an operand is not on the device of the stream, `Length` if one does not have these extents, else what the
/// driver and the compiler report.
#[doc(hidden)]
pub fn run<E: Element>(
    stream: &Stream,
    of: OfFormats,
    (output, indices): (&mut Array<E::Result>, &[usize]),
    inputs: &[Argument<'_>],
    extents: &[usize],
) -> Result<(), Error> {
    let reads = [indices];
    let inputs: Vec<Input<'_>> = std::iter::once(Input::Dense(output.buffer(), output.len(), &reads))
        .chain(inputs.iter().map(|argument| argument.0))
        .collect();
    call::<E>(stream, of, &inputs, extents)
}

/// Runs a kernel with a scalar output.
///
/// # Errors
/// As [`run`].
#[doc(hidden)]
pub fn reduce<E: Element>(
    stream: &Stream,
    of: OfFormats,
    inputs: &[Argument<'_>],
    extents: &[usize],
) -> Result<E::Result, Error> {
    let mut total = Array::<E::Result>::zeros(stream.device(), 1)?;
    run::<E>(stream, of, (&mut total, &[]), inputs, extents)?;
    Ok(total.download()?[0])
}

/// Enqueues a kernel with a sparse output, and waits for its elements.
///
/// # Errors
/// As [`run`].
pub(super) fn find<E: Element>(
    stream: &Stream,
    of: OfFormats,
    shape: &[usize],
    inputs: &[Argument<'_>],
    extents: &[usize],
) -> Result<OutputElements, Error> {
    let inputs: Vec<Input<'_>> = std::iter::once(Input::Elements(shape.len()))
        .chain(inputs.iter().map(|argument| argument.0))
        .collect();
    let call = Call::new(stream, of, &inputs, extents)?;
    let is_wide = call.is_wide(longest_fiber(shape));
    let mut arguments = call.given.arguments(stream, 0)?;
    let workers = call.planned.iter().filter(|planned| planned.launch.work != Work::Block);
    let workers = workers.map(Planned::groups).max().unwrap_or(1);
    // The prefix sum of one phase ends where the host reads the total of the next.
    debug_assert!(
        call.planned
            .iter()
            .all(|planned| planned.launch.work == Work::Block || planned.groups() == workers),
        "the phases of a sparse output have equal numbers of workers"
    );
    let widths = [if is_wide { 8 } else { 4 }, <E::Result as Element>::BYTES];
    let mut phases = Phases::new(stream.device(), shape.len(), workers, widths, &mut arguments)?;
    for planned in &call.planned {
        if let Some(allocation) = planned.launch.allocates {
            phases.allocate(allocation, &mut arguments)?;
        }
        call.launch::<E>(planned, is_wide, &mut arguments)?;
    }
    Ok(phases.into_elements())
}

fn call<E: Element>(stream: &Stream, of: OfFormats, inputs: &[Input<'_>], extents: &[usize]) -> Result<(), Error> {
    let call = Call::new(stream, of, inputs, extents)?;
    // Held until all launches are enqueued, so that no other thread's use the same room in between.
    let elements = call.given.room(&call.planned);
    let bytes = elements.and_then(|elements| elements.checked_mul(<E::Result as Element>::BYTES));
    let bytes = bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    let room = (bytes > 0).then(|| stream.room(bytes)).transpose()?;
    let is_wide = call.is_wide(elements.unwrap_or(0));
    let address = room
        .as_ref()
        .and_then(|room| room.as_ref())
        .map_or(0, |room| room.address().0);
    let mut arguments = call.given.arguments(stream, address)?;
    for planned in &call.planned {
        call.launch::<E>(planned, is_wide, &mut arguments)?;
    }
    Ok(())
}

/// A call with its launches.
struct Call<'a> {
    stream: &'a Stream,
    kernels: &'static Kernels,
    given: Given<'a>,
    planned: Vec<Planned>,
}

impl<'a> Call<'a> {
    fn new(
        stream: &'a Stream,
        OfFormats { kernels, constants }: OfFormats,
        inputs: &[Input<'a>],
        extents: &[usize],
    ) -> Result<Self, Error> {
        let device = stream.device();
        if !inputs.iter().all(|input| input.is_on(device)) {
            return Err(Error::OtherDevice);
        }
        inputs.iter().try_for_each(|input| input.check(extents))?;
        let given = Given::new(kernels, inputs, extents, constants);
        let planned = plan(kernels, &given, device.driver.properties().multiprocessors);
        Ok(Call {
            stream,
            kernels,
            given,
            planned,
        })
    }

    /// Whether positions need 64 bits, also those in a room of this number of elements.
    fn is_wide(&self, room: usize) -> bool {
        let wide_from = self.stream.device().driver.properties().wide_from;
        self.given.greatest().max(room as u64) >= wide_from
    }

    /// Enqueues a launch.
    fn launch<E: Element>(&self, planned: &Planned, is_wide: bool, arguments: &mut Words) -> Result<(), Error> {
        let device = self.stream.device();
        let variant = Variant {
            element: E::NAME,
            lanes: planned.lanes,
            is_wide,
        };
        let functions = device.modules.functions(&*device.driver, self.kernels, variant)?;
        let (function, handle) = (functions[planned.number], self.stream.handle());
        // SAFETY: the arguments are made from the table from which the kernel's parameters are printed, and `new` compared the
        // extents with the operands.
        unsafe {
            let driver = &device.driver;
            driver.launch(handle, function, planned.blocks, planned.threads, &arguments.words)?;
        }
        if planned.launch.work != Work::Block {
            arguments.set_counts(planned.blocks, planned.groups());
        }
        Ok(())
    }
}

/// Returns the greatest number of coordinates that differ in all dims but one.
fn longest_fiber(shape: &[usize]) -> usize {
    let coordinates = |dim: usize| {
        let others = shape.iter().enumerate().filter(|&(other, _)| other != dim);
        others.fold(1_usize, |all, (_, &extent)| all.saturating_mul(extent))
    };
    (0..shape.len()).map(coordinates).max().unwrap_or(1)
}

/// Returns the launches of a call with their threads.
fn plan(kernels: &Kernels, given: &Given<'_>, multiprocessors: u32) -> Vec<Planned> {
    let launches = kernels.launches;
    let of = |at: usize| Planned::new(at, &launches[at], given, multiprocessors);
    // Whether the next launch divides the rows of a launch for even ones, and leaves no more carries than there are operands.
    let divides = |even: usize| {
        let rows = Rows::of(&launches[even], multiprocessors, given);
        rows.is_some_and(|rows| rows.are_skewed(of(even).lanes))
            && given.room(&[of(even + 1)]).is_some_and(|room| room <= given.dense())
    };
    let is_made = |at: usize| match launches[at].when {
        When::Always => true,
        When::Even => !divides(at),
        When::Skewed => {
            let even = launches[..at].iter().rposition(|launch| launch.when == When::Even);
            even.is_some_and(divides)
        }
    };
    let made = (0..launches.len()).filter(|&at| is_made(at));
    let mut planned: Vec<Planned> = made.map(of).collect();
    // Kernels without lanes are of the module of those before them, which may leave them results, or of the first.
    let first = planned
        .iter()
        .find(|planned| planned.launch.has_lanes)
        .map(|planned| planned.lanes);
    let mut lanes = first.unwrap_or(1);
    for planned in &mut planned {
        if planned.launch.has_lanes {
            lanes = planned.lanes;
        }
        planned.lanes = lanes;
    }
    planned
}

/// A launch with its threads.
struct Planned {
    launch: &'static Launch,
    /// The number of its kernel.
    number: usize,
    /// The lanes of a group, for which its module is compiled.
    lanes: u32,
    blocks: u32,
    threads: u32,
}

impl Planned {
    fn new(number: usize, launch: &'static Launch, given: &Given<'_>, multiprocessors: u32) -> Self {
        let positions = evaluate(&launch.positions, given);
        let lanes = match launch.has_lanes {
            true => {
                let of_mean = lanes(launch, given);
                let rows = Rows::of(launch, multiprocessors, given);
                rows.map_or(of_mean, |rows| rows.lanes(launch.when, of_mean))
            }
            false => 1,
        };
        let positions = match launch.when {
            When::Skewed => {
                let parts = parts(positions, evaluate(&launch.divided, given), multiprocessors);
                parts.map(|parts| parts.min(given.most_parts(lanes)))
            }
            When::Always | When::Even => positions,
        };
        let (blocks, threads) = shape(launch, lanes, positions, multiprocessors);
        Planned {
            launch,
            number,
            lanes,
            blocks,
            threads,
        }
    }

    /// Returns the number of groups of lanes.
    fn groups(&self) -> u32 {
        self.blocks * self.threads / if self.launch.has_lanes { self.lanes } else { 1 }
    }
}

impl Given<'_> {
    /// Returns the greatest number of groups, in whole blocks, whose carries are no more than the elements of dense operands.
    fn most_parts(&self, lanes: u32) -> u64 {
        let (most, of_block) = (self.dense() / self.carried().max(1), (THREADS / lanes) as usize);
        (most - most % of_block) as u64
    }

    /// Returns the number of elements that launches leave to later ones, or `None` if it is too great.
    fn room(&self, planned: &[Planned]) -> Option<usize> {
        if self.has_partials() {
            return Some(planned.iter().map(|planned| planned.blocks).max().unwrap_or(0) as usize);
        }
        let leaving = planned.iter().filter(|planned| planned.launch.leaves_carries);
        let groups = leaving.map(Planned::groups).max().unwrap_or(0);
        self.carried().checked_mul(groups as usize)
    }
}
