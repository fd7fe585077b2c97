//! Makes the arrays of a format on the device, from the coordinates of the elements of a sparse output.
//!
//! That is for formats whose levels are the dims in some order, if the elements come in it: `Csr`, `Dcsr`, `Coo`, `Csf` and
//! what is declared like them. The host makes the arrays of all others.

use super::buffer::Buffer;
use super::driver::Function;
use super::element::{Element, of_bytes};
use super::error::Error;
use super::launch::{Arguments, THREADS};
use super::modules::Variant;
use super::part::{Integers, Made, Part};
use super::phases::OutputElements;
use super::stream::Stream;
use crate::format::{Array, Atom, Encoded, Form, Kind};
use crate::kernel::c::{Count, Kernels, Launch, Terms, When, Work};

/// A level whose coordinate is that of a dim.
struct Step {
    dim: usize,
    /// The `idx` array; `None` if the level has all coordinates.
    idx: Option<Array>,
    ptr: Option<Array>,
    is_copied: bool,
}

/// Returns the levels of a format of `dims` dims whose values have this many bytes, or `None` if the host makes its arrays.
fn steps<F: Encoded>(dims: usize, value_width: usize) -> Option<Vec<Step>> {
    let ([encoding], [storage]) = (F::ENCODINGS, F::STORAGE) else {
        return None;
    };
    let is_plain = encoding.partition.is_none() && encoding.queries.is_empty() && encoding.levels.len() == dims;
    if !is_plain || storage.value_width != value_width {
        return None;
    }
    let mut steps: Vec<Step> = Vec::new();
    for (form, level) in encoding.levels.iter().zip(storage.levels) {
        let Form {
            terms: &[(Atom::Dim(dim), 1)],
            constant: 0,
        } = form.form
        else {
            return None;
        };
        let is_copied = match level.kind {
            Kind::Dense => false,
            Kind::Indexed {
                full: false,
                copied,
                pointed,
            } => {
                // Without pointers, an entry is that of its parent.
                let is_alone = steps.last().is_none_or(|above| above.is_copied);
                if !pointed && !is_alone {
                    return None;
                }
                copied
            }
            _ => return None,
        };
        if !level.invariant_over.is_empty() || steps.iter().any(|step| step.dim == dim) {
            return None;
        }
        steps.push(Step {
            dim,
            idx: level.idx,
            ptr: level.ptr,
            is_copied,
        });
    }
    // The values are in the order of the elements, without holes.
    steps.last()?.idx.map(|_| ())?;
    Some(steps)
}

/// More parents than these, which have no elements, are for the host, whose limit they may exceed.
const MOST_PARENTS: u64 = 1 << 27;

/// Returns the arrays of the format `F` with these elements, or gives them back if the host must make its arrays.
pub(super) fn assembled<F: Encoded, T: Element>(
    stream: &Stream,
    elements: OutputElements,
    shape: &[usize],
) -> Result<Result<Part, OutputElements>, Error> {
    let Some(steps) = steps::<F>(shape.len(), T::BYTES) else {
        return Ok(Err(elements));
    };
    let mut assembly = Assembly::new(stream, elements.len() as u64)?;
    if !assembly.ascends(&elements, &steps)? {
        return Ok(Err(elements));
    }
    let mut levels = Vec::new();
    for step in &steps {
        let Some(level) = assembly.level(step, elements.column(step.dim), shape[step.dim] as u64)? else {
            return Ok(Err(elements));
        };
        levels.push(level);
    }
    let (stored, values) = elements.into_values();
    Ok(Ok(Part::made(levels, values, stored)))
}

/// The numbers of the kernels.
const ASCEND: usize = 0;
const ALL: usize = 1;
const COUNT: usize = 2;
const SUMS: usize = 3;
const ENTER: usize = 4;
const POINT: usize = 5;
const LONGEST: usize = 6;

const fn launch(kernel: &'static str) -> Launch {
    Launch {
        kernel,
        work: Work::Divided,
        has_lanes: false,
        positions: Count::Unknown,
        terms: Terms::Unknown,
        when: When::Always,
        divided: Count::Unknown,
        leaves_carries: false,
        allocates: None,
    }
}

static KERNELS: Kernels = Kernels {
    name: "unisparse_assemble",
    prelude: "",
    text: include_str!("assemble.cu"),
    parameters: &[],
    launches: &[
        launch("unisparse_ascend"),
        launch("unisparse_all"),
        launch("unisparse_count"),
        launch("unisparse_sums"),
        launch("unisparse_enter"),
        launch("unisparse_point"),
        launch("unisparse_longest"),
    ],
};

/// An array of entries as kernels take it: its address, and the bytes of an entry.
type Column = [u64; 2];

/// The levels down to the last one that was made.
struct Assembly<'a> {
    stream: &'a Stream,
    functions: Vec<Function>,
    blocks: u32,
    /// The number of elements, and of positions of the last level.
    count: u64,
    parents: u64,
    /// The position of each element in the last level.
    positions: Buffer,
    next: Buffer,
    /// A number for each thread, and one more.
    counts: Buffer,
}

