//! A kernel with data as files.

use core::fmt;
use std::io;
use std::path::Path;

use super::HEADERS;
use super::files::Files;
use crate::file;

/// A kernel for high-level synthesis with the operands of one call: the files that a tool takes, and those of a simulation.
///
/// The result of the same kernel on this machine is what a simulation has to give, bit for bit.
pub struct Project {
    pub(super) files: Files,
    /// The data of each port.
    pub(super) data: Vec<Datum>,
    /// The bytes of the output after the call.
    pub(super) expected: Vec<u8>,
}

/// The bytes of an array, or of a number.
pub(super) struct Datum(pub(super) Vec<u8>);

impl Datum {
    pub(super) fn number(number: u64) -> Self {
        Datum(number.to_le_bytes().to_vec())
    }
}

impl Project {
    /// Returns the name of the function.
    #[must_use]
    pub fn name(&self) -> &str {
        self.files.design.name
    }

    /// Returns the text of the function, as it is in `kernel.cpp`.
    #[must_use]
    pub fn text(&self) -> &str {
        self.files.design.text
    }

    /// Writes all files into a folder, which is made if it is not there: the kernel, a test bench with its data, the files of the
    /// vendor's flow, and the headers for a simulation by a C++ compiler alone. `make csim` there simulates the kernel.
    ///
    /// # Errors
    /// What the system reports.
    pub fn emit(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        let files = &self.files;
        let text = |name: &str, text: &str| file::write(&folder.join(name), text.as_bytes());
        text("kernel.h", &files.header())?;
        text("kernel.cpp", &files.kernel())?;
        text("testbench.cpp", &files.test_bench())?;
        text("Makefile", &files.makefile())?;
        text("link.cfg", &files.link())?;
        text("synthesis.tcl", &files.script())?;
        for (name, header) in HEADERS {
            // These go beside the vendor's headers, too; the others stand for them.
            let is_ours = name.starts_with("unisparse_");
            let path = if is_ours {
                name.to_owned()
            } else {
                format!("shim/{name}")
            };
            text(&path, header)?;
        }
        self.emit_data(folder.join("golden"))
    }

    /// Writes the data of the test bench into a folder: one file for each port, little-endian, and the expected output. Another
    /// project of the same kernel, formats and element type can be simulated by the test bench of this one:
    /// `./csim FOLDER`.
    ///
    /// # Errors
    /// What the system reports.
    pub fn emit_data(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        for (port, Datum(bytes)) in self.files.design.ports.iter().zip(&self.data) {
            file::write(&folder.join(format!("{}.bin", port.name)), bytes)?;
        }
        file::write(&folder.join("expected.bin"), &self.expected)
    }
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project")
            .field("name", &self.files.design.name)
            .field("element", &self.files.element)
            .finish_non_exhaustive()
    }
}
