//! A kernel with operands that fit it, ready to run on each core.

use std::mem::size_of;

use super::bank::Bank;
use super::core::Core;
use super::device::{Counts, Device};
use super::memory::Memory;
use super::program::{Kernel, Operand as Declared, OperandKind};
use super::written::Written;
use crate::element::{Scalar, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Tree};
use crate::kernel::extents::{Operand, settled};
use crate::source::Partitioned;

/// A kernel with operands that fit it.
pub(super) struct Prepared<'a, A, T: Scalar> {
    device: &'a Device,
    kernel: &'a Kernel<A, T::Sum>,
    a: &'a A,
    /// The elements of each operand; nothing for the output and the tensor.
    operands: Vec<&'a [T]>,
    /// The number of elements of each operand.
    lens: Vec<usize>,
    /// The number of elements of the output.
    pub(super) output: usize,
    extents: Vec<usize>,
}

impl<'a, A, T: Scalar> Prepared<'a, A, T> {
    pub(super) fn new<const N: usize, const M: usize>(
        device: &'a Device,
        kernel: &'a Kernel<A, T::Sum>,
        a: &'a A,
        inputs: &[&'a [T]],
    ) -> Result<Self, Error>
    where
        A: Partitioned<N, M>,
    {
        if device.cores == 0 {
            return Err(refused("device", "no cores".to_owned(), "at least one core"));
        }
        let operands = operands(kernel, inputs)?;
        let extents = extents(kernel, &a.shape(), &operands)?;
        (kernel.checks)(&extents)?;
        let output = outputs(device, &kernel.operands[0], &extents, size_of::<T>())?;
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
    pub(super) fn core<const N: usize, const M: usize>(
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
            let places = bank.part(part, self.kernel.tuple_arrays)?;
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
                sum: self.kernel.start,
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

fn refused(subject: &str, found: String, expected: &str) -> Error {
    Error::new(ErrorKind::Structure, subject, None, found, expected)
}

/// Returns the elements of each operand of the statement: nothing for the output and the tensor.
fn operands<'a, A, S, T>(kernel: &Kernel<A, S>, inputs: &[&'a [T]]) -> Result<Vec<&'a [T]>, Error> {
    let sparse = |operand: &&Declared| operand.kind == OperandKind::Sparse;
    let expected = kernel
        .operands
        .iter()
        .skip(1)
        .filter(|operand| !sparse(operand))
        .count();
    if inputs.len() != expected {
        let found = format!("{} operands", inputs.len());
        let expected = format!("{expected}, the dense and scalar inputs of `{}`", kernel.text);
        return Err(refused("operands", found, &expected));
    }
    let (mut operands, mut given): (Vec<&[T]>, _) = (vec![&[]], inputs.iter());
    for operand in kernel.operands.iter().skip(1) {
        let elements: &'a [T] = match operand.kind {
            OperandKind::Sparse => &[],
            OperandKind::Dense | OperandKind::Scalar => given.next().copied().unwrap_or_default(),
        };
        if operand.kind == OperandKind::Scalar && elements.len() != 1 {
            let found = format!("{} elements", elements.len());
            return Err(refused(operand.name, found, "one, as it is a scalar"));
        }
        operands.push(elements);
    }
    Ok(operands)
}

/// Returns the extent of each index, on which all operands agree.
fn extents<A, S, T>(kernel: &Kernel<A, S>, shape: &[usize], operands: &[&[T]]) -> Result<Vec<usize>, Error> {
    let inputs = kernel.operands.iter().zip(operands).skip(1);
    let known = inputs.filter_map(|(operand, elements)| match operand.kind {
        OperandKind::Sparse => Some(Operand::sparse(operand.name, operand.indices, shape)),
        OperandKind::Dense => Some(Operand::dense(operand.name, operand.indices, None, elements.len())),
        OperandKind::Scalar => None,
    });
    let known: Vec<Operand<'_>> = known.collect();
    let mut extents = vec![0; kernel.indices.len()];
    settled(kernel.indices, &known, &mut extents)?;
    Ok(extents)
}

/// Returns the number of elements of the output, which fits into a bank.
fn outputs(device: &Device, output: &Declared, extents: &[usize], width: usize) -> Result<usize, Error> {
    let mut extents = output.indices.iter().map(|&index| extents[index]);
    let size = extents.try_fold(1, |size: usize, extent| size.checked_mul(extent));
    let fits = |size: &usize| {
        let bytes = (*size as u64).checked_mul(width as u64);
        bytes.is_some_and(|bytes| bytes <= device.bank_bytes)
    };
    size.filter(fits).ok_or_else(|| {
        let expected = format!("one that fits into a bank of {} bytes", device.bank_bytes);
        Error::new(ErrorKind::Limit, output.name, None, "a larger output", expected)
    })
}
