//! Launches of kernels, as data.

use super::counts::{Count, Terms};
use super::divided::has_parallel;
use crate::compiler::loops::Stmt;

/// One launch of a kernel. Blocks have a multiple of 32 threads, all in the first dimension.
pub(crate) struct Launch {
    pub(crate) kernel: String,
    pub(crate) work: Work,
    /// Whether the groups have `UNISPARSE_LANES` lanes, and not one.
    pub(crate) has_lanes: bool,
    /// The number of positions that the groups divide.
    pub(crate) positions: Count,
    /// The terms at all positions that the lanes of a group divide.
    pub(crate) terms: Terms,
    pub(crate) when: When,
    /// The number of entries of all rows, if a launch for skewed inputs divides them.
    pub(crate) divided: Count,
    /// Whether the groups leave carries to the launch after it.
    pub(crate) leaves_carries: bool,
    /// The arrays that must have room before the launch.
    pub(crate) allocates: Option<Allocation>,
}

/// The inputs for which a launch is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// The longest row takes no longer than all entries, evenly divided.
    Even,
    /// It would take longer.
    Skewed,
}

/// Arrays whose lengths the launches before have found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocation {
    /// The tables of all workers: as many places as the last element of `tables` says.
    Tables,
    /// The elements of the output: as many as the last element of `starts` says.
    Elements,
}

/// The threads that a kernel can use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Any number of threads divide the work.
    Divided,
    /// One thread does all of the work, whatever the number of threads.
    Whole,
    /// One block.
    Block,
}

/// Whether lanes divide a loop, or the elements to zero, inside the loop that workers divide.
pub(super) fn has_lanes(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Parallel(parallel) => parallel.body.iter().any(|stmt| has_parallel(stmt) || fills(stmt)),
        stmt => stmt.body().iter().any(has_lanes),
    }
}

fn fills(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Fill { .. }) || stmt.body().iter().any(fills)
}
