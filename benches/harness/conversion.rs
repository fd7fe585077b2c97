//! What peers convert.

use super::matrices::{Arrangement, Compressed, Element, Entries};

/// A conversion that some peer has.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Task {
    /// Coordinates in this order, to compressed rows with the columns in order.
    Compress(Arrangement),
    /// Compressed rows to compressed columns.
    Transpose,
    /// Coordinates in the order of rows to diagonals.
    Diagonals,
    /// Coordinates in the order of rows to ELLPACK.
    Ellpack,
    /// Compressed rows to dense blocks of this many rows and columns, compressed by rows.
    Blocks(usize),
}

/// What a peer works on.
pub(crate) struct Problem<T> {
    pub task: Task,
    /// In the order of the task.
    pub entries: Entries<T>,
    /// The same in the order of rows, compressed.
    pub rows: Compressed<T>,
    /// What comes out where it is compressed; the others are checked place by place.
    pub expected: Option<Compressed<T>>,
}

impl<T: Element> Problem<T> {
    /// `entries` come in the order of rows.
    pub(crate) fn new(task: Task, entries: &Entries<T>) -> Self {
        let rows = Compressed::rows(entries);
        let arrangement = match task {
            Task::Compress(arrangement) => arrangement,
            _ => Arrangement::Rows,
        };
        let expected = match task {
            Task::Compress(_) => Some(rows.clone()),
            Task::Transpose => Some(Compressed::columns(entries)),
            Task::Blocks(size) => Some(Compressed::blocks(entries, size)),
            Task::Diagonals | Task::Ellpack => None,
        };
        Problem {
            task,
            entries: entries.arranged(arrangement),
            rows,
            expected,
        }
    }

    /// Whether blocks divide the matrix, as the peers that have blocks want it.
    pub(crate) fn divides(&self) -> bool {
        let Task::Blocks(size) = self.task else { return true };
        self.entries.shape.iter().all(|extent| extent % size == 0)
    }

    pub(crate) fn check(&self, name: &str, found: &Compressed<T>) {
        let expected = self.expected.as_ref().expect("the result is compressed");
        assert!(found.ptr == expected.ptr, "{name}: other pointers");
        assert!(found.idx == expected.idx, "{name}: other indices");
        assert!(found.values == expected.values, "{name}: other values");
    }
}
