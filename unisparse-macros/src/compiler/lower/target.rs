//! What the passes know of a machine and of the language that a program is printed in.

/// A target, as data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    pub(crate) threads: Threads,
    /// Whether passes that only help a machine run: without them loops are easier to read.
    pub(crate) is_machine: bool,
    /// Whether the run time can choose between loops over dense operands as they are and over transposed copies.
    pub(crate) may_transpose: bool,
}

/// How a loop is divided among threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Threads {
    /// The run time cuts the positions of the outermost loop into pieces, and runs the body on each.
    Pieces,
    /// The language runs the iterations of the outermost loop in parallel, where each owns its places of the output.
    Iterations,
    /// A loop that can be divided is marked, whoever owns the output, and left whole.
    Marked,
}

impl Target {
    /// Rust over the run time of this project.
    pub(crate) const RUST: Self = Target {
        threads: Threads::Pieces,
        is_machine: true,
        may_transpose: true,
    };

    /// C, with OpenMP where the compiler has it.
    pub(crate) const C: Self = Target {
        threads: Threads::Iterations,
        is_machine: true,
        may_transpose: false,
    };

    /// Text for readers.
    pub(crate) const TEXT: Self = Target {
        threads: Threads::Marked,
        is_machine: false,
        may_transpose: false,
    };
}