impl<'a> Assembly<'a> {
    fn new(stream: &'a Stream, count: u64) -> Result<Self, Error> {
        let device = stream.device();
        let variant = Variant {
            element: "F64",
            lanes: 1,
            is_wide: false,
        };
        let functions = device.modules.functions(&*device.driver, &KERNELS, variant)?;
        // A thread takes some neighbours, and more blocks than are resident at once gain nothing.
        let resident = u64::from(device.driver.properties().multiprocessors.max(1)) * 8;
        let blocks = count.div_ceil(u64::from(THREADS) * 4).clamp(1, resident) as u32;
        let of_elements = (count as usize).saturating_mul(size_of::<u64>());
        let of_threads = ((blocks * THREADS) as usize + 1) * size_of::<u64>();
        Ok(Assembly {
            stream,
            functions,
            blocks,
            count,
            parents: 1,
            positions: Buffer::zeroed(device, of_elements)?,
            next: Buffer::allocate(device, of_elements)?,
            counts: Buffer::allocate(device, of_threads)?,
        })
    }

    /// Enqueues a launch of a kernel with these arguments.
    fn launch(&self, kernel: usize, blocks: u32, arguments: &[&[u64]]) -> Result<(), Error> {
        let mut words = Arguments::default();
        for argument in arguments {
            words.push(argument.iter().copied());
        }
        let (driver, stream) = (&self.stream.device().driver, self.stream.handle());
        // SAFETY: the callers pass the parameters of the text, and arrays of the lengths that they state.
        unsafe { driver.launch(stream, self.functions[kernel], blocks, THREADS, &words) }
    }

    /// Whether the coordinates ascend in the order of the levels, each element once.
    fn ascends(&self, elements: &OutputElements, steps: &[Step]) -> Result<bool, Error> {
        let columns: Vec<u8> = steps
            .iter()
            .flat_map(|step| elements.column(step.dim))
            .flat_map(u64::to_le_bytes)
            .collect();
        let device = self.stream.device();
        let (columns, found) = (
            Buffer::of_bytes(device, &columns)?,
            Buffer::zeroed(device, size_of::<u64>())?,
        );
        let (dims, count) = (steps.len() as u64, self.count);
        let arrays = [columns.address().0, found.address().0];
        self.launch(ASCEND, self.blocks, &[&arrays[..1], &[dims], &[count], &arrays[1..]])?;
        Ok(found.read()?.iter().all(|&byte| byte == 0))
    }

    /// Makes the arrays of the next level, or returns `None` if they do not fit their types.
    fn level(&mut self, step: &Step, column: Column, extent: u64) -> Result<Option<Made>, Error> {
        let fits = |array: &Option<Array>, greatest: u64| {
            array.is_none_or(|array| i64::try_from(greatest).is_ok_and(|greatest| greatest <= array.most))
        };
        let Some(idx) = step.idx else {
            let positions = self.positions.address().0;
            self.launch(ALL, self.blocks, &[&[positions], &column, &[extent], &[self.count]])?;
            self.parents = self.parents.saturating_mul(extent);
            return Ok((self.parents <= MOST_PARENTS).then(Made::default));
        };
        if !fits(&step.idx, extent.saturating_sub(1)) || !fits(&step.ptr, self.count) {
            return Ok(None);
        }
        let [positions, next, counts] = [&self.positions, &self.next, &self.counts].map(|buffer| buffer.address().0);
        let (is_copied, count, threads) = (u64::from(step.is_copied), self.count, u64::from(self.blocks * THREADS));
        self.launch(
            COUNT,
            self.blocks,
            &[&[positions], &column, &[is_copied], &[count], &[counts]],
        )?;
        self.launch(SUMS, 1, &[&[counts], &[threads]])?;
        let entries = self.sum(threads)?;
        let idx = self.integers(idx, entries)?;
        self.launch(
            ENTER,
            self.blocks,
            &[
                &[positions],
                &column,
                &[is_copied],
                &[count],
                &[counts],
                &[next],
                &idx.column(),
            ],
        )?;
        let (mut ptr, mut longest) = (None, 0);
        if let Some(array) = step.ptr {
            let pointers = self.integers(array, self.parents + 1)?;
            let (parents, at) = (self.parents, pointers.column());
            self.launch(
                POINT,
                self.blocks,
                &[&[positions], &[next], &[count], &[parents], &[entries], &at],
            )?;
            self.launch(LONGEST, self.blocks, &[&at, &[parents], &[counts]])?;
            let found = of_bytes::<u64>(&self.counts.read()?);
            longest = found[..threads as usize].iter().copied().max().unwrap_or(0) as usize;
            ptr = Some(pointers);
        }
        self.parents = entries;
        core::mem::swap(&mut self.positions, &mut self.next);
        Ok(Some(Made {
            ptr,
            idx: Some(idx),
            longest,
        }))
    }

    /// Returns the number after those of all threads.
    fn sum(&self, threads: u64) -> Result<u64, Error> {
        Ok(of_bytes::<u64>(&self.counts.read()?)[threads as usize])
    }

    fn integers(&self, array: Array, len: u64) -> Result<Integers, Error> {
        let len = usize::try_from(len).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
        Integers::of_len(self.stream.device(), len, (array.width, array.entry))
    }
}
