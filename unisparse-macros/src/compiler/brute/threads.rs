//! How parallel loops run in the interpreter.

/// Where the positions of parallel loops are cut, and in which order the pieces run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Threads {
    /// One piece.
    One,
    /// Two pieces, the second first.
    Halves,
    /// A piece for each position: every other one, then the rest backwards.
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

    /// The numbers of all pieces, or of all positions, in the order in which they run.
    pub(super) fn order(self, count: usize) -> Vec<usize> {
        match self {
            Threads::One => (0..count).collect(),
            Threads::Halves => (0..count).rev().collect(),
            Threads::Everywhere => (1..count).step_by(2).chain((0..count).step_by(2).rev()).collect(),
        }
    }
}
