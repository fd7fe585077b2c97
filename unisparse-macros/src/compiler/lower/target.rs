//! Properties of a machine and of an output language that the passes use.

/// Data that describes a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    /// The levels of parallelism (not of a format), outermost first: how loops are divided at each.
    pub(crate) levels: &'static [Threads],
    /// Whether passes run that only improve machine code; without them the loops are easier to read.
    pub(crate) is_machine: bool,
    /// The lengths of tiles whose sums the compiler keeps in registers, longest first; empty where the run time
    /// chooses.
    pub(crate) tiles: &'static [usize],
    pub(crate) copies: Copies,
    /// Whether loops can be iterations over slices of arrays.
    pub(crate) slices: bool,
}

/// The kernels that also get loops over transposed copies of dense operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Copies {
    Everywhere,
    /// Kernels with a sparse result, which allocate memory anyway.
    ForSparseResults,
    Nowhere,
}

/// The division of a loop among the threads, work items or lanes of one level of parallelism.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Threads {
    /// The run time cuts the positions of the outermost loop into pieces and runs the body on each piece.
    Pieces,
    /// The language runs the iterations of a loop in parallel, if each iteration owns its output elements.
    Iterations,
    /// A loop that can be divided is marked and left whole, no matter who owns the output elements.
    Marked,
    /// Workers run the iterations of the outermost loop in parallel. Iterations that share output elements add to them
    /// atomically. Each worker has a search of its own where one continues from iteration to iteration.
    Workers,
    /// All lanes of a worker execute the statements of an iteration, and divide the iterations of one loop inside.
    Lanes,
    /// The next iteration of a loop starts before the one before has ended, as far as no element is read that it writes.
    Pipelines,
}

impl Target {
    /// Whether a thread prefetches data into caches of its own.
    pub(crate) fn prefetches(&self) -> bool {
        let has_none = |threads: &Threads| matches!(threads, Threads::Lanes | Threads::Pipelines);
        !self.levels.iter().any(has_none)
    }

    /// Rust with the run time of this project.
    pub(crate) const RUST: Self = Target {
        levels: &[Threads::Pieces],
        is_machine: true,
        tiles: &[],
        copies: Copies::Everywhere,
        slices: true,
    };

    /// C, with OpenMP if the compiler supports it.
    pub(crate) const C: Self = Target {
        levels: &[Threads::Iterations],
        is_machine: true,
        tiles: &[32, 16, 8],
        copies: Copies::ForSparseResults,
        slices: false,
    };

    /// Text for readers.
    pub(crate) const TEXT: Self = Target {
        levels: &[Threads::Marked],
        is_machine: false,
        tiles: &[],
        copies: Copies::Nowhere,
        slices: false,
    };
}
