//! Those who convert too: what a user would take instead.

mod crates;
mod eigen;
mod mkl;
mod native;
mod plain_c;
mod scipy;

use crate::matrices::{Arrangement, Element, Entries};
use crate::measure::Contestant;
use crate::reference::Compressed;
use crate::settings::Settings;

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
    fn divides(&self) -> bool {
        let Task::Blocks(size) = self.task else { return true };
        self.entries.shape.iter().all(|extent| extent % size == 0)
    }

    fn check(&self, name: &str, found: &Compressed<T>) {
        let expected = self.expected.as_ref().expect("the result is compressed");
        assert!(found.ptr == expected.ptr, "{name}: other pointers");
        assert!(found.idx == expected.idx, "{name}: other indices");
        assert!(found.values == expected.values, "{name}: other values");
    }
}

/// What is compiled here, once.
pub(crate) struct Shims {
    c: Option<plain_c::PlainC>,
    eigen: Option<eigen::Eigen>,
}

impl Shims {
    /// Those that this machine can compile; the others are named.
    pub(crate) fn compile() -> Self {
        Shims {
            c: present("plain C", plain_c::PlainC::compile()),
            eigen: present("Eigen", eigen::Eigen::compile()),
        }
    }
}

/// All that are here.
pub(crate) struct Peers<'a> {
    shims: &'a Shims,
    mkl: Option<mkl::Mkl>,
    scipy: Option<scipy::Scipy>,
}

/// `found`, or none and why.
fn present<P>(name: &str, found: Result<P, String>) -> Option<P> {
    found.map_err(|reason| println!("ABSENT {name}: {reason}")).ok()
}

impl<'s> Peers<'s> {
    /// Those found on this machine; the others are named.
    pub(crate) fn load(shims: &'s Shims, settings: &Settings, threads: usize) -> Self {
        // Where tests run, it is neither there nor worth the second it takes to start.
        let scipy = !settings.quick || std::env::var_os("UNISPARSE_PYTHON").is_some();
        Peers {
            shims,
            mkl: present("MKL", mkl::Mkl::open(threads)),
            scipy: scipy.then(|| present("scipy", scipy::Scipy::start())).flatten(),
        }
    }

    /// All that have this conversion. Each has been run once, and what came out was right.
    pub(crate) fn contestants<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Vec<Contestant<'a>> {
        let mut all = Vec::new();
        all.extend(self.scipy.as_ref().and_then(|scipy| scipy.contestant(problem)));
        all.extend(self.mkl.as_ref().and_then(|mkl| mkl.contestant(problem)));
        all.extend(self.shims.eigen.as_ref().and_then(|eigen| eigen.contestant(problem)));
        all.extend(self.shims.c.as_ref().and_then(|c| c.contestant(problem)));
        all.extend(crates::contestants(problem));
        all
    }
}
