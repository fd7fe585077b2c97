//! Runs a kernel on the cores of a device: part `p` is on core `p % cores`.

use super::bank::Bank;
use super::core::Core;
use super::device::{self, Counts, Device, Opcode};
use super::memory::{Access, Memory, Timed};
use super::program::{Kernel, OperandKind};
use super::report::{CoreReport, Report};
use super::written::Written;
use crate::element::{Scalar, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Partitioned, Tree};
use crate::kernel::extents::{Operand, settled};

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
/// starts with zeros; the host adds the outputs, in the order of the cores. `operands` are the dense and scalar inputs in order of
/// appearance in the statement; a scalar is one element.
///
/// # Errors
/// `Shape` if the operands do not fit, `Limit` if the arrays of a core exceed its bank, `Structure` if the device has no
/// cores or no known cost of an opcode that the kernel executes, `OutOfBounds` if the part's arrays lead outside an operand.
/// `O(instructions + outputs)` in time; in memory, the output twice and a record for each core.
pub fn run<A, T, const N: usize, const M: usize>(
    device: &Device,
    kernel: &Kernel<A>,
    a: &A,
    operands: &[&[T]],
) -> Result<Run<T>, Error>
where
    A: Partitioned<N, M>,
    <A::Part as Tree<N, M>>::Scalar: Stored<Value = T>,
    T: Scalar,
{
    let prepared = Prepared::new(device, kernel, a, operands)?;
    let mut y = vec![T::ZERO; prepared.output];
    let mut writers = vec![false; prepared.output];
    let (mut written, mut shared) = (Written::new(prepared.output), 0);
    let mut cores = Vec::new();
    for core in 0..device.cores.min(a.parts().len()) {
        let mut memory = Measured {
            timed: Timed::new(device),
            bytes: [0; 2],
        };
        let (counts, elements, used) = prepared.core(core, &mut memory, &mut written)?;
        for &place in &written.places {
            shared += u64::from(std::mem::replace(&mut writers[place], true));
            y[place] = y[place].plus(written.values[place]);
        }
        cores.push(CoreReport {
            core,
            parts: (a.parts().len() - core).div_ceil(device.cores),
            elements,
            outputs: written.places.len() as u64,
            instructions: counts,
            read_bytes: memory.bytes[0],
            written_bytes: memory.bytes[1],
            bank_bytes: used,
            compute_seconds: compute_seconds(device, &counts)?,
            memory_seconds: memory.timed.seconds(),
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
/// As [`run`].
pub fn accesses<A, T, const N: usize, const M: usize>(
    device: &Device,
    kernel: &Kernel<A>,
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
    let mut written = Written::new(prepared.output);
    prepared.core(core, memory, &mut written).map(|_| ())
}

/// Returns the seconds in which a core executes these instructions.
fn compute_seconds(device: &Device, counts: &Counts) -> Result<f64, Error> {
    let mut cycles = 0.0;
    for opcode in Opcode::ALL {
        let count = counts[opcode as usize];
        if count == 0 {
            continue;
        }
        let Some(cost) = device.cycles[opcode as usize] else {
            return Err(Error::new(
                ErrorKind::Structure,
                opcode.name(),
                None,
                "an opcode without a known cost",
                "a cost: give one with `Device::with_cost`",
            ));
        };
        cycles += cost * count as f64;
    }
    Ok(match device.core {
        device::Core::Blimp { hertz, .. } => cycles / hertz,
        device::Core::Upmem {
            hertz,
            tasklets,
            revolver,
            conflicts: (of_branch, of_instruction),
            ..
        } => {
            let branches = counts[Opcode::Branch as usize] as f64;
            let all = counts.iter().sum::<u64>() as f64;
            let issued = cycles + of_branch * branches + of_instruction * all;
            (revolver * cycles / f64::from(tasklets.max(1))).max(issued) / hertz
        }
    })
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

/// A kernel with operands that fit it.
struct Prepared<'a, A, T> {
    device: &'a Device,
    kernel: &'a Kernel<A>,
    a: &'a A,
    /// The elements of each operand; nothing for the output and the tensor.
    operands: Vec<&'a [T]>,
    /// The number of elements of each operand.
    lens: Vec<usize>,
    /// The number of elements of the output.
    output: usize,
    extents: Vec<usize>,
}

impl<'a, A, T: Scalar> Prepared<'a, A, T> {
    fn new<const N: usize, const M: usize>(
        device: &'a Device,
        kernel: &'a Kernel<A>,
        a: &'a A,
        inputs: &[&'a [T]],
    ) -> Result<Self, Error>
    where
        A: Partitioned<N, M>,
    {
        let refused = |subject: &str, found: String, expected: &str| {
            Err(Error::new(ErrorKind::Structure, subject, None, found, expected))
        };
        if device.cores == 0 {
            return refused("device", "no cores".to_owned(), "at least one core");
        }
        let is_input = |kind: OperandKind| kind != OperandKind::Sparse;
        let expected = kernel
            .operands
            .iter()
            .skip(1)
            .filter(|operand| is_input(operand.kind))
            .count();
        if inputs.len() != expected {
            let found = format!("{} operands", inputs.len());
            return refused(
                "operands",
                found,
                &format!("{expected}, the dense and scalar inputs of `{}`", kernel.text),
            );
        }
        let (mut operands, mut given): (Vec<&[T]>, _) = (vec![&[]], inputs.iter());
        let shape = a.shape();
        let mut known = Vec::new();
        for operand in kernel.operands.iter().skip(1) {
            if operand.kind == OperandKind::Sparse {
                operands.push(&[]);
                known.push(Operand::sparse(operand.name, operand.indices, &shape));
                continue;
            }
            let elements: &'a [T] = given.next().copied().unwrap_or_default();
            operands.push(elements);
            if operand.kind == OperandKind::Dense {
                known.push(Operand::dense(operand.name, operand.indices, None, elements.len()));
            } else if elements.len() != 1 {
                return refused(
                    operand.name,
                    format!("{} elements", elements.len()),
                    "one, as it is a scalar",
                );
            }
        }
        let mut extents = vec![0; kernel.indices.len()];
        settled(kernel.indices, &known, &mut extents)?;
        let size = |operand: &super::program::Operand| {
            let mut extents = operand.indices.iter().map(|&index| extents[index]);
            extents.try_fold(1, |size: usize, extent| size.checked_mul(extent))
        };
        let output = size(&kernel.operands[0]).filter(|size| {
            let bytes = (*size as u64).checked_mul(size_of::<T>() as u64);
            bytes.is_some_and(|bytes| bytes <= device.bank_bytes)
        });
        let Some(output) = output else {
            let name = kernel.operands[0].name;
            let expected = format!("one that fits into a bank of {} bytes", device.bank_bytes);
            return Err(Error::new(ErrorKind::Limit, name, None, "a larger output", expected));
        };
        let mut lens: Vec<usize> = operands.iter().map(|elements| elements.len()).collect();
        lens[0] = output;
        Ok(Prepared {
            device,
            kernel,
            a,
            operands,
            lens,
            output,
            extents,
        })
    }

    /// Executes the program of one core. Returns the instructions, the elements of its parts, and the bytes of its bank.
    fn core<const N: usize, const M: usize>(
        &self,
        core: usize,
        memory: &mut impl Memory,
        output: &mut Written<T>,
    ) -> Result<(Counts, u64, u64), Error>
    where
        A: Partitioned<N, M>,
        <A::Part as Tree<N, M>>::Scalar: Stored<Value = T>,
    {
        let (mut counts, mut elements) = (Counts::default(), 0);
        let mut bank = Bank::new(self.device.bank_bytes);
        let operand_places = bank.operands(self.kernel, &self.lens, size_of::<T>())?;
        for part in self.a.parts().iter().skip(core).step_by(self.device.cores) {
            elements += elements_of(part);
            let places = bank.part(part)?;
            Core {
                kernel: self.kernel,
                part,
                levels: part.arrays(),
                places: &places,
                operands: &self.operands,
                operand_places: &operand_places,
                output,
                counts: &mut counts,
                memory,
                variables: self.variables(part),
                is_position: vec![false; self.kernel.variables],
                elements: vec![T::Sum::ZERO; self.kernel.variables],
                sum: T::Sum::ZERO,
                tile: Vec::new(),
            }
            .run()?;
        }
        Ok((counts, elements, bank.used()))
    }

    /// Returns the variables before the loops: extents, sizes of levels, and coordinates of the part's node.
    fn variables<P: Tree<N, M>, const N: usize, const M: usize>(&self, part: &P) -> Vec<i128> {
        let mut variables = vec![0; self.kernel.variables];
        for (&var, &extent) in self.kernel.extents.iter().zip(&self.extents) {
            variables[var] = extent as i128;
        }
        let (sizes, given) = (part.sizes(), part.given());
        for &(level, var) in self.kernel.levels {
            variables[var] = match P::LEVELS[level].kind {
                Kind::Given => i128::from(given[level]),
                _ => sizes[level] as i128,
            };
        }
        variables
    }
}

/// Returns the number of elements of a part, without holes.
fn elements_of<P: Tree<N, M>, const N: usize, const M: usize>(part: &P) -> u64 {
    let stored = part.stored();
    if !P::HOLES {
        return stored as u64;
    }
    (0..stored).filter(|&at| !part.value(at).reads_zero()).count() as u64
}
