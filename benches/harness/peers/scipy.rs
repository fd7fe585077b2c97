//! scipy, in a Python process: arrays pass through files, and the process measures itself on request.

use std::cell::{Cell, RefCell};
use std::process::Stdio;

use super::native::Scratch;
use crate::harness::matrices::{Compressed, Element};
use crate::harness::measure::{Clock, Contestant};
use crate::harness::memory::is_fresh;
use crate::harness::python::Python;
use crate::harness::{computation, conversion};

pub(super) struct Scipy {
    process: RefCell<Python>,
    /// The number of tasks so far.
    tasks: Cell<usize>,
    scratch: Scratch,
}

/// Returns the bytes of a file of 32-bit integers.
fn integers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// Returns the bytes of a file of 64-bit numbers.
fn doubles<T: Element>(numbers: &[T]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|&number| Into::<f64>::into(number).to_ne_bytes())
        .collect()
}

impl Scipy {
    pub(super) fn start() -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let mut command = Python::command(include_str!("scipy_peer.py"));
        if is_fresh() {
            // Large blocks come from the system, as in this process: `memory::always_fresh` does not affect child processes.
            command.env("MALLOC_MMAP_THRESHOLD_", "131072");
        }
        // The process reports its version when it is ready.
        let (process, version) = Python::start(command.arg(scratch.join("")).stderr(Stdio::piped()))?;
        println!("{version}");
        Ok(Scipy {
            process: RefCell::new(process),
            tasks: Cell::new(0),
            scratch,
        })
    }

    pub(super) fn convert<'a, T: Element>(&'a self, problem: &'a conversion::Problem<T>) -> Option<Contestant<'a>> {
        use conversion::Task;
        let task = match problem.task {
            Task::Compress(_) => "compress",
            Task::Transpose => "transpose",
            Task::Diagonals => "diagonals",
            Task::Blocks(_) => "blocks",
            Task::Ellpack => return None,
        };
        if !problem.divides() {
            return None;
        }
        let entries = &problem.entries;
        let size = if let Task::Blocks(size) = problem.task { size } else { 1 };
        if let Task::Compress(_) | Task::Diagonals = problem.task {
            self.write("row", integers(&entries.rows));
            self.write("col", integers(&entries.cols));
            self.write("values", doubles(&entries.values));
        } else {
            self.write_rows("", &problem.rows);
        }
        let (number, answer) = self.load::<T>(task, entries.shape, size);
        if problem.task == Task::Diagonals {
            self.check_diagonals(problem, answer.parse().expect("the length of a diagonal"));
        } else {
            problem.check("scipy", &self.read_rows());
        }
        Some(self.contestant(number))
    }

    pub(super) fn compute<'a, T: Element>(&'a self, problem: &'a computation::Problem<T>) -> Option<Contestant<'a>> {
        use computation::Task;
        let (task, size) = match problem.task {
            Task::Multiply { columns } => ("multiply", columns),
            Task::Square => ("square", 1),
            Task::AddTransposed => ("add", 1),
            Task::Sample { .. } => return None,
        };
        self.write_rows("", &problem.rows);
        self.write("dense", doubles(&problem.dense));
        if let Some(other) = &problem.transposed {
            self.write_rows("other_", other);
        }
        let (number, _) = self.load::<T>(task, problem.shape, size);
        if task == "multiply" {
            problem.check_dense("scipy", &self.read_values("result_values"));
        } else {
            problem.check_sparse("scipy", &self.read_rows());
        }
        Some(self.contestant(number))
    }

    /// Starts a task on the written files, and runs it once. Returns the number of the task and the answer.
    fn load<T: Element>(&self, task: &str, [rows, cols]: [usize; 2], size: usize) -> (usize, String) {
        let number = self.tasks.get() + 1;
        self.tasks.set(number);
        let answer = self.ask(&format!("load {number} {task} {} {rows} {cols} {size}", T::NAME));
        (number, answer)
    }

    fn contestant(&self, number: usize) -> Contestant<'_> {
        Contestant::new("scipy", move |shot| {
            let clock = if shot.clock == Clock::Thread { "thread" } else { "wall" };
            let seconds = self.ask(&format!("time {number} {clock} {}", shot.repeats));
            seconds.parse().expect("scipy says how many seconds")
        })
    }

    fn write_rows<T: Element>(&self, prefix: &str, rows: &Compressed<T>) {
        self.write(&format!("{prefix}ptr"), integers(&rows.ptr));
        self.write(&format!("{prefix}idx"), integers(&rows.idx));
        self.write(&format!("{prefix}values"), doubles(&rows.values));
    }

    fn read_rows<T: Element>(&self) -> Compressed<T> {
        let (ptr, idx) = (self.read_integers("result_ptr"), self.read_integers("result_idx"));
        Compressed::of(ptr, idx, &self.read_values("result_values"))
    }

    /// scipy stores diagonals by column, up to the last column with an element.
    fn check_diagonals<T: Element>(&self, problem: &conversion::Problem<T>, width: usize) {
        let offsets = self.read_integers("result_idx");
        let values = self.read_values::<T>("result_values");
        let nonzeros = values.iter().filter(|&&value| value != T::default()).count();
        assert_eq!(nonzeros, problem.entries.len(), "scipy: other elements");
        let entries = &problem.entries;
        for at in 0..entries.len() {
            let (i, j) = (entries.rows[at] as i32, entries.cols[at] as i32);
            let diag = offsets.binary_search(&(j - i)).expect("scipy: a diagonal is missing");
            assert!(
                values[diag * width + j as usize] == entries.values[at],
                "scipy: another value"
            );
        }
    }

    fn ask(&self, line: &str) -> String {
        let answer = self.process.borrow_mut().ask(line);
        answer.unwrap_or_else(|error| panic!("scipy, `{line}`: {error}"))
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.scratch.join(name)
    }

    fn write(&self, name: &str, bytes: Vec<u8>) {
        std::fs::write(self.path(name), bytes).expect("the temporary folder has room");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("scipy has written it")
    }

    fn read_integers(&self, name: &str) -> Vec<i32> {
        let bytes = self.read(name);
        let numbers = bytes.chunks_exact(4);
        numbers
            .map(|number| i32::from_ne_bytes(number.try_into().expect("four bytes")))
            .collect()
    }

    fn read_values<T: Element>(&self, name: &str) -> Vec<T> {
        let bytes = self.read(name);
        let numbers = bytes
            .chunks_exact(8)
            .map(|number| number.try_into().expect("eight bytes"));
        numbers.map(|number| T::rounded(f64::from_ne_bytes(number))).collect()
    }
}
