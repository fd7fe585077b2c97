//! A Python process that answers lines: each line that it reads is a question, each that it prints an answer.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    /// Returns the command that runs a script with the interpreter in `UNISPARSE_PYTHON`, or else with `python3`.
    pub(crate) fn command(script: &str) -> Command {
        let mut command = Command::new(std::env::var("UNISPARSE_PYTHON").unwrap_or_else(|_| "python3".to_owned()));
        command.args(["-W", "ignore", "-c", script]);
        command
    }

    /// Starts a process, and returns it with the line that it prints when it is ready. The error names the interpreter.
    pub(crate) fn start(command: &mut Command) -> Result<(Self, String), String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{name}`: {error}"))?;
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let output = BufReader::new(output);
        let mut python = Python { child, input, output };
        let ready = python.answer().map_err(|_| format!("`{name}` does not import scipy"))?;
        Ok((python, ready))
    }

    /// Sends a line, and returns the answer.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String, String> {
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

impl Drop for Python {
    fn drop(&mut self) {
        // The process may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
