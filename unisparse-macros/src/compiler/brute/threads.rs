//! The execution of parallel loops in the interpreter.

/// The borders of the pieces of parallel loops, and the order in which the pieces run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Threads {
    /// One piece.
    One,
    /// Two pieces, the second one first.
    Halves,
    /// One piece per position: the odd ones, then the even ones in reverse.
    Everywhere,
}

impl Threads {
    pub(super) fn borders(self, count: usize) -> Vec<usize> {
        match self {
            Threads::Everywhere if count > 0 => (0..=count).collect(),
            Threads::Halves if count > 1 => vec![0, count / 2, count],
            _ => vec![0, count],
        }
    }

    /// Returns the numbers of all pieces, or of all positions, in the order in which they run.
    pub(super) fn order(self, count: usize) -> Vec<usize> {
        match self {
            Threads::One => (0..count).collect(),
            Threads::Halves => (0..count).rev().collect(),
            Threads::Everywhere => (1..count).step_by(2).chain((0..count).step_by(2).rev()).collect(),
        }
    }
}
