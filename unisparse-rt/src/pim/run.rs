//! Runs a kernel on the cores of a device: part `p` is on core `p % cores`.

use super::device::Device;
use super::memory::{Access, Memory, Timed};
use super::prepared::Prepared;
use super::program::Kernel;
use super::report::{CoreReport, Report};
use super::time::Times;
use super::written::Written;
use crate::element::{Accumulator, Scalar, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::Tree;
use crate::source::Partitioned;

/// What a device computed, and what it took.
#[derive(Debug, Clone)]
pub struct Run<T> {
    /// The output, in row-major order.
    pub y: Vec<T>,
    /// The work and the modelled time of each core.
    pub report: Report,
}

/// Runs a kernel on the cores of a device, each over the parts that it holds.
///
/// Part `p` is on core `p % cores`. Each core has its own copy of the dense operands, as in the paper, and an output that
/// starts with zeros, or with what a reduction starts with, to which each of its parts adds; the host adds the outputs, in the order of the cores. `operands` are the
/// dense and scalar inputs in order of appearance in the statement; a scalar is one element.
///
/// # Errors
/// `Shape` if the operands do not fit, `Structure` if there are too few or too many, or a scalar has not one element; `Limit` if the arrays of a core exceed its bank, `Structure` if the device has no
/// cores or no known cost of an opcode that the kernel executes, `OutOfBounds` if the part's arrays lead outside an operand.
/// `O(instructions + outputs)` in time; in memory, the output twice and a record for each core.
pub fn run<A, T, const N: usize, const M: usize>(
    device: &Device,
    kernel: &Kernel<A, T::Sum>,
    a: &A,
    operands: &[&[T]],
) -> Result<Run<T>, Error>
where
    A: Partitioned<N, M>,
    <A::Part as Tree<N, M>>::Scalar: Stored<Value = T>,
    T: Scalar,
{
    let prepared = Prepared::new(device, kernel, a, operands)?;
    let start = T::narrow(kernel.start);
    let mut y = vec![start; prepared.output];
    let mut writers = vec![false; prepared.output];
    let (mut written, mut shared) = (Written::new(prepared.output, start), 0);
    let mut cores = Vec::new();
    for core in 0..device.cores.min(a.parts().len()) {
        let mut memory = Measured {
            timed: Timed::new(device),
            bytes: [0; 2],
        };
        let (counts, elements, used) = prepared.core(core, &mut memory, &mut written)?;
        for &place in &written.places {
            shared += u64::from(std::mem::replace(&mut writers[place], true));
            let both = [y[place], written.values[place]].map(Accumulator::of);
            y[place] = T::narrow((kernel.reduction.both)(both[0], both[1]));
        }
        let times = Times::new(device, &counts, memory.timed.cycles())?;
        cores.push(CoreReport {
            core,
            parts: (a.parts().len() - core).div_ceil(device.cores),
            elements,
            outputs: written.places.len() as u64,
            instructions: counts,
            read_bytes: memory.bytes[0],
            written_bytes: memory.bytes[1],
            bank_bytes: used,
            compute_seconds: times.compute,
            memory_seconds: times.memory,
            seconds: times.all,
        });
        written.clear();
    }
    Ok(Run {
        y,
        report: Report {
            kernel: kernel.text.to_owned(),
            format: kernel.format.to_owned(),
            device: *device,
            cores,
            shared,
        },
    })
}

/// Reports each access of one core to `memory`, in order. A core without parts has none.
///
/// # Errors
/// As [`run`]; `OutOfBounds` if the device has no such core.
pub fn accesses<A, T, const N: usize, const M: usize>(
    device: &Device,
    kernel: &Kernel<A, T::Sum>,
    a: &A,
    operands: &[&[T]],
    core: usize,
    memory: &mut impl Memory,
) -> Result<(), Error>
where
    A: Partitioned<N, M>,
    <A::Part as Tree<N, M>>::Scalar: Stored<Value = T>,
    T: Scalar,
{
    let prepared = Prepared::new(device, kernel, a, operands)?;
    if core >= device.cores {
        let expected = format!("one of {} cores", device.cores);
        return Err(Error::new(
            ErrorKind::OutOfBounds,
            "core",
            None,
            format!("core {core}"),
            expected,
        ));
    }
    let mut written = Written::new(prepared.output, T::narrow(kernel.start));
    prepared.core(core, memory, &mut written).map(|_| ())
}

/// A memory that also counts the bytes that are read and written.
struct Measured {
    timed: Timed,
    bytes: [u64; 2],
}

impl Memory for Measured {
    fn access(&mut self, access: Access) {
        let bytes = &mut self.bytes[usize::from(access.write)];
        *bytes = bytes.saturating_add(access.bytes);
        self.timed.access(access);
    }
}
