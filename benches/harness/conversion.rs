//! The conversions of peers.

use super::matrices::{Arrangement, Compressed, Element, Entries};

/// A conversion that some peer has.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Task {
    /// Coordinates in this order to compressed rows with sorted columns.
    Compress(Arrangement),
    /// Compressed rows to compressed columns.
    Transpose,
    /// Row-ordered coordinates to diagonals.
    Diagonals,
    /// Row-ordered coordinates to ELLPACK.
    Ellpack,
    /// Compressed rows to dense blocks with this number of rows and columns, in compressed block rows.
    Blocks(usize),
}

/// The source of a task, and its expected result.
pub(crate) struct Problem<T> {
    pub task: Task,
    /// The elements in the order of the task.
    pub entries: Entries<T>,
    /// The same elements in compressed rows.
    pub rows: Compressed<T>,
    /// The expected result if it is compressed; other results are checked place by place.
    pub expected: Option<Compressed<T>>,
}

impl<T: Element> Problem<T> {
    /// `entries` are sorted by row and column.
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

    /// Whether blocks divide the matrix, as the peers with blocks require.
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
