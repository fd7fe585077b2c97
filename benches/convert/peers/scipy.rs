//! scipy, in a Python of its own: arrays go through files, it measures itself when it is told to.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::native::Scratch;
use super::{Problem, Task};
use crate::matrices::Element;
use crate::measure::{Clock, Contestant};
use crate::reference::Compressed;

pub(super) struct Scipy {
    process: RefCell<Process>,
    scratch: Scratch,
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Tells it one line, and gives what it answers.
    fn ask(&mut self, line: &str) -> Result<String, String> {
        writeln!(self.input, "{line}").map_err(|error| error.to_string())?;
        self.answer()
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        if line.is_empty() {
            return Err("the Python has ended".to_owned());
        }
        Ok(line.trim().to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a file of 32-bit integers.
fn integers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

impl Scipy {
    pub(super) fn start() -> Result<Self, String> {
        let python = std::env::var("UNISPARSE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let scratch = Scratch::new()?;
        let mut child = Command::new(&python)
            .args(["-W", "ignore", "-c", include_str!("scipy_peer.py")])
            .arg(scratch.join(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{python}`: {error}"))?;
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut process = Process {
            child,
            input,
            output: BufReader::new(output),
        };
        // It says its version when it is ready.
        let version = process
            .answer()
            .map_err(|_| format!("`{python}` does not import scipy"))?;
        println!("{version}");
        Ok(Scipy {
            process: RefCell::new(process),
            scratch,
        })
    }

    pub(super) fn contestant<'a, T: Element>(&'a self, problem: &'a Problem<T>) -> Option<Contestant<'a>> {
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
        let values = entries
            .values
            .iter()
            .flat_map(|&value| Into::<f64>::into(value).to_ne_bytes());
        self.write("row", integers(&entries.rows));
        self.write("col", integers(&entries.cols));
        self.write("values", values.collect());
        self.write("ptr", integers(&problem.rows.ptr));
        let [rows, cols] = entries.shape;
        self.ask(&format!("load {task} {} {rows} {cols} {size}", T::NAME));
        let answer = self.ask(&format!("give {task}"));
        if problem.task == Task::Diagonals {
            self.check_diagonals(problem, answer.parse().expect("the length of a diagonal"));
        } else {
            let (ptr, idx) = (self.read_integers("result_ptr"), self.read_integers("result_idx"));
            problem.check("scipy", &Compressed::of(ptr, idx, &self.read_values("result_values")));
        }
        let shot = move |clock| {
            let clock = if clock == Clock::Thread { "thread" } else { "wall" };
            let seconds = self.ask(&format!("time {task} {clock}"));
            seconds.parse().expect("scipy says how many seconds")
        };
        Some(Contestant::new("scipy", shot))
    }

    /// Its diagonals are stored by column, and end with the last column that has an element.
    fn check_diagonals<T: Element>(&self, problem: &Problem<T>, width: usize) {
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
